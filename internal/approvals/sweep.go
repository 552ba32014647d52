package approvals

import (
	"context"
	"errors"
	"fmt"

	"github.com/countersign/countersign/internal/fault"
)

// sweepBatch bounds one read of overdue approvals.
const sweepBatch = 200

// Sweep expires what is overdue, tenant by tenant. It is idempotent: two
// sweepers, or a sweeper and an operator, end in one decision each.
func (s *Service) Sweep(ctx context.Context) error {
	tenants, err := s.store.Tenants(ctx)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	var failed []error
	for _, t := range tenants {
		if err := s.sweepTenant(ctx, t); err != nil {
			failed = append(failed, fmt.Errorf("sweep %s: %w", t, err))
		}
	}
	return errors.Join(failed...)
}

func (s *Service) sweepTenant(ctx context.Context, tenant string) error {
	for {
		var due []string
		err := s.store.Read(ctx, tenant, func(r Reader) (err error) {
			due, err = r.IDs(Filter{Statuses: []Status{Pending}, DueBefore: r.Now(), Limit: sweepBatch})
			return err
		})
		if err != nil {
			return err
		}
		for _, id := range due {
			if err := s.expire(ctx, tenant, id); err != nil {
				return err
			}
		}
		if len(due) < sweepBatch {
			return nil
		}
	}
}

func (s *Service) expire(ctx context.Context, tenant, id string) error {
	var done Approval
	err := s.store.Write(ctx, tenant, func(w Writer) error {
		a, err := w.Approval(id)
		if err != nil {
			return err
		}
		if done, err = a.expire(w.Now()); err != nil {
			return err
		}
		if err := w.Decide(done, a.Version); err != nil {
			return err
		}
		return w.Append(done.decisionEvent())
	})
	if fault.Is(err, fault.AlreadyDecided) || fault.Is(err, fault.Changed) || fault.Is(err, fault.TooEarly) {
		return nil // somebody was faster, or the two clock readings differ
	}
	if err != nil {
		return err
	}
	s.changed(done)
	return nil
}
