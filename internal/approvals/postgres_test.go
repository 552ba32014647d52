package approvals_test

import (
	"context"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// What happens while a transaction waits for a lock. SQLite has one writer, so that
// nothing does there.

// newPostgresHouse is newHouse over Postgres, with its clock.
func newPostgresHouse(t testing.TB) *house {
	t.Helper()
	dsn := postgrestest.Migrated(t)
	h := &house{t: t, hub: live.New(), meter: &tally{}}
	var err error
	if h.db, err = store.Open(t.Context(), store.Config{URL: dsn}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.db.Close() })
	h.raw = postgrestest.SQL(t, dsn)
	h.open(time.Now)
	return h
}

// hold locks what a statement selects, until release.
func (h *house) hold(statement string, args ...any) (release func()) {
	h.t.Helper()
	tx, err := h.raw.BeginTx(context.WithoutCancel(h.t.Context()), nil)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := tx.Exec(statement, args...); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = tx.Rollback() })
	return func() { _ = tx.Rollback() }
}

// blocked runs act, and returns once it waits for a lock that somebody holds; done
// says how it ended.
func (h *house) blocked(act func() error) (done func() error) {
	h.t.Helper()
	before := h.waiters()
	ended := make(chan error, 1)
	go func() { ended <- act() }()
	for h.waiters() == before {
		select {
		case err := <-ended:
			h.t.Fatalf("it waits for nothing: %v", err)
		default:
		}
	}
	return func() error { return <-ended }
}

// waiters counts the connections that wait for a lock.
func (h *house) waiters() (n int) {
	h.t.Helper()
	err := h.raw.QueryRowContext(h.t.Context(),
		"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n)
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}
