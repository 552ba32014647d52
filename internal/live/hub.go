package live

import (
	"maps"
	"slices"
	"sync"
)

// maxPending is how many different ids one watcher may have waiting. A console
// that is that far behind reloads its page, which is cheaper than the rows.
const maxPending = 4096

// House is the id under which a change of a whole tenant is published: of its policy,
// or that its agents were stopped. No approval has it.
const House = "house"

// Mentions is the id under which is published that people were mentioned in a comment.
const Mentions = "mentions"

// Hub knows who is interested in which id. It is safe for concurrent use.
type Hub struct {
	mu      sync.Mutex
	tenants map[string]map[*Watch]struct{}
	ids     map[key]map[*Watch]struct{}
	forward func(tenant string)
}

type key struct{ tenant, id string }

// New returns a hub that nobody watches.
func New() *Hub {
	return &Hub{tenants: map[string]map[*Watch]struct{}{}, ids: map[key]map[*Watch]struct{}{}}
}

// Publish marks an id of a tenant as changed, here and, where the hub forwards,
// on every other server. Call it after the commit, never inside the transaction.
func (h *Hub) Publish(tenant, id string) {
	h.Hear(tenant, id)
	h.mu.Lock()
	forward := h.forward
	h.mu.Unlock()
	if forward != nil {
		forward(tenant)
	}
}

// Forward has every later Publish also call f, which must not block; nil ends it.
func (h *Hub) Forward(f func(tenant string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forward = f
}

// Hear marks an id as changed for those who watch here: another server changed it.
func (h *Hub) Hear(tenant, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.tenants[tenant] {
		w.mark(id)
	}
	for w := range h.ids[key{tenant, id}] {
		w.mark(id)
	}
}

// Watched lists the tenants in which somebody here is interested, in no order.
func (h *Hub) Watched() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make(map[string]struct{}, len(h.tenants))
	for t := range h.tenants {
		all[t] = struct{}{}
	}
	for k := range h.ids {
		all[k.tenant] = struct{}{}
	}
	return slices.Collect(maps.Keys(all))
}

// Watch is interested in every id of a tenant. Close it.
func (h *Hub) Watch(tenant string) *Watch {
	w := newWatch(h)
	w.where = func(on bool) { enlist(h.tenants, tenant, w, on) }
	h.enlist(w, true)
	return w
}

// WatchID is interested in one id. Close it.
func (h *Hub) WatchID(tenant, id string) *Watch {
	w := newWatch(h)
	w.where = func(on bool) { enlist(h.ids, key{tenant, id}, w, on) }
	h.enlist(w, true)
	return w
}

func (h *Hub) enlist(w *Watch, on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.where(on)
}

// enlist adds or removes w; an entry that nobody watches any more leaves the map.
func enlist[K comparable](m map[K]map[*Watch]struct{}, k K, w *Watch, on bool) {
	if on {
		if m[k] == nil {
			m[k] = map[*Watch]struct{}{}
		}
		m[k][w] = struct{}{}
		return
	}
	delete(m[k], w)
	if len(m[k]) == 0 {
		delete(m, k)
	}
}

// Watch is one interest. Its methods are safe for concurrent use.
type Watch struct {
	hub   *Hub
	where func(on bool)
	c     chan struct{}

	mu   sync.Mutex
	ids  map[string]struct{}
	lost bool
}

func newWatch(h *Hub) *Watch {
	return &Watch{hub: h, c: make(chan struct{}, 1), ids: map[string]struct{}{}}
}

func (w *Watch) mark(id string) {
	w.mu.Lock()
	if len(w.ids) < maxPending {
		w.ids[id] = struct{}{}
	} else if _, there := w.ids[id]; !there {
		w.lost = true
	}
	w.mu.Unlock()
	select {
	case w.c <- struct{}{}:
	default: // a wake-up is waiting already
	}
}

// C delivers one value when there is something to Take.
func (w *Watch) C() <-chan struct{} { return w.c }

// Take returns the ids that changed since the last Take. lost says that there
// were more than a watcher may have waiting: read everything again.
func (w *Watch) Take() (ids []string, lost bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.ids {
		ids = append(ids, id)
	}
	clear(w.ids)
	lost, w.lost = w.lost, false
	return ids, lost
}

// Close ends the interest. It may be called more than once.
func (w *Watch) Close() { w.hub.enlist(w, false) }
