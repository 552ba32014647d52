package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/sqlitetest"
	"github.com/countersign/countersign/internal/store/storetest"
	"github.com/countersign/countersign/internal/tenants"
)

var _ scs.CtxStore = store.Sessions{}

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, open)
}

func open(t *testing.T) storetest.Database {
	t.Helper()
	// A name that means something in a URL, and a space.
	path := sqlitetest.Create(t, filepath.Join(t.TempDir(), "counter #1?sign.db"))
	return storetest.Database{Store: openAt(t, store.Config{Path: path}), Raw: rawAt(t, path), Disarm: dropTriggers}
}

func dropTriggers(t *testing.T, raw *sql.DB) (restore func()) {
	t.Helper()
	rows, err := raw.QueryContext(t.Context(), "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var name, definition string
		if err := rows.Scan(&name, &definition); err != nil {
			t.Fatal(err)
		}
		all[name] = definition
	}
	if err := rows.Err(); err != nil || len(all) < 15 {
		t.Fatalf("%d triggers, %v", len(all), err)
	}
	_ = rows.Close()
	for name := range all {
		mustRaw(t, raw, "DROP TRIGGER "+name)
	}
	return func() {
		t.Helper()
		for _, definition := range all {
			mustRaw(t, raw, definition)
		}
	}
}

