package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/sqlitetest"
	"github.com/countersign/countersign/internal/store/storetest"
	"github.com/countersign/countersign/internal/tenants"
)

// onBoth runs a test on a database with one organisation, acme.
func onBoth(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	for name, open := range map[string]func(t *testing.T) store.Config{
		"SQLite": func(t *testing.T) store.Config {
			return store.Config{Path: sqlitetest.Create(t, filepath.Join(t.TempDir(), "x.db"))}
		},
		"Postgres": func(t *testing.T) store.Config { return store.Config{URL: postgrestest.Migrated(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openAt(t, open(t))
			tenant(t, s, "acme")
			test(t, s)
		})
	}
}

func said(by string) audit.Event {
	return audit.Event{Kind: audit.SignedIn, Actor: audit.Actor{Kind: "person", ID: by}}
}

// together lets these writes wait until all of them are there, so that they are one group.
func together(t *testing.T, s *store.Store, acts ...func() error) []error {
	t.Helper()
	inside, release, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first <- s.Tenants().Write(context.Background(), "acme", func(tenants.Writer) error {
			close(inside)
			<-release
			return nil
		})
	}()
	<-inside
	results := make([]chan error, len(acts))
	for i, act := range acts {
		results[i] = make(chan error, 1)
		go func() { results[i] <- act() }()
		for s.Waiting("acme") <= i {
			runtime.Gosched()
		}
	}
	close(release)
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	errs := make([]error, len(acts))
	for i := range acts {
		errs[i] = <-results[i]
	}
	return errs
}

// wantSaid checks whose events there are, in their order, and that the trail holds.
func wantSaid(t *testing.T, s *store.Store, want ...string) {
	t.Helper()
	records, err := s.Audit().Events(t.Context(), "acme", -1, 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range records {
		if r.Event.Kind == audit.SignedIn {
			got = append(got, r.Event.Actor.ID)
		}
	}
	slices.Reverse(got)
	if !slices.Equal(got, want) {
		t.Errorf("the trail has events of %v, want %v", got, want)
	}
	if report, err := s.Audit().Verify(t.Context(), "acme"); err != nil || !report.OK {
		t.Errorf("verify: %+v, %v", report, err)
	}
}

// Of writes that share a transaction each has an outcome of its own, in the order in which they
// came: one that fails, panics, or is given up takes nothing away from its neighbours.
func TestNeighboursOfAGroup(t *testing.T) {
	t.Parallel()
	long.Race(t)
	onBoth(t, func(t *testing.T, s *store.Store) {
		write := func(ctx context.Context, fn func(w tenants.Writer) error) func() error {
			return func() error { return s.Tenants().Write(ctx, "acme", fn) }
		}
		says := func(by string) func() error {
			return write(context.Background(), func(w tenants.Writer) error { return w.Append(said(by)) })
		}
		person := auth.Person{ID: "usr_1", Email: "one@example.org", Name: "One"}
		refused := errors.New("no")
		leaving, leave := context.WithCancel(context.Background())
		gone, goes := context.WithCancel(context.Background())
		panics := write(context.Background(), func(w tenants.Writer) error {
			if err := w.Append(said("panicked")); err != nil {
				return err
			}
			panic("a mistake")
		})
		errs := together(t, s,
			says("first"),
			write(context.Background(), func(w tenants.Writer) error {
				return errors.Join(w.Append(said("refused")), w.CreatePerson(person, ""), refused)
			}),
			write(context.Background(), func(w tenants.Writer) error {
				return errors.Join(w.CreatePerson(person, ""), w.Append(said("person"))) // what was taken back isn't there
			}),
			write(context.Background(), func(w tenants.Writer) error {
				if err := w.Append(said("twice")); err != nil {
					return err
				}
				return w.CreatePerson(person, "") // the database refuses it
			}),
			func() (err error) {
				defer func() {
					if p := recover(); p != nil {
						err = errors.New(p.(string))
					}
				}()
				return panics()
			},
			write(leaving, func(w tenants.Writer) error {
				leave()
				goes()
				return w.Append(said("left while it ran"))
			}),
			write(gone, func(w tenants.Writer) error { return w.Append(said("left before")) }),
			says("last"),
		)
		for i, c := range []struct {
			what string
			ok   bool
			is   func(error) bool
		}{
			{what: "the first", ok: true},
			{what: "one that refuses", is: func(err error) bool { return errors.Is(err, refused) }},
			{what: "a person", ok: true},
			{what: "the same person again", is: func(err error) bool { return fault.Is(err, fault.AlreadyExists) }},
			{what: "one that panics", is: func(err error) bool { return strings.HasPrefix(err.Error(), "a mistake\n") }},
			{what: "one whose caller left while it ran", is: func(err error) bool { return errors.Is(err, context.Canceled) }},
			{what: "one whose caller left", is: func(err error) bool { return errors.Is(err, context.Canceled) }},
			{what: "the last", ok: true},
		} {
			if err := errs[i]; c.ok != (err == nil) || err != nil && !c.is(err) {
				t.Errorf("%s: %v", c.what, err)
			}
		}
		wantSaid(t, s, "first", "person", "last")
		if err := says("afterwards")(); err != nil {
			t.Error(err)
		}
		wantSaid(t, s, "first", "person", "last", "afterwards")
	})
}

// Where a group isn't committed, none of it is acknowledged, and what comes next goes on from what
// is in the database.
func TestAGroupThatIsNotCommitted(t *testing.T) {
	t.Parallel()
	long.Race(t)
	onBoth(t, func(t *testing.T, s *store.Store) {
		says := func(by string) func() error {
			return func() error {
				return s.Tenants().Write(context.Background(), "acme", func(w tenants.Writer) error { return w.Append(said(by)) })
			}
		}
		if err := says("before")(); err != nil {
			t.Fatal(err)
		}
		again := s.FailCommits()
		for i, err := range together(t, s, says("one"), says("two"), says("three")) {
			if err == nil {
				t.Errorf("write %d was acknowledged", i)
			}
		}
		again()
		wantSaid(t, s, "before")
		if err := says("after")(); err != nil {
			t.Fatal(err)
		}
		wantSaid(t, s, "before", "after")
	})
}

// Where a group doesn't get the log, each of its writes is told so, and not what becomes of a
// transaction after that.
func TestAGroupThatDoesNotGetTheLog(t *testing.T) {
	t.Parallel()
	long.Race(t)
	db := openPostgres(t)
	storetest.Fill(t, db)
	release := postgrestest.Hold(t, db.Raw, "SELECT 1 FROM audit_logs WHERE tenant_id = 'acme' FOR UPDATE")
	defer release()
	write := func(w tenants.Writer) error { return w.Append(said("late")) }
	for i, err := range db.Store.Together(t.Context(), "acme", write, write) {
		if !fault.Is(err, fault.NotReady) {
			t.Errorf("write %d: %v, want that the database is busy", i, err)
		}
	}
}
