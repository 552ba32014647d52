package lifetest

import (
	"context"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
)

// TestSweep: what is overdue is denied, once, whoever sweeps.
func TestSweep(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newHouse(t)
	var due []approvals.Approval
	for i := range 3 {
		a, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, confirm), ExpiresIn: 10 + i})
		if err != nil {
			t.Fatal(err)
		}
		due = append(due, a)
	}
	later := h.waiting(confirm, scoring.ChallengeConfirm)
	h.clock.advance(10*time.Second - time.Microsecond)
	if err := h.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.status("a microsecond early", due[0].ID, approvals.Pending)
	watch := h.hub.WatchID("acme", due[0].ID)
	defer watch.Close()
	h.clock.advance(time.Microsecond)
	if err := h.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.status("in time", due[0].ID, approvals.Expired)
	h.status("a second early", due[1].ID, approvals.Pending)
	select {
	case <-watch.C():
	default:
		t.Error("nobody was told of the expiry")
	}
	h.clock.advance(time.Minute)
	if won := race(t, 8, "", func(ctx context.Context, _ int) error { return h.Sweep(ctx) }); won != 8 {
		t.Errorf("%d of 8 sweepers ended well", won)
	}
	for _, a := range due {
		got := h.get(a.ID)
		if d := got.Decision; got.Status != approvals.Expired || d.Verdict != approvals.VerdictExpire || d.DecidedBy[0].Kind != approvals.ByClock || got.Grant != nil {
			t.Errorf("%s: %+v", got.Status, got.Decision)
		}
		h.wantTrail("swept", a.ID, audit.Submitted, audit.Expired)
	}
	h.status("not due", later.ID, approvals.Pending)
	_, err := h.Decide(t.Context(), h.ada, due[0].ID, approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: "no", Digest: due[0].ShownDigest, Version: 1})
	wantFault(t, "deciding what expired", err, fault.Expired)
}

// TestSweepMany: more than one batch.
func TestSweepMany(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range 203 {
		h.submit(confirm)
	}
	h.clock.advance(time.Hour)
	if err := h.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if page, err := h.Queue(t.Context(), h.ada, approvals.QueueQuery{Limit: 1}); err != nil || page.Total != 0 || len(page.Lines) != 0 {
		t.Errorf("%d are pending, %v", page.Total, err)
	}
	h.trail("")
}

// TestWaitingAgent: over the real database, the decision reaches the one who waits.
func TestWaitingAgent(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newHouse(t)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	told := make(chan approvals.Approval, 1)
	go func() {
		got, err := h.Wait(t.Context(), h.agent, a.ID, time.Minute)
		if err != nil {
			t.Errorf("wait: %v", err)
		}
		told <- got
	}()
	h.refuse(h.ada, a, approvals.VerdictDeny)
	if got := <-told; got.Status != approvals.Denied || got.Decision.Reason != "not now" {
		t.Errorf("told %s, %+v", got.Status, got.Decision)
	}
	h.wantTrail("denied", a.ID, audit.Submitted, audit.Denied)
}

// An agent is told at once that the time of its request is over, whether the sweeper was there or not.
func TestAnExpiredRequestIsExpiredAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, listed, waited := h.waiting(confirm, scoring.ChallengeConfirm), h.waiting(confirm, scoring.ChallengeConfirm), h.waiting(confirm, scoring.ChallengeConfirm)
	h.clock.advance(time.Hour)
	if got, err := h.Get(t.Context(), h.agent, a.ID); err != nil || got.Status != approvals.Expired || got.Decision == nil {
		t.Errorf("it reads %s, %v", got.Status, err)
	}
	if got, err := h.Wait(t.Context(), h.agent, waited.ID, time.Minute); err != nil || got.Status != approvals.Expired {
		t.Errorf("who waits is told %s, %v", got.Status, err)
	}
	if page, _, err := h.List(t.Context(), h.agent, approvals.Filter{Statuses: []approvals.Status{approvals.Pending}}); err != nil || len(page) != 0 {
		t.Errorf("of those that wait it lists %+v, %v", page, err)
	}
	h.status("the one that was only listed", listed.ID, approvals.Expired)
	h.wantTrail("it", a.ID, audit.Submitted, audit.Expired)
}