func mustRaw(t testing.TB, raw *sql.DB, statement string) {
	t.Helper()
	if _, err := raw.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func openAt(t testing.TB, c store.Config) *store.Store {
	t.Helper()
	long.NotUnderRace(t, "one call follows the other")
	if c.Heads == nil {
		c.Heads = headstest.New()
	}
	s, err := store.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if c.ReadOnly {
		return s
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// rawAt is what somebody with the file can do: foreign keys are not checked. It
// waits for no disk.
func rawAt(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=busy_timeout(5000)&_pragma=synchronous(off)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func tenant(t *testing.T, s *store.Store, slug string) {
	t.Helper()
	err := s.Tenants().CreateTenant(t.Context(), slug, scoring.DefaultPolicy(), func(w tenants.Writer) error {
		return w.Append(audit.Event{Kind: audit.TenantCreated, Actor: audit.Actor{Kind: "system"}})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database\n", 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]store.Config{
		"another database":     {URL: "mysql://localhost/x"},
		"no such directory":    {Path: filepath.Join(dir, "none", "x.db")},
		"a file that is text":  {Path: text},
		"nothing to read":      {Path: filepath.Join(dir, "none.db"), ReadOnly: true},
		"text, to read":        {Path: text, ReadOnly: true},
		"a directory, to read": {Path: dir, ReadOnly: true},
	} {
		if c.Heads == nil {
			c.Heads = headstest.New()
		}
		s, err := store.Open(t.Context(), c)
		if err == nil {
			err = s.Migrate(t.Context())
			_ = s.Close()
		}
		if err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none.db")); err == nil {
		t.Error("opening to read created a file")
	}
}

func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := openAt(t, store.Config{Path: path})
	tenant(t, s, "acme")
	files, _ := filepath.Glob(path + "*")
	if len(files) < 2 {
		t.Errorf("files are %q, want a write-ahead log beside the database", files)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want 0600", f, info.Mode(), err)
		}
	}
}

// audit verify runs beside the server, and on a copy of its file.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := openAt(t, store.Config{Path: path})
	tenant(t, s, "acme")

	read := func() {
		t.Helper()
		ro := openAt(t, store.Config{Path: path, ReadOnly: true})
		if r, err := ro.Audit().Verify(t.Context(), "acme"); err != nil || !r.OK || r.Size != 1 {
			t.Errorf("verify: %+v, %v", r, err)
		}
		err := ro.Tenants().Write(t.Context(), "acme", func(tenants.Writer) error { t.Error("fn ran"); return nil })
		if err == nil || ro.Migrate(t.Context()) == nil {
			t.Error("a store that was opened to read only writes")
		}
		if err := ro.Sessions().CommitCtx(t.Context(), "t", nil, time.Now().Add(time.Hour)); err == nil {
			t.Error("it writes a session")
		}
	}
	inside, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- s.Tenants().Write(context.WithoutCancel(t.Context()), "acme", func(w tenants.Writer) error {
			err := w.Append(audit.Event{Kind: audit.SignedIn, Actor: audit.Actor{Kind: "system"}})
			close(inside)
			<-release
			return err
		})
	}()
	<-inside
	read() // sees the state before
	close(release)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ro := openAt(t, store.Config{Path: path, ReadOnly: true})
	if r, err := ro.Audit().Verify(t.Context(), "acme"); err != nil || !r.OK || r.Size != 2 {
		t.Errorf("after the writer closed: %+v, %v", r, err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("reading changed the file: %v", err)
	}
}

// A reader must not tidy up: what is in the write-ahead log is evidence too, and
// an ordinary connection moves it into the database when it closes.
func TestReadOnlyLeavesTheFilesAsTheyAre(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	tenant(t, openAt(t, store.Config{Path: path}), "acme")
	copied := filepath.Join(t.TempDir(), "copy.db")
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(copied+suffix, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(t.Context(), store.Config{Path: copied, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.Audit().Verify(t.Context(), "acme"); err != nil || !r.OK || r.Size != 1 {
		t.Errorf("verify: %+v, %v", r, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal"} {
		want, _ := os.ReadFile(path + suffix)
		if got, err := os.ReadFile(copied + suffix); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what it was (%d bytes, was %d, %v)", copied+suffix, len(got), len(want), err)
		}
	}
}

// Stored times sort as text, whoever reads them.
func TestTimesAreStoredInOneForm(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	at := time.Date(2026, 5, 1, 2, 3, 4, 120000000, time.FixedZone("", 3*3600))
	tenant(t, openAt(t, store.Config{Path: path, Now: func() time.Time { return at }}), "acme")
	var got []string
	collect(t, rawAt(t, path), &got, "SELECT created_at || '' FROM tenants UNION ALL SELECT at || '' FROM audit_events")
	for _, s := range got {
		if s != "2026-04-30 23:03:04.12+00:00" {
			t.Errorf("a time is stored as %q", s)
		}
	}
}

func TestClockIsTheConfigs(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 2, 3, 4, 123456789, time.FixedZone("", 3*3600))
	s := openAt(t, store.Config{Path: filepath.Join(t.TempDir(), "x.db"), Now: func() time.Time { at = at.Add(time.Second); return at }})
	tenant(t, s, "acme")
	err := s.Approvals().Write(t.Context(), "acme", func(w approvals.Writer) error {
		now := w.Now()
		if !now.Equal(w.Now()) || !now.Equal(at.Truncate(time.Microsecond)) || now.Location() != time.UTC {
			t.Errorf("now is %v, then %v; the clock says %v", now, w.Now(), at)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestMigrateTwice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]store.Config{"SQLite": {Path: filepath.Join(t.TempDir(), "x.db")}, "Postgres": {URL: postgrestest.Open(t)}} {
		if err := openAt(t, c).Migrate(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMigrateRefusesANewerDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	s := openAt(t, store.Config{Path: path})
	if _, err := rawAt(t, path).ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)"); err != nil {
		t.Fatal(err)
	}
	if err := s.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("migrate: %v, want it refused", err)
	}
}

func BenchmarkAppend(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.db")
	s, err := store.Open(b.Context(), store.Config{Path: path})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := s.Tenants().CreateTenant(b.Context(), "acme", scoring.DefaultPolicy(), func(tenants.Writer) error { return nil }); err != nil {
		b.Fatal(err)
	}
	for n := range b.N {
		if err := s.Tenants().Write(b.Context(), "acme", func(w tenants.Writer) error {
			return w.Append(audit.Event{Kind: audit.SignedIn, Actor: audit.Actor{Kind: "person", ID: fmt.Sprint(n)}})
		}); err != nil {
			b.Fatal(err)
		}
	}
}
