package lifetest

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// What happens while a transaction waits for a lock. SQLite has one writer, so that
// nothing does there.

// newPostgresHouse is newHouse over Postgres, with its clock.
func newPostgresHouse(t testing.TB) *house { t.Helper(); return newPostgresHouseOf(t, nil) }

func newPostgresHouseOf(t testing.TB, make func(t testing.TB, h *house)) *house {
	t.Helper()
	long.NotUnderRace(t, "one call follows the other")
	dsn := postgrestest.Migrated(t)
	h := &house{heads: headstest.New(), make: make, t: t, hub: live.New(), meter: &tally{}}
	h.dsn = dsn
	var err error
	if h.db, err = store.Open(t.Context(), store.Config{URL: dsn, Heads: h.heads}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.db.Close() })
	h.raw = postgrestest.SQL(t, dsn)
	h.open(time.Now)
	return h
}

func (h *house) hold(statement string, args ...any) (release func()) {
	h.t.Helper()
	return postgrestest.Hold(h.t, h.raw, statement, args...)
}

func (h *house) blocked(act func() error) (done func() error) {
	h.t.Helper()
	return postgrestest.Blocked(h.t, h.raw, act)
}
