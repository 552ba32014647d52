package approvals_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
)

// familiar is MEDIUM under fond as the first call of a session, and LOW as the tenth.
const familiar = `{"function":"restart_service","arguments":{"service":"checkout","env":"production"},"session_id":"s1"}`

func fond(p *scoring.Policy) { p.Thresholds.Medium = 0.32 }

// TestAskingOftenIsNoYes: what was denied nine times is not let through the tenth time,
// and no other asking makes a call look familiar.
func TestAskingOftenIsNoYes(t *testing.T) {
	t.Parallel()
	for what, end := range map[string]func(h *house, a approvals.Approval){
		"denied": func(h *house, a approvals.Approval) { h.refuse(h.ada, a, approvals.VerdictDeny) },
		"sent back": func(h *house, a approvals.Approval) {
			h.refuse(h.ada, a, approvals.VerdictRequestChanges)
		},
		"cancelled": func(h *house, a approvals.Approval) {
			if _, err := h.Cancel(h.t.Context(), h.agent, a.ID); err != nil {
				h.t.Fatal(err)
			}
		},
		"expired": func(h *house, a approvals.Approval) {
			h.clock.advance(a.ExpiresAt.Sub(h.clock.Now()))
			if err := h.Sweep(h.t.Context()); err != nil {
				h.t.Fatal(err)
			}
		},
		"approved and never spent": func(h *house, a approvals.Approval) { h.yes(h.ada, a, time.Minute) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.policy(fond)
			for n := range 10 {
				a := h.submit(familiar)
				if a.Status != approvals.Pending || a.Assessment.Level != level.Medium || a.CallNumber != 1 {
					t.Fatalf("after %d times it is %s as %s, call %d", n, a.Status, a.Assessment.Level, a.CallNumber)
				}
				end(h, a)
			}
		})
	}
}

// TestWhatIsSpentBecomesFamiliar: a call that was made counts, until it is reported failed.
func TestWhatIsSpentBecomesFamiliar(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.policy(fond)
	var last approvals.Approval
	for n := range 9 {
		if last = h.submit(familiar); last.CallNumber != n+1 {
			t.Fatalf("after %d calls it is number %d", n, last.CallNumber)
		}
		if last.Status == approvals.Pending {
			h.yes(h.ada, last, time.Minute)
		}
		if _, err := h.consume(last, last.Digest, ""); err != nil {
			t.Fatal(err)
		}
	}
	tenth := h.submit(familiar)
	if tenth.CallNumber != 10 || tenth.Assessment.Level != level.Low {
		t.Errorf("the tenth is call %d and %s", tenth.CallNumber, tenth.Assessment.Level)
	}
	if _, err := h.Report(t.Context(), h.agent, last.ID, "failed", ""); err != nil {
		t.Fatal(err)
	}
	if a := h.submit(familiar); a.CallNumber != 9 {
		t.Errorf("after a failure it is call %d, want 9", a.CallNumber)
	}
	if got := h.get(tenth.ID).CallNumber; got != 10 {
		t.Errorf("the recorded number became %d", got)
	}
	h.trail(tenth.ID)
}
