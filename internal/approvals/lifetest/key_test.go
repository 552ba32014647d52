package lifetest

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// revokeKey revokes the key that the agent came with.
func (h *house) revokeKey() {
	h.t.Helper()
	if err := h.rooms().RevokeKey(h.t.Context(), h.eve, h.agent.ID, h.agent.KeyID); err != nil {
		h.t.Fatal(err)
	}
}

// TestKeyGoneBeforeAct: a request that was let in with a key does nothing once that
// key has ended, whatever it is about.
func TestKeyGoneBeforeAct(t *testing.T) {
	t.Parallel()
	for ending, end := range map[string]func(h *house){
		"revoked": (*house).revokeKey,
		"expired": func(h *house) {
			if err := h.rooms().SetExpiry(t.Context(), h.eve, h.agent.ID, h.agent.KeyID, time.Second); err != nil {
				t.Fatal(err)
			}
			h.clock.advance(time.Second)
		},
		"unknown":     func(h *house) { h.agent.KeyID = auth.NewID("key") },
		"not its own": func(h *house) { h.agent.KeyID = h.other.KeyID },
	} {
		h := newHouse(t)
		spent, unspent, waiting := h.submit(harmless), h.submit(harmless), h.waiting(confirm, scoring.ChallengeConfirm)
		if _, err := h.consume(spent, spent.Digest, ""); err != nil {
			t.Fatal(err)
		}
		end(h)
		for name, act := range map[string]func() error{
			"submit": func() error {
				_, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)})
				return err
			},
			"dry run": func() error { _, err := h.Assess(t.Context(), h.agent, action(t, harmless)); return err },
			"consume": func() error { _, err := h.consume(unspent, unspent.Digest, ""); return err },
			"cancel":  func() error { _, err := h.Cancel(t.Context(), h.agent, waiting.ID); return err },
			"report":  func() error { _, err := h.Report(t.Context(), h.agent, spent.ID, "succeeded", ""); return err },
		} {
			wantFault(t, name+" with a key that is "+ending, act(), fault.Unauthorized)
		}
		h.status("what it tried to cancel", waiting.ID, approvals.Pending)
	}
}

// TestKeyGoneBeforeConsume: nothing is spent after the event that revoked the key,
// however long the request waited.
func TestKeyGoneBeforeConsume(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newPostgresHouse(t)
	a := h.submit(harmless)
	release := h.hold("SELECT 1 FROM audit_logs WHERE tenant_id = 'acme' FOR UPDATE")
	revoked := h.blocked(func() error { h.revokeKey(); return nil })
	done := later(func() error { _, err := h.consume(a, a.Digest, ""); return err })
	release()
	if err := revoked(); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "spending it", done(), fault.Unauthorized)
	if h.get(a.ID).Grant.ConsumedAt != nil {
		t.Error("the grant is spent")
	}
}

// TestNewKeyActs: the key that replaced it works.
func TestNewKeyActs(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	next := auth.NewID("key")
	if _, err := h.rooms().RotateKey(t.Context(), h.eve, h.agent.ID, tenants.NewKey{ID: next}, 0); err != nil {
		t.Fatal(err)
	}
	h.agent.KeyID = next
	h.submit(harmless)
}
