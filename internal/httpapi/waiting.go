package httpapi

import (
	"sync"
	"time"

	"github.com/countersign/countersign/internal/auth"
)

// maxWaiting is how many answers one agent may have held back at once. Each one
// reads its approval once a second, so their number bounds that work.
const maxWaiting = 500

// waiting counts the waits of each agent. It is safe for concurrent use.
type waiting struct {
	mu   sync.Mutex
	open map[runningKey]int // by tenant and agent
}

// enter counts one more wait, or refuses it. Call leave when it is over.
func (w *waiting) enter(a auth.Agent) (leave func(), err error) {
	k := runningKey{tenant: a.Tenant, agent: a.ID}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open[k] >= maxWaiting {
		return nil, tooMany(time.Second, "this agent waits %d times at once already, the most that is possible; wait for fewer, or ask without wait", maxWaiting)
	}
	if w.open == nil {
		w.open = map[runningKey]int{}
	}
	w.open[k]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.open[k]--; w.open[k] == 0 {
			delete(w.open, k)
		}
	}, nil
}
