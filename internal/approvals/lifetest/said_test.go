package lifetest

import (
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store/rollbacktest"
)

// no is a denial as the console sends it.
func no(a approvals.Approval) approvals.DecideInput {
	return approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: "no", Digest: a.ShownDigest, Version: a.Version}
}

// cut puts an earlier head back, so that the log is refused, and returns how to undo that.
func (h *house) cut() (undo func()) {
	h.t.Helper()
	before := rollbacktest.Take(h.t, h.raw, h.clock != nil)
	h.submit(harmless)
	now := rollbacktest.Take(h.t, h.raw, h.clock != nil)
	before.PutBack(h.t, "audit_logs")
	return func() { now.PutBack(h.t, "audit_logs") }
}

// While a log is refused people deny and stop, and agents cancel, and nothing else is accepted.
// It is in force at once, and in the log before anything else once that is accepted again.
func TestNoIsSaidWhileTheLogIsRefused(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.hasty()
		denied, cancelled, open := h.waiting(confirm, scoring.ChallengeConfirm), h.waiting(confirmWith("a"), scoring.ChallengeConfirm), h.waiting(confirmWith("b"), scoring.ChallengeConfirm)
		granted := h.submit(harmless)
		v, w := h.show(h.ada, denied.ID), h.show(h.ada, open.ID)
		sign := h.cut()
		heard := make(chan approvals.Approval, 1)
		go func() {
			a, _ := h.Wait(t.Context(), h.agent, denied.ID, approvals.MaxWait)
			heard <- a
		}()
		if _, err := h.decide(h.ben, denied.ID, no(denied)); err != nil {
			t.Fatalf("a denial: %v", err)
		}
		if a := <-heard; a.Status != approvals.Denied || a.Decision.Reason != "no" {
			t.Errorf("the agent that waits hears %s", a.Status)
		}
		if _, err := h.Cancel(t.Context(), h.agent, cancelled.ID); err != nil {
			t.Errorf("a cancellation: %v", err)
		}
		other := h.agent
		other.ID, other.KeyID = h.other.ID, h.other.KeyID
		if _, err := h.Cancel(t.Context(), other, open.ID); err == nil {
			t.Error("another agent cancels it")
		}
		refused := func(what string) {
			t.Helper()
			_, err := h.decide(h.ada, open.ID, form(w))
			wantFault(t, what+": a yes", err, fault.GrantUnproven)
			_, err = h.consume(granted, granted.Digest, "")
			wantFault(t, what+": spending", err, fault.GrantUnproven)
			_, _, err = h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)})
			wantFault(t, what+": a submission", err, fault.GrantUnproven)
			wantFault(t, what+": resuming", h.rooms().ResumeFromOutside(t.Context(), "acme", "it was none"), fault.GrantUnproven)
			_, err = h.decide(h.ada, denied.ID, form(v))
			wantFault(t, what+": a yes to what was denied", err, fault.GrantUnproven)
			h.status(what, cancelled.ID, approvals.Cancelled)
		}
		refused("refused")
		for _, k := range []audit.Kind{audit.Approved, audit.AgentsResumed, audit.PolicyChanged} {
			err := h.db.Approvals().SayNo(t.Context(), "acme", func(w approvals.Writer) error {
				return w.Append(audit.Event{Kind: k, Actor: audit.Actor{Kind: "system"}})
			})
			wantFault(t, "by the door for a no: "+string(k), err, fault.GrantUnproven)
		}
		h.restart()
		refused("after a restart")

		sign()
		if _, err := h.decide(h.ada, denied.ID, form(v)); !fault.Is(err, fault.AlreadyDecided) {
			t.Errorf("a yes to what was denied: %v", err)
		}
		if _, err := h.consume(granted, granted.Digest, ""); err != nil {
			t.Errorf("spending: %v", err)
		}
		h.wantTrail("the denied one", denied.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued, audit.Denied)
		h.wantTrail("the cancelled one", cancelled.ID, audit.Submitted, audit.Cancelled)
		if said, err := h.heads.Said("acme"); err != nil || len(said) > 0 {
			t.Errorf("%d wait for the log still (%v)", len(said), err)
		}

		sign = h.cut()
		if err := h.rooms().StopAll(t.Context(), h.eve, "acme", "a leak"); err != nil {
			t.Fatalf("a stop: %v", err)
		}
		wantFault(t, "a stop by nobody who may", h.rooms().StopAll(t.Context(), auth.Member{Tenant: "acme"}, "acme", ""), fault.Denied)
		_, err := h.consume(h.get(open.ID), open.Digest, "")
		if err == nil {
			t.Error("spent while all agents are stopped")
		}
		sign()
		_, _, err = h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)})
		wantFault(t, "a submission while all agents are stopped", err, fault.AgentsStopped)
		if err := h.db.LookAtHeads(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.wantVerified()
		if e := h.eventOf(audit.AgentsStopped); e.Actor.ID != h.eve.Person.ID || !e.Data.Get("while_refused").Bool() || e.Data.Get("reason").Text() != "a leak" {
			t.Errorf("the event of the stop is %+v", e)
		}
	})
}

