package views_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/trail"
)

// What the policy of the pages forbids would fail only in a browser.
func TestPagesHoldToThePolicy(t *testing.T) {
	t.Parallel()
	for name, c := range every() {
		for _, node := range elements(t, render(t, c)) {
			for _, a := range node.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Key, "hx-on") || strings.HasPrefix(a.Key, "hx-vals") {
					t.Errorf("%s: <%s %s>", name, node.Data, a.Key)
				}
			}
			acts := false
			for _, a := range node.Attr {
				acts = acts || strings.HasPrefix(a.Key, "hx-")
			}
			if got, _ := attr(node, "hx-nonce"); acts && got != nonce {
				t.Errorf("%s: <%s> acts without the page's nonce", name, node.Data)
			}
			switch node.Data {
			case "style", "iframe", "object", "embed", "base", "img":
				t.Errorf("%s: <%s>", name, node.Data)
			case "script":
				if got, _ := attr(node, "nonce"); got != nonce || text(node) != "" {
					t.Errorf("%s: a script without nonce, or with text", name)
				}
			case "form":
				if method, _ := attr(node, "method"); method != "post" && method != "get" {
					t.Errorf("%s: a form with method %q", name, method)
				}
			}
		}
	}
}

func TestIdsAreUniqueAndReferencesLead(t *testing.T) {
	t.Parallel()
	for name, c := range every() {
		nodes := elements(t, render(t, c))
		ids := map[string]bool{}
		for _, node := range nodes {
			if id, ok := attr(node, "id"); ok {
				if ids[id] {
					t.Errorf("%s: id %q stands twice", name, id)
				}
				ids[id] = true
			}
		}
		for _, node := range nodes {
			for _, key := range []string{"for", "form", "popovertarget", "aria-labelledby", "aria-describedby", "data-fill", "data-copy"} {
				if list, ok := attr(node, key); ok {
					for id := range strings.FieldsSeq(list) {
						if !ids[id] {
							t.Errorf("%s: %s=%q leads nowhere", name, key, id)
						}
					}
				}
			}
			if address, _ := attr(node, "href"); strings.HasPrefix(address, "#") && !ids[address[1:]] {
				t.Errorf("%s: href=%q leads nowhere", name, address)
			}
		}
	}
}

func TestNothingButTheDecisionAreaApproves(t *testing.T) {
	t.Parallel()
	for name, c := range every() {
		approve := 0
		for _, node := range elements(t, render(t, c)) {
			if node.Data != "button" || !strings.HasPrefix(strings.TrimSpace(text(node)), "Approve") {
				continue
			}
			approve++
			if !inside(node, "decision") {
				t.Errorf("%s: a button %q outside of the decision area", name, text(node))
			}
			if _, focus := attr(node, "autofocus"); focus {
				t.Errorf("%s: the focus starts on approve", name)
			}
		}
		want := 0
		// Where nothing is to be pressed yet, or not by this reader, there is no button.
		none := []string{"request-closed", "request-refused", "request-start", "request-quiz", "request-locked"}
		if strings.HasPrefix(name, "request-") && !slices.Contains(none, name) {
			want = 1
		}
		if approve != want {
			t.Errorf("%s has %d approve buttons, want %d", name, approve, want)
		}
	}
}

func TestApproveIsClosedUntilTheChallengeIsPassed(t *testing.T) {
	t.Parallel()
	open := map[string]bool{"request-confirm": true, "request-passed": true, "request-explicit": true}
	pages := every()
	for _, name := range []string{"request-confirm", "request-start", "request-quiz", "request-passed", "request-explicit", "request-locked"} {
		for _, node := range elements(t, render(t, pages[name])) {
			if node.Data != "button" || !strings.HasPrefix(strings.TrimSpace(text(node)), "Approve") {
				continue
			}
			kind, _ := attr(node, "type")
			if _, disabled := attr(node, "disabled"); disabled == open[name] || (kind == "submit") != open[name] {
				t.Errorf("%s: approve has type %s, disabled %t", name, kind, disabled)
			}
		}
	}
}

