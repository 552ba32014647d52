package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
	"github.com/countersign/countersign/internal/store/tables"
)

// Writes that come at once share a transaction (group commit), for what costs most about one is
// its commit. Each of them has a savepoint and an outcome of its own. No write waits for
// others to come: a group is who came while the one before was written.

// groupMost is how many writes share a transaction. More of them make it no faster, and each
// waits for all.
const groupMost = 64

// act is one write.
type act struct {
	ctx     context.Context
	tenants []string                  // whose logs it holds; none: it appends nothing
	no      bool                      // it goes on where the log is refused, and can only say no then
	anew    map[string]FirstSignature // where its logs are signed for the first time
	agent   string                    // who it is of, if an agent
	asks    func(*tx) []tables.Wanted // what it goes by, which is read with the head; nil: nothing
	run     func(*group, *gorm.DB) error

	done     chan struct{} // closed when it is known what became of it
	err      error
	panicked any
}

// oneAct is a write to one log.
func oneAct(ctx context.Context, tenant string, no bool, fn func(*tx) error) *act {
	return &act{ctx: ctx, tenants: []string{tenant}, no: no, run: func(g *group, db *gorm.DB) error { return g.enter(db, tenant, fn) }}
}

// lane is a queue of writes that can't run at once.
type lane struct {
	queue turns
	lead  chan struct{} // whoever has it runs the next group

	mu      sync.Mutex
	waiting []*act
}

func newLane() *lane { return &lane{lead: make(chan struct{}, 1)} }

// lanes are the queues of an act: one for each log that it holds, or, where there is one
// writer, that of everybody.
func (s *Store) lanes(tenants []string) (all []*lane) {
	if s.dialect.OneWriter() {
		tenants = []string{""}
	} else if len(tenants) == 0 {
		return []*lane{newLane()} // it waits for nobody
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(tenants))) {
		l, _ := s.queues.LoadOrStore(name, newLane())
		all = append(all, l.(*lane))
	}
	return all
}

func (l *lane) join(a *act) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, a)
}

// leave reports whether a waited still. Then it does no more.
func (l *lane) leave(a *act) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, a)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return i >= 0
}

// take takes who waits: people first, then agents in turn, so that one that writes much waits
// for itself. Of one agent it is first come, first served.
func (l *lane) take() []*act {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := map[string]int{} // how many came before, by agent
	turn := make(map[*act]int, len(l.waiting))
	for _, a := range l.waiting {
		if a.agent != "" {
			before[a.agent]++
			turn[a] = before[a.agent]
		}
	}
	inTurn := slices.Clone(l.waiting)
	slices.SortStableFunc(inTurn, func(a, b *act) int { return cmp.Compare(turn[a], turn[b]) })
	acts := inTurn[:min(len(inTurn), groupMost)]
	l.waiting = slices.DeleteFunc(l.waiting, func(a *act) bool { return slices.Contains(acts, a) })
	return acts
}

// giveUp ends the wait of an act with err, or waits for it where it runs already.
func (l *lane) giveUp(a *act, err error) {
	if l.leave(a) {
		a.err = err
		close(a.done)
	}
	<-a.done
}

// perform runs an act in a group of its lane. Who finds nobody leading leads: its group has the
// acts of those who came before it, too. An act on several logs keeps the other lanes empty
// meanwhile, in the order of their names.
func (s *Store) perform(a *act) error {
	if s.writer == nil {
		return errReadOnly
	}
	a.done = make(chan struct{})
	lanes := s.lanes(a.tenants)
	last := lanes[len(lanes)-1]
	w := waitIn(&lanes[0].queue, context.WithoutCancel(a.ctx)) // who leads goes on for the others
	defer w.done()
	for _, l := range lanes[:len(lanes)-1] {
		w.next(&l.queue)
		select {
		case l.lead <- struct{}{}:
			defer func() { <-l.lead }()
		case <-a.ctx.Done():
			return a.ctx.Err()
		case <-w.ctx.Done():
			return s.toCaller(a.ctx, drivers.ErrBusy)
		}
	}
	w.next(&last.queue)
	last.join(a)
	select {
	case <-a.done:
	case last.lead <- struct{}{}:
		s.leadUntil(last, w, a)
	case <-a.ctx.Done():
		last.giveUp(a, a.ctx.Err())
	case <-w.ctx.Done():
		last.giveUp(a, drivers.ErrBusy)
	}
	if a.panicked != nil {
		panic(a.panicked)
	}
	return s.toCaller(a.ctx, a.err)
}

