package console

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/policyui"
)

// Whoever decides can stop all agents from any page with two presses; only an admin lets
// them act again.
func TestOperatorsStopAllAgents(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	admin, ada, cleo := s.join("adam", auth.Admin), s.signedIn("ada"), s.signedIn("cleo")
	for _, path := range []string{"/t/acme/queue", "/t/acme/history", "/t/acme/audit", "/t/acme/insights", "/t/acme/settings/policy", "/t/acme/help"} {
		ada.get(path).want(t, http.StatusOK, `popovertarget="stop-dialog"`, `action="/t/acme/settings/agents/stop-all"`)
		cleo.get(path).want(t, http.StatusOK).without(t, "stop-dialog")
	}
	cleo.post(agentsPath+"/stop-all", url.Values{"slug": {"acme"}}).want(t, http.StatusForbidden)
	stopped := ada.post(agentsPath+"/stop-all", url.Values{"slug": {"acme"}, "reason": {"at night"}}).want(t, http.StatusSeeOther)
	if stopped.location() != "/t/acme/queue" {
		t.Errorf("it leads to %s", stopped.location())
	}
	ada.get("/t/acme/queue").want(t, http.StatusOK, "All agents are stopped", "at night").without(t, "stop-dialog")
	ada.post(agentsPath+"/resume", nil).want(t, http.StatusForbidden)
	admin.post(agentsPath+"/resume", url.Values{"reason": {"looked"}}).want(t, http.StatusSeeOther)
	ada.get("/t/acme/queue").want(t, http.StatusOK, "stop-dialog")
}

// An admin sees on every page that somebody else's change waits for them, and the page
// where nothing is has the way on.
func TestWaitingChangesShow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, dora, ada := s.join("adam", auth.Admin), s.join("dora", auth.Admin), s.signedIn("ada")
	const badge = "1 change is waiting for you"
	adam.get("/t/acme/queue").want(t, http.StatusOK).without(t, badge)
	adam.saved("expiry_seconds", "60", "challenges.medium", "none", policyui.FieldReason, "weaker").want(t, http.StatusSeeOther)
	dora.get("/t/acme/history").want(t, http.StatusOK, badge, `href="/t/acme/settings/waiting"`)
	adam.get("/t/acme/history").want(t, http.StatusOK).without(t, badge) // their own
	ada.get("/t/acme/history").want(t, http.StatusOK).without(t, badge)
	ada.get("/t/acme/nothing").want(t, http.StatusNotFound).without(t, badge)
	ada.get("/t/acme/approvals/apr_00000000000000000000000000000000").want(t, http.StatusNotFound, `class="topbar"`, "/t/acme/queue")
	ada.get("/t/acme/settings/people").want(t, http.StatusForbidden, `class="topbar"`)
	ada.get("/t/rival/queue").want(t, http.StatusNotFound).without(t, `class="topbar"`)
}

// The history parts what people decided from what the policy let through.
func TestHistoryByWhoDecided(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	a := s.submit(medium)
	ada.denies(a, "not now")
	const mine = "My decisions"
	ada.get("/t/acme/history?decider=person").want(t, http.StatusOK, "approval-"+a.ID, "Decided automatically", mine)
	ada.get("/t/acme/history?decider=policy").want(t, http.StatusOK).without(t, "approval-"+a.ID)
	ada.get("/t/acme/history?decider=person%3A"+s.personID("ada")).want(t, http.StatusOK, "approval-"+a.ID)
	ada.get("/t/acme/history?decider=person%3A"+s.personID("bob")).want(t, http.StatusOK).without(t, "approval-"+a.ID)
	cleo.get("/t/acme/history").want(t, http.StatusOK, "approval-"+a.ID).without(t, mine)
}
