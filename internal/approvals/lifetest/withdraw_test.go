package lifetest

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// rooms is the tenants' service over the same database.
func (h *house) rooms() *tenants.Service {
	return tenants.NewService(tenants.Config{Store: h.db.Tenants()})
}

// TestWithdraw: when an agent is stopped, nothing that it has open survives.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	waiting := h.waiting(confirm, scoring.ChallengeConfirm)
	overdue := h.waiting(asking, scoring.ChallengeQuiz)
	h.clock.advance(16 * time.Minute)
	waiting2 := h.waiting(confirm, scoring.ChallengeConfirm)
	unspent, spent := h.submit(harmless), h.submit(harmless)
	if _, err := h.consume(spent, spent.Digest, ""); err != nil {
		t.Fatal(err)
	}
	others, _, err := h.Submit(t.Context(), h.other, approvals.Submission{Action: action(t, confirm)})
	if err != nil {
		t.Fatal(err)
	}

	_, _, err = h.Withdraw(t.Context(), h.ada, h.agent.ID, "it leaks")
	wantFault(t, "an operator", err, fault.Denied)
	if err := h.rooms().StopAgent(t.Context(), h.eve, h.agent.ID, "it leaks"); err != nil {
		t.Fatal(err)
	}
	cancelled, voided, err := h.Withdraw(t.Context(), h.eve, h.agent.ID, "it leaks")
	if err != nil || cancelled != 3 || voided != 1 {
		t.Errorf("withdrew %d and %d, %v; want 3 (one of them overdue) and 1", cancelled, voided, err)
	}
	h.status("overdue", waiting.ID, approvals.Expired)
	h.status("overdue", overdue.ID, approvals.Expired)
	got := h.get(waiting2.ID)
	if d := got.Decision; got.Status != approvals.Cancelled || d.Verdict != approvals.VerdictCancel || d.Reason != "it leaks" ||
		d.DecidedBy[0] != (approvals.Decider{Kind: approvals.ByPerson, ID: h.eve.Person.ID, Name: h.eve.Person.Name}) {
		t.Errorf("what waited is %s, %+v; want cancelled by eve", got.Status, got.Decision)
	}
	h.status("another agent's", others.ID, approvals.Pending)
	h.wantTrail("what waited", waiting2.ID, audit.Submitted, audit.Cancelled)
	h.wantTrail("an unspent grant", unspent.ID, audit.Submitted, audit.Approved, audit.GrantVoided)
	h.wantTrail("a spent grant", spent.ID, audit.Submitted, audit.Approved, audit.GrantConsumed)

	// A request that was on its way while the agent was stopped does not arrive.
	_, _, err = h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)})
	wantFault(t, "a submission under way", err, fault.AgentsStopped)
	_, err = h.Report(t.Context(), h.agent, spent.ID, "succeeded", "")
	wantFault(t, "a report under way", err, fault.AgentsStopped)
	_, err = h.Get(t.Context(), h.agent, spent.ID)
	if err != nil {
		t.Errorf("reading: %v", err)
	}

	if _, err := h.rooms().StartAgent(t.Context(), h.eve, h.agent.ID, tenants.NewKey{ID: auth.NewID("key")}); err != nil {
		t.Fatal(err)
	}
	_, err = h.consume(unspent, unspent.Digest, "")
	wantFault(t, "spending the grant after a new start", err, fault.GrantVoid)
	cancelled, voided, err = h.Withdraw(t.Context(), h.eve, h.agent.ID, "again")
	if err != nil || cancelled != 0 || voided != 0 {
		t.Errorf("a second time: %d, %d, %v", cancelled, voided, err)
	}
}

// TestWithdrawMany: more than one transaction ends.
func TestWithdrawMany(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range 203 {
		h.waiting(confirm, scoring.ChallengeConfirm)
	}
	cancelled, _, err := h.Withdraw(t.Context(), h.eve, h.agent.ID, "x")
	if err != nil || cancelled != 203 {
		t.Errorf("%d, %v; want 203", cancelled, err)
	}
	left, err := h.pending()
	if err != nil || left != 0 {
		t.Errorf("%d are left, %v", left, err)
	}
}

