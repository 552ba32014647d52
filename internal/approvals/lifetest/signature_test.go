package lifetest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
)

// several makes a house in which a MEDIUM action needs n people.
func several(t *testing.T, n int) (*house, approvals.Approval) {
	t.Helper()
	h := newHouse(t)
	h.policy(func(p *scoring.Policy) { p.ApprovalsRequired.Medium = n })
	return h, h.waiting(confirm, scoring.ChallengeConfirm)
}

// read opens the page and lets the minimum review time pass.
func (h *house) read(m auth.Member, id string) approvals.Review {
	h.t.Helper()
	v := h.show(m, id)
	h.clock.advance(time.Minute)
	return v
}

func TestTwoPeopleApprove(t *testing.T) {
	t.Parallel()
	h, a := several(t, 2)
	v := h.read(h.ada, a.ID)
	first, err := h.decide(h.ada, a.ID, form(v))
	if err != nil || first.Status != approvals.Pending || first.Decision != nil || first.Grant != nil || len(first.Signatures) != 1 {
		t.Fatalf("the first of two: %s, %+v, %v", first.Status, first.Signatures, err)
	}
	again := h.show(h.ada, a.ID)
	if again.Stage != approvals.StageSigned || len(again.Eligible) != 1 || again.Eligible[0] != "Ben" {
		t.Errorf("the signer sees %s, %v", again.Stage, again.Eligible)
	}
	_, err = h.decide(h.ada, a.ID, form(v))
	wantFault(t, "the same person twice", err, fault.NotEligible)
	h.status("after one person, twice", a.ID, approvals.Pending)

	v = h.read(h.ben, a.ID)
	done, err := h.decide(h.ben, a.ID, form(v))
	if err != nil || done.Status != approvals.Approved || done.Grant == nil {
		t.Fatalf("the second of two: %s, %v", done.Status, err)
	}
	by := h.get(a.ID).Decision.DecidedBy
	if len(by) != 2 || by[0].ID != h.ada.Person.ID || by[1].ID != h.ben.Person.ID || done.Decision.Evidence.SinglePerson {
		t.Errorf("decided by %+v", by)
	}
	h.wantTrail("two people", a.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued, audit.Signed, audit.Viewed, audit.ChallengeIssued, audit.Signed, audit.Approved)
}

// Whoever approved may still say no, and so may everybody else.
func TestASignerMayDeny(t *testing.T) {
	t.Parallel()
	h, a := several(t, 2)
	if _, err := h.decide(h.ada, a.ID, form(h.read(h.ada, a.ID))); err != nil {
		t.Fatal(err)
	}
	done := h.refuse(h.ada, h.get(a.ID), approvals.VerdictDeny)
	if len(done.Decision.DecidedBy) != 1 {
		t.Errorf("denied by %+v", done.Decision.DecidedBy)
	}
	h.status("denied by its signer", a.ID, approvals.Denied)
}

// A signature is to one version: a stricter policy asks everybody again.
func TestStricterVoidsSignatures(t *testing.T) {
	t.Parallel()
	h, a := several(t, 2)
	if _, err := h.decide(h.ada, a.ID, form(h.read(h.ada, a.ID))); err != nil {
		t.Fatal(err)
	}
	h.policy(func(p *scoring.Policy) { p.ApprovalsRequired.Medium = 3 })
	_, err := h.decide(h.ben, a.ID, form(h.read(h.ben, a.ID)))
	wantFault(t, "under the stricter policy", err, fault.StricterNow)
	if now := h.get(a.ID); now.Version != 2 || len(now.Signatures) != 0 || now.Treatment.ApprovalsRequired != 3 {
		t.Errorf("version %d with the signatures %+v", now.Version, now.Signatures)
	}
	if _, err := h.decide(h.ada, a.ID, form(h.read(h.ada, a.ID))); err != nil {
		t.Errorf("signing the new version: %v", err)
	}
}

// Two who approve at once are two: nobody is lost, and the second one completes it.
func TestTwoSignAtOnce(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h, a := several(t, 2)
	forms := []approvals.DecideInput{form(h.show(h.ada, a.ID)), form(h.show(h.ben, a.ID))}
	h.clock.advance(time.Minute)
	var approved atomic.Int32
	won := race(t, 2, "", func(ctx context.Context, i int) error {
		done, err := h.Decide(ctx, []auth.Member{h.ada, h.ben}[i], a.ID, forms[i])
		if done.Status == approvals.Approved {
			approved.Add(1)
		}
		return err
	})
	if won != 2 || approved.Load() != 1 {
		t.Errorf("%d signed, %d completed it; want 2 and 1", won, approved.Load())
	}
	h.status("both signed", a.ID, approvals.Approved)
	h.trail(a.ID)
}

// Where no second person exists the first one may complete it, by typing the
// target, and it says so. With an owner there it takes the owner.
func TestNobodyElseIsThere(t *testing.T) {
	t.Parallel()
	h, a := several(t, 2)
	if _, err := h.people().Grant(t.Context(), "acme", h.ben.Person.Email, []auth.Role{auth.Admin}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.decide(h.ada, a.ID, form(h.read(h.ada, a.ID))); err != nil {
		t.Fatal(err)
	}
	v := h.read(h.ada, a.ID)
	if !v.SinglePerson || v.Kind != scoring.ChallengeExplicit || v.Stage != approvals.StageReading {
		t.Fatalf("alone: single %v, %s, %s", v.SinglePerson, v.Kind, v.Stage)
	}
	in := form(v)
	in.Target = "something else"
	_, err := h.decide(h.ada, a.ID, in)
	wantFault(t, "alone, without the target", err, fault.WrongAnswer)
	done, err := h.decide(h.ada, a.ID, form(v))
	if err != nil || done.Status != approvals.Approved || !done.Decision.Evidence.SinglePerson || len(done.Decision.DecidedBy) != 1 {
		t.Errorf("alone: %s, %+v, %v", done.Status, done.Decision, err)
	}
	h.trail(a.ID)
}

// An explicit confirmation asks for a recent sign-in where the policy does;
// refusing asks for nothing.
func TestFreshSignIn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.policy(func(p *scoring.Policy) { p.FreshSignInMinutes = 5 })
	a := h.waiting(explicit, scoring.ChallengeExplicit)
	h.ada.SignedInAt = h.clock.Now()
	v := h.show(h.ada, a.ID)
	if v.SignInAgain {
		t.Error("a fresh sign-in is called old")
	}
	h.clock.advance(5*time.Minute + time.Microsecond)
	v = h.show(h.ada, a.ID)
	if !v.SignInAgain {
		t.Error("an old sign-in is not called old")
	}
	_, err := h.decide(h.ada, a.ID, form(v))
	wantFault(t, "with an old sign-in", err, fault.StaleSignIn)
	h.status("with an old sign-in", a.ID, approvals.Pending)
	h.ada.SignedInAt = h.clock.Now()
	if _, err := h.decide(h.ada, a.ID, form(h.show(h.ada, a.ID))); err != nil {
		t.Errorf("signed in again: %v", err)
	}
}
