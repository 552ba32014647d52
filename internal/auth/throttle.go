package auth

import (
	"sync"
	"time"

	"github.com/countersign/countersign/internal/fault"
)

// Five wrong attempts in a quarter of an hour pause an account for the rest of
// it, fifty pause an address (an office may share one). OWASP ASVS 4.0 2.2.1 asks
// for at most 100 an hour on one account.
const (
	accountTries   = 5
	addressTries   = 50
	throttleWindow = 15 * time.Minute
	throttleNames  = 10_000
)

// Throttle slows the guessing of passwords, by account and by address alike. It
// knows nothing of whether an account exists, so its answer tells nothing. It is
// safe for concurrent use, and each replica counts for itself: five of them stay
// within that hundred (docs/adr/0023).
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

// Try counts one attempt on an account from an address, and refuses when either
// is paused. It counts before the answer is known, so that parallel guesses do
// not slip through together; Succeeded takes it back.
func (t *Throttle) Try(account, address string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if len(t.wrong) > throttleNames {
		t.forget(now)
	}
	if err := t.paused("account "+account, accountTries, now); err != nil {
		return err
	}
	if err := t.paused("address "+address, addressTries, now); err != nil {
		return err
	}
	t.count("account "+account, now)
	t.count("address "+address, now)
	return nil
}

// Succeeded forgets the attempts on this account, and takes back this one from
// the address, but not those before it: one known account must not open the way to
// guess at the others, and people who sign in must not lock out their office.
func (t *Throttle) Succeeded(account, address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.wrong, "account "+account)
	name := "address " + address
	if w := t.wrong[name]; w.count > 0 {
		w.count--
		t.wrong[name] = w
	}
}

func (t *Throttle) paused(name string, tries int, now time.Time) error {
	w := t.wrong[name]
	left := throttleWindow - now.Sub(w.from)
	if w.count < tries || left <= 0 {
		return nil
	}
	f := fault.New(fault.RateLimited, "too many attempts; wait %d minutes, then try again", int((left+time.Minute-1)/time.Minute))
	f.RetryAfter = left
	return f
}

func (t *Throttle) count(name string, now time.Time) {
	w := t.wrong[name]
	if now.Sub(w.from) >= throttleWindow {
		w = window{from: now}
	}
	w.count++
	t.wrong[name] = w
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
