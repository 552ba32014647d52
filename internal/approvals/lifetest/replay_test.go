package lifetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/tenants"
)

// replay is what another policy would have done.
func (h *house) replay(n int, change func(*scoring.Policy)) approvals.Replayed {
	h.t.Helper()
	p := scoring.DefaultPolicy()
	if change != nil {
		change(&p)
	}
	r, err := h.Replay(h.t.Context(), h.eve, p, n)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func TestReplay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first := h.clock.Now()
	h.submit(harmless)                                // LOW
	deniedOne := h.submit(confirm)                    // MEDIUM
	blockedOne := h.submit(blocked)                   // CRITICAL, blocked
	h.clock.advance(time.Minute)                      // so that the oldest is told from the others
	h.submit(asking)                                  // HIGH
	h.submit(explicit)                                // CRITICAL
	h.refuse(h.ada, deniedOne, approvals.VerdictDeny) // by a person

	same := h.replay(500, nil)
	if same.Actions != 5 || same.Moves != [4][4]int{0: {0: 1}, 1: {1: 1}, 2: {2: 1}, 3: {3: 2}} || same.Stricter+same.Looser+same.Blocked+same.AutoApproved+len(same.DeniedPassing) != 0 || !same.Oldest.Equal(first) {
		t.Errorf("the same policy: %+v", same)
	}
	open := h.replay(500, func(p *scoring.Policy) {
		p.Challenges, _ = scoring.Preset(scoring.PresetAutoApprove)
		p.Judgement.Preset = effects.Published // whose levels are those of the scores
		p.Thresholds.High = 0.79
	})
	if open.Moves[2][1] != 1 || open.Looser != 3 || open.Stricter != 0 || open.AutoApproved != 3 || len(open.DeniedPassing) != 1 || open.DeniedPassing[0].ID != deniedOne.ID {
		t.Errorf("letting all through: %+v", open)
	}
	unblocked := h.replay(500, func(p *scoring.Policy) {
		p.Challenges, _ = scoring.Preset(scoring.PresetAutoApprove)
		for _, m := range blockedOne.Assessment.Patterns.MatchedPatterns {
			p.PatternOverrides.Disable = append(p.PatternOverrides.Disable, m.ID)
		}
	})
	if len(unblocked.DeniedPassing) != 2 || unblocked.DeniedPassing[0].ID != blockedOne.ID {
		t.Errorf("what blocked is switched off: %+v", unblocked)
	}
	closed := h.replay(2, func(p *scoring.Policy) { p.Challenges, _ = scoring.Preset(scoring.PresetDenyAll) })
	if closed.Actions != 2 || closed.Stricter != 2 || closed.Blocked != 2 || closed.Looser != 0 || !closed.Oldest.Equal(h.clock.Now()) {
		t.Errorf("denying the newest two: %+v", closed)
	}
	for _, n := range []int{0, -1} {
		if none := h.replay(n, nil); none.Actions != 0 || !none.Oldest.IsZero() {
			t.Errorf("none of them: %+v", none)
		}
	}
}

// What was masked counts as it did, and call numbers are the recorded ones.
func TestReplayUsesWhatWasRecorded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for range 12 {
		h.submit(`{"function":"put_note","arguments":{"note":"AKIAIOSFODNN7EXAMPLE"},"session_id":"s"}`)
	}
	if r := h.replay(500, nil); r.Actions != 12 || r.Looser+r.Stricter != 0 {
		t.Errorf("the same policy: %+v", r)
	}
	current := h.get(h.submit(`{"function":"put_note","arguments":{"note":"AKIAIOSFODNN7EXAMPLE"},"session_id":"s"}`).ID)
	if r := h.replay(1, nil); r.Moves[current.Treatment.Level-1][current.Treatment.Level-1] != 1 {
		t.Errorf("it was %+v, and comes back as %v", current.Treatment, r.Moves)
	}
	softer := h.replay(1, func(p *scoring.Policy) {
		p.PatternOverrides.Change = []patterns.Change{{ID: "aws-access-key", Severity: patterns.Low, Action: patterns.Log}}
	})
	if softer.Looser != 1 {
		t.Errorf("the masked secret counts for nothing: %+v", softer)
	}
}

