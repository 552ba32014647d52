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

const (
	// MaxWait is the longest that Wait waits.
	MaxWait = 60 * time.Second
	// WaitGrace is how long an agent counts as waiting after an answer: it takes that long to
	// ask again.
	WaitGrace = 10 * time.Second
	// waitNote is how long a note of it may take.
	waitNote = 5 * time.Second
)

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
	d = min(d, MaxWait)
	deadline := time.NewTimer(d)
	defer deadline.Stop()
	tick := time.NewTicker(waitTick)
	defer tick.Stop()
	told := false
	for {
		a, err := s.getWithKey(ctx, agent, id)
		if err != nil || a.Status.Final() || d <= 0 {
			return a, err
		}
		if !told {
			told = true
			s.waits(ctx, a, d+WaitGrace)
		}
		select {
		case <-w.C():
		case <-tick.C:
		case <-deadline.C:
			return s.getWithKey(ctx, agent, id)
		case <-s.stopping:
			return a, nil
		case <-ctx.Done():
			s.waits(context.WithoutCancel(ctx), a, 0)
			return Approval{}, ctx.Err()
		}
	}
}

// waits notes for how long somebody waits for the answer to a; with 0 they left. It is a
// courtesy to the people who decide, so where it cannot be written the wait goes on.
func (s *Service) waits(ctx context.Context, a Approval, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, waitNote)
	defer cancel()
	err := s.store.Aside(ctx, a.Tenant, func(w Writer) error { return w.WaitUntil(a.ID, w.Now().Add(d)) })
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "who waits was not written", "approval", a.ID, "error", err)
	}
	s.live.Publish(a.Tenant, a.ID)
}
