package approvals

import (
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// The state machine: what an approval becomes. Nothing here reads a clock or a
// database; the store makes sure that what these methods return is written only
// onto the row that they were given.

// policyDecider is the tenant's policy acting by itself.
func policyDecider(version int64) Decider {
	return Decider{Kind: ByPolicy, ID: fmt.Sprint(version), Name: fmt.Sprintf("policy version %d", version)}
}

// open reports why a verdict at this time is impossible, or nil.
func (a Approval) open(now time.Time) error {
	if a.Status.Final() {
		return a.alreadyDecided()
	}
	if !now.Before(a.ExpiresAt) {
		return fault.New(fault.Expired, "no one decided before %s, so it was denied; the agent can resubmit", a.ExpiresAt.Format(time.RFC3339))
	}
	return nil
}

// alreadyDecided says who was first.
func (a Approval) alreadyDecided() error {
	who, at := fault.Textf("no one"), a.CreatedAt
	if d := a.Decision; d != nil {
		at = d.DecidedAt
		if len(d.DecidedBy) > 0 {
			who = fault.Verbatim(d.DecidedBy[len(d.DecidedBy)-1].Name)
		}
	}
	return fault.New(fault.AlreadyDecided, "%s: %s decided at %s", a.Status.Text(), who, at.Format(time.RFC3339))
}

// CountedOf is what this person decided on a, and when, where it counted.
func (a Approval) CountedOf(person string) (Verdict, time.Time, bool) {
	if s := a.signedBy(person); s != nil {
		return VerdictApprove, s.SignedAt, true
	}
	if d := a.Decision; d != nil && slices.ContainsFunc(d.DecidedBy, func(by Decider) bool { return by.Kind == ByPerson && by.ID == person }) {
		return d.Verdict, d.DecidedAt, true
	}
	return "", time.Time{}, false
}

// decided returns a in a final status.
func (a Approval) decided(s Status, v Verdict, reason string, by Decider, at time.Time) Approval {
	a.Status = s
	a.Decision = &Decision{Verdict: v, Reason: reason, DecidedAt: at, DecidedBy: []Decider{by}}
	return a
}

// settle gives a new approval the status that the policy alone decides:
// approved, blocked, or pending. It happens once: one that has a status keeps it.
func (a Approval) settle(now time.Time) Approval {
	if a.Status != "" {
		return a
	}
	by := policyDecider(a.PolicyVersion)
	switch {
	case a.Treatment.Blocked():
		return a.decided(Blocked, VerdictBlock, a.Assessment.Explanation, by, now)
	case a.Treatment.Challenge == scoring.ChallengeNone:
		return a.decided(Approved, VerdictApprove, "", by, now)
	default:
		a.Status = Pending
		return a
	}
}

// approve is a person's yes, the last one where several are needed, with a note for the agent or
// none. The challenge was checked before.
func (a Approval) approve(note string, by Decider, e *Evidence, now time.Time) (Approval, error) {
	if err := a.open(now); err != nil {
		return a, err
	}
	signers := slices.DeleteFunc(a.signers(), func(d Decider) bool { return d.ID == by.ID })
	a = a.decided(Approved, VerdictApprove, note, by, now)
	a.Decision.DecidedBy = append(signers, by)
	a.Decision.Evidence = e
	return a.inWhosePlace(), nil
}

// refuse is a person's no: deny, or request changes. It needs a reason, which
// the agent receives.
func (a Approval) refuse(v Verdict, reason string, by Decider, e *Evidence, now time.Time) (Approval, error) {
	if err := a.open(now); err != nil {
		return a, err
	}
	s := Denied
	if v == VerdictRequestChanges {
		s = ChangesRequested
	}
	a = a.decided(s, v, reason, by, now)
	a.Decision.Evidence = e
	return a.inWhosePlace(), nil
}

// inWhosePlace is a with what the evidence says of those who decided for somebody else.
func (a Approval) inWhosePlace() Approval {
	if a.Decision == nil {
		return a
	}
	d := *a.Decision
	d.DecidedBy = slices.Clone(d.DecidedBy)
	for i, by := range d.DecidedBy {
		if s := a.signedBy(by.ID); s != nil {
			d.DecidedBy[i].For = s.Evidence.For
		}
	}
	if e := d.Evidence; e != nil && e.For != nil && len(d.DecidedBy) > 0 {
		d.DecidedBy[len(d.DecidedBy)-1].For = e.For
	}
	a.Decision = &d
	return a
}

// InWhosePlace is that of one that was read.
func (a *Approval) InWhosePlace() { *a = a.inWhosePlace() }

// cancel is the agent taking it back.
func (a Approval) cancel(now time.Time) (Approval, error) {
	if err := a.open(now); err != nil {
		return a, err
	}
	return a.decided(Cancelled, VerdictCancel, "", Decider{Kind: ByAgent, ID: a.Agent.ID, Name: a.Agent.Name}, now), nil
}

// withdraw is a person ending it because its agent was stopped: nobody refused
// what it asks for, and nobody will allow it.
func (a Approval) withdraw(reason string, by Decider, now time.Time) (Approval, error) {
	if err := a.open(now); err != nil {
		return a, err
	}
	return a.decided(Cancelled, VerdictCancel, reason, by, now), nil
}

// expire is the clock saying no. Before ExpiresAt it is a mistake of the caller.
func (a Approval) expire(now time.Time) (Approval, error) {
	if a.Status.Final() {
		return a, a.alreadyDecided()
	}
	if now.Before(a.ExpiresAt) {
		return a, fault.New(fault.TooEarly, "it can be decided until %s", a.ExpiresAt.Format(time.RFC3339))
	}
	return a.decided(Expired, VerdictExpire, "nobody decided in time", Decider{Kind: ByClock, Name: "System"}, now), nil
}

// restate is the same action under a policy that treats it more strictly. The
// result is a new version, or blocked. What was stricter before stays so: an edited
// action can be harmless by itself.
func (a Approval) restate(as scoring.Assessment, t scoring.Treatment, policy int64, now time.Time) (Approval, error) {
	if err := a.open(now); err != nil {
		return a, err
	}
	as.Treatment = t
	as = as.HeldAs(a.Treatment)
	a.Assessment, a.Treatment, a.PolicyVersion = as, as.Treatment, policy
	if t.Blocked() {
		return a.decided(Blocked, VerdictBlock, as.Explanation, policyDecider(policy), now), nil
	}
	a.Version++
	return a, nil
}
