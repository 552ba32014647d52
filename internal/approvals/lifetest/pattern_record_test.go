package lifetest

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// Two high matches, one medium, one low: 20 + 17 + 8 + 2 = 47.
const fourMatches = `{"function":"note","arguments":{"card":"4111 1111 1111 1111","iban":"DE89 3704 0044 0532 0130 00","note":"ssn 536-22-8726"},"code":"Authorization: Bearer abcdefghijklmnop0123456789"}`

// eventOf is the newest event of a kind.
func (h *house) eventOf(k audit.Kind) audit.Event {
	h.t.Helper()
	records, err := h.db.Audit().Events(h.t.Context(), "acme", -1, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range records { // newest first
		if r.Event.Kind == k {
			return r.Event
		}
	}
	h.t.Fatalf("there is no event %s", k)
	return audit.Event{}
}

// From the event alone a reviewer does the sum again, and sees why the action is what it
// is.
func TestAnEventReconstructsThePatternModel(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, c := range []struct {
		name      string
		threshold int
		reason    string
	}{{"by severity", 84, patterns.ReasonSeverity}, {"by score", 30, patterns.ReasonThreshold}} {
		h.policy(func(p *scoring.Policy) { p.ScoreOverrideThreshold = c.threshold })
		a := h.submit(fourMatches)
		for _, e := range []audit.Event{h.eventOf(audit.Submitted), h.assessed(fourMatches)} {
			r, occurrences, ok := approvals.PatternRecord(e)
			if !ok {
				t.Fatalf("%s: %s tells nothing: %s", c.name, e.Kind, e.Data.Canonical())
			}
			was := a.Assessment.Patterns
			if r.NumericScore != was.NumericScore || r.RawScore != was.RawScore || r.Label != was.Label || r.BaseAction != was.BaseAction || r.Action != was.Action ||
				r.ActionReason != c.reason || r.ScoreOverrideThreshold != c.threshold || r.ScoreOverrideExceeded != (c.threshold == 30) ||
				r.CategoricalSeverity != was.CategoricalSeverity || r.SeverityCounts != was.SeverityCounts || r.PatternLibraryVersion != was.PatternLibraryVersion {
				t.Errorf("%s: the event tells %+v, the record is %+v", c.name, r, was)
			}
			sum, nth := 0.0, map[patterns.Severity]int{}
			for i, m := range r.MatchedPatterns {
				want := was.MatchedPatterns[i]
				if m.ID != want.ID || m.Severity != want.Severity || m.Action != want.Action || m.Place() != want.Place() || occurrences[i] != len(want.Places) {
					t.Errorf("%s: match %+v, %d times, want %+v", c.name, m, occurrences[i], want)
				}
				sum += r.Weights.Of(m.Severity) * math.Pow(r.Decay, float64(nth[m.Severity]))
				nth[m.Severity]++
			}
			if len(r.MatchedPatterns) < 3 || math.Abs(sum-r.RawScore) > 1e-9 {
				t.Errorf("%s: %d matches make %v, the event says %v", c.name, len(r.MatchedPatterns), sum, r.RawScore)
			}
		}
	}
}

// assessed is the event of a dry run.
func (h *house) assessed(body string) audit.Event {
	h.t.Helper()
	h.assess(h.agent, body)
	return h.eventOf(audit.AssessmentMade)
}

// Under weights of the policy's own the event has those.
func TestAnEventTellsOwnWeights(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.policy(func(p *scoring.Policy) {
		p.PatternWeights = patterns.PerSeverity[float64]{Critical: 50, High: 10, Medium: 5, Low: 0}
		p.PatternDecay = 0.5
	})
	h.submit(fourMatches)
	r, _, ok := approvals.PatternRecord(h.eventOf(audit.Submitted))
	if !ok || r.Weights.High != 10 || r.Weights.Low != 0 || r.Decay != 0.5 || r.RawScore != 10+5+5 {
		t.Errorf("%v, %+v", ok, r)
	}
}

// What is clean is told in short, and what tells of no scoring tells of no patterns.
func TestACleanPassIsToldInShort(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.submit(harmless)
	e := h.eventOf(audit.Submitted)
	r, _, ok := approvals.PatternRecord(e)
	data := string(e.Data.Get("treatment").Get("patterns").Canonical())
	if !ok || r.Label != patterns.Clean || r.ActionReason != patterns.ReasonNoMatch || strings.Contains(data, "matched_patterns") {
		t.Errorf("%v, %s", ok, data)
	}
	if _, _, ok := approvals.PatternRecord(h.eventOf(audit.Approved)); ok {
		t.Error("the event of a decision tells of the pattern model")
	}
	if _, _, ok := approvals.PatternRecord(audit.Event{Data: canon.Object(canon.Member{Name: "treatment", Value: canon.Object()})}); ok {
		t.Error("an event from before tells of the pattern model")
	}
}

// An event is bounded, whatever names an agent chooses.
func TestTheEventOfManyMatchesIsBounded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	name := strings.Repeat("é", 2_000)
	var values []string
	for _, p := range patterns.Default().Patterns() {
		if p.Member == "" {
			values = append(values, p.MustMatch[0])
		}
	}
	text, err := json.Marshal(map[string]any{name: values})
	if err != nil {
		t.Fatal(err)
	}
	a := h.submit(`{"function":"note","arguments":` + string(text) + `}`)
	e := h.eventOf(audit.Submitted)
	r, _, _ := approvals.PatternRecord(e)
	if size := len(e.Data.Canonical()); size > 400_000 || len(r.MatchedPatterns) != a.Assessment.Patterns.MatchCount || r.MatchCount < 100 {
		t.Errorf("an event of %d bytes tells %d of %d matches", size, len(r.MatchedPatterns), a.Assessment.Patterns.MatchCount)
	}
	if field := r.MatchedPatterns[0].Place().Pointer; !strings.HasSuffix(field, "…") || len(field) > 410 {
		t.Errorf("the field is told with %d bytes", len(field))
	}
}

