package approvals

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
)

// noon is when the approvals of these tests are submitted.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func wantFault(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// hold is a treatment that asks somebody.
func hold(l level.Level, c scoring.ChallengeKind) scoring.Treatment {
	return scoring.Treatment{Level: l, Response: scoring.Hold, Challenge: c, ApprovalsRequired: 1}
}

// inStatus is an approval that expires fifteen minutes after noon and reached
// this status one minute after noon.
func inStatus(s Status) Approval {
	a := Approval{
		Tenant: "acme", ID: "apr_1", Agent: Agent{ID: "agt_1", Name: "worker"},
		Action: []byte(`{"function":"f"}`), Digest: "sha256:aa", ShownDigest: "sha256:bb", CallNumber: 3, Function: "f", Session: "s",
		Status: s, Version: 4, Treatment: hold(level.Medium, scoring.ChallengeConfirm), PolicyVersion: 2,
		CreatedAt: noon, ExpiresAt: noon.Add(15 * time.Minute),
	}
	if s.Final() {
		a.Decision = &Decision{Verdict: "first", Reason: "first", DecidedAt: noon.Add(time.Minute), DecidedBy: []Decider{{Kind: ByPerson, ID: "per_0", Name: "First"}}}
	}
	return a
}

// TestStates is the state machine: every status, every verb, every side of the
// expiry.
func TestStates(t *testing.T) {
	t.Parallel()
	ada := Decider{Kind: ByPerson, ID: "per_1", Name: "Ada"}
	evidence := &Evidence{Kind: "confirm"}
	blocked := scoring.Treatment{Level: level.Critical, Response: scoring.Block, Challenge: scoring.ChallengeDeny}
	stricter := hold(level.High, scoring.ChallengeQuiz)
	clock, policy := Decider{Kind: ByClock, Name: "System"}, Decider{Kind: ByPolicy, ID: "3", Name: "policy version 3"}
	verbs := []struct {
		name     string
		do       func(Approval, time.Time) (Approval, error)
		in       Status // what a pending one becomes in time
		late     Status // and afterwards; "" where that is a fault
		early    fault.Code
		verdict  Verdict
		reason   string
		by       Decider
		evidence *Evidence
	}{
		{
			name: "approve", in: Approved, verdict: VerdictApprove, reason: "only today", by: ada, evidence: evidence,
			do: func(a Approval, now time.Time) (Approval, error) { return a.approve("only today", ada, evidence, now) },
		},
		{
			name: "deny", in: Denied, verdict: VerdictDeny, reason: "no", by: ada, evidence: evidence,
			do: func(a Approval, now time.Time) (Approval, error) {
				return a.refuse(VerdictDeny, "no", ada, evidence, now)
			},
		},
		{
			name: "request changes", in: ChangesRequested, verdict: VerdictRequestChanges, reason: "smaller", by: ada, evidence: evidence,
			do: func(a Approval, now time.Time) (Approval, error) {
				return a.refuse(VerdictRequestChanges, "smaller", ada, evidence, now)
			},
		},
		{
			name: "cancel", in: Cancelled, verdict: VerdictCancel, by: Decider{Kind: ByAgent, ID: "agt_1", Name: "worker"},
			do: Approval.cancel,
		},
		{
			name: "expire", late: Expired, early: fault.TooEarly, verdict: VerdictExpire, reason: "nobody decided in time", by: clock,
			do: Approval.expire,
		},
		{
			name: "restate as blocked", in: Blocked, verdict: VerdictBlock, reason: "because", by: policy,
			do: func(a Approval, now time.Time) (Approval, error) {
				return a.restate(scoring.Assessment{Explanation: "because"}, blocked, 3, now)
			},
		},
		{
			name: "restate", in: Pending,
			do: func(a Approval, now time.Time) (Approval, error) {
				return a.restate(scoring.Assessment{Score: 0.7}, stricter, 3, now)
			},
		},
	}
	times := []struct {
		name string
		at   time.Time
		late bool
	}{
		{"at submission", noon, false},
		{"a microsecond before the end", noon.Add(15*time.Minute - time.Microsecond), false},
		{"at the end", noon.Add(15 * time.Minute), true},
		{"a day later", noon.Add(24 * time.Hour), true},
	}
	for _, v := range verbs {
		for _, from := range Statuses() {
			for _, at := range times {
				what := fmt.Sprintf("%s, %s, %s", from, v.name, at.name)
				before, untouched := inStatus(from), inStatus(from)
				got, err := v.do(before, at.at)
				if !reflect.DeepEqual(before, untouched) {
					t.Errorf("%s: the value that it was called on changed", what)
				}
				to, code := v.in, v.early
				if at.late {
					to, code = v.late, fault.Expired
				}
				if from.Final() {
					to, code = "", fault.AlreadyDecided
				}
				if to == "" {
					wantFault(t, what, err, code)
					if !reflect.DeepEqual(got, untouched) {
						t.Errorf("%s: a refused verb left %+v", what, got)
					}
					continue
				}
				if err != nil || got.Status != to {
					t.Errorf("%s: %s, %v; want %s", what, got.Status, err, to)
					continue
				}
				fixed(t, what, got, untouched)
				if to == Pending {
					if got.Version != 5 || got.Decision != nil || !reflect.DeepEqual(got.Treatment, stricter) || got.Assessment.Score != 0.7 || got.PolicyVersion != 3 {
						t.Errorf("%s: version %d, %+v, %+v", what, got.Version, got.Decision, got.Treatment)
					}
					continue
				}
				want := Decision{Verdict: v.verdict, Reason: v.reason, DecidedAt: at.at, DecidedBy: []Decider{v.by}, Evidence: v.evidence}
				if got.Version != 4 || !reflect.DeepEqual(*got.Decision, want) {
					t.Errorf("%s: version %d, %+v, want %+v", what, got.Version, *got.Decision, want)
				}
			}
		}
	}
}

