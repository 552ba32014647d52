package approvals

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// waitTick is how often it is asked for all agents that wait whether their approvals are still
// pending and their keys still work, although nobody hinted at a change: the safety net under
// the hub.
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
// meanwhile is told nothing. asked is how many questions there are about it.
func (s *Service) getWithKey(ctx context.Context, agent auth.Agent, id string) (a Approval, asked int, err error) {
	a, err = s.seen(ctx, agent, id, func(r Reader) error {
		working, err := r.WorkingKeys(agent.KeyID)
		if err == nil && len(working) == 0 {
			err = fault.New(fault.Unauthorized, "the API key was revoked or has expired while this request waited")
		}
		if err != nil {
			return err
		}
		questions, err := r.Questions(id)
		asked = len(questions[id])
		return err
	})
	return a, asked, err
}

// Wait returns the agent's approval when it is final, when somebody asks the agent
// something, or when d has passed, whichever is first. It also returns, with what there is, when the service stops;
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
	waiting := &waiter{key: agent.KeyID, id: id, moved: make(chan struct{}, 1)}
	defer s.lookouts.watch(s, agent.Tenant, waiting)()
	known := -1       // how many questions there were when the wait began
	var told Approval // of which it was noted that somebody waits
	defer func() {
		if told.ID != "" && ctx.Err() != nil { // whatever was done when they left
			s.waits(context.WithoutCancel(ctx), told, 0)
		}
	}()
	for {
		a, asked, err := s.getWithKey(ctx, agent, id)
		if err != nil || a.Status.Final() || d <= 0 || known >= 0 && asked > known {
			return a, err
		}
		known = asked
		if told.ID == "" {
			told = a
			s.waits(ctx, a, d+WaitGrace)
		}
		select {
		case <-w.C():
		case <-waiting.moved:
		case <-deadline.C:
			a, _, err := s.getWithKey(ctx, agent, id)
			return a, err
		case <-s.stopping:
			return a, nil
		case <-ctx.Done():
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

// waiter is an agent that waits for an approval.
type waiter struct {
	key, id string
	moved   chan struct{} // delivers when the approval isn't pending any more, or the key doesn't work
}

func (w *waiter) wake() {
	select {
	case w.moved <- struct{}{}:
	default: // it is awake already
	}
}

// lookouts ask once for all who wait in an organisation, so that thousands may.
type lookouts struct {
	mu sync.Mutex
	of map[string]*lookout // by organisation
}

type lookout struct {
	waiting map[*waiter]struct{}
	leave   chan struct{} // closed when the last one left
}

// watch wakes w when it has something to read; left ends that.
func (l *lookouts) watch(s *Service, tenant string, w *waiter) (left func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.of[tenant]
	if o == nil {
		o = &lookout{map[*waiter]struct{}{}, make(chan struct{})}
		if l.of == nil {
			l.of = map[string]*lookout{}
		}
		l.of[tenant] = o
		go s.lookOut(tenant, o)
	}
	o.waiting[w] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if delete(o.waiting, w); len(o.waiting) == 0 && l.of[tenant] == o {
			delete(l.of, tenant)
			close(o.leave)
		}
	}
}

func (l *lookouts) all(o *lookout) (all []*waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := range o.waiting {
		all = append(all, w)
	}
	return all
}

// lookOut looks until nobody waits.
func (s *Service) lookOut(tenant string, o *lookout) {
	tick := time.NewTicker(waitTick)
	defer tick.Stop()
	seen := int64(-1) // events of the trail: while there is no other, nothing was decided
	for {
		select {
		case <-tick.C:
		case <-o.leave:
			return
		}
		all := s.lookouts.all(o)
		ids, keys := make([]string, len(all)), make([]string, len(all))
		for i, w := range all {
			ids[i], keys[i] = w.id, w.key
		}
		slices.Sort(keys)
		var pending, working []string
		size := int64(-1)
		err := s.store.Read(context.Background(), tenant, func(r Reader) (err error) {
			if _, size, err = r.RolledUp(); err == nil && size != seen {
				pending, err = r.StillPending(ids...)
			}
			if err == nil {
				working, err = r.WorkingKeys(slices.Compact(keys)...)
			}
			return err
		})
		same := size == seen
		seen = size
		slices.Sort(pending)
		slices.Sort(working)
		for _, w := range all {
			_, still := slices.BinarySearch(pending, w.id)
			_, works := slices.BinarySearch(working, w.key)
			if err != nil || !still && !same || !works { // who meets an error tells it
				w.wake()
			}
		}
	}
}
