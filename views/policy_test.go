package views_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
)

func children(root *html.Node, names ...string) (found []*html.Node) {
	for node := range root.Descendants() {
		if node.Type == html.ElementNode && slices.Contains(names, node.Data) {
			found = append(found, node)
		}
	}

	return found
}

func TestOneReasonOnAPolicyPage(t *testing.T) {
	t.Parallel()
	for name, c := range policyPages() {
		reasons := 0
		for _, node := range elements(t, render(t, c)) {
			if id, _ := attr(node, "name"); node.Data == "textarea" && !strings.Contains(id, ".") {
				reasons++
			}
		}
		if reasons > 1 {
			t.Errorf("%s shows %d reasons", name, reasons)
		}
	}
}

// Enter presses the first submit button of a form: it may check, and never save,
// accept, or fill the form with a preset.
func TestEnterOnAPolicyPageChangesNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"policy-form", "policy-wrong", "policy-preview", "policy-preview-single"} {
		for _, node := range elements(t, render(t, policyPages()[name])) {
			if node.Data != "form" || !inside(node, "main") {
				continue
			}
			buttons := children(node, "button")
			action, _ := attr(node, "action")
			method, _ := attr(buttons[0], "formmethod")
			preset, _ := attr(buttons[0], "name")
			if !strings.HasSuffix(action, "/preview") && method != "dialog" || preset != "" {
				t.Errorf("%s: Enter presses %q of %s", name, text(buttons[0]), action)
			}
		}
	}
}

// What somebody may not do has no control, and what is wrong is named by the
// control that it is about.
func TestPolicyControls(t *testing.T) {
	t.Parallel()
	for _, node := range elements(t, render(t, policyPages()["policy-read-only"])) {
		if !inside(node, "main") {
			continue
		}
		if slices.Contains([]string{"form", "input", "button", "textarea", "select"}, node.Data) {
			t.Errorf("a reader has a <%s>", node.Data)
		}
		if _, marks := attr(node, "data-mark"); marks {
			t.Error("a reader has marks to drag")
		}
	}
	ids, wrong, links := map[string]bool{}, 0, 0
	nodes := elements(t, render(t, policyPages()["policy-wrong"]))
	for _, node := range nodes {
		if id, ok := attr(node, "id"); ok {
			ids[id] = true
		}
	}
	for _, node := range nodes {
		if invalid, _ := attr(node, "aria-invalid"); invalid == "true" {
			wrong++
			by, _ := attr(node, "aria-describedby")
			if first, _, _ := strings.Cut(by, " "); !strings.HasSuffix(first, "-error") {
				t.Errorf("a wrong control is described by %q first", by)
			}
		}
		if by, ok := attr(node, "aria-describedby"); ok {
			for id := range strings.FieldsSeq(by) {
				if !ids[id] {
					t.Errorf("aria-describedby leads to %q, which is nowhere", id)
				}
			}
		}
		if href, _ := attr(node, "href"); node.Data == "a" && inside(node, "errors") {
			links++
			if !ids[strings.TrimPrefix(href, "#")] {
				t.Errorf("the summary leads to %s, which is nowhere", href)
			}
		}
	}
	if wrong != 3 || links != 1 {
		t.Errorf("%d wrong controls and %d links, want 3 and 1", wrong, links)
	}
}

func TestOddPoliciesDraw(t *testing.T) {
	t.Parallel()
	for _, scale := range []policy.Scale{{}, {Medium: -5, High: 4000, Critical: 3}, {Medium: 900, High: 100, Critical: 500, Past: []int{-1, 0}}, {Past: []int{1 << 60, 1}}} {
		s := inForce()
		s.Form.Scale = scale
		if got := render(t, policy.Page(page("Policy", views.PlaceSettings), s)); strings.Contains(got, `width="-`) || strings.Contains(got, "NaN") {
			t.Errorf("%+v draws what is no place", scale)
		}
	}
	for _, c := range []templ.Component{
		policy.Page(views.Page{}, policy.Settings{}), policy.PreviewPage(views.Page{}, policy.Preview{}), policy.VersionPage(views.Page{}, policy.Version{}),
		policy.VersionsPage(views.Page{}, policy.Versions{}), policy.ProposalPage(views.Page{}, policy.Proposal{}),
	} {
		render(t, c)
	}
}
