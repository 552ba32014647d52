package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
)

// An organisation's own reasons stand in every form in their order; an act without any has
// the built-in ones.
func TestReasonsOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const path = "/t/acme/settings/reasons"
	ada, cleo, adam := s.signedIn("ada"), s.signedIn("cleo"), s.join("adam", auth.Admin)
	a := s.submit(medium)
	request := "/t/acme/approvals/" + a.ID
	ada.get(request).want(t, http.StatusOK, "Wrong target", "Narrow it down", "Asking the owner")
	ada.get("/t/acme/queue?select=1").want(t, http.StatusOK, "Wrong target")

	adam.get(path).want(t, http.StatusOK, `name="deny"`, `name="request_changes"`, `name="extend"`, "built-in reasons: Wrong target, Not now")
	adam.post(path, url.Values{"deny": {"Freeze until  Monday\r\n\r\nWrong <cluster>\n"}, "extend": {"Paging the owner"}}).want(t, http.StatusSeeOther)
	adam.get(path).want(t, http.StatusOK, "Saved.", "Freeze until Monday\nWrong &lt;cluster&gt;</textarea>")
	for _, page := range []answer{ada.get(request), ada.get("/t/acme/queue?select=1")} {
		page.want(t, http.StatusOK, "Freeze until Monday", "Wrong &lt;cluster&gt;").without(t, "Wrong target", "Not now")
		if strings.Index(page.body, "Freeze until Monday") > strings.Index(page.body, "Wrong &lt;cluster&gt;") {
			t.Error("the order is another one")
		}
	}
	ada.get(request).want(t, http.StatusOK, "Narrow it down", "Paging the owner").without(t, "Asking the owner")
	told := s.matching(audit.Filter{Kinds: []audit.Kind{audit.ReasonsChanged}})
	if len(told) != 1 {
		t.Errorf("the trail tells of it %d times", len(told))
	}
	cleo.get("/t/acme/audit").want(t, http.StatusOK, "Changed the suggested reasons")

	// The same again changes nothing, and what cannot be is refused with what was typed.
	adam.post(path, url.Values{"deny": {"Freeze until Monday\nWrong <cluster>"}, "extend": {"Paging the owner"}}).want(t, http.StatusSeeOther)
	for typed, says := range map[string]string{
		"Twice\nTwice":           "is in the list twice",
		strings.Repeat("x", 81):  "at most 80 ordinary characters",
		"a\u202eb":               "at most 80 ordinary characters",
		strings.Repeat("a\n", 2): "is in the list twice",
		"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13": "enter at most 12",
	} {
		adam.post(path, url.Values{"deny": {typed}}).want(t, http.StatusUnprocessableEntity, says, `aria-invalid="true"`, `href="#deny"`)
	}
	if again := s.matching(audit.Filter{Kinds: []audit.Kind{audit.ReasonsChanged}}); len(again) != 1 {
		t.Errorf("the trail tells of it %d times", len(again))
	}

	// Others read them, or nothing.
	cleo.get(path).want(t, http.StatusOK, "Freeze until Monday", "Narrow it down").without(t, "<textarea")
	cleo.post(path, url.Values{"deny": {"x"}}).want(t, http.StatusForbidden)
	ada.post(path, url.Values{"deny": {"x"}}).want(t, http.StatusForbidden)
	adam.post(path, url.Values{}).want(t, http.StatusSeeOther)
	ada.get(request).want(t, http.StatusOK, "Wrong target", "Asking the owner").without(t, "Freeze until Monday")
}