// A policy that rewrites calls hands the agent its approved call without the secret; the
// grant binds what was sent, to the byte, and nothing else can be spent.
func TestARewrittenCall(t *testing.T) {
	t.Parallel()
	const body = `{"function":"list_notes","arguments":{"card":"4111 1111 1111 1111"}}`
	for _, rewrites := range []bool{false, true} {
		t.Run(fmt.Sprint(rewrites), func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.policy(func(p *scoring.Policy) {
				p.RewriteCalls = rewrites
				p.Challenges, _ = scoring.Preset(scoring.PresetAutoApprove)
			})
			a := h.submit(body)
			if a.Status != approvals.Approved || a.Digest == a.ShownDigest {
				t.Fatalf("it is %s; digests %s and %s", a.Status, a.Digest, a.ShownDigest)
			}
			switch effective := string(a.Effective()); {
			case !rewrites && effective != "":
				t.Errorf("handed back is %s, and the policy rewrites nothing", effective)
			case rewrites && (!strings.Contains(effective, "[REDACTED:card-number]") || strings.Contains(effective, "4111")):
				t.Errorf("handed back is %s", effective)
			}
			page, _, err := h.List(t.Context(), h.agent, approvals.Filter{})
			if err != nil || len(page) != 1 || string(page[0].Effective) != string(a.Effective()) {
				t.Errorf("a list tells %+v (%v)", page, err)
			}
			if a.Digest != action(t, body).Digest() {
				t.Errorf("the grant binds %s, which is not what was sent", a.Digest)
			}
			_, err = h.consume(a, a.ShownDigest, "")
			wantFault(t, "the digest of the masked call", err, fault.DigestMismatch)
			if says := strings.Contains(err.Error(), "decision.effective"); says != rewrites {
				t.Errorf("it is refused with %v", err)
			}
			// Switching the setting changes nothing about a call that was approved.
			h.policy(func(p *scoring.Policy) { p.RewriteCalls = !rewrites })
			if _, err := h.consume(a, a.Digest, ""); err != nil {
				t.Errorf("what was sent cannot be spent: %v", err)
			}
			if now, err := h.Get(t.Context(), h.agent, a.ID); err != nil || string(now.Effective()) != string(a.Effective()) {
				t.Errorf("after another policy handed back is %s (%v)", now.Effective(), err)
			}
		})
	}
}

// What is denied, or not decided yet, is handed back by no policy.
func TestOnlyAnApprovedCallIsRewritten(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.policy(func(p *scoring.Policy) { p.RewriteCalls = true })
	a := h.submit(`{"function":"delete_card","arguments":{"card":"4111 1111 1111 1111"}}`)
	if a.Status != approvals.Pending || !a.Assessment.Rewrites || a.Effective() != nil {
		t.Errorf("%s, rewrites %v, handed back %s", a.Status, a.Assessment.Rewrites, a.Effective())
	}
}
