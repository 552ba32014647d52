package command

import (
	"database/sql"
	"log/slog"
	"os"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/auth/authtest"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/storetest"
	"github.com/countersign/countersign/internal/tenants"
)

// TestVerifyFindsEditedAuthority: whatever somebody writes into the tables that say who
// may do what, the command ends with 1, and says where, and what it held the trail against.
func TestVerifyFindsEditedAuthority(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		verify := func(t *testing.T, want int, says string) {
			t.Helper()
			code, out, errs := command(t, "", "audit", "verify", "--data-dir", set.DataDir, "--database-url", set.DatabaseURL)
			if code != want || !strings.Contains(out, says) || !strings.Contains(out, "acme: held against the tables and triggers of the database") {
				t.Errorf("exit %d, %q %q; want %d and %q", code, out, errs, want, says)
			}
		}
		busyOrganisation(t, set)
		verify(t, 0, "acme: holds, ")
		storetest.EditEach(t, rawDatabase(t, set), set.DatabaseURL != "", storetest.AuthorityEdits, func(t *testing.T, says string) {
			verify(t, 1, says)
		})
		verify(t, 0, "acme: holds, ")
	})
}

// busyOrganisation fills a database as storetest.Busy does, and leaves it.
func busyOrganisation(t *testing.T, set Settings) {
	t.Helper()
	ctx := t.Context()
	if code, _, errs := command(t, "", "migrate", "--data-dir", set.DataDir, "--database-url", set.DatabaseURL); code != 0 {
		t.Fatal(errs)
	}
	if err := os.MkdirAll(set.DataDir, 0o700); err != nil { // Postgres needs none so far
		t.Fatal(err)
	}
	db, err := openStore(ctx, set, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	doors, err := openDoors(set.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	s := tenants.NewService(tenants.Config{Store: db.Tenants(), Passwords: authtest.Passwords(2), Doors: doors, Log: slog.New(slog.DiscardHandler)})
	people := map[string]auth.Member{}
	for tenant, members := range map[string]map[string]auth.Role{
		"acme":  {"adam": auth.Admin, "alma": auth.Admin, "ada": auth.Operator, "cleo": auth.Compliance},
		"rival": {"rita": auth.Admin},
	} {
		if err := s.CreateTenant(ctx, tenant); err != nil {
			t.Fatal(err)
		}
		for name, role := range members {
			p, err := s.CreatePerson(ctx, tenant, name+"@example.com", "", "", []auth.Role{role})
			if err != nil {
				t.Fatal(err)
			}
			people[name] = auth.Member{Tenant: tenant, Person: p, Roles: []auth.Role{role}}
		}
	}
	storetest.Busy(t, s, people, func() {})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// rawDatabase is the database past everything that the store checks.
func rawDatabase(t *testing.T, set Settings) *sql.DB {
	t.Helper()
	if set.DatabaseURL != "" {
		return postgrestest.SQL(t, set.DatabaseURL)
	}
	raw, err := sql.Open("sqlite", set.sqlitePath()+"?_pragma=busy_timeout(30000)") // a server writes, too
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := raw.Close(); err != nil {
			t.Error(err)
		}
	})
	return raw
}
