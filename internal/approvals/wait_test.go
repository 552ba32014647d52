package approvals

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/live"
)

// oneApproval is a store that has one approval, and nothing else; asking for
// anything else panics.
type oneApproval struct {
	Store
	mu      sync.Mutex
	a       Approval
	revoked bool
	asked   []AgentQuestion
	reads   int
	events  int64
	leave   func()          // called before each read
	waits   []time.Duration // what was noted, from then on
}

type oneReader struct {
	Reader
	*oneApproval
}

func (o *oneApproval) Read(ctx context.Context, _ string, fn func(Reader) error) error {
	o.mu.Lock()
	leave := o.leave
	o.mu.Unlock()
	if leave != nil {
		leave()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fn(oneReader{oneApproval: o})
}

// Now is within the time of the approval.
func (r oneReader) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.a.ExpiresAt.Add(-time.Hour)
}

func (oneReader) Authority() (authority.State, error)           { return authority.State{}, nil }
func (oneReader) KeyMakers(string, time.Time) ([]string, error) { return nil, nil }
func (oneReader) NewerOf([]string) (map[string]string, error)   { return nil, nil }

func (r oneReader) Approval(id string) (Approval, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id != r.a.ID {
		return Approval{}, fault.New(fault.Missing, "no such approval")
	}
	return r.a, nil
}

func (r oneReader) WorkingKeys(keys ...string) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	if r.revoked {
		return nil, nil
	}
	return keys, nil
}

func (r oneReader) RolledUp() (counted, size int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return 0, r.events, nil
}

func (r oneReader) Questions(ids ...string) (map[string][]AgentQuestion, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return map[string][]AgentQuestion{ids[0]: r.asked}, nil
}

func (r oneReader) StillPending(ids ...string) (pending []string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.a.Status == Pending {
		pending = ids
	}
	return pending, nil
}

func (o *oneApproval) Aside(_ context.Context, _ string, fn func(Writer) error) error {
	return fn(oneWriter{oneApproval: o})
}

type oneWriter struct {
	Writer
	*oneApproval
}

func (oneWriter) Now() time.Time { return time.Now() }

func (w oneWriter) WaitUntil(_ string, until time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waits = append(w.waits, time.Until(until))
	return nil
}

func (o *oneApproval) become(s Status) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.a, o.events = inStatus(s), o.events+1
}

type waited struct {
	a    Approval
	err  error
	took time.Duration
}

// TestWait is how long an agent waits, on a clock that stands still unless
// everybody waits.
func TestWait(t *testing.T) {
	t.Parallel()
	agent := auth.Agent{Tenant: "acme", ID: "agt_1"}
	for name, c := range map[string]struct {
		first   Status
		wait    time.Duration
		act     func(db *oneApproval, hub *live.Hub, s *Service, cancel func()) // after ten seconds and a bit
		want    Status
		took    time.Duration
		wantErr error
		waits   []time.Duration
	}{
		"final already":        {first: Denied, wait: time.Minute, want: Denied},
		"asked not to wait":    {first: Pending, wait: 0, want: Pending},
		"asked for less":       {first: Pending, wait: -time.Second, want: Pending},
		"nobody decides":       {first: Pending, wait: 20 * time.Second, want: Pending, took: 20 * time.Second, waits: []time.Duration{20*time.Second + WaitGrace}},
		"nobody decides, ever": {first: Pending, wait: time.Hour, want: Pending, took: MaxWait, waits: []time.Duration{MaxWait + WaitGrace}},
		"a decision": {first: Pending, wait: time.Minute, act: func(db *oneApproval, hub *live.Hub, _ *Service, _ func()) {
			db.become(Approved)
			hub.Publish("acme", "apr_1")
		}, want: Approved, took: later},
		"a question": {first: Pending, wait: time.Minute, act: func(db *oneApproval, hub *live.Hub, _ *Service, _ func()) {
			db.mu.Lock()
			db.asked = append(db.asked, AgentQuestion{ID: "qst_1"})
			db.mu.Unlock()
			hub.Publish("acme", "apr_1")
		}, want: Pending, took: later},
		"a decision elsewhere":  {first: Pending, wait: time.Minute, act: func(db *oneApproval, hub *live.Hub, _ *Service, _ func()) { db.become(Approved) }, want: Approved, took: later.Truncate(waitTick) + waitTick},
		"a hint of no decision": {first: Pending, wait: 20 * time.Second, act: func(_ *oneApproval, hub *live.Hub, _ *Service, _ func()) { hub.Publish("acme", "apr_1") }, want: Pending, took: 20 * time.Second},
		"another tenant's":      {first: Pending, wait: 20 * time.Second, act: func(_ *oneApproval, hub *live.Hub, _ *Service, _ func()) { hub.Publish("beta", "apr_1") }, want: Pending, took: 20 * time.Second},
		"the service stops":     {first: Pending, wait: time.Minute, act: func(_ *oneApproval, _ *live.Hub, s *Service, _ func()) { s.Stop(); s.Stop() }, want: Pending, took: later},
		"the agent hangs up while it is read": {first: Pending, wait: time.Minute, act: func(db *oneApproval, hub *live.Hub, _ *Service, cancel func()) {
			db.mu.Lock()
			db.leave = cancel
			db.mu.Unlock()
			hub.Publish("acme", "apr_1")
		}, took: later, wantErr: context.Canceled, waits: []time.Duration{time.Minute + WaitGrace, 0}},
		"the agent hangs up": {first: Pending, wait: time.Minute, act: func(_ *oneApproval, _ *live.Hub, _ *Service, cancel func()) { cancel() }, took: later, wantErr: context.Canceled, waits: []time.Duration{time.Minute + WaitGrace, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				db, hub := &oneApproval{}, live.New()
				db.become(c.first)
				s := NewService(Config{Store: db, Live: hub})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				from := time.Now()
				answered := make(chan waited, 1)
				go func() {
					a, err := s.Wait(ctx, agent, "apr_1", c.wait)
					answered <- waited{a, err, time.Since(from)}
				}()
				if c.act != nil {
					time.AfterFunc(later, func() { c.act(db, hub, s, cancel) })
				}
				got := <-answered
				if got.a.Status != c.want || got.took != c.took || !errors.Is(got.err, c.wantErr) {
					t.Errorf("%s after %v, %v; want %s after %v, %v", got.a.Status, got.took, got.err, c.want, c.took, c.wantErr)
				}
				if c.waits != nil && !slices.Equal(db.waits, c.waits) || c.took == 0 && db.waits != nil {
					t.Errorf("it was noted that the agent waits for %v; want %v", db.waits, c.waits)
				}
			})
		})
	}
}

