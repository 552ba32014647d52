package approvals

import (
	"cmp"
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fairqueue"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/live"
)

// Service is what agents and people do with approvals. It is safe for concurrent use.
type Service struct {
	store  Store
	live   *live.Hub
	signer Signer
	meter  Meter
	issuer func() string
	now    func() time.Time
	log    *slog.Logger

	keepFigures int // days
	mostOpen    int
	policies    policies
	replays     chan struct{} // one place for each replay that may run at once
	stopping    chan struct{}
	lookouts    lookouts         // for agents that wait
	heavy       *fairqueue.Queue // of long actions that are to be scored
	stop        sync.Once
}

// Config is what a Service needs; every field but the last three is required.
type Config struct {
	Store  Store
	Live   *live.Hub
	Signer Signer
	Issuer func() string    // the public URL, known once the server listens
	Now    func() time.Time // only for measuring how long a scan took
	Log    *slog.Logger
	Meter  Meter
	// KeepFigures is for how many days rollups are kept; 0 is for good.
	KeepFigures int
	// MostOpen is how many approvals of an organisation can be open; 0: the constant of that name.
	MostOpen int
}

// NewService returns a service over a store. Stop it.
func NewService(c Config) *Service {
	if c.Meter == nil {
		c.Meter = unmetered{}
	}
	return &Service{
		store: c.Store, live: c.Live, signer: c.Signer, issuer: c.Issuer, now: c.Now, log: c.Log, meter: c.Meter, keepFigures: c.KeepFigures, mostOpen: cmp.Or(c.MostOpen, MostOpen),
		stopping: make(chan struct{}), replays: make(chan struct{}, replaysAtOnce),
		heavy: fairqueue.New(max(1, runtime.GOMAXPROCS(0)/2), heavyWaiting),
	}
}

// Stop answers every waiting agent with what there is.
func (s *Service) Stop() { s.stop.Do(func() { close(s.stopping) }) }

// grant signs the permission of an approved a, for as long as the policy says.
func (s *Service) grant(r Reader, a Approval) (Approval, error) {
	p, _, err := r.Policy()
	if err != nil {
		return a, err
	}
	return a.withGrant(s.signer, s.issuer(), time.Duration(p.GrantSeconds)*time.Second, r.Now())
}

// own hides what is not this agent's: another agent's id does not exist for it.
func own(a Approval, agent auth.Agent, err error) (Approval, error) {
	if err == nil && a.Agent.ID != agent.ID {
		return Approval{}, missing(a.ID)
	}
	return a, err
}

func missing(id string) error {
	return fault.New(fault.Missing, "no approval %.60q; IDs look like apr_0192f3… and are those that POST /api/v1/approvals returned to this agent", id)
}

// Get returns one of the agent's own approvals.
func (s *Service) Get(ctx context.Context, agent auth.Agent, id string) (a Approval, err error) {
	a, err = s.seen(ctx, agent, id, func(Reader) error { return nil })
	return s.telling(ctx, a, err)
}

// seen is one of the agent's own, where first doesn't refuse it. One whose time is over has
// expired: nobody waits for the sweeper to be told so.
func (s *Service) seen(ctx context.Context, agent auth.Agent, id string, first func(Reader) error) (a Approval, err error) {
	overdue := false
	look := func(r Reader) (err error) {
		if err = first(r); err != nil {
			return err
		}
		a, err = r.Approval(id)
		a, err = own(a, agent, err)
		overdue = err == nil && a.Status == Pending && !r.Now().Before(a.ExpiresAt)
		return err
	}
	err = s.store.Read(ctx, agent.Tenant, look)
	if overdue && s.expire(ctx, agent.Tenant, id) == nil { // else it is told as it is
		err = s.store.Read(ctx, agent.Tenant, look)
	}
	return a, err
}

// List returns a page of the agent's own approvals, newest first, and where the
// next page begins (Filter.Before); empty on the last. A page has fewer than the
// limit where their effective actions are large.
func (s *Service) List(ctx context.Context, agent auth.Agent, f Filter) (page []AgentView, next string, err error) {
	f.Agent = agent.ID
	var more bool
	var overdue []string
	list := func(r Reader) (err error) {
		overdue, err = r.IDs(Filter{Agent: agent.ID, Statuses: []Status{Pending}, DueBefore: r.Now(), Limit: sweepBatch})
		if err != nil {
			return err
		}
		if page, more, err = r.AgentViews(f); err != nil {
			return err
		}
		return s.tellingAll(r, page)
	}
	err = s.store.Read(ctx, agent.Tenant, list)
	expired := false
	for _, id := range overdue {
		expired = s.expire(ctx, agent.Tenant, id) == nil || expired
	}
	if expired {
		err = s.store.Read(ctx, agent.Tenant, list)
	}
	if err != nil || !more {
		return page, "", err
	}
	return page, page[len(page)-1].ID, nil
}

// Cancel takes a pending approval back.
func (s *Service) Cancel(ctx context.Context, agent auth.Agent, id string) (Approval, error) {
	var done Approval
	err := s.store.SayNoAs(ctx, agent, func(w Writer) error {
		a, err := w.Approval(id)
		if a, err = own(a, agent, err); err != nil {
			return err
		}
		if err := a.decidable(w.Now()); err != nil {
			return err
		}
		if done, err = a.cancel(w.Now()); err != nil {
			return err
		}
		if err := w.Decide(done, a.Version); err != nil {
			return err
		}
		return w.Append(done.decisionEvent())
	})
	if err != nil {
		return Approval{}, err
	}
	s.changed(done)
	return done, nil
}
