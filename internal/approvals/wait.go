package approvals

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// waitTick is how often a waiting agent's approval is read again although
// nobody hinted at a change: the safety net under the hub.
const waitTick = time.Second

// MaxWait is the longest that Wait waits.
const MaxWait = 60 * time.Second

// getWithKey is Get for a request that began long ago: a key that was revoked
// meanwhile is told nothing.
func (s *Service) getWithKey(ctx context.Context, agent auth.Agent, id string) (a Approval, err error) {
	err = s.store.Read(ctx, agent.Tenant, func(r Reader) error {
		works, err := r.KeyWorks(agent.KeyID)
		if err != nil {
			return err
		}
		if !works {
			return fault.New(fault.Unauthorized, "the API key was revoked or has expired while this request waited")
		}
		a, err = r.Approval(id)
		a, err = own(a, agent, err)
		return err
	})
	return a, err
}

// Wait returns the agent's approval when it is final or when d has passed,
// whichever is first. It also returns, with what there is, when the service stops;
// and with fault.Unauthorized within a second of the end of the agent's key.
func (s *Service) Wait(ctx context.Context, agent auth.Agent, id string, d time.Duration) (Approval, error) {
	a, err := s.wait(ctx, agent, id, d)
	return s.telling(ctx, a, err)
}

func (s *Service) wait(ctx context.Context, agent auth.Agent, id string, d time.Duration) (Approval, error) {
	// Watching begins before reading: a decision in between is hinted at.
	w := s.live.WatchID(agent.Tenant, id)
	defer w.Close()
	deadline := time.NewTimer(min(d, MaxWait))
	defer deadline.Stop()
	tick := time.NewTicker(waitTick)
	defer tick.Stop()
	for {
		a, err := s.getWithKey(ctx, agent, id)
		if err != nil || a.Status.Final() || d <= 0 {
			return a, err
		}
		select {
		case <-w.C():
		case <-tick.C:
		case <-deadline.C:
			return s.getWithKey(ctx, agent, id)
		case <-s.stopping:
			return a, nil
		case <-ctx.Done():
			return Approval{}, ctx.Err()
		}
	}
}
