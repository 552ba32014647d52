package store

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/store/drivers"
	"github.com/countersign/countersign/internal/store/tables"
)

// How servers on one database hear of each other:
//
//	Hub.Publish ─▶ announce ── one NOTIFY per 20 ms ─▶ listen of the others ─▶ follow ─▶ Hub.Hear
//
// A notification names tenants, or one tenant with the signed head of its log, so that the
// others know how far the log went, too. What changed is read from the
// tenant's audit log, from the first event that was not read before: so a
// notification that is lost costs time and never a change. A slow poll is the net under it.
// While the connection is cut nothing is done for agents: this server wouldn't hear how far
// the log went.

const (
	announceEvery = 20 * time.Millisecond
	pollEvery     = 5 * time.Second
	// firstLook is how many events are told when a tenant is watched here for the
	// first time: a change between the watcher's first read and this one is among them.
	firstLook = 200
	// followPage bounds one read of the log.
	followPage = 1000
	// maxPayload keeps a notification below the 8,000 bytes that Postgres takes.
	maxPayload = 7000
	// headsAtOnce is of how many tenants a batch has the heads.
	headsAtOnce = 16
	// everyTenant stands in a notification whose list would be longer than that.
	everyTenant = "*"
	// reconnectMost bounds the pause before a cut connection is opened again.
	reconnectMost = 5 * time.Second
)

// Replicate ties hub to the hubs of the other servers on this database until ctx
// ends. On a database that one server has for itself it does nothing.
func (s *Store) Replicate(ctx context.Context, hub *live.Hub) { s.replicate(ctx, hub, pollEvery) }

func (s *Store) replicate(ctx context.Context, hub *live.Hub, poll time.Duration) {
	database, ok := s.dialect.(drivers.Listening)
	if !ok {
		return
	}
	r := &replica{store: s, hub: hub, database: database, name: auth.NewUUID(), out: newTenantSet(), in: newTenantSet(), seen: map[string]int64{}}
	hub.Forward(r.out.add)
	defer hub.Forward(nil)
	var running sync.WaitGroup
	running.Go(func() { r.announce(ctx) })
	running.Go(func() { r.listen(ctx) })
	r.follow(ctx, poll)
	running.Wait()
}

type replica struct {
	store    *Store
	hub      *live.Hub
	database drivers.Listening
	name     string    // tells this server's notifications from the others'
	out, in  tenantSet // what others must hear of, and what they told
	seen     map[string]int64
}

// announce sends what was published here: at once, and then at most one
// notification in 20 ms.
func (r *replica) announce(ctx context.Context) {
	for {
		select {
		case <-r.out.some:
		case <-ctx.Done():
			return
		}
		for _, told := range r.tells(r.out.take()) {
			if err := r.database.Notify(r.store.writer.WithContext(ctx), r.name+" "+told); err != nil && ctx.Err() == nil {
				r.store.log.WarnContext(ctx, "other servers were not told of a change; they will find it by themselves", "cause", err)
			}
		}
		pause(ctx, announceEvery)
	}
}

// tells is what is told of these tenants: each with the head of its log, or, of many, their names.
func (r *replica) tells(tenants []string) (all []string) {
	if r.store.heads == nil || len(tenants) > headsAtOnce {
		names := strings.Join(tenants, " ")
		if len(names) > maxPayload {
			names = everyTenant
		}
		return []string{names}
	}
	for _, t := range tenants {
		newest, err := r.store.heads.Remembered(t)
		if err != nil {
			newest.Note = nil // who asks for the log is told
		}
		all = append(all, t+"\n"+string(newest.Note))
	}
	return all
}

// listen hears what the others announce, and opens its connection again when it
// is cut.
func (r *replica) listen(ctx context.Context) {
	wait := announceEvery
	connected := func() {
		wait = announceEvery
		r.in.add(everyTenant) // whatever was announced before
		r.store.deaf.Store(false)
	}
	defer r.store.deaf.Store(false)
	for ctx.Err() == nil {
		err := r.database.Listen(ctx, connected, r.heard)
		r.store.deaf.Store(true)
		if ctx.Err() != nil {
			return
		}
		r.store.log.WarnContext(ctx, "the connection that hears of other servers was cut; opening it again", "cause", err)
		pause(ctx, wait/2+rand.N(wait)) // not all servers at once
		wait = min(2*wait, reconnectMost)
	}
}

func (r *replica) heard(payload string) {
	from, tenants, _ := strings.Cut(payload, " ")
	if from == r.name {
		return
	}
	tenants, note, ok := strings.Cut(tenants, "\n")
	if ok && note != "" && r.store.heads != nil {
		r.store.Hear(tenants, []byte(note))
	}
	for t := range strings.FieldsSeq(tenants) {
		r.in.add(t)
	}
}

// follow tells the hub what happened to the tenants that somebody watches here.
func (r *replica) follow(ctx context.Context, every time.Duration) {
	poll := time.NewTicker(every)
	defer poll.Stop()
	for {
		told := []string{everyTenant}
		select {
		case <-r.in.some:
			told = r.in.take()
		case <-poll.C:
		case <-ctx.Done():
			return
		}
		watched := r.hub.Watched()
		maps.DeleteFunc(r.seen, func(t string, _ int64) bool { return !slices.Contains(watched, t) })
		for _, t := range watched {
			if !slices.Contains(told, t) && !slices.Contains(told, everyTenant) {
				continue
			}
			if err := r.catchUp(ctx, t); err != nil && ctx.Err() == nil {
				r.store.log.WarnContext(ctx, "changes on other servers could not be read; trying again", "tenant", t, "cause", err)
			}
		}
	}
}

// catchUp tells the hub of every approval with an event that was not seen yet.
func (r *replica) catchUp(ctx context.Context, tenant string) error {
	for {
		var rows []struct {
			Idx              int64
			ApprovalID, Kind string
		}
		err := r.store.read(ctx, tenant, func(t *tx) error {
			from, known := r.seen[tenant]
			if !known {
				log, err := tables.One[tables.LogRow](t.Of("audit_logs"), "no such audit log")
				if err != nil {
					return err
				}
				from = max(0, log.Size-firstLook)
			}
			return t.Of("audit_events").Select("idx, approval_id, kind").Where("idx >= ?", from).Order("idx").Limit(followPage).Find(&rows).Error
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			r.seen[tenant] = row.Idx + 1
			switch audit.Kind(row.Kind) {
			case audit.AgentsStopped, audit.AgentsResumed, audit.PolicyChanged:
				r.hub.Hear(tenant, live.House)
			case audit.Commented:
				r.hub.Hear(tenant, live.Mentions)
			}
			if row.ApprovalID != "" {
				r.hub.Hear(tenant, row.ApprovalID)
			}
		}
		if len(rows) < followPage {
			return nil
		}
	}
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// tenantSet collects tenants between two looks at it.
type tenantSet struct {
	mu   *sync.Mutex
	set  map[string]struct{}
	some chan struct{} // delivers when there is something to take
}

func newTenantSet() tenantSet {
	return tenantSet{mu: &sync.Mutex{}, set: map[string]struct{}{}, some: make(chan struct{}, 1)}
}

// add never blocks.
func (s tenantSet) add(tenant string) {
	s.mu.Lock()
	s.set[tenant] = struct{}{}
	s.mu.Unlock()
	select {
	case s.some <- struct{}{}:
	default:
	}
}

func (s tenantSet) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Sorted(maps.Keys(s.set))
	clear(s.set)
	return all
}
