// Package headstest signs the heads of audit logs in tests.
package headstest

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store"
)

// key is that of all servers of a test program.
var key = sync.OnceValue(NewKey)

// NewKey makes a key.
func NewKey() *audit.CheckpointKey {
	secret, err := audit.NewCheckpointKey()
	if err != nil {
		panic(err)
	}
	k, err := audit.ParseCheckpointKey(secret)
	if err != nil {
		panic(err)
	}
	return k
}

// Heads signs with one key, and remembers in memory. It is safe for concurrent use.
type Heads struct {
	mu       sync.Mutex
	key      *audit.CheckpointKey
	newest   map[string]audit.SignedCheckpoint
	problems map[string]string
	said     map[string][]store.Said
}

// New remembers nothing yet, and signs with the key that all of a test program have.
func New() *Heads { return With(key()) }

// With is New with a key.
func With(k *audit.CheckpointKey) *Heads {
	return &Heads{key: k, newest: map[string]audit.SignedCheckpoint{}, problems: map[string]string{}, said: map[string][]store.Said{}}
}

// Sign signs a head.
func (h *Heads) Sign(c audit.Checkpoint) ([]byte, error) { return h.key.Sign(c) }

// Open reads a head.
func (h *Heads) Open(note []byte) (audit.Checkpoint, error) {
	return audit.OpenCheckpoint(note, h.key.Public())
}

// Remembered is the newest head that was kept.
func (h *Heads) Remembered(tenant string) (audit.SignedCheckpoint, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.newest[tenant], nil
}

// Keep remembers a head.
func (h *Heads) Keep(c audit.SignedCheckpoint) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.Size > h.newest[c.Tenant].Size {
		h.newest[c.Tenant] = c
	}
}

// Forget lets the newest head go, as a data directory that was lost.
func (h *Heads) Forget(tenant string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.newest, tenant)
}

// Remember keeps the head that is in the database.
func (h *Heads) Remember(t testing.TB, db *store.Store, tenant string) {
	t.Helper()
	_, note, err := db.Audit().Signed(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	c, err := h.Open(note)
	if err != nil {
		t.Fatal(err)
	}
	h.Keep(audit.SignedCheckpoint{Checkpoint: c, Note: note})
}

// Say keeps an event.
func (h *Heads) Say(tenant string, event []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said[tenant] = append(h.said[tenant], store.Said{Name: strconv.Itoa(len(h.said[tenant])), Event: event})
	return nil
}

// Said are the events that were kept, and not appended.
func (h *Heads) Said(tenant string) ([]store.Said, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.said[tenant]), nil
}

// Appended lets them go.
func (h *Heads) Appended(tenant string, names []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said[tenant] = slices.DeleteFunc(h.said[tenant], func(s store.Said) bool { return slices.Contains(names, s.Name) })
}

// Refuse remembers the problem.
func (h *Heads) Refuse(_ context.Context, tenant, problem string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.problems[tenant] = problem
}

// Problem is why nothing is accepted of a log; "" where it is.
func (h *Heads) Problem(tenant string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.problems[tenant]
}

// Trail is what agents remember, as a server of this store tells it.
type Trail struct {
	*store.Store
	Heads *Heads
}

// Newest is the newest signed head as a note.
func (t Trail) Newest(tenant string) []byte {
	t.Heads.mu.Lock()
	defer t.Heads.mu.Unlock()
	return t.Heads.newest[tenant].Note
}
