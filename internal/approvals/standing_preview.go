package approvals

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
)

// What a standing grant would have covered, before it is made.

// StandingPreview is a draft with what it covers of what is known.
type StandingPreview struct {
	StandingDraft
	// Pending are those that wait and match. They stay with people: what was
	// submitted before is never decided by a standing grant.
	Pending []Approval
	// Calls of the function by the agent were looked at, newest first, at most 500.
	Calls   int
	Matched int       // of them match the pattern
	Covered int       // of those would have gone through: the others were treated more strictly
	Oldest  time.Time // of them; zero where there are none
	// Edge is the call that matches and is farthest from the one that it is made from;
	// nil where every match equals it.
	Edge *Approval
	// Near is the call that does not match and misses by the least, and Missed by what;
	// nil where no call of that shape misses.
	Near   *Approval
	Missed []Miss
}

const (
	standingCalls   = 500
	standingPending = 200
)

// PreviewStanding says what a standing grant as chosen would cover. It writes
// nothing.
func (s *Service) PreviewStanding(ctx context.Context, m auth.Member, in NewStanding) (v StandingPreview, err error) {
	if err := may(m, auth.Decide); err != nil {
		return v, err
	}
	select { // as much work as a replay, so in the same places
	case s.replays <- struct{}{}:
		defer func() { <-s.replays }()
	case <-ctx.Done():
		return v, ctx.Err()
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		v = StandingPreview{}
		if v.StandingDraft, err = s.draft(r, m, in.From); err != nil {
			return err
		}
		if err := v.chosen(in); err != nil {
			return err
		}
		if err := v.waiting(r); err != nil {
			return err
		}
		return v.replay(ctx, r)
	})
	return v, err
}

// waiting lists what waits and matches.
func (v *StandingPreview) waiting(r Reader) error {
	all, err := r.Approvals(Filter{Agent: v.Agent.ID, Function: v.Function, Statuses: []Status{Pending}, Limit: standingPending})
	if err != nil {
		return err
	}
	for _, a := range all {
		action, err := a.Parsed()
		if err != nil {
			return err
		}
		if v.Pattern.Matches(action) {
			v.Pending = append(v.Pending, a)
		}
	}
	return nil
}

// replay looks at the newest calls, a page at a time.
func (v *StandingPreview) replay(ctx context.Context, r Reader) error {
	before, bytes, farthest := "", 0, 0.0
	for v.Calls < standingCalls && bytes < replayBytes {
		page, err := r.Approvals(Filter{Agent: v.Agent.ID, Function: v.Function, Before: before, Limit: replayPage})
		if err != nil {
			return err
		}
		for _, a := range page {
			if err := ctx.Err(); err != nil {
				return err
			}
			v.Calls++
			bytes += len(a.Action)
			v.Oldest = a.CreatedAt
			if err := v.look(a, &farthest); err != nil {
				return err
			}
		}
		if len(page) < replayPage {
			return nil
		}
		before = page[len(page)-1].ID
	}
	return nil
}

// look adds one call.
func (v *StandingPreview) look(a Approval, farthest *float64) error {
	action, err := a.Parsed()
	if err != nil {
		return err
	}
	missed, shaped := v.Pattern.Misses(action)
	switch {
	case !shaped:
	case len(missed) > 0:
		if v.Near == nil || len(missed) < len(v.Missed) {
			v.Near, v.Missed = &a, missed
		}
	default:
		v.Matched++
		if a.uncoverable().Empty() {
			v.Covered++
		}
		if d := v.distance(action.Arguments()); d > *farthest {
			*farthest, v.Edge = d, &a
		}
	}
	return nil
}

// distance is how far arguments are from those of the call: one for each value that
// is another one, and of a number with a limit what part of the limit it uses.
func (v *StandingPreview) distance(arguments canon.Value) (d float64) {
	all, _, _ := scoring.ArgumentsOf(arguments)
	for i, a := range all {
		if i >= len(v.Values) || a.Value.Equal(v.Values[i]) {
			continue
		}
		d++
		if t := v.Pattern.Terms[i]; t.Rule == RuleAtMost && t.Values[0].Float() > 0 {
			d += a.Value.Float() / t.Values[0].Float()
		}
	}
	return d
}

// Coverable lists calls that a standing grant can be made from: the newest of each
// function of each agent among the last hundred submissions, at most eight.
func (s *Service) Coverable(ctx context.Context, m auth.Member) (calls []Approval, err error) {
	if err := may(m, auth.Decide); err != nil {
		return nil, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		calls = nil
		newest, err := r.Approvals(Filter{Limit: coverableCalls})
		seen := map[[2]string]bool{}
		for _, a := range newest {
			key := [2]string{a.Agent.ID, a.Function}
			if len(calls) < coverableShown && !seen[key] && a.uncoverable().Empty() {
				seen[key], calls = true, append(calls, a)
			}
		}
		return err
	})
	return calls, err
}

const (
	coverableCalls = 100
	coverableShown = 8
)
