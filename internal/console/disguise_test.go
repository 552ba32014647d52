package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/request/requesttest"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/quiz"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// disguise has one character of each kind that deceives: bidi override and
// isolate, zero width, joiner, tag, private use, default-ignorable, variation
// selector, odd spaces, and a Cyrillic letter in a Latin word. controlling has those
// that a function's name cannot have: bell, a terminal's escape sequence in both
// forms, a line separator and a carriage return.
const (
	disguise    = "\u202e\u2066\u200b\u2060\U000e0041\ue000\u3164\u034f\ufe0f\u00a0\u00adp\u0430y"
	controlling = "\a\x1b[31m\u009b1m\u2028\r"
)

// disguised is a value that says where it stands on the page.
func disguised(place string) string { return place + disguise + controlling }

// hostileAction has a disguise in everything that an agent writes.
func hostileAction(t *testing.T, function string, more map[string]any) string {
	t.Helper()
	action := map[string]any{
		"function": function + "FUNCTION" + disguise,
		"arguments": map[string]any{
			"user_id": disguised("TARGET"), disguised("KEY") + "_id": disguised("VALUE"), "list": []any{disguised("ITEM"), map[string]any{disguised("INNER"): 1}},
			"path": "/srv/" + disguised("PATH"), "count": 3, "env": disguised("ENVARG"),
			"run": "kubectl get p\u202eod web", "p\u0430yer_id": "p1", // labels of facts
		},
		"code": "# " + disguised("CODE"), "docstring": "careful, irreversible " + disguised("DOCSTRING"), "justification": disguised("JUSTIFICATION"),
		"environment": "production" + disguised("ENV"), "session_id": disguised("SESSION"), "tool_call_id": disguised("CALL"), "action_type": disguised("TYPE"),
		"hints": map[string]any{disguised("HINT"): true}, "metadata": map[string]any{disguised("META"): disguised("METAVALUE")},
	}
	for name, value := range more {
		action[name] = value
	}
	body, err := json.Marshal(action)
	must(t, err)
	return string(body)
}

var (
	folded  = regexp.MustCompile(` (data-fold|data-say)="[^"]*"`)
	markedA = regexp.MustCompile(`data-char="U\+0430"[^>]*>\x{0430}</span>|\x{0430}\[U\+0430\]`)
	char    = regexp.MustCompile(`data-char="U\+[0-9A-F]+"`)
)

// undisguised fails where a page draws a character that deceives without a mark
// that names it, or where a place is not on it.
func undisguised(t *testing.T, what string, page answer, places ...string) {
	t.Helper()
	if page.status != http.StatusOK {
		t.Errorf("%s: status %d", what, page.status)
	}
	body := folded.ReplaceAllString(page.body, "")
	for i, r := range body {
		if r != '\n' && r != '\t' && hides(r) {
			t.Errorf("%s draws %s as it is: …%q…", what, fmt.Sprintf("%U", r), body[max(0, i-120):min(len(body), i+20)])
			break
		}
	}
	if n, marked := strings.Count(body, "\u0430"), len(markedA.FindAllString(body, -1)); n != marked {
		t.Errorf("%s names %d of %d letters of another script", what, marked, n)
	}
	for _, place := range places {
		found := false
		for rest := body; ; {
			_, behind, ok := strings.Cut(rest, place)
			if !ok {
				break
			}
			rest = behind
			window := behind[:min(len(behind), 400)]
			found = found || char.MatchString(window) || strings.Contains(window, "[RLO]")
		}
		if !found {
			t.Errorf("%s does not show %s with its characters named", what, place)
		}
	}
}

