package console

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/tenants"
)

// A room is one tenant's open pages on this server. It reads a change once for all of
// them, however many there are:
//
//	hint ─▶ room ─▶ who may still be told ─▶ what changed ─▶ wave ─▶ every page's feed
//
// What a page is told of a wave is the business of feed.go.

const (
	socketCheck = 2 * time.Second // how long a feed may outlive its sign-in or its membership
	noticeEvery = 3 * time.Second // how often a room looks who is looking
	coalesce    = 50 * time.Millisecond
	// broadcastsHeld is how far a feed may fall behind: with more it comes back and begins again.
	broadcastsHeld = 64
)

// hubs has a room for every tenant of which a page is open.
type hubs struct {
	mu sync.Mutex
	of map[string]*hub
}

func newHubs() *hubs { return &hubs{of: map[string]*hub{}} }

type hub struct {
	*Feed
	tenant string
	watch  *live.Watch
	leave  context.CancelFunc
	gone   chan struct{} // closed when nobody is told anything any more

	mu    sync.Mutex
	feeds map[*socket]struct{}

	told  map[string]string // who looks at what and is on it, as the feeds were told
	heard int64             // the last event of the house that they were told of
	news  tenantNews
}

// enterHub adds a feed to its tenant's room. Whatever is published afterwards reaches it.
// leave must be called when it is over.
func (s *Feed) enterHub(k *socket) (leave func()) {
	s.hubs.mu.Lock()
	defer s.hubs.mu.Unlock()
	tenant := k.member.Tenant
	r := s.hubs.of[tenant]
	if r == nil {
		ctx, cancel := context.WithCancel(context.Background())
		r = &hub{Feed: s, tenant: tenant, watch: s.Live.Watch(tenant), leave: cancel, gone: make(chan struct{}), feeds: map[*socket]struct{}{}}
		s.hubs.of[tenant] = r
		go s.catch(ctx, r.run, r.close)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.feeds[k] = struct{}{}
	return func() { r.without(k) }
}

// without takes a feed out; the last one closes the room.
func (r *hub) without(k *socket) {
	r.hubs.mu.Lock()
	r.mu.Lock()
	delete(r.feeds, k)
	empty := len(r.feeds) == 0
	if empty {
		r.unlist()
	}
	r.mu.Unlock()
	r.hubs.mu.Unlock()
	if empty {
		r.leave()
		<-r.gone
	}
}

// close ends every feed of a room that tells nothing any more; who comes now gets another one.
func (r *hub) close() {
	r.hubs.mu.Lock()
	r.unlist()
	r.hubs.mu.Unlock()
	r.end(errBroken)
}

// unlist needs the lock of the rooms.
func (r *hub) unlist() {
	if r.hubs.of[r.tenant] == r {
		delete(r.hubs.of, r.tenant)
	}
}

// run tells the feeds what changes until the last has left.
func (r *hub) run(ctx context.Context) {
	defer close(r.gone)
	defer r.watch.Close()
	check, notice := time.NewTicker(socketCheck), time.NewTicker(noticeEvery)
	defer check.Stop()
	defer notice.Stop()
	var err error
	if r.heard, err = r.newest(ctx); err != nil && ctx.Err() == nil {
		r.Log.ErrorContext(ctx, "live feeds broke off", "tenant", r.tenant, "cause", err.Error())
		r.close()
		return
	}
	var due <-chan time.Time // when the changes that wait are told
	var told time.Time
	for {
		err = nil
		select {
		case <-ctx.Done():
			return
		case <-r.watch.C():
			if due == nil {
				due = time.After(coalesce - time.Since(told))
			}
		case <-due:
			due, told = nil, time.Now()
			err = r.changed(ctx)
		case <-check.C:
			err = r.check(ctx)
		case <-notice.C:
			err = errors.Join(r.notice(ctx), r.tenantNotices(ctx))
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			r.Log.ErrorContext(ctx, "live feeds broke off", "tenant", r.tenant, "cause", err.Error())
			r.end(errBroken)
		}
	}
}

// changed tells what was published since the last time.
func (r *hub) changed(ctx context.Context) error {
	ids, lost := r.watch.Take()
	if lost {
		r.end(errResync)
		return nil
	}
	if at := slices.Index(ids, live.House); at >= 0 {
		if err := r.tenantNotices(ctx); err != nil {
			return err
		}
		ids = slices.Delete(ids, at, at+1)
	}
	if at := slices.Index(ids, live.Mentions); at >= 0 {
		if err := r.mentioned(ctx); err != nil {
			return err
		}
		ids = slices.Delete(ids, at, at+1)
	}
	slices.Sort(ids) // oldest first
	return r.tell(ctx, ids)
}

// mentioned tells those who were mentioned in comments.
func (r *hub) mentioned(ctx context.Context) error {
	admitted, members, err := r.admitted(ctx)
	if err != nil || len(admitted) == 0 {
		return err
	}
	var people []string
	for _, k := range admitted {
		people = append(people, k.visitor.Person.ID)
	}
	all, err := r.Tenants.Mentions(ctx, r.tenant, people)
	if err != nil {
		return err
	}
	hand(&broadcast{members: members, mentions: all}, slices.DeleteFunc(admitted, func(k *socket) bool { return len(all[k.visitor.Person.ID]) == 0 }))
	return nil
}

// notice tells of the requests whose people are not those that were told. Looks are in
// no log, so that they are reread, whichever server they were written by.
func (r *hub) notice(ctx context.Context) error {
	at, err := r.Approvals.Attention(ctx, auth.Member{Tenant: r.tenant, Roles: []auth.Role{auth.Operator}}, "")
	if err != nil {
		return err
	}
	now := map[string]string{}
	var changed []string
	for _, id := range attended(at, r.told) {
		if text := request.AttentionTo(at, id, "").Print(); text != "" {
			now[id] = text
		}
		if now[id] != r.told[id] {
			changed = append(changed, id)
		}
	}
	r.told = now
	return r.tell(ctx, changed)
}

// tell reads these approvals and hands them to whoever may still read the queue, at
// most rowsPerFrame at a time.
func (r *hub) tell(ctx context.Context, ids []string) error {
	for part := range slices.Chunk(ids, rowsPerFrame) {
		admitted, members, err := r.admitted(ctx)
		if err != nil || len(admitted) == 0 {
			return err
		}
		what, err := r.Approvals.Changes(ctx, r.tenant, part)
		if err != nil {
			return err
		}
		hand(newBroadcast(what.IDs, what, members), admitted)
	}
	return nil
}

// hand gives a wave to feeds; one that is too far behind ends.
func hand(w *broadcast, to []*socket) {
	for _, k := range to {
		select {
		case k.broadcasts <- w:
		default:
			k.end(errResync)
		}
	}
}

// admitted asks for all feeds at once whether their readers may still be told, and ends
// those that may not: what an admin takes away ends before the next change is told.
func (r *hub) admitted(ctx context.Context) ([]*socket, map[tenants.Visitor]auth.Member, error) {
	feeds := r.all()
	visitors := make([]tenants.Visitor, len(feeds))
	for i, k := range feeds {
		visitors[i] = k.visitor
	}
	in, err := r.Tenants.EnterAll(ctx, r.tenant, visitors)
	if err != nil {
		return nil, nil, err
	}
	feeds = slices.DeleteFunc(feeds, func(k *socket) bool {
		if m, ok := in[k.visitor]; ok && m.May(auth.ReadQueue) {
			return false
		}
		k.end(errRevoked)
		return true
	})
	return feeds, in, nil
}

// check ends the feeds whose readers may not be told any more, and those that were
// signed out or whose sign-in expired.
func (r *hub) check(ctx context.Context) error {
	feeds, _, err := r.admitted(ctx)
	if err != nil {
		return err
	}
	sessions := make([]string, len(feeds))
	for i, k := range feeds {
		sessions[i] = k.session
	}
	there, err := r.Visits.Existing(ctx, sessions)
	if err != nil {
		return err
	}
	for _, k := range feeds {
		if !there[k.session] {
			k.end(errRevoked)
		}
	}
	return nil
}

func (r *hub) all() []*socket {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.feeds))
}

// end ends every feed.
func (r *hub) end(why *ending) {
	for _, k := range r.all() {
		k.end(why)
	}
}
