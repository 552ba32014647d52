package store_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/storetest"
	"github.com/countersign/countersign/internal/tenants"
)

func TestPostgresErrorsAreFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want fault.Code
	}{
		{&pgconn.PgError{Code: "23505"}, fault.AlreadyExists},
		{&pgconn.PgError{Code: "23503"}, fault.Missing},
		{&pgconn.PgError{Code: "22021"}, fault.InvalidMember},
		{&pgconn.PgError{Code: "40001"}, fault.NotReady},
		{&pgconn.PgError{Code: "40P01"}, fault.NotReady},
		{&pgconn.PgError{Code: "55P03"}, fault.NotReady},
		{&pgconn.PgError{Code: "57014"}, fault.NotReady},
		{&pgconn.PgError{Code: "57P01"}, fault.NotReady},
		{&pgconn.PgError{Code: "08006"}, fault.NotReady},
		{&pgconn.PgError{Code: "25P03"}, fault.NotReady},
		{&pgconn.PgError{Code: "53300"}, fault.NotReady},
		{&pgconn.PgError{Code: "53100"}, fault.NotReady},
		{&pgconn.PgError{Code: "58030"}, fault.NotReady},
		{&pgconn.PgError{Code: "0A000", Message: "cached plan must not change result type"}, fault.NotReady},
		{driver.ErrBadConn, fault.NotReady},
		{io.ErrUnexpectedEOF, fault.NotReady},
		{&net.OpError{Op: "read", Err: errors.New("reset")}, fault.NotReady},
		// Our own mistakes are nobody else's business, and must not look like the weather.
		{&pgconn.PgError{Code: "0A000", Message: "not supported"}, fault.Unexpected},
		{&pgconn.PgError{Code: "23001"}, fault.Unexpected},
		{&pgconn.PgError{Code: "23514"}, fault.Unexpected},
		{&pgconn.PgError{Code: "42501"}, fault.Unexpected},
		{&pgconn.PgError{Code: "42P01"}, fault.Unexpected},
		{context.DeadlineExceeded, fault.Unexpected},
	} {
		got := store.Told(fmt.Errorf("query: %w", c.err))
		f := fault.As(got)
		if f.Code != c.want || (f.Code == fault.NotReady) != (f.RetryAfter > 0) || !errors.Is(got, c.err) && !errors.As(got, new(*pgconn.PgError)) {
			t.Errorf("%v becomes %v, want %s", c.err, got, c.want)
		}
	}
}

