package approvals

import (
	"context"
	"fmt"
	"slices"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

// ReplayBinding assesses the newest n actions of an agent again, at most 500, as it is bound
// and as it would be. They are taken in their order, so that what the agent wrote counts for
// what it ran later; what it wrote before the first of them is not known. It writes nothing.
func (s *Service) ReplayBinding(ctx context.Context, m auth.Member, agent string, to tenants.Bound, n int) (Replayed, error) {
	if err := may(m, auth.ReadPolicy); err != nil {
		return Replayed{}, err
	}
	select {
	case s.replays <- struct{}{}:
		defer func() { <-s.replays }()
	case <-ctx.Done():
		return Replayed{}, ctx.Err()
	}
	r := rebinding{replaying: replaying{records: records{}}, to: to}
	err := s.store.Read(ctx, m.Tenant, func(rd Reader) (err error) {
		if r.current, err = compileCurrent(rd); err != nil {
			return err
		}
		ids, err := rd.IDs(Filter{Agent: agent, Limit: min(n, maxReplayed)})
		if err != nil {
			return err
		}
		slices.Reverse(ids)
		for _, id := range ids {
			if err := ctx.Err(); err != nil || r.bytes >= replayBytes {
				return err
			}
			a, err := rd.Approval(id)
			if err != nil {
				return err
			}
			if err := r.add(rd, a); err != nil {
				return err
			}
		}
		return nil
	})
	slices.Reverse(r.DeniedPassing)
	return r.Replayed, err
}

// rebinding adds one action after the other, the oldest first.
type rebinding struct {
	replaying
	to     tenants.Bound
	memory workspace.Memory
}

func (r *rebinding) add(rd Reader, a Approval) error {
	action, err := a.Parsed()
	if err != nil {
		return fmt.Errorf("%s: %w", a.ID, err)
	}
	in, err := a.inputs(rd)
	if err != nil {
		return fmt.Errorf("%s: %w", a.ID, err)
	}
	exam, err := r.records.give(rd, r.current.Examine(action, a.Carried), a)
	if err != nil {
		return err
	}
	was := exam.Given(in).Assess(a.CallNumber)
	in.Environment, in.Workspace, in.Memory = r.to.Environment, r.to.Folder(), &r.memory
	would := exam.Given(in).Assess(a.CallNumber)
	if w := would.Workspace; w != nil {
		r.memory = r.memory.Adding(w.Writes)
		if a.Grant != nil && a.Grant.ConsumedAt != nil && (a.Execution == nil || a.Execution.Status != "failed") {
			r.memory = r.memory.Replacing(w.Writes)
		}
	}
	r.count(a, was.Treatment, would.Treatment)
	return nil
}
