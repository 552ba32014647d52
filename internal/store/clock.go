package store

import (
	"sync/atomic"
	"time"

	"github.com/countersign/countersign/internal/fault"
)

// SQLite has no clock of its own: it runs by that of this machine, which somebody
// can set back. Then what had expired would count again. So nothing is written
// that the trail would have to date before its newest event: no decision, no grant
// spent, until the clock is right again.

// clockSlack is how far behind the newest event the clock may be: more than a
// time daemon moves it at once without calling it a step (ntpd: 128 ms), and less
// than anything that a person decides in.
const clockSlack = time.Second

// clockAlarm remembers the newest time that the clock was found behind of.
type clockAlarm struct{ ahead atomic.Int64 } // microseconds since 1970; 0: never

// check reports whether now is still behind it.
func (c *clockAlarm) check(now time.Time) error {
	if at := c.ahead.Load(); at != 0 && now.Before(time.UnixMicro(at).Add(-clockSlack)) {
		return clockBack(time.UnixMicro(at), now)
	}
	return nil
}

func clockBack(newest, now time.Time) error {
	f := fault.New(
		fault.ClockBack, "the server's clock says %s, which is before the newest entry of the audit trail (%s); nothing can be decided until the clock is set right",
		now.UTC().Format(time.RFC3339), newest.UTC().Format(time.RFC3339),
	)
	f.RetryAfter = newest.Sub(now).Round(time.Second)
	return f
}

// steady refuses to write behind the newest event of the tenant.
func (t *tx) steady() error {
	at := t.state.Newest
	if !t.store.dialect.clockCanStep() || !t.now.Before(at.Add(-clockSlack)) {
		return nil
	}
	if t.store.alarm.ahead.Swap(at.UnixMicro()) != at.UnixMicro() {
		t.store.log.Error("ALARM: the clock was set back; nothing is decided until it is right again", "tenant", t.tenant, "clock", t.now, "newest_event", at)
	}
	return clockBack(at, t.now)
}