// TestDisguisesAreNamedEverywhere walks the pages on which text of an agent is
// drawn.
func TestDisguisesAreNamedEverywhere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(func(p *scoring.Policy) { p.Judgement.Preset = effects.Published }) // so that one click decides it
	a := s.submit(hostileAction(t, "deploy_", nil))
	ada := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	everything := []string{"TARGET", "KEY", "VALUE", "ITEM", "INNER", "PATH", "ENVARG", "CODE", "DOCSTRING", "JUSTIFICATION", "ENV", "SESSION", "CALL", "TYPE", "HINT", "META", "METAVALUE", "FUNCTION"}
	undisguised(t, "the queue", ada.get("/t/acme/queue"), "FUNCTION", "ENV", "SESSION")
	undisguised(t, "the rows", ada.get("/t/acme/queue/rows"), "FUNCTION", "ENV")
	page := ada.get(path)
	undisguised(t, "the request", page, everything...)
	if title, _, _ := strings.Cut(page.body, "</title>"); !strings.Contains(title, `\u{202e}`) {
		t.Errorf("the title of the page names nothing: %.200q", title[strings.Index(title, "<title"):])
	}

	// Approved, spent and reported: history, outcome and the trail; then the next one
	// shows what it was before.
	form := page.form(t, `value="approve"`)
	s.clock.pass(time.Minute)
	ada.post(path+"/decide", form).want(t, http.StatusSeeOther)
	done, err := s.approvals.Get(t.Context(), s.agent, a.ID)
	must(t, err)
	_, err = s.approvals.Consume(t.Context(), s.agent, a.ID, done.Digest, "")
	must(t, err)
	_, err = s.approvals.Report(t.Context(), s.agent, a.ID, "failed", disguised("REPORT"))
	must(t, err)
	undisguised(t, "the decided request", ada.get(path), append(everything, "REPORT")...)
	undisguised(t, "history", ada.get("/t/acme/history"), "FUNCTION")
	next := s.submit(strings.Replace(hostileAction(t, "deploy_", nil), "VALUE", "OTHER", 1))
	undisguised(t, "the difference", ada.get("/t/acme/approvals/"+next.ID), "VALUE", "OTHER")
	undisguised(t, "the session", ada.get("/t/acme/approvals/"+next.ID), "SESSION")

	cleo := s.signedIn("cleo")
	undisguised(t, "the trail", cleo.get("/t/acme/audit?show=any"), "FUNCTION")
	for _, event := range []string{"/2", "/3", "/4"} {
		undisguised(t, "the entry", cleo.get("/t/acme/audit"+event))
	}
}

// TestDisguisesAreNamedInChallenges looks at the quiz and the typed target.
func TestDisguisesAreNamedInChallenges(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.signedIn("ada")
	asking := hostileAction(t, "delete_", map[string]any{"hints": map[string]any{"irreversible": true, "affects_production": true}})
	quiz := s.submit(strings.Replace(asking, `"arguments":{`, `"arguments":{"badge":"B4817",`, 1)) // something that can be asked for
	explicit := s.submit(hostileAction(t, "run_sql_", map[string]any{"code": "DROP DATABASE billing;"}))
	seen := map[scoring.ChallengeKind]bool{}
	for _, a := range []approvals.Approval{quiz, explicit} {
		path := "/t/acme/approvals/" + a.ID
		page := ada.get(path)
		undisguised(t, "the request", page, "TARGET", "FUNCTION")
		kind := a.Treatment.Challenge
		seen[kind] = true
		switch kind {
		case scoring.ChallengeQuiz:
			undisguised(t, "a question", follow(ada, ada.post(path+"/start", page.form(t, "Start questions"))))
			ada.post(path+"/leave", nil).want(t, http.StatusSeeOther)
		case scoring.ChallengeExplicit:
			form := page.form(t, `value="approve"`)
			form.Set("target", "wrong")
			refused := ada.post(path+"/decide", form)
			refused.status = map[int]int{http.StatusForbidden: http.StatusOK}[refused.status]
			undisguised(t, "a wrong target", refused, "VALUE")
		}
	}
	if !seen[scoring.ChallengeQuiz] || !seen[scoring.ChallengeExplicit] {
		t.Errorf("seen only %v", seen)
	}
}

func follow(b *browser, a answer) answer {
	b.t.Helper()
	at, err := url.Parse(a.location())
	must(b.t, err)
	return b.get(at.RequestURI())
}

