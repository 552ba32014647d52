package console

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
)

const allow = "/t/acme/settings/functions/allow"

// From a request over the review of the policy to a proposal, which somebody else accepts.
func TestLetThrough(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(ticket)
	s.submit(medium)
	ada := s.signedIn("ada")
	ada.get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, "Always approve calls like this", allow+"?from="+a.ID)
	form := ada.get(allow+"?from="+a.ID).want(t, http.StatusOK, "update_ticket", "/ticket_id", "90 days", "every agent", "any arguments at all").without(t, "<b>hello").form(t, `functions/allow"`)
	form.Set("reason", "it <i>only</i> notes")
	form.Set("life", "90") // a list, which the browser would send
	form.Set("rule-0", "equals")
	form.Set("rule-1", "glob")
	form.Set("value-1", "*")
	ada.post(allow, form).want(t, http.StatusUnprocessableEntity, "This matches any text; choose “any value” if that's what you mean", `aria-invalid="true"`)
	form.Set("rule-1", "any")
	review := ada.post(allow, form).want(t, http.StatusOK, "Preview of a draft", "the newest calls of update_ticket by that agent", "Would be approved automatically", "Takes effect when an admin accepts it, or automatically 24 hours after another admin opens it").without(t, "<i>only")
	save := review.form(t, `name="lists"`)
	save.Set("lists", html.UnescapeString(save.Get("lists")))
	save.Set("reason", "it <i>only</i> notes")
	proposal := ada.post("/t/acme/settings/policy", save).want(t, http.StatusSeeOther).location()
	if !strings.Contains(proposal, "/proposals/ppl_") {
		t.Fatalf("it leads to %q", proposal)
	}
	if got := s.submit(ticket); got.Status != approvals.Pending {
		t.Errorf("before it is accepted it is %s", got.Status)
	}
	ada.post(proposal+"/accept", nil).want(t, http.StatusForbidden)
	adam, eve := s.join("adam", auth.Admin), s.signedIn("eve")
	accept := adam.get(proposal).want(t, http.StatusOK, "the newest calls of update_ticket by that agent").form(t, `/accept"`)
	accept.Set("read", "yes")
	eve.post(strings.Replace(proposal, "acme", "rival", 1)+"/accept", accept).want(t, http.StatusForbidden)
	adam.post(proposal+"/accept", accept).want(t, http.StatusSeeOther)
	if got := s.submit(strings.Replace(ticket, "hello", "bye", 1)); got.Status != approvals.Pending {
		t.Errorf("another note is %s", got.Status)
	}
	if got := s.submit(strings.Replace(ticket, "4711", "4712", 1)); got.Status != approvals.Approved {
		t.Errorf("another ticket is %s: %+v", got.Status, got.Assessment.Floor)
	}
	// On the page of the registry two entries of one glob are told apart.
	adam.get("/t/acme/settings/functions").want(t, http.StatusOK, "lowered to", "until ")
	s.signedIn("cleo").get(allow+"?from="+a.ID).want(t, http.StatusForbidden)
	eve.get("/t/rival/settings/functions/allow?from="+a.ID).want(t, http.StatusNotFound)
}
