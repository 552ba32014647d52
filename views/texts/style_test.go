package texts

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unwelcome are words that a text of ours does not use, and what to write (README.md).
// Each was found by readers who took the console for a translation.
var unwelcome = []struct{ words, write string }{
	{`(un)?tick(s|ed)?`, "select, check or accept"},
	{`stands?|stood`, "is, appears or is kept"},
	{`(some|no|every|any)body`, "someone, no one, everyone or anyone"},
	{`e-mails?`, "email"},
	{`beside`, "next to, or with"},
	{`let through|lets \S+ through|allowed ahead`, "approved automatically"},
	{`as ever|worthless|taken away|taken back|whoever owns`, "it plainly"},
	{`(can|do|does|did|is|are|was|were|has|have|could|would) ?not`, "the contraction"},
	{`lower-case|small letters`, "lowercase"},
	{`quarter of an hour`, "15 minutes"},
	{`is on it|looking now`, "claimed by, or viewing now"},
	{`standing grants?|session grants?`, "standing approval, or session approval"},
	{`silence is never consent|nothing waits`, "what happens"},
	{`(on|to|at) the (left|right)|(left|right)-hand|(red|green|amber|orange|yellow|blue|teal|gr[ae]y|round|square) (button|link|mark|icon|row|bar|dot|line|text)s?`, "the name of it: not everyone sees where it is, or its colour (WCAG 1.3.3)"},
}

// TestHouseStyle: the words that the review of the console struck out do not come back.
func TestHouseStyle(t *testing.T) {
	t.Parallel()
	entries := read(t, "en.json")
	if len(entries) < 3000 {
		t.Fatalf("%d texts: the test no longer sees the catalogue", len(entries))
	}
	for key, e := range entries {
		if !published[key] {
			styled(t, "en.json", key, everywhere)
		}
		for _, form := range e.forms {
			if !published[form] {
				styled(t, "en.json", form, everywhere)
			}
		}
	}
}

// published are texts that others fix: the published models (docs/models.md), and huma.
var published = map[string]bool{"This action cannot be easily undone": true, "cannot read request body": true}

// TestHouseStyleOutside: nor in what the command line, the API and the evidence of the
// scores say, which is in no catalogue, nor in what verification finds. Logs stay.
func TestHouseStyleOutside(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, folder := range speaking(t) {
		names, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for text := range literals(f) {
				seen++
				if !published[text] && !strings.Contains(text, "IS NOT") && !strings.Contains(text, "IS NULL") {
					styled(t, name, text, inAPI)
				}
			}
		}
	}
	if seen < 1000 {
		t.Fatalf("%d texts: the test no longer sees the code", seen)
	}
}

// speaking are the folders whose literals people read: the command line, the API, an
// executor to copy, what verifies the trail, and everything that judges.
func speaking(t *testing.T) []string {
	t.Helper()
	all := []string{"../../internal/command", "../../internal/httpapi", "../../internal/httpserver", "../../internal/canon", "../../internal/audit", "../../examples/executor"}
	for _, top := range []string{"../../internal/scoring", "../../internal/store"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() != "testdata" && !strings.HasSuffix(d.Name(), "test") {
				all = append(all, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	return all
}

// literals are the texts of a file that have at least three words.
func literals(f *ast.File) iter.Seq[string] {
	return func(yield func(string) bool) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				return !logs(n)
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if n.Kind == token.STRING && err == nil && strings.Count(text, " ") > 1 {
					return yield(text)
				}
			}
			return true
		})
	}
}

// logs tells the calls whose text is for a log.
func logs(c *ast.CallExpr) bool {
	f, ok := c.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"Debug", "Info", "Warn", "Error", "DebugContext", "InfoContext", "WarnContext", "ErrorContext", "Log", "LogAttrs"}, f.Sel.Name)
}

// everywhere finds the words; inAPI without the API's own names for approvals that hold
// for several calls.
var (
	everywhere = finders("")
	inAPI      = finders("standing grants?|session grants?")
)

type finder struct {
	found *regexp.Regexp
	write string
}

func finders(without string) (all []finder) {
	for _, u := range unwelcome {
		if u.words != without {
			all = append(all, finder{regexp.MustCompile(`(?i)\b(` + u.words + `)\b`), u.write})
		}
	}

	return all
}

// quoted is what a page shows and does not say: code, a link's address, what somebody
// else said; and headings, which other pages link to.
var quoted = regexp.MustCompile("(?sm)^#+ [^\n]*$|```.*?```|`[^`\n]*`|“[^”]*”|\"[^\"\n]*\"|\\]\\([^)]*\\)|<[^>\n]+>")

// controlNames are those of docs/security/controls.yaml.
var controlNames = regexp.MustCompile(`(?m)^  control: "?(.*?)"?$`)

// TestHouseStyleOfProse: nor in the pages that somebody reads who installs this, nor in
// the names of controls.
func TestHouseStyleOfProse(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	security, err := filepath.Glob("../../docs/security/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if pages = append(append(pages, security...), "../../README.md", "../../CONTRIBUTING.md", "../../CHANGELOG.md", "../../docs/security/controls.yaml"); len(pages) < 20 {
		t.Fatalf("%d pages: the test no longer sees the documentation", len(pages))
	}
	for _, page := range pages {
		source, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(source)
		if filepath.Base(page) == "CHANGELOG.md" {
			_, text, _ = strings.Cut(text, "## Unreleased")
			text, _, _ = strings.Cut(text, "\n## ")
		}
		if filepath.Ext(page) == ".yaml" {
			var names []string
			for _, m := range controlNames.FindAllStringSubmatch(text, -1) {
				names = append(names, m[1])
			}
			if text = strings.Join(names, "\n"); len(names) < 100 {
				t.Errorf("%d controls only: the test no longer sees them", len(names))
			}
		}
		for line := range strings.SplitSeq(quoted.ReplaceAllString(text, ""), "\n") {
			styled(t, page, line, inAPI)
		}
	}
}

func styled(t *testing.T, where, text string, words []finder) {
	t.Helper()
	for _, w := range words {
		if word := w.found.FindString(text); word != "" {
			t.Errorf("%s: %.200q says %q; write %s (views/texts/README.md)", where, text, word, w.write)
		}
	}
}
