package console

import (
	"net/http"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// policy makes a changed copy of acme's policy the current one.
func (s *site) policy(change func(*scoring.Policy)) {
	s.t.Helper()
	now, err := s.tenants.PolicyOf(s.t.Context(), "acme")
	must(s.t, err)
	change(&now.Policy)
	_, err = s.tenants.ImportPolicy(s.t.Context(), "acme", tenants.Change{Base: now.Version, Policy: now.Policy, Reason: "for the test"})
	must(s.t, err)
}

func TestTwoPeopleSignOneRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(func(p *scoring.Policy) { p.ApprovalsRequired.Medium = 2 })
	a := s.submit(medium)
	s.submit(medium) // waits behind it
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	path := "/t/acme/approvals/" + a.ID
	ada.get("/t/acme/queue").want(t, http.StatusOK, "0 of 2")
	form := ada.get(path).want(t, http.StatusOK, "2 different people").form(t, `value="approve"`)
	s.clock.pass(4 * time.Second)
	ada.post(path+"/decide", form).want(t, http.StatusSeeOther)
	if got := s.approval(a.ID); got.Status != approvals.Pending || len(got.Signatures) != 1 {
		t.Fatalf("after the first of two it is %s with %d signatures", got.Status, len(got.Signatures))
	}
	ada.get(path).want(t, http.StatusOK, "You approved this (1 of 2)", "Bob can decide", "Next request").without(t, "data-later", `value="approve"`)
	ada.post(path+"/decide", form).want(t, http.StatusForbidden, "Your approval counted at").without(t, "it needs different people")
	ada.get("/t/acme/queue").want(t, http.StatusOK, "1 of 2")

	form = bob.get(path).want(t, http.StatusOK, "Approved by 1 of 2", "Ada at ").form(t, `value="approve"`)
	s.clock.pass(4 * time.Second)
	bob.post(path+"/decide", form).want(t, http.StatusSeeOther)
	bob.get(path).want(t, http.StatusOK, "Ada and Bob approved this at")
	if got := s.approval(a.ID); got.Status != approvals.Approved || len(got.Decision.DecidedBy) != 2 {
		t.Errorf("after the second it is %s, decided by %+v", got.Status, got.Decision)
	}
	bob.get("/t/acme/audit?show=any").want(t, http.StatusOK, "approval.signed")
}

// A signature that no longer counts is struck through with the reason, and every counter is
// the rule's.
func TestASignatureThatNoLongerCounts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(func(p *scoring.Policy) { p.ApprovalsRequired.Medium = 2 })
	a := s.submit(medium)
	s.join("adam", auth.Admin)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	path := "/t/acme/approvals/" + a.ID
	form := ada.get(path).form(t, `value="approve"`)
	s.clock.pass(4 * time.Second)
	ada.post(path+"/decide", form).want(t, http.StatusSeeOther)
	bob.get(path).want(t, http.StatusOK, "Approved by 1 of 2").without(t, "<s>", "t count:")
	must(t, s.tenants.Suspend(t.Context(), s.member("adam"), s.personID("ada"), "on leave"))
	bob.get(path).want(t, http.StatusOK, "0 of 2", "<s>", "doesn&#39;t count: suspended").without(t, "Approved by")
	bob.get("/t/acme/queue").want(t, http.StatusOK, "0 of 2").without(t, "1 of 2")
}

// A sign-in that is too old opens no explicit confirmation: the page says so and
// leads to the sign-in and back, and the server refuses in any case.
func TestOldSignInConfirmsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(func(p *scoring.Policy) {
		p.FreshSignInMinutes = 5
		p.Challenges.Medium = scoring.ChallengeExplicit
	})
	a := s.submit(medium)
	ada := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	form := ada.get(path).want(t, http.StatusOK, `value="approve"`).form(t, `value="approve"`)
	s.clock.pass(5*time.Minute + time.Second)
	ada.get(path).want(t, http.StatusOK, "Sign in again to approve this", "/sign-in?next="+path).without(t, `value="approve"`)
	ada.post(path+"/decide", form)
	if s.approval(a.ID).Status.Final() {
		t.Error("approved with an old sign-in")
	}
}
