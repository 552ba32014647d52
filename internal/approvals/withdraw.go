package approvals

import (
	"context"
	"fmt"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// withdrawBatch bounds what one transaction ends.
const withdrawBatch = 100

// Withdraw ends everything that an agent has open after it was stopped: what
// waits is cancelled by m, grants that were not spent are void, and what was
// allowed ahead is revoked. The reason is kept with each. Doing it again does what is left, so a withdrawal that broke off
// is completed by the next one.
func (s *Service) Withdraw(ctx context.Context, m auth.Member, agent, reason string) (cancelled, voided int, err error) {
	if !m.May(auth.ManageAgents) {
		return 0, 0, fault.New(fault.Denied, "your roles in %s do not allow this; an admin can change them", m.Tenant)
	}
	steps := []struct {
		count *int
		step  func(w Writer) (changed []Approval, err error)
		tell  func(Approval)
	}{
		{&cancelled, func(w Writer) ([]Approval, error) { return cancelPending(w, m, agent, reason) }, s.changed},
		{&voided, func(w Writer) ([]Approval, error) { return voidUnspent(w, m, agent, reason) }, func(a Approval) { s.live.Publish(a.Tenant, a.ID) }},
	}
	for _, step := range steps {
		for {
			var changed []Approval
			err := s.store.Write(ctx, m.Tenant, func(w Writer) (err error) {
				changed, err = step.step(w)
				return err
			})
			if err != nil {
				return cancelled, voided, fmt.Errorf("withdraw what %s has open: %w", agent, err)
			}
			*step.count += len(changed)
			for _, a := range changed {
				step.tell(a)
			}
			if len(changed) < withdrawBatch {
				break
			}
		}
	}
	for revoked := withdrawBatch; revoked == withdrawBatch; {
		err := s.store.Write(ctx, m.Tenant, func(w Writer) (err error) {
			revoked, err = revokeOpen(w, m, agent, reason)
			return err
		})
		if err != nil {
			return cancelled, voided, fmt.Errorf("revoke what was allowed ahead to %s: %w", agent, err)
		}
	}
	return cancelled, voided, nil
}

// cancelPending ends a batch of what waits. What is overdue expires instead.
func cancelPending(w Writer, m auth.Member, agent, reason string) (changed []Approval, err error) {
	open, err := w.Approvals(Filter{Agent: agent, Statuses: []Status{Pending}, Limit: withdrawBatch})
	if err != nil || len(open) == 0 {
		return nil, err
	}
	var events []audit.Event
	for _, a := range open {
		done, err := a.withdraw(reason, decider(m), w.Now())
		if fault.Is(err, fault.Expired) {
			done, err = a.expire(w.Now())
		}
		if err != nil {
			return nil, err
		}
		if err := w.Decide(done, a.Version); err != nil {
			return nil, err
		}
		changed, events = append(changed, done), append(events, done.decisionEvent())
	}
	return changed, w.Append(events...)
}

// voidUnspent takes a batch of grants back.
func voidUnspent(w Writer, m auth.Member, agent, reason string) (changed []Approval, err error) {
	open, err := w.Unspent(agent, withdrawBatch)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	var events []audit.Event
	for _, a := range open {
		if err := w.Revoke(a.ID, reason); err != nil {
			return nil, err
		}
		changed = append(changed, a)
		events = append(events, a.event(audit.GrantVoided, personActor(m), member("jti", canon.String(a.Grant.ID)), member("reason", canon.String(reason))))
	}
	return changed, w.Append(events...)
}
