package untrusted

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/untrusted/untrustedtest"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
)

// unhurried has all the time in the world.
func unhurried() *highlighter {
	h := newHighlighter()
	h.now = func() time.Time { return time.Unix(0, 0) }
	return h
}

// coloured writes the classes of a text around their stretches.
func coloured(h *highlighter, l language, text string) string {
	names := map[views.Token]string{
		views.TokenKeyword: "k", views.TokenName: "n", views.TokenString: "s", views.TokenNumber: "d", views.TokenComment: "c",
		views.TokenHeading: "h", views.TokenInserted: "+", views.TokenDeleted: "-",
	}
	var b strings.Builder
	for _, r := range styled(text, style{tokens: h.tokens(l, text)}) {
		if r.Token != views.TokenNone {
			b.WriteString("<" + names[r.Token] + ":" + r.Text + ">")
			continue
		}
		b.WriteString(r.Text)
	}
	return b.String()
}

func TestColours(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language language
		text     string
		want     string
	}{
		{languageSQL, "DELETE FROM users -- all\nWHERE id = 'x'", "<k:DELETE> <k:FROM> users <c:-- all\n><k:WHERE> id = <s:'x'>"},
		{languageShell, `rm -rf "$HOME" && echo 1 # done`, `rm -rf <s:"><n:$HOME><s:"> && <n:echo> <d:1> <c:# done>`},
		{languageJSON, `{"a": [1.5, true, "b"]}`, `{<n:"a">: [<d:1.5>, <k:true>, <s:"b">]}`},
		{languagePython, "def f(n):\n    return 1  # one", "<k:def> <n:f>(n):\n    <k:return> <d:1>  <c:# one>"},
		{languageDiff, "@@ -1 +1 @@\n-a\n+b", "<h:@@ -1 +1 @@\n><-:-a\n><+:+b>"},
		{languageNone, "SELECT 1", "SELECT 1"},
	} {
		if got := coloured(unhurried(), test.language, test.text); got != test.want {
			t.Errorf("%s: %s, want %s", test.language, got, test.want)
		}
	}
}

// Whatever is coloured, no character of it is lost, moved or added.
func TestColoursKeepTheText(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	for l := range lexerNames {
		for _, text := range untrustedtest.HostileCode() {
			for _, end := range []string{"", "\n", "\r\n", "'", "\\"} {
				shown := styled(text+end, style{tokens: unhurried().tokens(l, text+end)})
				if got := untrustedtest.Undo(t, shown); got != text+end {
					t.Errorf("%s: %q reads back to %q", l, text+end, got)
				}
			}
		}
	}
}

// A lexer that changes, drops or adds something, or fails, colours nothing.
func TestColoursNeedTheTextBack(t *testing.T) {
	t.Parallel()
	for name, rules := range map[string]chroma.Rules{
		"swaps": {"root": {{Pattern: "(a)(b)", Type: swapped{}}, {Pattern: "(?s).", Type: chroma.Text}}},
		"drops": {"root": {{Pattern: "b", Type: nil}, {Pattern: "(?s).", Type: chroma.Keyword}}},
		"fails": {"root": {{Pattern: "a", Type: chroma.Keyword, Mutator: chroma.Push("nowhere")}}},
	} {
		lexer, err := chroma.NewLexer(nil, func() chroma.Rules { return rules })
		fatal(t, err)
		if got := unhurried().by(lexer, "xab"); got != nil {
			t.Errorf("a lexer that %s colours %v", name, got)
		}
	}
}

// swapped gives two groups back the wrong way round.
type swapped struct{}

func (swapped) EmitterKind() string { return "swapped" }

func (swapped) Emit(groups []string, _ *chroma.LexerState) chroma.Iterator {
	return chroma.Literator(chroma.Token{Type: chroma.Keyword, Value: groups[2]}, chroma.Token{Type: chroma.Keyword, Value: groups[1]})
}

// A text that is too large, or a page with too much on it, is shown as it is.
func TestColoursAreBounded(t *testing.T) {
	t.Parallel()
	if got := unhurried().tokens(languageSQL, strings.Repeat("a ", maxColoured/2)+"b"); got != nil {
		t.Error("a text above the bound is coloured")
	}
	h := unhurried()
	text := "SELECT " + strings.Repeat("1 ", 1000)
	coloured := 0
	for range 10 {
		if h.tokens(languageSQL, text) != nil {
			coloured++
		}
	}
	if coloured == 0 || coloured == 10 {
		t.Errorf("%d of ten large texts are coloured on one page", coloured)
	}
	late := newHighlighter()
	steps := 0
	late.now = func() time.Time { steps++; return time.Unix(int64(steps), 0) }
	if late.tokens(languageSQL, "SELECT 1") != nil || steps > 3 {
		t.Errorf("the time is over and it goes on for %d steps", steps)
	}
}