// later is when something happens in TestWait; no tick falls on it.
const later = 10*time.Second + 300*time.Millisecond

// TestWaitWithoutAKey: a key that is revoked while its request waits is told
// nothing, not even that there was a decision.
func TestWaitWithoutAKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := &oneApproval{}
		db.become(Pending)
		s := NewService(Config{Store: db, Live: live.New()})
		time.AfterFunc(later, func() {
			db.become(Approved)
			db.mu.Lock()
			db.revoked = true
			db.mu.Unlock()
		})
		from := time.Now()
		a, err := s.Wait(t.Context(), auth.Agent{Tenant: "acme", ID: "agt_1", KeyID: "key_1"}, "apr_1", time.Minute)
		wantFault(t, "a revoked key", err, fault.Unauthorized)
		if took := time.Since(from); took > later+2*time.Second || a.ID != "" {
			t.Errorf("it took %v, and told %+v", took, a)
		}
	})
}

// TestWaitForNothing: what is not there, or another agent's, is told at once.
func TestWaitForNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := &oneApproval{}
		db.become(Pending)
		s := NewService(Config{Store: db, Live: live.New()})
		from := time.Now()
		_, err := s.Wait(t.Context(), auth.Agent{Tenant: "acme", ID: "agt_1"}, "apr_no", time.Minute)
		wantFault(t, "none", err, fault.Missing)
		_, err = s.Wait(t.Context(), auth.Agent{Tenant: "acme", ID: "agt_2"}, "apr_1", time.Minute)
		wantFault(t, "another agent's", err, fault.Missing)
		if took := time.Since(from); took != 0 {
			t.Errorf("it took %v", took)
		}
	})
}

// TestManyWaitForOneLook: a second in which a thousand agents wait costs one look, and not a
// thousand, and whoever has something to read reads it.
func TestManyWaitForOneLook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := &oneApproval{}
		db.become(Pending)
		s := NewService(Config{Store: db, Live: live.New()})
		const many = 1000
		answered := make(chan waited, many)
		for range many {
			go func() {
				a, err := s.Wait(t.Context(), auth.Agent{Tenant: "acme", ID: "agt_1"}, "apr_1", time.Minute)
				answered <- waited{a: a, err: err}
			}()
		}
		read := func() int {
			db.mu.Lock()
			defer db.mu.Unlock()
			return db.reads
		}
		synctest.Wait()
		begun := read()
		time.Sleep(later)
		if n := read() - begun; n == 0 || n > int(later/waitTick) {
			t.Errorf("%d agents that waited for %s read %d times", many, later, n)
		}
		db.become(Approved)
		for range many {
			if got := <-answered; got.err != nil || got.a.Status != Approved {
				t.Errorf("%s, %v", got.a.Status, got.err)
			}
		}
	})
}
