package approvals

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Long actions are scored in turn by agent, on half of the processors: an agent that sends many of
// them slows itself, and nobody whose actions are short.

const (
	// heavyFrom is from how many bytes on an action is long. What is shorter is scored in some
	// milliseconds at most.
	heavyFrom = 16 << 10
	// heavyWaiting is how many long actions of one agent wait: more than agents send at once, and
	// as many as are scored within half a minute where all are of the largest size.
	heavyWaiting = 64
)

// turn waits until an action may be scored. Whoever may says when they are done.
func (s *Service) turn(ctx context.Context, agent auth.Agent, action scoring.Action) (done func(), err error) {
	size := len(action.Canonical())
	if size < heavyFrom {
		return func() {}, nil
	}
	done, ok, err := s.heavy.Enter(ctx, agent.ID, int64(size))
	if !ok {
		f := fault.New(fault.RateLimited, "%d long actions of this agent wait to be scored; send fewer at once, then try again", heavyWaiting)
		f.RetryAfter = time.Second
		return nil, f
	}
	return done, err
}