// fixed checks what no verb may change: the bytes and what they are bound to.
func fixed(t *testing.T, what string, got, before Approval) {
	t.Helper()
	pick := func(a Approval) []any {
		return []any{a.Tenant, a.ID, a.Agent, a.Revises, string(a.Action), a.Digest, a.ShownDigest, a.CallNumber, a.Function, a.Session, a.CreatedAt, a.ExpiresAt, a.Grant, a.Execution}
	}
	if !reflect.DeepEqual(pick(got), pick(before)) {
		t.Errorf("%s changed %v to %v", what, pick(before), pick(got))
	}
}

// TestAlreadyDecidedSaysWho: the one who was too late reads who was first, and when.
func TestAlreadyDecidedSaysWho(t *testing.T) {
	t.Parallel()
	_, err := inStatus(Denied).approve("", Decider{Kind: ByPerson, Name: "Late"}, nil, noon.Add(2*time.Minute))
	if got, want := fault.As(err).Detail, "denied: First decided at 2026-03-01T12:01:00Z"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	edited := inStatus(Denied)
	edited.Decision = nil // only somebody who edits the database makes this
	_, err = edited.cancel(noon)
	wantFault(t, "a final one without a decision", err, fault.AlreadyDecided)
}

// TestSettle is what the policy decides alone, and only once.
func TestSettle(t *testing.T) {
	t.Parallel()
	policy := []Decider{{Kind: ByPolicy, ID: "2", Name: "policy version 2"}}
	for name, c := range map[string]struct {
		treatment scoring.Treatment
		want      Status
		decision  *Decision
	}{
		"let through": {
			scoring.Treatment{Level: level.Low, Response: scoring.Allow, Challenge: scoring.ChallengeNone},
			Approved,
			&Decision{Verdict: VerdictApprove, DecidedAt: noon, DecidedBy: policy},
		},
		"blocked": {
			scoring.Treatment{Level: level.Critical, Response: scoring.Block, Challenge: scoring.ChallengeDeny},
			Blocked,
			&Decision{Verdict: VerdictBlock, Reason: "because", DecidedAt: noon, DecidedBy: policy},
		},
		// Nothing is let through because two members disagree.
		"blocked although nothing is asked": {
			scoring.Treatment{Level: level.Low, Response: scoring.Block, Challenge: scoring.ChallengeNone},
			Blocked,
			&Decision{Verdict: VerdictBlock, Reason: "because", DecidedAt: noon, DecidedBy: policy},
		},
		"confirm":  {hold(level.Medium, scoring.ChallengeConfirm), Pending, nil},
		"quiz":     {hold(level.High, scoring.ChallengeQuiz), Pending, nil},
		"explicit": {hold(level.Critical, scoring.ChallengeExplicit), Pending, nil},
	} {
		a := inStatus(Pending)
		a.Status, a.Treatment, a.Assessment.Explanation = "", c.treatment, "because"
		got := a.settle(noon)
		if got.Status != c.want || !reflect.DeepEqual(got.Decision, c.decision) || got.Version != 4 {
			t.Errorf("%s: %s, %+v, version %d", name, got.Status, got.Decision, got.Version)
		}
		fixed(t, name, got, a)
		for _, s := range Statuses() {
			before := inStatus(s)
			before.Treatment = c.treatment
			if again := before.settle(noon.Add(time.Minute)); !reflect.DeepEqual(again, before) {
				t.Errorf("%s: settling what is %s made it %s", name, s, again.Status)
			}
		}
	}
}

// TestFinal: everything but pending is.
func TestFinal(t *testing.T) {
	t.Parallel()
	for _, s := range Statuses() {
		if s.Final() == (s == Pending) {
			t.Errorf("%s: final is %v", s, s.Final())
		}
		if _, named := kinds[s]; named != s.Final() {
			t.Errorf("%s: it has an event: %v", s, named)
		}
	}
}
