package store_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/sqlitetest"
	"github.com/countersign/countersign/internal/store/storetest"
	"github.com/countersign/countersign/internal/tenants"
)

// note adds an event of some size.
func note(s *store.Store) error {
	return s.Tenants().Write(context.Background(), "acme", func(w tenants.Writer) error {
		return w.Append(audit.Event{Kind: audit.SignedIn, Actor: audit.Actor{Kind: "person", ID: strings.Repeat("p", 20_000)}})
	})
}

// Whoever can't be written for is told what to do, and readiness says it, until there is room.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	long.Race(t)
	for name, begin := range map[string]func(t *testing.T) (s *store.Store, fill, empty func(*testing.T)){
		"SQLite": func(t *testing.T) (*store.Store, func(*testing.T), func(*testing.T)) {
			s := openAt(t, store.Config{Path: sqlitetest.Create(t, filepath.Join(t.TempDir(), "x.db"))})
			limit := func(t *testing.T, pages int64) {
				if err := s.LimitTo(pages); err != nil {
					t.Fatal(err)
				}
			}
			return s, func(t *testing.T) { limit(t, 1) }, func(t *testing.T) { limit(t, 0) } // no less than there are
		},
		"Postgres": func(t *testing.T) (*store.Store, func(*testing.T), func(*testing.T)) {
			dsn := postgrestest.Migrated(t)
			raw := postgrestest.SQL(t, dsn)
			mustRaw(t, raw, "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$")
			fill := func(t *testing.T) {
				for _, table := range []string{"audit_events", "leases"} {
					mustRaw(t, raw, "CREATE TRIGGER full_disk BEFORE INSERT ON "+table+" FOR EACH ROW EXECUTE FUNCTION full_disk()")
				}
			}
			return openAt(t, store.Config{URL: dsn}), fill, func(t *testing.T) { mustRaw(t, raw, "DROP FUNCTION full_disk CASCADE") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, fill, empty := begin(t)
			tenant(t, s, "acme")
			is := func(what string, err error) {
				t.Helper()
				if f := fault.As(err); err == nil || f.Code != fault.NotReady || f.RetryAfter <= 0 || !strings.Contains(f.Detail, "make room") {
					t.Errorf("%s: %v, want it to say what to do", what, err)
				}
			}
			fill(t)
			var err error
			for range 100 { // there may be room in pages that are used already
				if err = note(s); err != nil {
					break
				}
			}
			is("writing", err)
			is("readiness", s.Ready(t.Context()))
			is("what pages say", s.Trouble())
			if _, err := s.Audit().Head(t.Context(), "acme"); err != nil {
				t.Errorf("reading: %v", err)
			}
			empty(t)
			if err := s.Ready(t.Context()); err != nil || s.Trouble() != nil {
				t.Errorf("with room again: %v, %v", err, s.Trouble())
			}
			if err := note(s); err != nil {
				t.Error(err)
			}
			if r, err := s.Audit().Verify(t.Context(), "acme"); err != nil || !r.OK {
				t.Errorf("verify: %+v, %v", r, err)
			}
		})
	}
}

// relay stands between us and Postgres, and can stand still.
type relay struct {
	moves sync.RWMutex
	dsn   string
}

func newRelay(t *testing.T, dsn string) *relay {
	t.Helper()
	to, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	network, address := "tcp", to.Host
	if dir := to.Query().Get("host"); dir != "" {
		network, address = "unix", filepath.Join(dir, ".s.PGSQL.5432")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	r := &relay{}
	to.Host, to.RawQuery = l.Addr().String(), "sslmode=disable"
	r.dsn = to.String()
	pass := func(from, into net.Conn) {
		defer into.Close()
		b := make([]byte, 1<<16)
		for {
			n, err := from.Read(b)
			r.moves.RLock()
			_, failed := into.Write(b[:n])
			r.moves.RUnlock()
			if err != nil || failed != nil {
				return
			}
		}
	}
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			into, err := net.Dial(network, address)
			if err != nil {
				_ = from.Close()
				continue
			}
			go pass(from, into)
			go pass(into, from)
		}
	}()
	return r
}

