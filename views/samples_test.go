package views_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"github.com/countersign/countersign/views"
)

const nonce = "n0nce"

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var page bytes.Buffer
	if err := c.Render(templ.WithNonce(context.Background(), nonce), &page); err != nil {
		t.Fatalf("render: %v", err)
	}

	return page.String()
}

// elements returns every element of a page or fragment, in order.
func elements(t *testing.T, page string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	var found []*html.Node
	for node := range root.Descendants() {
		if node.Type == html.ElementNode {
			found = append(found, node)
		}
	}

	return found
}

func attr(node *html.Node, name string) (string, bool) {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}

	return "", false
}

func text(node *html.Node) string {
	var all strings.Builder
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			all.WriteString(child.Data)
		}
	}

	return all.String()
}

// inside says that node or one of its ancestors has this id.
func inside(node *html.Node, id string) bool {
	for ; node != nil; node = node.Parent {
		if got, _ := attr(node, "id"); got == id {
			return true
		}
	}

	return false
}

func assets() views.Assets {
	return views.Assets{Early: "/static/early.js", Styles: []string{"/static/a.css"}, Scripts: []string{"/static/a.js"}, Last: "/static/last.js", Fonts: []string{"/static/a.woff2"}, Favicon: "/static/f.svg"}
}

func page(title string, here views.Place) views.Page {
	return views.Page{
		Title: title, Assets: assets(), Now: "2026-11-20T09:41:20.000Z", Home: "/t/acme/queue", Tenant: "acme",
		Tenants: []views.Link{{Label: "globex", URL: "/t/globex/queue"}},
		Nav:     []views.NavItem{{Place: views.PlaceQueue, URL: "/t/acme/queue", Count: 2}, {Place: views.PlaceHistory, URL: "/t/acme/history"}, {Place: views.PlaceAudit, URL: "/t/acme/audit"}},
		Here:    here, Person: &views.Person{Name: "Priya Raman", Initials: "PR", Email: "priya@acme.test"}, SignOut: "/sign-out", Help: "/t/acme/help",
		Palette: &views.Palette{
			Destinations: []views.Link{{Label: "Queue", URL: "/t/acme/queue"}}, Searches: []views.Link{{Label: "Search the queue for", URL: "/t/acme/queue?q="}},
			Requests: "/t/acme/approvals/",
		},
		Display: &views.Display{URL: "/t/acme/account/display", Advance: true, Sound: "high", Chosen: true}, Live: &views.Live{Feed: "/t/acme/live", Resync: "/t/acme/resync", Synced: "09:41:20", SyncedISO: "2026-11-20T09:41:20Z"},
	}
}

// sample is a component with what it is drawn from, which a rule may change.
type sample struct {
	component reflect.Value
	from      []reflect.Value
}

// of is the component that a function makes of these values.
func of(component any, from ...any) sample {
	s := sample{component: reflect.ValueOf(component)}
	for _, x := range from {
		v := reflect.New(reflect.TypeOf(x)).Elem()
		v.Set(reflect.ValueOf(x))
		s.from = append(s.from, v)
	}

	return s
}

// Render draws the sample as it is now.
func (s sample) Render(ctx context.Context, w io.Writer) error {
	return s.component.Call(s.from)[0].Interface().(templ.Component).Render(ctx, w)
}