// leadUntil runs one group after the other until a is done.
func (s *Store) leadUntil(l *lane, w *queued, a *act) {
	defer func() { <-l.lead }()
	for {
		select {
		case <-a.done:
			return
		case <-w.ctx.Done(): // its time was up in the moment when it came to lead
			l.giveUp(a, drivers.ErrBusy)
			return
		default:
		}
		s.runGroup(w, l.take())
		w = w.again()
		defer w.done()
	}
}

func (s *Store) runGroup(w *queued, acts []*act) {
	options := s.dialect.Options(false)
	if slices.ContainsFunc(acts, func(a *act) bool { return len(a.tenants) > 0 }) {
		options = s.dialect.Holding()
	}
	err := errors.New("a write ended the goroutine that ran it")
	defer func() {
		for _, a := range acts {
			if a.err == nil && !errors.Is(err, errNothing) {
				a.err = err
			}
			close(a.done)
		}
	}()
	for begun := time.Now(); ; {
		g := &group{store: s, held: map[string]*held{}}
		err = g.commit(w, acts, options)
		if time.Since(begun) > drivers.Hangs || !errors.Is(s.dialect.Translate(err), drivers.ErrAgain) {
			return
		}
		// Another server was faster.
		w = w.again()
		defer w.done()
	}
}

// errNothing: every act of a group failed, so there is nothing to commit.
var errNothing = errors.New("nothing is written")

// group is one transaction of several acts.
type group struct {
	store   *Store
	held    map[string]*held
	entered map[string]*tx // by the act that runs
	refusal error          // why the log of the act that runs is refused
	named   string         // the organisation that the database was told last
}

// held is a log that a group holds.
type held struct {
	trail  *trail
	now    time.Time
	was    int64    // the size of the log
	first  *tx      // that held it first
	last   *tx      // that appended last; nil: none did
	behind bool     // the state of the trail doesn't have what that one appended
	grown  bool     // the state has what isn't committed
	said   []string // what waited for the log and is in it now
	signed audit.SignedCheckpoint
	known  map[string]tables.Known // what the acts before read
}

func (g *group) commit(w *queued, acts []*act, options *sql.TxOptions) error {
	err := w.begin(&g.store.writing, g.store.writer, options, func(db *gorm.DB) error {
		some := false
		for _, a := range acts {
			w.moved()
			if a.err = g.act(db, a, len(acts) > 1); g.store.breaks(a.err) {
				return a.err
			}
			some = some || a.err == nil
		}
		if !some {
			return errNothing
		}
		return g.sign()
	})
	for _, h := range g.held {
		h.end(err == nil)
	}
	return err
}

// brokenGroup is a transaction of which one act can't be taken back alone.
type brokenGroup struct{ error }

func (b brokenGroup) Unwrap() error { return b.error }

// breaks reports whether an error is one of the whole transaction.
func (s *Store) breaks(err error) bool {
	if err == nil {
		return false
	}
	err = s.dialect.Translate(err)
	return errors.Is(err, drivers.ErrAgain) || errors.Is(err, drivers.ErrLost) || errors.As(err, &brokenGroup{})
}

// act runs one act, and takes back what it wrote if it fails.
func (g *group) act(db *gorm.DB, a *act, shared bool) (err error) {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	db = db.WithContext(context.WithoutCancel(a.ctx)) // a statement that is cut off may end the transaction of all
	g.entered, g.refusal = map[string]*tx{}, nil
	defer func() {
		for tenant, t := range g.entered {
			t.giveBack()
			if err != nil {
				g.forget(tenant, t)
			}
		}
	}()
	for _, tenant := range slices.Sorted(slices.Values(a.tenants)) { // all servers in one order
		err := g.hold(db, tenant, a)
		if a.no && fault.Is(err, fault.GrantUnproven) {
			g.refusal, err = err, nil
		}
		if err != nil && !drivers.IsFault(err) {
			err = brokenGroup{err}
		}
		if err != nil {
			return err
		}
	}
	named := g.named
	if !shared {
		err = g.run(db, a)
	} else {
		if err := db.Exec("SAVEPOINT act").Error; err != nil {
			return brokenGroup{err}
		}
		if err = g.run(db, a); err != nil {
			if back := db.Exec("ROLLBACK TO SAVEPOINT act").Error; back != nil {
				return brokenGroup{errors.Join(back, err)}
			}
			g.named = named
			return err
		}
		if err = db.Exec("RELEASE SAVEPOINT act").Error; err != nil {
			return brokenGroup{err}
		}
	}
	if err != nil {
		return err
	}
	for _, t := range g.entered {
		if h := g.held[t.Tenant]; h != nil {
			h.take(t)
		}
	}
	if len(a.tenants) != 1 { // it may have written anything
		for _, h := range g.held {
			h.known = nil
		}
	}
	return nil
}

