package httpapi

import (
	"sync"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// running knows the idempotency keys of the submissions that are not stored yet.
// Once one is, its key is the database's, which also settles what two replicas
// are sent at once; so this only spares a client that sends again too early the
// wait. It is safe for concurrent use.
type running struct {
	mu   sync.Mutex
	keys map[runningKey]struct{}
}

type runningKey struct{ tenant, agent, key string }

// enter refuses a key whose first call still runs. Call leave when it is stored
// or refused. The empty key is none.
func (r *running) enter(a auth.Agent, key string) (leave func(), err error) {
	if key == "" {
		return func() {}, nil
	}
	k := runningKey{a.Tenant, a.ID, key}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, there := r.keys[k]; there {
		f := fault.Member(fault.InProgress, "Idempotency-Key", "a call with this Idempotency-Key is still running; send it again in a moment to get its answer")
		f.RetryAfter = time.Second
		return nil, f
	}
	if r.keys == nil {
		r.keys = map[runningKey]struct{}{}
	}
	r.keys[k] = struct{}{}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.keys, k)
	}, nil
}