// every is every page in every state that differs in its parts.
func every() map[string]sample {
	all := map[string]sample{
		"help": of(views.HelpPage, page("Help", views.PlaceNone), views.Help{
			Bands:  []views.ScoreBand{{Scores: "0", Action: "allow"}, {Scores: "1–15", Action: "log"}},
			Policy: "/t/acme/settings/policy",
			Levels: []views.HelpLevel{{Level: views.LevelLow, From: "0.000", Asks: "nothing"}, {Level: views.LevelHigh, From: "0.600", Asks: "three questions", People: "1", Read: "10 s", Waits: "15:00"}},
		}),
		"handbook": of(views.HandbookPage, page("Policies", views.PlaceNone), views.Handbook{Title: "Policies", Parts: []views.Link{{Label: "Versions", URL: "#doc-versions"}, {Label: "The page", URL: "#doc-the-page"}}, Body: templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, `<h2 id="doc-versions">Versions</h2><h2 id="doc-the-page">The page</h2>`)
			return err
		})}),
		"sign-in":      of(views.SignInPage, views.SignIn{Assets: assets(), URL: "/sign-in", Next: "/t/acme/queue", Email: "priya@acme.test", Error: "Email or password is not right.", Hint: "Forgotten? Ask an admin."}),
		"sign-in-link": of(views.SignInLinkPage, views.SignInLink{Assets: assets(), URL: "/sign-in", Token: "tok", Person: "demo@example.test", Tenant: "demo"}),
		"first-run":    of(views.FirstRunPage, views.FirstRun{Assets: assets(), URL: "/first-run", Token: "tok", SlugError: "Small letters only.", NameError: "Too long.", EmailError: "No address.", PasswordError: "Too short."}),
		"no-tenant":    of(views.NoTenantPage, views.NoTenant{Assets: assets(), Email: "x@acme.test", SignOut: "/sign-out"}),
		"failure":      of(views.FailurePage, views.Failure{Assets: assets(), Status: 404, Title: "There is no such page", Meaning: "The address is wrong.", Do: "Go back.", RequestID: "req_1", Back: &views.Link{Label: "Go to the queue", URL: "/t/acme/queue"}}),
	}
	for _, some := range []map[string]sample{
		reviewSamples(), sessionSamples(), trailSamples(), insightsSamples(), policyPages(), listSamples(), settingsSamples(), routingSamples(), standingSamples(),
	} {
		maps.Copy(all, some)
	}

	return all
}

func patternModel() *views.PatternModel {
	return &views.PatternModel{
		Label: "Dangerous", Tone: views.ToneBad, Summary: "48 of 100, block",
		Facts: []views.Fact{{Label: "Pattern score", Value: views.Text("48 of 100"), Note: views.Text("the sum is 48")}, {Label: "Reason of the action", Value: views.Text("score_override_threshold"), Mono: true}},
		Terms: []views.PatternTerm{
			{Pattern: "card-number", Severity: "critical", Action: "block", Where: views.Text("/arguments/card, bytes 0 to 19"), Formula: "40", Points: "40"},
			{Pattern: "jwt", Severity: "medium", Action: "redact", Where: views.Text("/code, bytes 4 to 40"), Formula: "8", Points: "8"},
		},
		Sum: "40 + 8 = 48", Bands: []views.ScoreBand{{Scores: "0", Action: "allow"}, {Scores: "31–55", Action: "confirm", Here: true}},
	}
}

// reviewed is a review with every part.
func reviewed() views.Reviewed {
	return views.Reviewed{
		Title: views.Text("Priya Raman approved"), Summary: "1 min 12 s after first opening, 1 set of questions answered", Tags: []string{"single person"},
		Fields:   []views.Pair{{Label: "First opened", Value: views.Text("20 Nov 2026 09:41:20 UTC")}, {Label: "Typed", Value: views.Text("usr_123"), Mono: true}},
		Sections: []views.ReviewedSection{{Number: "1", When: "09:41:31", ISO: "2026-11-20T09:41:31Z"}}, SectionsOf: "1 of 2 sections acknowledged, times in UTC",
		Quizzes: []views.ReviewedQuiz{{
			Title: "Questions, attempt 1", Result: "0 of 1 right", When: "20 Nov 2026 09:41:40 UTC", ISO: "2026-11-20T09:41:40Z",
			Questions: []views.ReviewedQuestion{{
				Prompt: views.Text("Which account does the call name?"), Took: "answered after 7.0 s",
				Options: []views.ReviewedOption{{Text: views.Text("usr_132")}, {Text: views.Text("usr_123"), Right: true}, {Text: views.Text("usr_231"), Chosen: true}},
			}},
		}, {
			Title: "Questions, attempt 2", Result: "1 of 1 right", Passed: true, When: "20 Nov 2026 09:42:00 UTC", ISO: "2026-11-20T09:42:00Z",
			Questions: []views.ReviewedQuestion{{Prompt: views.Text("What does it do?"), Took: "answered after 4.0 s", Options: []views.ReviewedOption{{Text: views.Text("Delete a user"), Right: true, Chosen: true}}}},
		}},
		Ticked: [][]views.Run{views.Text("It can't be undone.")}, Hash: "9c1fa07e", Same: true,
	}
}