// Whatever the caller leaves in the struct: while a question stands, no value of
// the action is in the page.
func TestAQuizShowsNothingOfTheAction(t *testing.T) {
	t.Parallel()
	r := request(review.AskQuiz)
	r.Sentence, r.Function, r.Agent = views.Text("Deletes a user."), nil, ""
	q := queue()
	q.Groups = nil
	got := render(t, review.RequestPage(page("Delete a user", views.PlaceQueue), q, r))
	for _, value := range []string{"usr_123", "cascade", "production", "0.285", "delete is destructive", "42 calls", "The contract ended", "drop_database", "DROP"} {
		if strings.Contains(got, value) {
			t.Errorf("%q is in the page", value)
		}
	}
	if !strings.Contains(got, "Which account does the call name?") {
		t.Error("the question is missing")
	}
	r.Decision.Ask, r.Decision.Quiz = review.AskConfirm, nil
	if got := render(t, review.RequestPage(page("Request", views.PlaceQueue), q, r)); !strings.Contains(got, "usr_123") {
		t.Error("the same request shows its values nowhere: the test proves nothing")
	}
}

// A push must not unseal a row beside the questions.
func TestAFixedRowIsNoTargetOfPushes(t *testing.T) {
	t.Parallel()
	sealed := row()
	sealed.Sealed, sealed.Fixed = true, true
	got := render(t, review.QueueRows(review.Queue{Groups: []review.QueueGroup{{ID: "s", Rows: []review.QueueRow{sealed}}}}, true))
	if strings.Contains(got, `id="approval-apr_1"`) || !strings.Contains(got, `id="sealed-apr_1"`) {
		t.Errorf("the sealed row can be reached: %s", got)
	}
}

func TestThePageAndThePushDrawTheSameRow(t *testing.T) {
	t.Parallel()
	cut := func(s string) string {
		from := strings.Index(s, `<li id="approval-apr_1"`)
		if from < 0 {
			t.Fatalf("no row in %s", s)
		}

		return s[from : from+strings.Index(s[from:], "</li>")]
	}
	inPage, inPush := cut(render(t, review.QueuePage(page("Queue", views.PlaceQueue), queue()))), cut(render(t, review.PushRow(row())))
	if inPage != inPush {
		t.Errorf("page: %s\npush: %s", inPage, inPush)
	}
	if strings.Contains(inPush, "hx-") || strings.Contains(inPush, "nonce") {
		t.Errorf("a pushed row must be a plain link: %s", inPush)
	}
}

// Enter presses the first submit button of the form. The other controls of that
// form must come after it.
func TestEnterSendsNoConfirmation(t *testing.T) {
	t.Parallel()
	for _, node := range elements(t, render(t, every()["request-explicit"])) {
		form, _ := attr(node, "form")
		if !inside(node, "gate") && form != "gate" {
			continue
		}
		if node.Data == "input" || node.Data == "button" {
			method, _ := attr(node, "formmethod")
			if _, disabled := attr(node, "disabled"); method != "dialog" || disabled || node.Data != "button" {
				t.Errorf("the first control of the confirmation is <%s formmethod=%q>, disabled %t", node.Data, method, disabled)
			}

			return
		}
	}
	t.Error("no confirmation in the page")
}

func TestOneReasonFormAtATime(t *testing.T) {
	t.Parallel()
	for name, c := range every() {
		if strings.HasPrefix(name, "policy-") {
			continue // no decision on a request: TestOneReasonOnAPolicyPage
		}
		if strings.HasPrefix(name, "settings-standing") || strings.HasPrefix(name, "list-") || name == "settings-entry" || name == "settings-tools" || name == "settings-reasons" {
			continue // their texts are terms and lists, not reasons
		}
		visible := 0
		for _, node := range elements(t, render(t, c)) {
			if _, popover := attr(node, "popover"); node.Data == "form" && !popover {
				for child := range node.Descendants() {
					if id, _ := attr(child, "id"); child.Data == "textarea" && id != "question" && id != "comment" { // that is folded, and no reason
						visible++
					}
				}
			}
		}
		want := 0
		if name == "request-refused" || name == "select" || name == "edit" { // its one field
			want = 1
		}
		if visible != want {
			t.Errorf("%s shows %d reason forms at once, want %d", name, visible, want)
		}
	}
}

