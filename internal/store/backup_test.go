package store_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/storetest"
)

func silent(string, int64) {}

// owned is an empty Postgres of an owner whom row-level security binds.
func owned(t *testing.T) (dsn, as string) {
	t.Helper()
	dsn = postgrestest.Open(t)
	raw := postgrestest.SQL(t, dsn)
	postgrestest.Migrated(t) // so that the role that serves is there
	owner := postgrestest.Role(t, raw, "LOGIN CREATEROLE")
	mustRaw(t, raw, "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO "+owner+"', current_database()); END $$")
	mustRaw(t, raw, "GRANT countersign_app TO "+owner)
	return dsn, postgrestest.As(t, dsn, owner)
}

// What a Postgres has in every table comes back as it was by way of the SQLite file of a backup,
// with the triggers that guard it, also where no user is above row-level security.
func TestCopyAndLoad(t *testing.T) {
	t.Parallel()
	var raw [2]storetest.Database
	var as [2]string
	for i := range raw {
		dsn, owner := owned(t)
		as[i] = owner
		raw[i] = storetest.Database{Raw: postgrestest.SQL(t, dsn), Disarm: disableTriggers}
		s, err := store.Open(t.Context(), store.Config{URL: owner})
		if err != nil {
			t.Fatal(err)
		}
		if vacant, err := s.Vacant(t.Context()); err != nil || !vacant {
			t.Errorf("a new one: %v, %v", vacant, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		raw[i].Store = openAt(t, store.Config{URL: owner})
		if vacant, err := raw[i].Store.Vacant(t.Context()); err != nil || !vacant {
			t.Errorf("one that is migrated: %v, %v", vacant, err)
		}
	}
	storetest.Plant(t, raw[0])
	reader := postgrestest.Role(t, raw[0].Raw, "LOGIN")
	mustRaw(t, raw[0].Raw, "GRANT pg_read_all_data TO "+reader)
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := openAt(t, store.Config{URL: postgrestest.As(t, as[0], reader), ReadOnly: true}).CopyTo(t.Context(), path, silent); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "again.db")
	if err := openAt(t, store.Config{Path: path}).CopyTo(t.Context(), again, silent); err != nil {
		t.Fatal(err)
	}
	if err := raw[1].Store.Load(t.Context(), openAt(t, store.Config{Path: again}), silent); err != nil {
		t.Fatal(err)
	}
	all := func(db storetest.Database) string {
		rows := []string{of(t, db, "acme"), of(t, db, "beta")}
		for _, table := range []string{"tenants", "people", "sessions", "sign_in_links", "sign_in_failures"} {
			collect(t, db.Raw, &rows, "SELECT '"+table+" ' || x::text FROM "+table+" x ORDER BY x::text")
		}
		return strings.Join(rows, "\n")
	}
	if was, is := all(raw[0]), all(raw[1]); was != is || strings.Count(was, " 0 ") > strings.Count(was, "\n")/2 {
		t.Errorf("it was\n%s\nand is\n%s", was, is)
	}
	if have, want, err := raw[1].Store.Guards(t.Context()); err != nil || !maps.Equal(have, want) {
		t.Errorf("the guards are not those of this program: %v", err)
	}
	if vacant, err := raw[1].Store.Vacant(t.Context()); err != nil || vacant {
		t.Errorf("one with tenants: %v, %v", vacant, err)
	}
}

// A database whose rows can't be read, or were left out by whoever dumped it, has no copy.
func TestCopyRefusesHiddenRows(t *testing.T) {
	t.Parallel()
	db := openPostgres(t)
	tenant(t, db.Store, "acme")
	mustRaw(t, db.Raw, "INSERT INTO tenants (tenant_id, created_at) VALUES ('hidden', now())")
	err := db.Store.CopyTo(t.Context(), filepath.Join(t.TempDir(), "copy.db"), silent)
	if !fault.Is(err, fault.InvalidSetting) || !strings.Contains(err.Error(), "row-level security") || !strings.Contains(err.Error(), "hidden") {
		t.Errorf("%v", err)
	}
}
