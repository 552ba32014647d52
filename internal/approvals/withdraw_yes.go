package approvals

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

// A yes can be withdrawn until it is used, whoever or whatever said it. That only makes things
// stricter, so nobody has to agree. Used and withdrawn at the same moment is one of the two: both
// write the same row on the condition that it is neither.

// Unused reports why there is no yes to withdraw from a, or nil.
func (a Approval) Unused(now time.Time) error {
	g := a.Grant
	switch {
	case g == nil:
		return fault.New(fault.NotApproved, "it is %s, so there is no approval to withdraw", a.Status.Text())
	case g.ConsumedAt != nil:
		return fault.New(fault.AlreadyConsumed, "the agent used the approval at %s, so it can't be withdrawn", g.ConsumedAt.Format(time.RFC3339))
	case g.VoidedAt != nil:
		return fault.New(fault.GrantVoid, "the approval is void since %s", g.VoidedAt.Format(time.RFC3339))
	case !now.Before(g.ExpiresAt):
		return fault.New(fault.GrantExpired, "the approval expired unused at %s", g.ExpiresAt.Format(time.RFC3339))
	}
	return nil
}

// Void reports whether the yes to a became void before it was used: there is none any more.
func (a Approval) Void() bool { return a.Grant != nil && a.Grant.VoidedAt != nil }

// approvedBy reports whether this person is one of those who approved a.
func (a Approval) approvedBy(person string) bool {
	return a.Decision != nil && slices.ContainsFunc(a.Decision.DecidedBy, func(d Decider) bool { return d.Kind == ByPerson && d.ID == person })
}

// MayWithdraw reports whether the member can withdraw the yes to a: every operator can, and who
// said it, operator or not by now.
func (a Approval) MayWithdraw(m auth.Member, now time.Time) bool {
	return a.Unused(now) == nil && (m.May(auth.Decide) || a.approvedBy(m.Person.ID))
}

// WithdrawYes takes back the yes to one approval while it is unused, for a reason that its agent is
// told. What was let through ahead with the decision ends, too.
func (s *Service) WithdrawYes(ctx context.Context, m auth.Member, id, reason string) error {
	if !saysSomething(reason) {
		return fault.Member(fault.InvalidForm, "reason", "enter a reason of 1 to %d characters; the agent receives it", maxReason)
	}
	reason = reasonOf(reason)
	err := s.writeFor(ctx, m, auth.ReadQueue, func(w Writer) error {
		a, err := w.Approval(id)
		if err != nil {
			return err
		}
		if !a.approvedBy(m.Person.ID) {
			if _, err := tenants.Presently(w, m, auth.Decide); err != nil {
				return err
			}
		}
		if err := a.Unused(w.Now()); err != nil {
			return err
		}
		if err := w.Revoke(a.ID, reason); err != nil {
			return err
		}
		events, err := a.endNext(w, m, reason)
		if err != nil {
			return err
		}
		return w.Append(append(events, a.voided(m, reason))...)
	})
	if err == nil {
		s.live.Publish(m.Tenant, id)
	}
	return err
}

// voided tells that a person made the grant of a void.
func (a Approval) voided(by auth.Member, reason string) audit.Event {
	return a.event(audit.GrantVoided, personActor(by), member("jti", canon.String(a.Grant.ID)), member("reason", canon.String(reason)))
}

// endNext revokes what the decision on a lets through in its session.
func (a Approval) endNext(w Writer, m auth.Member, reason string) (events []audit.Event, err error) {
	if a.Session == "" || !a.byPerson() {
		return nil, nil
	}
	open, err := w.StandingGrants(StandingQuery{Agent: a.Agent.ID, Function: a.Function, Session: a.Session, Open: true, Limit: MaxStandingOpen})
	for _, g := range slices.Backward(open) { // held the oldest first
		if err != nil || g.From != a.ID {
			continue
		}
		var revoked audit.Event
		if g, err = w.Standing(g.ID); err == nil {
			revoked, err = revokeStanding(w, m, g, reason)
			events = append(events, revoked)
		}
	}
	return events, err
}