// run calls what an act does. A panic is that of the act's caller.
func (g *group) run(db *gorm.DB, a *act) (err error) {
	defer func() {
		if p := recover(); p != nil {
			a.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			err = errors.New("a write panicked")
		}
	}()
	a.panicked = nil
	if err := a.run(g, db); err != nil {
		return err
	}
	return a.ctx.Err()
}

// hold holds a log until the group ends. One that doesn't exist may be made by the act.
func (g *group) hold(db *gorm.DB, tenant string, a *act) error {
	if g.held[tenant] != nil {
		return nil
	}
	return g.store.enter(db, tenant, true, func(t *tx) error {
		t.group, g.named = g, tenant
		if first, ok := a.anew[tenant]; ok {
			t.anew = &first
		}
		defer t.giveBack()
		var asks []tables.Wanted
		if a.asks != nil {
			asks = a.asks(t)
		}
		if err := t.hold(asks...); err != nil && !fault.Is(err, fault.Missing) {
			return err
		}
		if h := g.held[tenant]; h != nil {
			h.take(t) // what was said before
		}
		return nil
	})
}

// enter runs fn in the transaction of an organisation whose log the group holds.
func (g *group) enter(db *gorm.DB, tenant string, fn func(*tx) error) error {
	h, t := g.held[tenant], g.entered[tenant]
	if h == nil && t == nil { // it may be made just now
		return g.store.enter(db, tenant, true, func(t *tx) error {
			t.group, g.entered[tenant], g.named = g, t, tenant
			t.refusal = g.refusal
			return fn(t)
		})
	}
	if err := g.name(db, tenant); err != nil {
		return err
	}
	if t != nil {
		return fn(t)
	}
	t = g.store.in(db, tenant, true)
	t.group, g.entered[tenant] = g, t
	if err := t.hold(); err != nil {
		return err
	}
	return fn(t)
}

// name tells the database which organisation's rows the next statements may see.
func (g *group) name(db *gorm.DB, tenant string) error {
	if g.named == tenant {
		return nil
	}
	_, err := g.store.dialect.Enter(db, tenant)
	if err == nil {
		g.named = tenant
	}
	return err
}

// grow adds to the state what was appended last.
func (h *held) grow() {
	if !h.behind {
		return
	}
	s := h.trail.state
	for _, p := range h.last.appended {
		s.Apply(p.event, p.leaf)
	}
	s.Head, s.Snapshot = h.last.head, h.last.snapshot
	h.behind, h.grown = false, true
}

// take takes over from an act that is done.
func (h *held) take(t *tx) {
	h.known = t.Known
	if len(t.appended) > 0 {
		h.last, h.behind = t, true
	}
}

// forget leaves out what an act that failed was the first to hold: a log that it made.
func (g *group) forget(tenant string, t *tx) {
	if h := g.held[tenant]; h != nil && h.first == t {
		delete(g.held, tenant)
	}
}

// sign signs the heads that the group moved to.
func (g *group) sign() error {
	for _, tenant := range slices.Sorted(maps.Keys(g.held)) {
		if h := g.held[tenant]; h.last != nil {
			err := g.name(h.last.DB, tenant)
			if err == nil {
				h.signed, err = h.last.sign(h.was)
			}
			if err != nil {
				return fmt.Errorf("append to the audit trail: %w", err)
			}
		}
	}
	return nil
}

// end moves on what the process knows, after the commit; where there was none, or it isn't
// known, the next group reads it.
func (h *held) end(committed bool) {
	if committed && len(h.said) > 0 {
		h.first.store.heads.Appended(h.first.Tenant, h.said)
	}
	if h.last == nil {
		return
	}
	k := h.trail
	k.mu.Lock()
	switch {
	case committed:
		h.grow()
		k.seen = h.last.head
		k.holds()
	case h.grown:
		k.state = nil
	}
	k.mu.Unlock()
	if committed {
		h.last.store.heads.Keep(h.signed) // who reads compares it with what k holds by now
	}
}
