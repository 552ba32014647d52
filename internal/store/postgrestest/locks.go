package postgrestest

import (
	"context"
	"database/sql"
	"testing"
)

// Hold locks what a statement locks, until release or the end of the test.
func Hold(t testing.TB, db *sql.DB, statement string, args ...any) (release func()) {
	t.Helper()
	tx, err := db.BeginTx(context.WithoutCancel(t.Context()), nil)
	if err != nil {
		t.Fatal(err)
	}
	release = func() { _ = tx.Rollback() }
	t.Cleanup(release)
	if _, err := tx.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
	return release
}

// Blocked runs act, and returns once it waits for a lock; done waits for its end.
func Blocked(t testing.TB, db *sql.DB, act func() error) (done func() error) {
	t.Helper()
	before := waiting(t, db)
	ended := make(chan error, 1)
	go func() { ended <- act() }()
	for waiting(t, db) == before {
		select {
		case err := <-ended:
			t.Fatalf("it ended without waiting for a lock: %v", err)
		default:
		}
	}
	return func() error { return <-ended }
}

// waiting counts the connections to this database that wait for a lock.
func waiting(t testing.TB, db *sql.DB) (n int) {
	t.Helper()
	err := db.QueryRowContext(t.Context(),
		"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
