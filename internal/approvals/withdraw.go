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
// waits is cancelled by m, and grants that were not spent are void. The reason is
// kept with each. Doing it again does what is left, so a withdrawal that broke off
// is completed by the next one.
func (s *Service) Withdraw(ctx context.Context, m auth.Member, agent, reason string) (cancelled, voided int, err error) {
	if !m.May(auth.ManageAgents) {
		return 0, 0, fault.New(fault.Denied, "your roles in %s do not allow this; an admin can change them", m.Tenant)
	}
	steps := []struct {
		count *int
		step  func(w Writer) (ids []string, err error)
	}{
		{&cancelled, func(w Writer) ([]string, error) { return cancelPending(w, m, agent, reason) }},
		{&voided, func(w Writer) ([]string, error) { return voidUnspent(w, m, agent, reason) }},
	}
	for _, step := range steps {
		for {
			var ids []string
			err := s.store.Write(ctx, m.Tenant, func(w Writer) (err error) {
				ids, err = step.step(w)
				return err
			})
			if err != nil {
				return cancelled, voided, fmt.Errorf("withdraw what %s has open: %w", agent, err)
			}
			*step.count += len(ids)
			for _, id := range ids {
				s.live.Publish(m.Tenant, id)
			}
			if len(ids) < withdrawBatch {
				break
			}
		}
	}
	return cancelled, voided, nil
}

// cancelPending ends a batch of what waits. What is overdue expires instead.
func cancelPending(w Writer, m auth.Member, agent, reason string) (ids []string, err error) {
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
		ids, events = append(ids, a.ID), append(events, done.decisionEvent())
	}
	return ids, w.Append(events...)
}

// voidUnspent takes a batch of grants back.
func voidUnspent(w Writer, m auth.Member, agent, reason string) (ids []string, err error) {
	open, err := w.Unspent(agent, withdrawBatch)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	var events []audit.Event
	for _, a := range open {
		if err := w.Revoke(a.ID, reason); err != nil {
			return nil, err
		}
		ids = append(ids, a.ID)
		events = append(events, a.event(audit.GrantVoided, personActor(m), member("jti", canon.String(a.Grant.ID)), member("reason", canon.String(reason))))
	}
	return ids, w.Append(events...)
}