// A database that stands still keeps nobody waiting, whatever they wait for; what takes
// long for a reason is not cut by that.
func TestPostgresThatStandsStill(t *testing.T) {
	t.Parallel()
	long.Race(t)
	r := newRelay(t, postgrestest.Migrated(t))
	s := openAt(t, store.Config{URL: r.dsn})
	tenant(t, s, "acme")
	begun, stopped := make(chan struct{}), make(chan struct{})
	var once sync.Once
	verified := make(chan error, 1)
	inTime := func(what string, act func() error) {
		t.Helper()
		begun := time.Now()
		err := act()
		if took := time.Since(begun); !fault.Is(err, fault.NotReady) || fault.As(err).RetryAfter <= 0 || took > 5*time.Second {
			t.Errorf("%s was answered after %s: %v", what, took, err)
		}
	}
	go func() {
		report, err := s.Audit().VerifyTelling(context.WithoutCancel(t.Context()), "acme", func(int64, int64) {
			once.Do(func() { close(begun); <-stopped })
		})
		if err == nil && !report.OK {
			err = fmt.Errorf("%s", report)
		}
		verified <- err
	}()
	<-begun
	goOn := sync.OnceFunc(r.moves.Unlock)
	inTime("writing, which began before", func() error {
		return s.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error {
			r.moves.Lock()
			time.AfterFunc(12*time.Second, goOn)
			close(stopped)
			return w.Append(audit.Event{Kind: audit.SignedIn, Actor: audit.Actor{Kind: "system"}})
		})
	})
	inTime("reading", func() error { _, err := s.Audit().Head(t.Context(), "acme"); return err })
	goOn()
	if err := <-verified; err != nil {
		t.Errorf("verifying, which began before: %v", err)
	}
	for try := 0; ; try++ { // a connection that was given up may be met once
		if err := note(s); err == nil {
			break
		} else if try > 10 {
			t.Fatal(err)
		}
	}
}

// What waits for a lock is answered in time, too.
func TestPostgresLockIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Migrated(t)
	s := openAt(t, store.Config{URL: dsn})
	tenant(t, s, "acme")
	postgrestest.Hold(t, postgrestest.SQL(t, dsn), "LOCK TABLE audit_logs IN ACCESS EXCLUSIVE MODE")
	begun := time.Now()
	if err := note(s); !fault.Is(err, fault.NotReady) || time.Since(begun) > 5*time.Second {
		t.Errorf("after %s: %v", time.Since(begun), err)
	}
}

// A database in a folder that can't be written is read as it is, if nothing stands beside it
// that would have to be read as well.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := openAt(t, store.Config{Path: path})
	tenant(t, s, "acme")
	b, err := os.ReadFile(path + "-wal")
	if err != nil || len(b) == 0 {
		t.Fatalf("a log of %d bytes, %v", len(b), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// Root may write into every folder, but SQLite follows no link.
	if err := os.Symlink("nowhere", path+"-shm"); err != nil {
		t.Fatal(err)
	}
	ro := openAt(t, store.Config{Path: path, ReadOnly: true})
	if r, err := ro.Audit().Verify(t.Context(), "acme"); err != nil || !r.OK || r.Size != 1 {
		t.Errorf("verify: %+v, %v", r, err)
	}
	if err := os.WriteFile(path+"-wal", b, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := store.Open(t.Context(), store.Config{Path: path, ReadOnly: true}); !fault.Is(err, fault.InvalidSetting) || !strings.Contains(err.Error(), "-wal has changes that aren't in") {
		t.Errorf("with a log: %v", err)
		_ = s.Close()
	}
}

// A user who may read, and nothing else, is enough to verify.
func TestPostgresReadingRole(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Migrated(t)
	raw := postgrestest.SQL(t, dsn)
	tenant(t, openAt(t, store.Config{URL: dsn}), "acme")
	for _, attributes := range []string{"LOGIN", "LOGIN BYPASSRLS"} {
		user := postgrestest.Role(t, raw, attributes)
		as := store.Config{URL: postgrestest.As(t, dsn, user), ReadOnly: true}
		if _, err := store.Open(t.Context(), as); !fault.Is(err, fault.InvalidSetting) || !strings.Contains(err.Error(), "GRANT countersign_app TO") {
			t.Errorf("%s, who may read nothing: %v", attributes, err)
		}
		mustRaw(t, raw, "GRANT pg_read_all_data TO "+user)
		if r, err := openAt(t, as).Audit().Verify(t.Context(), "acme"); err != nil || !r.OK || r.Size != 1 {
			t.Errorf("%s: %+v, %v", attributes, r, err)
		}
	}
}

// Who reads a database that this program would read wrongly is told so, with the command.
func TestReadingAnotherSchema(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), store.Config{Path: empty, ReadOnly: true}); !fault.Is(err, fault.InvalidSetting) || !strings.Contains(err.Error(), "isn't a database of Countersign") {
		t.Errorf("an empty one: %v", err)
	}
	path, dsn := sqlitetest.Create(t, filepath.Join(t.TempDir(), "x.db")), postgrestest.Migrated(t)
	for _, d := range []storetest.Database{{Raw: rawAt(t, path)}, {Raw: postgrestest.SQL(t, dsn)}} {
		c := store.Config{Path: path, ReadOnly: true}
		if d.Raw.Driver() == postgrestest.SQL(t, dsn).Driver() {
			c.URL = dsn
		}
		mustRaw(t, d.Raw, "DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)")
		if _, err := store.Open(t.Context(), c); !fault.Is(err, fault.InvalidSetting) || !strings.Contains(err.Error(), "run “countersign migrate”") {
			t.Errorf("an older one: %v", err)
		}
		mustRaw(t, d.Raw, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, TRUE)")
		if _, err := store.Open(t.Context(), c); !fault.Is(err, fault.InvalidSetting) || !strings.Contains(err.Error(), "run the newer program") {
			t.Errorf("a newer one: %v", err)
		}
	}
}
