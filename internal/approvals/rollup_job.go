package approvals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/fault"
)

const (
	// rollStep is how many events of the trail are counted in one transaction.
	rollStep = 500
	// rollSteps is how many stretches of one tenant are counted before the next
	// tenant has its turn.
	rollSteps = 40
	// forgetStep is how many rollups or evaluations are forgotten in one transaction.
	forgetStep = 1000
)

// LeastDaysKept is how far back insights look: the longest window and the one before it.
func LeastDaysKept() int { return 2 * slices.Max(InsightDays()) }

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
		err = s.store.Aside(ctx, tenant, func(w Writer) error { return w.RollUp(batch) })
		if fault.Is(err, fault.Changed) {
			return nil // another server counted it, and goes on
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ForgetEvaluations deletes the records of evaluations that are older than the policy of
// their organisation keeps them, and the scores of sessions that ended longer ago. The
// requests, the trail and the figures stay as they are.
func (s *Service) ForgetEvaluations(ctx context.Context) error {
	tenants, err := s.store.Tenants(ctx)
	if err != nil {
		return fmt.Errorf("forget evaluations: %w", err)
	}
	var failed []error
	for _, t := range tenants {
		if err := s.forgetEvaluationsOf(ctx, t); err != nil {
			failed = append(failed, fmt.Errorf("forget evaluations of %s: %w", t, err))
		}
	}
	return errors.Join(failed...)
}

func (s *Service) forgetEvaluationsOf(ctx context.Context, tenant string) error {
	for gone := forgetStep; gone >= forgetStep; {
		err := s.store.Aside(ctx, tenant, func(w Writer) error {
			p, _, err := w.Policy()
			if err != nil {
				return err
			}
			gone, err = w.ForgetEvaluations(w.Now().AddDate(0, 0, -p.Evaluated().KeepDays), forgetStep)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ForgetRollups deletes what was counted longer ago than figures are kept. The approvals
// and the trail from which it was counted stay as they are.
func (s *Service) ForgetRollups(ctx context.Context) error {
	if s.keepFigures == 0 {
		return nil
	}
	tenants, err := s.store.Tenants(ctx)
	if err != nil {
		return fmt.Errorf("forget rollups: %w", err)
	}
	var failed []error
	for _, t := range tenants {
		for gone := forgetStep; gone >= forgetStep && err == nil; {
			err = s.store.Aside(ctx, t, func(w Writer) (err error) {
				gone, err = w.ForgetRollups(w.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-s.keepFigures), forgetStep)
				return err
			})
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("forget rollups of %s: %w", t, err))
			err = nil
		}
	}
	return errors.Join(failed...)
}
