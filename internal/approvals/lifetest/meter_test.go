package lifetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
)

// tally is a Meter that remembers what it was told.
type tally struct {
	mu     sync.Mutex
	told   []string
	scored int
}

func (m *tally) tell(what string, s approvals.Status, l level.Level) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told = append(m.told, fmt.Sprint(what, " ", s, " ", l))
}

func (m *tally) Submitted(s approvals.Status, l level.Level) { m.tell("submitted", s, l) }
func (m *tally) Decided(s approvals.Status, l level.Level)   { m.tell("decided", s, l) }
func (m *tally) Assessed(s approvals.Status, l level.Level)  { m.tell("assessed", s, l) }

func (m *tally) Scored(time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scored++
}

// since returns what was told since the last call.
func (m *tally) since() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	told := m.told
	m.told = nil
	return told
}

// TestTheMeterIsToldWhatWasCommitted, once each, and nothing of what was refused.
func TestTheMeterIsToldWhatWasCommitted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	want := func(what string, told ...string) {
		t.Helper()
		if got := h.meter.since(); !slices.Equal(got, told) {
			t.Errorf("%s: told %q, want %q", what, got, told)
		}
	}
	h.submit(harmless)
	want("a harmless one", "submitted approved LOW", "decided approved LOW")
	no := h.submit(blocked)
	want("a blocked one", fmt.Sprint("submitted blocked ", no.Assessment.Level), fmt.Sprint("decided blocked ", no.Assessment.Level))
	h.assess(h.agent, confirm)
	want("a dry run", "assessed pending MEDIUM")
	first, second, third := h.submit(confirm), h.submit(confirm), h.submit(confirm)
	want("three", "submitted pending MEDIUM", "submitted pending MEDIUM", "submitted pending MEDIUM")
	h.refuse(h.ada, first, approvals.VerdictDeny)
	want("denied", "decided denied MEDIUM")
	_, err := h.Decide(ctx, h.ben, first.ID, approvals.DecideInput{Verdict: approvals.VerdictDeny, Reason: "no", Digest: first.ShownDigest, Version: first.Version})
	wantFault(t, "again", err, fault.AlreadyDecided)
	want("too late")
	if _, err := h.Cancel(ctx, h.agent, second.ID); err != nil {
		t.Error(err)
	}
	want("cancelled", "decided cancelled MEDIUM")
	again := approvals.Submission{Action: action(t, confirm), IdempotencyKey: "k"}
	for range 2 {
		if _, _, err := h.Submit(ctx, h.agent, again); err != nil {
			t.Error(err)
		}
	}
	want("twice with one key", "submitted pending MEDIUM")
	// A stricter policy is no decision, unless it blocks.
	h.policy(func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeQuiz })
	review, err := h.Show(ctx, h.ada, third.ID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Decide(ctx, h.ada, third.ID, approvals.DecideInput{Verdict: approvals.VerdictApprove, Digest: third.ShownDigest, Version: third.Version, Challenge: review.Challenge.ID})
	wantFault(t, "under a stricter policy", err, fault.StricterNow)
	want("restated")
	h.clock.advance(time.Hour)
	if err := h.Sweep(ctx); err != nil {
		t.Error(err)
	}
	want("swept", "decided expired MEDIUM", "decided expired MEDIUM")
	h.submit(confirm)
	unspent := h.submit(harmless)
	h.meter.since()
	if _, _, err := h.Withdraw(ctx, h.eve, h.agent.ID, "it leaks"); err != nil {
		t.Error(err)
	}
	want("withdrawn: the one that waited, not the grant of "+unspent.ID, "decided cancelled MEDIUM")
	if h.meter.scored != 10 {
		t.Errorf("%d scans were measured, want one for each submission and dry run", h.meter.scored)
	}
}