var nasty = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='x`, `</bdi></td><a href="javascript:x">`,
	`<hx-partial hx-target="#decision">`, `&lt;b&gt; &amp;amp;`, "line\n\tand  two  spaces ", "مرحبا \U0001F9E8 <!--", `]]></textarea></title>`, `{{ . }} ${x}`,
}

// value finds the text of the element again by the rule that Run documents.
func value(node *html.Node) string {
	if code, ok := attr(node, "data-char"); ok {
		return map[string]string{"U+202E": "\u202e", "U+0435": "\u0435"}[code]
	}
	if raw, ok := attr(node, "data-fold"); ok {
		return raw
	}
	if node.Type == html.TextNode {
		return node.Data
	}
	var all strings.Builder
	for child := range node.ChildNodes() {
		all.WriteString(value(child))
	}

	return all.String()
}

func TestAgentTextStaysTextAndReadsBack(t *testing.T) {
	t.Parallel()
	for _, s := range nasty {
		runs := []views.Run{
			{Text: s},
			{Kind: views.RunHidden, Text: "RLO", Code: "U+202E", Name: "RIGHT-TO-LEFT OVERRIDE", Mark: s},
			{Kind: views.RunOdd, Text: "\u0435", Code: "U+0435", Name: "CYRILLIC SMALL LETTER IE"},
			{Kind: views.RunFold, Text: "40 blank lines", Raw: strings.Repeat("\n", 40)},
			{Text: s, Mark: "pattern x"},
			{Text: s, Mark: s, Notes: "1, 2", Place: 7, Token: views.TokenKeyword, Change: views.ChangeAdded},
		}
		want := s + "\u202e\u0435" + strings.Repeat("\n", 40) + s + s
		r := request(review.AskExplicit)
		r.Sentence, r.Function, r.Agent = runs, runs, s
		r.Card.Blocks[0].Text, r.Card.Claims[0].Text, r.Card.Held.Factors[0].Why = runs, runs, runs
		r.Card.Blocks[0].Was, r.Card.Blocks[0].Lines[1].Text = runs, runs
		r.Card.Arguments.Rows[0] = review.ArgumentRow{Name: runs, Type: "string", Value: runs, Was: runs, Differs: true, Findings: []string{s}}
		r.Card.Arguments.Rows[1].Notes[0].Text = runs
		r.Card.Arguments.Raw = runs
		r.Decision.Object, r.Decision.Explicit.Shown, r.Decision.Explicit.Say, r.Decision.Explicit.Typed = runs, runs, s, s
		r.Decision.Explicit.Consequences[0].Text, r.Rail.Session.Steps[0].Text = runs, runs
		r.Decision.Deny.Text = s
		q := queue()
		q.Query, q.Groups[0].Title, q.Groups[0].Rows[0].Sentence, q.Groups[0].Rows[0].Agent, q.Groups[0].Rows[0].Environment = s, runs, runs, s, s
		searched := queue()
		searched.Query = "x" // a search shows one more link, "Clear"
		plain := elements(t, render(t, review.RequestPage(page("Request", views.PlaceQueue), searched, request(review.AskExplicit))))
		nodes := elements(t, render(t, review.RequestPage(page(s, views.PlaceQueue), q, r)))
		count := func(list []*html.Node, names string) (n int) {
			for _, node := range list {
				if strings.Contains(names, " "+node.Data+" ") {
					n++
				}
			}

			return n
		}
		for _, names := range []string{" script ", " a ", " form ", " input button ", " img iframe template hx-partial ", " td th tr "} {
			if got, want := count(nodes, names), count(plain, names); got != want {
				t.Errorf("%q adds elements: %d of%s, want %d", s, got, names, want)
			}
		}
		back := 0
		for _, node := range nodes {
			if class, _ := attr(node, "class"); node.Data != "bdi" || class != "text" {
				continue
			}
			if strings.Contains(text(node), "RLO") {
				back++
				if got := value(node); got != want {
					t.Errorf("read back %q, want %q", got, want)
				}
			}
		}
		if back < 14 {
			t.Errorf("only %d places show the text", back)
		}
	}
}