// pending counts what waits.
func (h *house) pending() (n int, err error) {
	err = h.db.Approvals().Read(h.t.Context(), "acme", func(r approvals.Reader) error {
		all, err := r.Approvals(approvals.Filter{Statuses: []approvals.Status{approvals.Pending}, Limit: 500})
		n = len(all)
		return err
	})
	return n, err
}

// TestHaltedTenant: from the kill switch on agents do nothing, people go on.
func TestHaltedTenant(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	unspent, waiting := h.submit(harmless), h.waiting(confirm, scoring.ChallengeConfirm)
	second := h.waiting(confirm, scoring.ChallengeConfirm)
	if err := h.rooms().StopAll(t.Context(), h.eve, "acme", "a leak"); err != nil {
		t.Fatal(err)
	}
	for name, act := range map[string]func() error{
		"submit": func() error {
			_, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)})
			return err
		},
		"consume": func() error { _, err := h.consume(unspent, unspent.Digest, ""); return err },
		"cancel":  func() error { _, err := h.Cancel(t.Context(), h.agent, waiting.ID); return err },
	} {
		wantFault(t, name, act(), fault.AgentsStopped)
	}
	h.status("what the agent tried to cancel", waiting.ID, approvals.Pending)
	if g := h.get(unspent.ID).Grant; g.ConsumedAt != nil {
		t.Error("the grant is spent")
	}
	h.refuse(h.ada, second, approvals.VerdictDeny)
	if err := h.rooms().Resume(t.Context(), h.eve, "fixed"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.consume(unspent, unspent.Digest, ""); err != nil {
		t.Errorf("after the end of it: %v", err)
	}
	h.trail("")
}

// withdrawWhile runs act, which comes as far as the log, and then Withdraw, which
// waits for it.
func (h *house) withdrawWhile(act func() error) (cancelled, voided int) {
	h.t.Helper()
	release := h.hold("SELECT 1 FROM audit_logs FOR UPDATE")
	acted := h.blocked(act)
	withdrawn := later(func() (err error) {
		cancelled, voided, err = h.Withdraw(h.t.Context(), h.eve, h.agent.ID, "the agent was stopped")
		return err
	})
	release()
	if err := acted(); err != nil {
		h.t.Errorf("who was first: %v", err)
	}
	if err := withdrawn(); err != nil {
		h.t.Errorf("withdraw: %v", err)
	}
	return cancelled, voided
}

// TestWithdrawWhileSomebodyDecides: what is decided meanwhile stays so, and the rest
// is cancelled.
func TestWithdrawWhileSomebodyDecides(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newPostgresHouse(t)
	first, decided, last := h.waiting(confirm, scoring.ChallengeConfirm), h.waiting(confirm, scoring.ChallengeConfirm), h.waiting(confirm, scoring.ChallengeConfirm)
	cancelled, _ := h.withdrawWhile(func() error {
		_, err := h.Decide(t.Context(), h.ada, decided.ID, approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: "no", Digest: decided.ShownDigest, Version: decided.Version})
		return err
	})
	if cancelled != 2 {
		t.Errorf("%d are cancelled, want 2", cancelled)
	}
	h.status("the one before", first.ID, approvals.Cancelled)
	h.status("the one that was decided", decided.ID, approvals.Denied)
	h.status("the one behind", last.ID, approvals.Cancelled)
	h.trail("")
}

// TestWithdrawWhileTheAgentSpends: what is spent meanwhile is spent, and the other
// grants are void.
func TestWithdrawWhileTheAgentSpends(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newPostgresHouse(t)
	first, spent, last := h.submit(harmless), h.submit(harmless), h.submit(harmless)
	_, voided := h.withdrawWhile(func() error { _, err := h.consume(spent, spent.Digest, ""); return err })
	if voided != 2 || h.get(spent.ID).Grant.VoidedAt != nil {
		t.Errorf("%d are void, want 2", voided)
	}
	for _, a := range []approvals.Approval{first, last} {
		if h.get(a.ID).Grant.VoidedAt == nil {
			t.Error("a grant that was not spent is not void")
		}
	}
	h.trail("")
}
