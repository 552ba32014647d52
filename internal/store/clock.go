package store

import (
	"log/slog"
	"sync"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/tables"
)

// Whoever sets a clock decides what has expired. Set back, what had expired would count
// again; set ahead, requests, grants and sign-ins would end that nobody let end. So nothing
// is written by a clock that was seen to be set, until it is right again:
//
//   - set back is before the newest event of the trail. That is asked on SQLite, which runs
//     by the clock of this machine, and holds for a server that was started since, too.
//   - set ahead is more than has passed since this server looked first, by a clock that
//     nobody sets. What is read meanwhile is read as of the time that it should be. A server
//     that is started since goes by the new time: that is how somebody says that it is right.

const (
	// clockSlack is how far behind the newest event the clock may be: more than a
	// time daemon moves it at once without calling it a step (ntpd: 128 ms), and less
	// than anything that a person decides in.
	clockSlack = time.Second
	// jumpSlack is how far ahead it may jump: less than the shortest life of a grant or a
	// request that people set, and more than an answer of the database takes.
	jumpSlack = time.Minute
)

// clock is what is known of the database's clock. It is safe for concurrent use.
type clock struct {
	log    *slog.Logger
	uptime func() time.Duration // goes on evenly, in a suspended machine, too; nil: nobody looks for jumps

	mu     sync.Mutex
	newest time.Time // of the events that it was found behind of
	right  time.Time // when uptime was zero, by the clock as long as it went on evenly
	seen   time.Time // the same, as of the last look
	jumped bool
}

func (c *clock) passed() time.Duration {
	if c.uptime == nil {
		return 0
	}
	return c.uptime()
}

// started is for machines that don't say how long they have been up.
var started = time.Now()

// hold is told what the clock says, and returns the time to go by. Where the clock jumped
// ahead there is an error, too: nothing is to be written.
func (c *clock) hold(now time.Time) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	passed := c.passed()
	c.seen = now.Add(-passed)
	step := c.seen.Sub(c.right)
	switch {
	case c.uptime == nil || c.right.IsZero() || step.Abs() <= jumpSlack:
		c.right = c.seen // a clock that is a little off is put right little by little
		if c.jumped {
			c.log.Warn("the clock is right again", "clock", now)
		}
		c.jumped = false
	case step > jumpSlack:
		if !c.jumped {
			c.log.Error("ALARM: the clock jumped ahead; nothing is decided until it is right again, or the server is started again", "clock", now, "by", step)
		}
		c.jumped = true
		now = tables.Stamp(c.right.Add(passed))
		f := fault.New(fault.ClockAhead, "the server's clock jumped ahead to %s, where %s is expected; nothing can be decided until the clock is set right, or, if it is right now, until the server is restarted",
			now.Add(step).UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
		f.RetryAfter = time.Minute
		return now, f
	}
	return now, nil
}

// behind is told of an event that is newer than the clock, and reports whether that is new.
func (c *clock) behind(newest time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.newest.Equal(newest) {
		return false
	}
	c.newest = newest
	return true
}

// trouble says what is wrong with the clock, as of the last look; nil: nothing.
func (c *clock) trouble() error {
	c.mu.Lock()
	newest, seen := c.newest, c.seen
	c.mu.Unlock()
	if seen.IsZero() {
		return nil
	}
	now := seen.Add(c.passed())
	if !newest.IsZero() && now.Before(newest.Add(-clockSlack)) {
		return clockBack(newest, now)
	}
	_, err := c.hold(now)
	return err
}

func clockBack(newest, now time.Time) error {
	f := fault.New(
		fault.ClockBack, "the server's clock says %s, which is before the newest entry of the audit trail (%s); nothing can be decided until the clock is set right",
		now.UTC().Format(time.RFC3339), newest.UTC().Format(time.RFC3339),
	)
	f.RetryAfter = newest.Sub(now).Round(time.Second)
	return f
}

// now is the time to go by in the transaction of no tenant.
func (s *Store) now(db *gorm.DB) (time.Time, error) {
	now, err := s.dialect.Clock(db)
	if err == nil {
		now, _ = s.clock.hold(tables.Stamp(now))
	}
	return now, err
}

// steady refuses to write behind the newest event of the tenant.
func (t *tx) steady() error {
	at := t.state.Newest
	if !t.store.dialect.ClockCanStep() || !t.At.Before(at.Add(-clockSlack)) {
		return nil
	}
	if t.store.clock.behind(at) {
		t.store.log.Error("ALARM: the clock was set back; nothing is decided until it is right again", "tenant", t.Tenant, "clock", t.At, "newest_event", at)
	}
	return clockBack(at, t.At)
}