// What our own expressions replace is in the lexers: a new version that has it
// otherwise must be looked at.
func TestTheSlowExpressionsAreReplaced(t *testing.T) {
	t.Parallel()
	for l, replaced := range linear {
		patterns := map[string]bool{}
		for _, of := range []chroma.Lexer{lexers.Get(lexerNames[l]), lexerOf()[l]} {
			rules, err := of.(*chroma.RegexLexer).Rules()
			fatal(t, err)
			for _, state := range rules {
				for _, rule := range state {
					if patterns[rule.Pattern] = true; of == lexerOf()[l] && replaced[rule.Pattern] != "" {
						t.Errorf("%s still has %s", l, rule.Pattern)
					}
				}
			}
		}
		for slow := range replaced {
			if !patterns[slow] {
				t.Errorf("%s has no %s any more", l, slow)
			}
		}
	}
	if len(lexerOf()) != len(lexerNames) {
		t.Errorf("%d of %d languages have a lexer", len(lexerOf()), len(lexerNames))
	}
}

// The files are those of the highlighter's version in go.mod.
func TestLexersAreTheirs(t *testing.T) {
	t.Parallel()
	for l, name := range lexerNames {
		theirs, err := lexers.Get(name).(*chroma.RegexLexer).Rules()
		fatal(t, err)
		ours, err := chroma.MustNewXMLLexer(lexerFiles, "lexers/"+name+".xml").Rules()
		fatal(t, err)
		if !reflect.DeepEqual(theirs, ours) {
			t.Errorf("lexers/%s.xml isn't what the highlighter has for %s: copy its lexers/embedded/%s.xml", name, l, name)
		}
	}
}

func TestLanguageOfAValue(t *testing.T) {
	t.Parallel()
	const diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"
	for _, test := range []struct {
		name, text string
		want       language
	}{
		{"statement", "DROP TABLE orders", languageSQL},
		{"note", "drop me a line", languageNone},
		{"command", "rm -rf /srv/data", languageShell},
		{"value", "kubectl -n prod delete pod x", languageShell},
		{"body", `{"a":1}`, languageJSON},
		{"body", `{"a":1`, languageNone},
		{"body", "[]", languageNone},
		{"python", "x = 1", languagePython},
		{"script", "import os\nprint(os.getcwd())", languagePython},
		{"script", "set -e\nmake install", languageShell},
		{"text", "import os\nprint(1)", languageNone}, // nothing says that it is a program
		{"patch", diff, languageDiff},
		{"query", "SELECT " + strings.Repeat("1,", maxColoured) + "1", languageNone},
	} {
		if got := languageIn(t, test.name, test.text); got != test.want {
			t.Errorf("%s %.40q is %q, want %q", test.name, test.text, got, test.want)
		}
	}
}

func languageIn(t *testing.T, name, text string) language {
	t.Helper()
	body, err := json.Marshal(map[string]any{"function": "call", "arguments": map[string]string{name: text}})
	fatal(t, err)
	return languagesOf(actionOf(t, string(body))).of(approvals.Piece{Pointer: "/arguments/" + name, Type: "string", Text: text, Last: true})
}

// A part of a long text could begin inside of a string: it is not coloured.
func TestPiecesAreNotColoured(t *testing.T) {
	t.Parallel()
	action := actionOf(t, `{"function":"run_sql","arguments":{"statement":"SELECT 1 FROM users"}}`)
	if got := languagesOf(action).of(approvals.Piece{Pointer: "/arguments/statement", Type: "string", Text: "SELECT 1 FROM users", Start: 9, Last: true}); got != languageNone {
		t.Errorf("a piece is shown as %s", got)
	}
}

func actionOf(t *testing.T, body string) scoring.Action {
	t.Helper()
	tree, err := canon.Parse([]byte(body))
	fatal(t, err)
	action, err := scoring.NewAction(tree)
	fatal(t, err)
	return action
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
