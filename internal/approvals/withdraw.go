package approvals

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// withdrawBatch bounds what one transaction ends.
const withdrawBatch = 100

// Withdraw ends everything that an agent has open after it was stopped: what
// waits is cancelled by m, grants that were not spent are void, and what was
// allowed ahead is revoked. The reason is kept with each. Doing it again does what
// is left, so a withdrawal that broke off is completed by the next one.
func (s *Service) Withdraw(ctx context.Context, m auth.Member, agent, reason string) (cancelled, voided int, err error) {
	by := withdrawal{m, agent, reasonOf(reason)}
	for _, step := range []struct {
		count *int
		step  func(w Writer) (changed []Approval, more bool, err error)
		tell  func(Approval)
	}{
		{&cancelled, by.cancelPending, s.changed},
		{&voided, by.voidUnspent, func(a Approval) { s.live.Publish(a.Tenant, a.ID) }},
		{new(int), by.revokeOpen, nil},
	} {
		for more := true; more; {
			var changed []Approval
			err := s.writeFor(ctx, m, auth.ManageAgents, func(w Writer) (err error) {
				changed, more, err = step.step(w)
				return err
			})
			if err != nil {
				return cancelled, voided, fmt.Errorf("withdraw what %s has open: %w", agent, err)
			}
			*step.count += len(changed)
			for _, a := range changed {
				step.tell(a)
			}
		}
	}
	return cancelled, voided, nil
}

// withdrawal is who takes back what an agent has open, and why.
type withdrawal struct {
	by            auth.Member
	agent, reason string
}

// lockOpen takes hold of what was listed, the oldest first, and returns those of which
// open still says so: somebody may have been faster, with one or with all of them.
func lockOpen(w Writer, listed []Approval, open func(Approval) bool) (held []Approval, err error) {
	slices.SortFunc(listed, func(a, b Approval) int { return strings.Compare(a.ID, b.ID) })
	for _, a := range listed {
		if a, err = w.Approval(a.ID); err != nil {
			return nil, err
		}
		if open(a) {
			held = append(held, a)
		}
	}
	return held, nil
}

// cancelPending ends a batch of what waits. What is overdue expires instead.
func (d withdrawal) cancelPending(w Writer) (changed []Approval, more bool, err error) {
	listed, err := w.Approvals(Filter{Agent: d.agent, Statuses: []Status{Pending}, Limit: withdrawBatch})
	if err != nil {
		return nil, false, err
	}
	open, err := lockOpen(w, listed, func(a Approval) bool { return !a.Status.Final() })
	if err != nil {
		return nil, false, err
	}
	var events []audit.Event
	for _, a := range open {
		done, err := a.withdraw(d.reason, decider(d.by), w.Now())
		if fault.Is(err, fault.Expired) {
			done, err = a.expire(w.Now())
		}
		if err != nil {
			return nil, false, err
		}
		if err := w.Decide(done, a.Version); err != nil {
			return nil, false, err
		}
		changed, events = append(changed, done), append(events, done.decisionEvent())
	}
	return changed, len(listed) == withdrawBatch, appendAny(w, events)
}

// voidUnspent takes a batch of grants back.
func (d withdrawal) voidUnspent(w Writer) (changed []Approval, more bool, err error) {
	listed, err := w.Unspent(d.agent, withdrawBatch)
	if err != nil {
		return nil, false, err
	}
	open, err := lockOpen(w, listed, func(a Approval) bool { return a.Grant.ConsumedAt == nil && a.Grant.VoidedAt == nil })
	if err != nil {
		return nil, false, err
	}
	var events []audit.Event
	for _, a := range open {
		if err := w.Revoke(a.ID, d.reason); err != nil {
			return nil, false, err
		}
		events = append(events, a.voided(d.by, d.reason))
	}
	return open, len(listed) == withdrawBatch, appendAny(w, events)
}

// revokeOpen revokes a batch of what was allowed ahead. It holds the oldest first, as
// submissions do that look for one with a use left.
func (d withdrawal) revokeOpen(w Writer) (_ []Approval, more bool, err error) {
	listed, err := w.StandingGrants(StandingQuery{Agent: d.agent, Open: true, Limit: withdrawBatch})
	if err != nil {
		return nil, false, err
	}
	var events []audit.Event
	for _, g := range slices.Backward(listed) {
		if g, err = w.Standing(g.ID); err != nil {
			return nil, false, err
		}
		if g.RevokedAt != nil {
			continue // somebody revoked it meanwhile
		}
		revoked, err := revokeStanding(w, d.by, g, d.reason)
		if err != nil {
			return nil, false, err
		}
		events = append(events, revoked)
	}
	return nil, len(listed) == withdrawBatch, appendAny(w, events)
}

// appendAny leaves the log alone where nothing happened.
func appendAny(w Writer, events []audit.Event) error {
	if len(events) == 0 {
		return nil
	}
	return w.Append(events...)
}