// TestDisguisesOneByOne holds each kind of character in each place of the request
// page by itself, so that a failure says which.
func TestDisguisesOneByOne(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, mark string }{
		{"bidi override", "\u202e", "U+202E"},
		{"bidi isolate", "\u2067", "U+2067"},
		{"bidi mark", "\u061c", "U+061C"},
		{"zero width space", "\u200b", "U+200B"},
		{"zero width joiner", "\u200d", "U+200D"},
		{"byte order mark", "\ufeff", "U+FEFF"},
		{"tag", "\U000e0041", "U+E0041"},
		{"control", "\a", "U+0007"},
		{"escape sequence", "\x1b[2K", "U+001B"},
		{"one byte escape", "\u009b2K", "U+009B"},
		{"private use", "\ue000", "U+E000"},
		{"private plane", "\U00100000", "U+100000"},
		{"filler", "\u3164", "U+3164"},
		{"grapheme joiner", "\u034f", "U+034F"},
		{"Khmer vowel that is not drawn", "\u17b4", "U+17B4"},
		{"Mongolian separator", "\u180e", "U+180E"},
		{"variation selector", "\ufe00", "U+FE00"},
		{"line separator", "\u2028", "U+2028"},
		{"no-break space", "\u00a0", "U+00A0"},
		{"soft hyphen", "\u00ad", "U+00AD"},
		{"musical null", "\U0001d159", "U+1D159"},
		{"Cyrillic in Latin", "\u0430", "U+0430"},
		{"Greek in Latin", "\u03bf", "U+03BF"},
		{"slash that is none", "\u2215", "U+2215"},
		{"full width", "\uff41", "U+FF41"},
		{"unassigned", "\u0378", "U+0378"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := canon.String("x" + test.text + "y").Text()
			body, err := json.Marshal(map[string]any{
				"function": "delete_user", "arguments": map[string]any{"user_id": text, text: 1}, "code": text, "docstring": text, "justification": text,
				"environment": text, "session_id": text, "tool_call_id": text, "action_type": text, "metadata": map[string]any{text: text},
			})
			must(t, err)
			v := requesttest.ReviewOf(t, string(body), approvals.StageReading)
			v.Confirmation.Target, v.Confirmation.Specific = v.Action.Target(v.Assessment)
			r := request.Page(texts.Printer{}, v, request.Reader{}, request.Typed{})
			named := func(place string, shown any) {
				t.Helper()
				drawn, err := json.Marshal(shown)
				must(t, err)
				found := strings.Contains(string(drawn), `"Code":"`+test.mark+`"`)
				switch place {
				case "the sentence": // a picture stands for a character that would break its line
					found = found || strings.Contains(string(drawn), `"Code":"U+24`)
				case "the JSON", "Metadata": // where JSON writes a control character as an escape
					found = found || strings.Contains(string(drawn), `\\u00`+strings.ToLower(test.mark[4:]))
				}
				if !found {
					t.Errorf("%s does not name it: %s", place, drawn)
				}
			}
			named("the sentence", r.Sentence)
			named("the name of an argument", append(r.Card.Arguments.Rows[0].Name, r.Card.Arguments.Rows[1].Name...))
			named("the value of an argument", append(r.Card.Arguments.Rows[0].Value, r.Card.Arguments.Rows[1].Value...))
			named("the JSON", r.Card.Arguments.Raw)
			named("the code", r.Card.Blocks[0].Text)
			for _, c := range r.Card.Claims {
				named(c.Title, c.Text)
			}
			for _, f := range r.Card.Provenance.Facts {
				if strings.Contains("Session Tool call Action type Environment", f.Label) {
					named("the provenance "+f.Label, f.Value)
				}
			}
			if findings := append(r.Card.Arguments.Rows[0].Findings, r.Card.Arguments.Rows[1].Findings...); len(findings) == 0 || !strings.Contains(strings.Join(findings, " "), test.mark) {
				t.Errorf("the findings say %q", findings)
			}
		})
	}
}

// A question names a label, which can be a word of the agent's.
func TestDisguisesAreNamedInAQuestion(t *testing.T) {
	t.Parallel()
	v := requesttest.ReviewOf(t, high, approvals.StageAsking)
	v.Asking = &approvals.Asking{Number: 1, Of: 3, Prompt: "Which p\u202e\u0430y does this call act on?", Options: []quiz.Option{{ID: "a", Text: disguised("OPTION")}}}
	z := request.Page(texts.Printer{}, v, request.Reader{}, request.Typed{}).Decision.Quiz
	if want := "Which p[RLO]\u0430[U+0430]y does this call act on?"; z.Text != want {
		t.Errorf("the question is %q, want %q", z.Text, want)
	}
	if untrusted.Plain(z.Options[0].Text) == disguised("OPTION") {
		t.Error("the option is drawn as it is")
	}
}

// hides reports whether a character is shown by its name.
func hides(r rune) bool {
	shown := untrusted.Runs("=" + string(r))
	return shown[len(shown)-1].Kind == views.RunHidden
}
