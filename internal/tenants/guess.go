package tenants

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// guess is a password that somebody says belongs to a hash.
type guess struct {
	hash, password string
	limits         []auth.Limit // under which it counts if it is wrong
	known          bool         // they proved something before: strangers do not keep them waiting
}

// try checks a guess. It is refused with fault.RateLimited where one of its limits is
// reached or too many are checked at this moment. It counts before it is known whether it
// is right, so that parallel guesses do not slip through together, and what was right is
// taken back, but not what failed before: one account that somebody knows must not open the
// way to guess at others.
func (s *Service) try(ctx context.Context, g guess) (ok bool, err error) {
	names := make([]string, len(g.limits))
	for i, l := range g.limits {
		names[i] = l.Name
	}
	before, now, err := s.store.Failures(ctx, names...)
	if err != nil {
		return false, err
	}
	if err := paused(before, now, g.limits, 0); err != nil { // without a write: they are cheap to send
		return false, err
	}
	place, err := s.passwords.Enter(g.known)
	if err != nil {
		return false, err
	}
	defer place.Leave()
	after, now, err := s.store.CountFailures(ctx, g.limits...)
	if err != nil {
		return false, err
	}
	if err := paused(after, now, g.limits, 1); err != nil {
		return false, err
	}
	ok, err = place.Verify(ctx, g.hash, g.password)
	if err != nil || !ok {
		return false, err
	}
	return true, s.store.TakeBackFailures(ctx, g.limits...)
}

// paused refuses where a limit is reached by failures of which so many are this guess.
func paused(all map[string]Failures, now time.Time, limits []auth.Limit, this int) error {
	for _, l := range limits {
		f := all[l.Name]
		left := f.Until.Sub(now)
		if f.Count-this < l.Tries || left <= 0 {
			continue
		}
		left = min(left, time.Hour) // of a browser it is for good: it goes on as a stranger
		refusal := fault.New(fault.RateLimited, "too many attempts; wait %d minutes, then try again", int((left+time.Minute-1)/time.Minute))
		refusal.RetryAfter = left
		return refusal
	}
	return nil
}
