package approvals

import (
	"context"
	"fmt"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
)

// What a policy that is not in force yet would have done: the newest actions are
// assessed again, under the current policy and under the draft.

// Replayed is what came of it.
type Replayed struct {
	Actions      int       // how many were replayed
	Moves        [4][4]int // how many were at [level] and would be at [level]: 0 is LOW, 3 CRITICAL
	Stricter     int       // whose treatment would be stricter in some part,
	Looser       int       // and looser in some; an action can be both
	Blocked      int       // that the current policy does not block, and the draft would
	AutoApproved int       // that the current policy holds or blocks, and the draft would let pass without a person
	// DeniedPassing were denied by a person, or blocked, and would pass without one;
	// newest first, at most 50.
	DeniedPassing []Approval
	// Held are above LOW under the current policy, and HeldByScore those of them of which the score alone decided
	// that, so that thresholds and weights move no others.
	Held, HeldByScore int
	Oldest            time.Time // when the oldest of them was submitted; zero where there was none
}

const (
	maxReplayed   = 500
	replayPage    = 25       // approvals in memory at once
	replayBytes   = 16 << 20 // of actions; a flood of huge ones ends the replay early
	maxPassing    = 50
	replaysAtOnce = 2
)

// Replay assesses the newest n actions of the tenant again, at most 500, under the
// current policy and under p: the stored, masked bytes with the matches of masked
// spans and the recorded call number, as every later assessment does, and with the
// record that its agent has today. It writes nothing. The error is that of p.Validate where p is not valid.
func (s *Service) Replay(ctx context.Context, m auth.Member, p scoring.Policy, n int) (Replayed, error) {
	return s.ReplayOf(ctx, m, p, Filter{}, n)
}

// ReplayOf is Replay of the newest n actions that a filter chooses.
func (s *Service) ReplayOf(ctx context.Context, m auth.Member, p scoring.Policy, of Filter, n int) (Replayed, error) {
	if err := may(m, auth.ReadPolicy); err != nil {
		return Replayed{}, err
	}
	select { // it is work for seconds, which must not stand in the way of agents
	case s.replays <- struct{}{}:
		defer func() { <-s.replays }()
	case <-ctx.Done():
		return Replayed{}, ctx.Err()
	}
	return replayOf(ctx, s.store, m.Tenant, p, of, n)
}

// Replay is Service.Replay for the command line, which is asked for no role.
func Replay(ctx context.Context, store Store, tenant string, p scoring.Policy, n int) (Replayed, error) {
	return replayOf(ctx, store, tenant, p, Filter{}, n)
}

func replayOf(ctx context.Context, store Store, tenant string, p scoring.Policy, of Filter, n int) (Replayed, error) {
	r := replaying{records: records{}}
	draft, err := scoring.Compile(p)
	if err != nil {
		return r.Replayed, err
	}
	r.draft = draft
	before := ""
	for left := min(n, maxReplayed); left > 0; {
		var page []Approval
		err := store.Read(ctx, tenant, func(rd Reader) (err error) {
			if r.current == nil {
				if r.current, err = compileCurrent(rd); err != nil {
					return err
				}
			}
			of.Before, of.Limit = before, min(left, replayPage)
			page, err = rd.Approvals(of)
			if err != nil {
				return err
			}
			for _, a := range page {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := r.add(rd, a); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return r.Replayed, err
		}
		if len(page) < min(left, replayPage) || r.bytes >= replayBytes {
			break
		}
		left -= len(page)
		before = page[len(page)-1].ID
	}
	return r.Replayed, nil
}

func compileCurrent(r Reader) (*scoring.Compiled, error) {
	p, _, err := r.Policy()
	if err != nil {
		return nil, err
	}
	return scoring.Compile(p)
}

// replaying adds one action after the other.
type replaying struct {
	Replayed
	current, draft *scoring.Compiled
	records        records
	bytes          int
}

// add assesses one under both policies, each with what is known of its agent today.
func (r *replaying) add(rd Reader, a Approval) error {
	action, err := a.Parsed()
	if err != nil {
		return fmt.Errorf("%s: %w", a.ID, err)
	}
	in, err := a.inputs(rd)
	if err != nil {
		return fmt.Errorf("%s: %w", a.ID, err)
	}
	var under [2]scoring.Assessment
	for i, c := range []*scoring.Compiled{r.current, r.draft} {
		exam, err := r.records.give(rd, c.Examine(action, a.Carried).Given(in), a)
		if err != nil {
			return err
		}
		under[i] = exam.Assess(a.CallNumber)
	}
	r.count(a, under[0].Treatment, under[1].Treatment)
	if a.Assessment = under[0]; a.Assessment.Level > level.Low {
		r.Held++
		if a.Assessment.Cause().Kind == scoring.CauseScore {
			r.HeldByScore++
		}
	}
	return nil
}

// count adds what becomes of one.
func (r *replaying) count(a Approval, was, would scoring.Treatment) {
	r.Actions++
	r.bytes += len(a.Action)
	if r.Oldest.IsZero() || a.CreatedAt.Before(r.Oldest) {
		r.Oldest = a.CreatedAt
	}
	r.Moves[was.Level-level.Low][would.Level-level.Low]++
	if was.LooserThan(would) {
		r.Stricter++
	}
	if would.LooserThan(was) {
		r.Looser++
	}
	if would.Blocked() && !was.Blocked() {
		r.Blocked++
	}
	if would.Response != scoring.Allow {
		return
	}
	if was.Response != scoring.Allow {
		r.AutoApproved++
	}
	if (a.Status == Denied || a.Status == Blocked) && len(r.DeniedPassing) < maxPassing {
		r.DeniedPassing = append(r.DeniedPassing, a)
	}
}