// Structs come from elsewhere: an unknown number or a missing part may look odd,
// but it draws.
func TestOddStructsDraw(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		r := request(review.Ask(rnd.IntN(9)))
		r.Level = views.Level(rnd.IntN(256))
		r.Decision.Quiz, r.Decision.Explicit = nil, nil
		r.Sentence[0].Kind = views.RunKind(rnd.IntN(256))
		r.Card.Held.Bar = &review.ScoreBar{Score: rnd.IntN(1<<20) - 1<<19, Medium: -5, High: 4000, Critical: 3}
		r.Card.Held.Factors[0].Thousandths = rnd.IntN(1<<20) - 1<<19
		r.Notices = []views.Notice{{Tone: views.Tone(rnd.IntN(256))}}
		r.Left.Percent = rnd.IntN(1000) - 500
		if rnd.IntN(2) == 0 {
			r.Card = nil
		}
		p := page("Request", views.Place(rnd.IntN(256)))
		p.Nav = append(p.Nav, views.NavItem{Place: views.Place(200)})
		if rnd.IntN(2) == 0 {
			p.Person, p.Live = nil, nil
		}
		render(t, review.RequestPage(p, review.Queue{}, r))
	}
	for _, c := range []templ.Component{
		review.QueuePage(views.Page{}, review.Queue{}), review.RequestPage(views.Page{}, review.Queue{}, review.Request{}), trail.AuditPage(views.Page{}, trail.Audit{}),
		trail.AuditEntryPage(views.Page{}, trail.AuditEntry{}), trail.HistoryPage(views.Page{}, trail.History{}), views.SignInPage(views.SignIn{}), views.FailurePage(views.Failure{}),
	} {
		render(t, c)
	}
}

func BenchmarkRow(b *testing.B) {
	c := review.PushRow(row())
	for b.Loop() {
		_ = c.Render(b.Context(), discard{})
	}
}

func BenchmarkQueueOf50(b *testing.B) {
	q := queue()
	q.Groups[0].Rows = nil
	for range 50 {
		q.Groups[0].Rows = append(q.Groups[0].Rows, row())
	}
	c := review.QueuePage(page("Queue", views.PlaceQueue), q)
	for b.Loop() {
		_ = c.Render(b.Context(), discard{})
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// Whatever a page says of a time, the whole of it in UTC stands behind it.
func TestTimesAreExactInUTC(t *testing.T) {
	t.Parallel()
	seen := 0
	for name, c := range every() {
		for _, node := range elements(t, render(t, c)) {
			if node.Data != "time" {
				continue
			}
			id, _ := attr(node, "id")
			iso, _ := attr(node, "datetime")
			if id == "synced" || id == "lost-at" || len(iso) == len("2026-11-20") || iso == "" {
				continue // the script's own clock; a whole day; a time left without a clock
			}
			seen++
			at, err := time.Parse(time.RFC3339Nano, iso)
			if err != nil {
				t.Errorf("%s: <time datetime=%q>: %v", name, iso, err)
			}
			if strings.HasSuffix(text(node), " UTC") && strings.Contains(text(node), at.UTC().Format("2006")) {
				continue // it is said in full
			}
			if title, _ := attr(node, "title"); title != at.UTC().Format("2 January 2006, 15:04:05 UTC") {
				t.Errorf("%s: <time datetime=%q title=%q>", name, iso, title)
			}
		}
	}
	if seen < 50 {
		t.Errorf("found %d times: the test no longer sees them", seen)
	}
}