// Who can write to the database makes nothing of a no that was said while the log was refused
// allowed again, whatever rows they put back.
func TestWhatWasDeniedStaysDeniedUnderOldRows(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.hasty()
		a := h.waiting(confirm, scoring.ChallengeConfirm)
		v := h.show(h.ada, a.ID)
		undo := h.cut()
		before := rollbacktest.Take(t, h.raw, h.clock != nil)
		if _, err := h.decide(h.ben, a.ID, no(a)); err != nil {
			t.Fatalf("a denial: %v", err)
		}
		before.PutBack(t)
		undo()
		_, err := h.decide(h.ada, a.ID, form(v))
		wantFault(t, "a yes to the row of before", err, fault.GrantUnproven)
		h.submit(harmless) // by which the denial comes into the log
		_, err = h.decide(h.ada, a.ID, form(v))
		wantFault(t, "a yes later", err, fault.GrantUnproven)
		if r, err := h.db.Audit().Verify(t.Context(), "acme"); err != nil || r.OK {
			t.Errorf("verified as %v, %v", r, err)
		}
	})
}

// A no to a row that says falsely that it waits takes the grant back that the log knows.
func TestANoToWhatWasApproved(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.hasty()
		a := h.waiting(confirm, scoring.ChallengeConfirm)
		pending := rollbacktest.Take(t, h.raw, h.clock != nil)
		done, err := h.decide(h.ada, a.ID, form(h.show(h.ada, a.ID)))
		if err != nil {
			t.Fatal(err)
		}
		approved := rollbacktest.Take(t, h.raw, h.clock != nil)
		pending.PutBack(t)
		if _, err := h.decide(h.ben, a.ID, no(a)); err != nil {
			t.Fatalf("a denial: %v", err)
		}
		approved.PutBack(t)
		_, err = h.consume(done, done.Digest, "")
		wantFault(t, "spending", err, fault.GrantUnproven)
		if err := h.db.LookAtHeads(t.Context()); err != nil {
			t.Fatal(err)
		}
		records, err := h.db.Audit().Events(t.Context(), "acme", -1, 100)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(records, func(r audit.Record) bool {
			return r.Event.Kind == audit.GrantVoided && r.Event.Approval == a.ID && r.Event.Actor.ID == h.ben.Person.ID
		}) {
			t.Error("no event says that the grant is void")
		}
	})
}

// Somebody whose password no trail could confirm says no, and not yes.
func TestUnprovenSaysOnlyNo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.hasty()
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	yes := form(h.show(h.ada, a.ID))
	unproven := h.ada
	unproven.Unproven = true
	if v := h.show(unproven, a.ID); v.Stage != approvals.StageBlinded {
		t.Errorf("the page says %s", v.Stage)
	}
	_, err := h.decide(unproven, a.ID, yes)
	wantFault(t, "a yes", err, fault.NotEligible)
	if _, err := h.MakeStanding(t.Context(), unproven, ahead(a, 1)); !fault.Is(err, fault.Denied) {
		t.Errorf("a standing approval: %v", err)
	}
	if _, err := h.decide(unproven, a.ID, no(a)); err != nil {
		t.Errorf("a no: %v", err)
	}
}
