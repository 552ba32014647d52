package approvals

import (
	"context"
	"errors"
	"fmt"

	"github.com/countersign/countersign/internal/fault"
)

const (
	// rollStep is how many events of the trail are counted in one transaction.
	rollStep = 500
	// rollSteps is how many stretches of one tenant are counted before the next
	// tenant has its turn.
	rollSteps = 40
)

// RollUp counts what the trails tell since the last time, tenant by tenant. Every
// server may run it: a stretch is counted in the transaction that moves the kept
// position past it, and only if the position still is where the stretch begins, so
// whoever comes second counts nothing, and what is cut off is counted again.
func (s *Service) RollUp(ctx context.Context) error {
	tenants, err := s.store.Tenants(ctx)
	if err != nil {
		return fmt.Errorf("roll up: %w", err)
	}
	var failed []error
	for _, t := range tenants {
		if err := s.rollUpTenant(ctx, t); err != nil {
			failed = append(failed, fmt.Errorf("roll up %s: %w", t, err))
		}
	}
	return errors.Join(failed...)
}

func (s *Service) rollUpTenant(ctx context.Context, tenant string) error {
	for range rollSteps {
		var next Unrolled
		err := s.store.Read(ctx, tenant, func(r Reader) (err error) {
			next, err = r.Unrolled(rollStep)
			return err
		})
		if err != nil || next.From == next.To {
			return err
		}
		batch := rollUp(next)
		err = s.store.Write(ctx, tenant, func(w Writer) error { return w.RollUp(batch) })
		if fault.Is(err, fault.Changed) {
			return nil // another server counted it, and goes on
		}
		if err != nil {
			return err
		}
	}
	return nil
}