func TestReplayAsksWhoAndWhat(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.submit(harmless)
	_, err := h.Replay(t.Context(), auth.Member{Tenant: "acme"}, scoring.DefaultPolicy(), 10)
	wantFault(t, "somebody without a role", err, fault.Denied)
	_, err = h.Replay(t.Context(), h.eve, scoring.Policy{}, 10)
	wantFault(t, "no policy", err, fault.InvalidMember)
	if r, err := h.Replay(t.Context(), auth.Member{Tenant: "other", Roles: auth.Roles()}, scoring.DefaultPolicy(), 10); err == nil && r.Actions > 0 {
		t.Errorf("another organisation sees %+v", r)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Replay(ended, h.eve, scoring.DefaultPolicy(), 10); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits any more: %v", err)
	}
}

// A policy takes effect with the very next submission, decision and consumption.
func TestPolicyCountsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	town := tenants.NewService(tenants.Config{Store: h.db.Tenants(), Log: slog.New(slog.DiscardHandler)})
	save := func(change func(*scoring.Policy)) {
		t.Helper()
		now, err := town.CurrentPolicy(t.Context(), h.eve)
		if err != nil {
			t.Fatal(err)
		}
		change(&now.Policy)
		made, _, err := town.SavePolicy(t.Context(), h.eve, tenants.Change{Base: now.Version, Policy: now.Policy, Reason: "a test", Typed: "acme"})
		if err != nil || made == nil {
			t.Fatalf("made %v, %v", made, err)
		}
	}
	free, held := h.submit(harmless), h.waiting(confirm, scoring.ChallengeConfirm)
	if free.Status != approvals.Approved {
		t.Fatalf("it is %s", free.Status)
	}
	save(func(p *scoring.Policy) {
		p.Challenges.Low, p.Challenges.Medium = scoring.ChallengeConfirm, scoring.ChallengeExplicit
	})

	if next := h.submit(harmless); next.Status != approvals.Pending || next.PolicyVersion != 2 {
		t.Errorf("the next submission is %s under version %d", next.Status, next.PolicyVersion)
	}
	_, err := h.Consume(t.Context(), h.agent, free.ID, free.Digest, "")
	wantFault(t, "consuming", err, fault.StricterNow)
	_, err = h.Decide(t.Context(), h.ada, held.ID, approvals.DecideInput{Verdict: approvals.VerdictApprove, Digest: held.ShownDigest, Version: held.Version})
	wantFault(t, "approving", err, fault.StricterNow)
	if now := h.get(held.ID); now.Treatment.Challenge != scoring.ChallengeExplicit || now.Version != 2 {
		t.Errorf("it is held with %s as version %d", now.Treatment.Challenge, now.Version)
	}

	save(func(p *scoring.Policy) {
		p.Challenges.Low, p.GrantSeconds, p.ExpirySeconds = scoring.ChallengeNone, 77, 60
	}) // the one admin, alone
	next := h.submit(harmless)
	if next.Status != approvals.Approved || next.Grant.ExpiresAt.Sub(next.CreatedAt) != 77*time.Second || next.ExpiresAt.Sub(next.CreatedAt) != time.Minute {
		t.Errorf("after loosening it is %s until %v", next.Status, next.ExpiresAt)
	}
	if _, err := h.Consume(t.Context(), h.agent, next.ID, next.Digest, ""); err != nil {
		t.Errorf("consuming: %v", err)
	}
	h.trail(next.ID)
}

// BenchmarkReplay is the work behind one preview: 500 actions under two policies.
func BenchmarkReplay(b *testing.B) {
	h := newHouse(b)
	for i := range 500 {
		body := []string{harmless, confirm, asking, explicit}[i%4]
		if _, _, err := h.Submit(b.Context(), h.agent, approvals.Submission{Action: action(b, body)}); err != nil {
			b.Fatal(err)
		}
	}
	p := scoring.DefaultPolicy()
	p.Thresholds.High = 0.5
	for b.Loop() {
		if r, err := h.Replay(b.Context(), h.eve, p, 500); err != nil || r.Actions != 500 {
			b.Fatal(fmt.Sprint(r.Actions), err)
		}
	}
}
