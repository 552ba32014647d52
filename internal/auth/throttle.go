package auth

import (
	"sync"
	"time"

	"github.com/countersign/countersign/internal/fault"
)

// Five wrong attempts in a quarter of an hour pause an account or an address
// for the rest of it (OWASP ASVS 4.0 2.2.1 asks for at most 100 an hour).
const (
	throttleTries  = 5
	throttleWindow = 15 * time.Minute
	throttleNames  = 10_000
)

// Throttle slows the guessing of passwords, by account and by address alike. It
// knows nothing of whether an account exists, so its answer tells nothing. It is
// safe for concurrent use, and each replica counts for itself.
type Throttle struct {
	now   func() time.Time
	mu    sync.Mutex
	wrong map[string]window
}

type window struct {
	from  time.Time
	count int
}

// NewThrottle counts by this clock.
func NewThrottle(now func() time.Time) *Throttle {
	return &Throttle{now: now, wrong: map[string]window{}}
}

// Try counts one attempt under each name and refuses when one of them is paused.
// It counts before the answer is known, so that parallel guesses do not slip
// through together; Succeeded takes it back.
func (t *Throttle) Try(names ...string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if len(t.wrong) > throttleNames {
		t.forget(now)
	}
	for _, n := range names {
		w := t.wrong[n]
		if left := throttleWindow - now.Sub(w.from); w.count >= throttleTries && left > 0 {
			f := fault.New(fault.RateLimited, "too many attempts; wait %d minutes, or use a sign-in link from an admin", int(left/time.Minute)+1)
			f.RetryAfter = left
			return f
		}
	}
	for _, n := range names {
		w := t.wrong[n]
		if now.Sub(w.from) >= throttleWindow {
			w = window{from: now}
		}
		w.count++
		t.wrong[n] = w
	}
	return nil
}

// Succeeded forgets the attempts under these names.
func (t *Throttle) Succeeded(names ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range names {
		delete(t.wrong, n)
	}
}

// forget drops windows that are over, and everything when an attacker filled the
// table with names: being bounded comes before being exact.
func (t *Throttle) forget(now time.Time) {
	for n, w := range t.wrong {
		if now.Sub(w.from) >= throttleWindow {
			delete(t.wrong, n)
		}
	}
	if len(t.wrong) > throttleNames {
		clear(t.wrong)
	}
}