// Two servers that name the same logs in opposite orders hold them in one order, so neither waits
// for the other for ever.
func TestPostgresHoldsLogsInOneOrder(t *testing.T) {
	t.Parallel()
	long.Race(t)
	dsn := postgrestest.Migrated(t)
	db, other := openPostgresAt(t, dsn), openPostgresAt(t, dsn)
	storetest.FillQuestions(t, db)
	const rounds = 10
	errs := make(chan error, 2)
	for server, order := range map[*store.Store][]string{db.Store: {"acme", "rival"}, other.Store: {"rival", "acme"}} {
		go func() {
			var err error
			for range rounds {
				err = errors.Join(err, server.Tenants().WriteEach(t.Context(), order, func(w tenants.Writer, _ string) error {
					return w.Append(audit.Event{Kind: audit.SignedIn, Actor: audit.Actor{Kind: "system"}})
				}))
			}
			errs <- err
		}()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	var events []string
	collect(t, db.Raw, &events, "SELECT idx::text FROM audit_events WHERE kind = '"+string(audit.SignedIn)+"'")
	if len(events) != 4*rounds {
		t.Errorf("%d events, want %d: one of each in each log, each time", len(events), 4*rounds)
	}
}

// A connection that is cut in the middle is told as what it is, leaves nothing
// behind, and the next one works.
func TestPostgresSurvivesACutConnection(t *testing.T) {
	t.Parallel()
	long.Race(t)
	db := openPostgres(t)
	storetest.Fill(t, db)
	cut := func(state string) {
		t.Helper()
		mustRaw(t, db.Raw, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'countersign' AND state LIKE '"+state+"'")
	}
	head, err := db.Store.Audit().Head(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	write := func(meanwhile func()) error {
		return db.Store.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error {
			e := audit.Event{Kind: audit.SignedIn, Actor: audit.Actor{Kind: "system"}}
			if err := w.Append(e); err != nil {
				return err
			}
			meanwhile()
			return w.Append(e)
		})
	}
	err = write(func() { cut("idle in transaction") })
	if !fault.Is(err, fault.NotReady) || fault.As(err).RetryAfter <= 0 {
		t.Errorf("cut inside of a transaction: %v, want it unavailable", err)
	}
	if now, err := db.Store.Audit().Head(t.Context(), "acme"); err != nil || now.Size != head.Size {
		t.Errorf("the log has %d events, %v; want %d", now.Size, err, head.Size)
	}
	cut("idle")
	// Each connection of a pool may fail once; none of them fails for good.
	for try := 0; ; try++ {
		err := errors.Join(db.Store.Ready(t.Context()), write(func() {}))
		if err == nil {
			break
		}
		if !fault.Is(err, fault.NotReady) || try > 20 {
			t.Fatalf("after %d tries: %v", try, err)
		}
	}
}

// The clock is the database's, whatever ours says and whatever its zone is.
func TestPostgresClock(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Migrated(t)
	raw := postgrestest.SQL(t, dsn)
	mustRaw(t, raw, "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = ''Asia/Tokyo''', current_database()); END $$")
	s := openAt(t, store.Config{URL: dsn, Now: func() time.Time { return time.Unix(0, 0) }})
	tenant(t, s, "acme")
	var at time.Time
	if err := s.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error {
		if at = w.Now(); at.Location() != time.UTC || at.Nanosecond()%1000 != 0 || at != w.Now() {
			t.Errorf("now is %v, then %v; want UTC microseconds, the same all through", at, w.Now())
		}
		return w.Append(audit.Event{Kind: audit.SignedIn, Actor: audit.Actor{Kind: "system"}})
	}); err != nil {
		t.Fatal(err)
	}
	var behind float64
	if err := raw.QueryRowContext(t.Context(), "SELECT extract(epoch FROM clock_timestamp() - at AT TIME ZONE 'UTC') FROM audit_events WHERE idx = 1").Scan(&behind); err != nil {
		t.Fatal(err)
	}
	if behind < 0 || behind > 600 {
		t.Errorf("the event is %v seconds old by the database's clock", behind)
	}
	if r, err := s.Audit().Event(t.Context(), "acme", 1); err != nil || !r.Event.At.Equal(at) {
		t.Errorf("the event is of %v, %v; want %v", r.Event.At, err, at)
	}
}

// Who waited for the log reads the clock after whoever held it: else somebody could decide what
// somebody else was already told is overdue.
func TestPostgresClockOfWhoWaited(t *testing.T) {
	t.Parallel()
	long.Race(t)
	db := openPostgres(t)
	storetest.Fill(t, db)
	release := postgrestest.Hold(t, db.Raw, "SELECT 1 FROM audit_logs WHERE tenant_id = 'acme' FOR UPDATE")
	var waited time.Time
	done := postgrestest.Blocked(t, db.Raw, func() error {
		return db.Store.Approvals().Write(t.Context(), "acme", func(w approvals.Writer) error { waited = w.Now(); return nil })
	})
	var held time.Time
	if err := db.Raw.QueryRowContext(t.Context(), "SELECT clock_timestamp()").Scan(&held); err != nil {
		t.Fatal(err)
	}
	release()
	if err := done(); err != nil {
		t.Fatal(err)
	}
	if held = held.UTC().Truncate(time.Microsecond); waited.Before(held) {
		t.Errorf("who waited acts at %v; whoever held the log before acted until %v", waited, held)
	}
}
