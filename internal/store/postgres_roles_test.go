package store_test

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/storetest"
	"github.com/countersign/countersign/internal/tenants"
)

// Whoever serves must not be able to see past row-level security, or to end it.
func TestPostgresRefusesAUserWhoCouldBypass(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attributes string
		before     []string // $user is who serves, $owner somebody who owns a table
		says       string   // empty: served
	}{
		"a member of the role":    {"", []string{"GRANT countersign_app TO $user"}, ""},
		"not a member":            {"", nil, "GRANT countersign_app TO"},
		"superuser":               {"SUPERUSER", []string{"GRANT countersign_app TO $user"}, "superuser"},
		"bypasses":                {"BYPASSRLS", []string{"GRANT countersign_app TO $user"}, "BYPASSRLS"},
		"member of who bypasses":  {"", []string{"GRANT countersign_app TO $user", "ALTER ROLE $owner BYPASSRLS", "GRANT $owner TO $user"}, "BYPASSRLS"},
		"owns a table":            {"", []string{"GRANT countersign_app TO $user", "ALTER TABLE challenges OWNER TO $user"}, "owns the table challenges"},
		"member of a table's own": {"", []string{"GRANT countersign_app TO $user", "ALTER TABLE challenges OWNER TO $owner", "GRANT $owner TO $user"}, "owns the table challenges"},
		"answers before the disk": {"", []string{"GRANT countersign_app TO $user", "ALTER ROLE $user SET synchronous_commit = off"}, "synchronous_commit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := postgrestest.Migrated(t)
			raw := postgrestest.SQL(t, dsn)
			user, owner := postgrestest.Role(t, raw, "LOGIN "+c.attributes), postgrestest.Role(t, raw, "")
			for _, statement := range c.before {
				mustRaw(t, raw, strings.NewReplacer("$user", user, "$owner", owner).Replace(statement))
			}
			serving := postgrestest.As(t, dsn, user)
			for _, readOnly := range []bool{false, true} {
				s, err := store.Open(t.Context(), store.Config{URL: dsn, ServingURL: serving, ReadOnly: readOnly})
				if err == nil && !readOnly {
					err = s.Migrate(t.Context())
				}
				if c.says == "" && err != nil {
					t.Errorf("read only %v: %v, want it served", readOnly, err)
				}
				if f := fault.As(err); c.says != "" && (!fault.Is(err, fault.InvalidSetting) || !strings.Contains(f.Error(), c.says)) {
					t.Errorf("read only %v: %v, want it refused with %q", readOnly, err, c.says)
				}
				if s != nil {
					_ = s.Close()
				}
			}
		})
	}
}

// A table that is not protected is refused by who only reads, put right by who
// migrates, and never silently.
func TestPostgresRefusesAnOpenTable(t *testing.T) {
	t.Parallel()
	for statement, says := range map[string]string{
		"ALTER TABLE grants DISABLE ROW LEVEL SECURITY":   "row-level security of the table grants is off",
		"ALTER TABLE grants NO FORCE ROW LEVEL SECURITY":  "row-level security of the table grants is off",
		"CREATE TABLE later (tenant_id TEXT PRIMARY KEY)": "row-level security of the table later is off",
		"DROP POLICY tenant ON grants":                    "policies of the table grants",
		"CREATE POLICY open ON grants USING (true)":       "policies of the table grants",
		"ALTER POLICY tenant ON grants USING (true)":      "policies of the table grants",
		"ALTER POLICY tenant ON grants TO pg_monitor":     "policies of the table grants",
		"DROP POLICY tenant ON grants; CREATE POLICY tenant ON grants FOR SELECT USING (tenant_id = NULLIF(current_setting('app.tenant', true), ''))": "policies of the table grants",
	} {
		t.Run(statement, func(t *testing.T) {
			t.Parallel()
			dsn := postgrestest.Migrated(t)
			mustRaw(t, postgrestest.SQL(t, dsn), statement)
			refused := func() {
				t.Helper()
				s, err := store.Open(t.Context(), store.Config{URL: dsn, ReadOnly: true})
				if !fault.Is(err, fault.InvalidSetting) || !strings.Contains(err.Error(), says) {
					t.Errorf("%v, want %q", err, says)
				}
				if s != nil {
					_ = s.Close()
				}
			}
			refused()
			var log bytes.Buffer
			s, err := store.Open(t.Context(), store.Config{URL: dsn, Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.Migrate(t.Context()); err != nil {
				// What somebody added on purpose is not dropped without asking.
				if !strings.Contains(err.Error(), says) || strings.Contains(says, "is off") {
					t.Errorf("migrate: %v", err)
				}
				refused()
				return
			}
			if !strings.Contains(log.String(), "WARN") {
				t.Errorf("it was put right, and nobody was told: %q", log.String())
			}
		})
	}
}

// What a trigger refuses, the serving role is not allowed in the first place; and
// the triggers refuse the superuser too.
func TestPostgresGrantsNoMoreThanNeeded(t *testing.T) {
	t.Parallel()
	db := openPostgres(t)
	storetest.Fill(t, db)
	tx, err := db.Raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	try := func(statement string) (code string) {
		t.Helper()
		for _, s := range []string{"SAVEPOINT a", "SET LOCAL app.tenant = 'acme'"} {
			if _, err := tx.ExecContext(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		_, err := tx.ExecContext(t.Context(), statement)
		if _, err := tx.ExecContext(t.Context(), "ROLLBACK TO SAVEPOINT a"); err != nil {
			t.Fatal(err)
		}
		var said *pgconn.PgError
		if err != nil && !errors.As(err, &said) {
			t.Fatal(err)
		}
		if err == nil {
			return ""
		}
		return said.Code
	}
	final := []string{"audit_events", "audit_logs", "approvals", "decisions", "executions", "policies", "grants", "signatures", "edits"}
	for _, table := range final {
		if code := try("TRUNCATE " + table + " CASCADE"); code != "23001" {
			t.Errorf("a superuser's TRUNCATE of %s: %q, want it refused by the trigger", table, code)
		}
	}
	if _, err := tx.ExecContext(t.Context(), "SET LOCAL ROLE countersign_app"); err != nil {
		t.Fatal(err)
	}
	const denied = "42501"
	for _, table := range final {
		for _, statement := range []string{"TRUNCATE " + table, "DELETE FROM " + table, "ALTER TABLE " + table + " DISABLE TRIGGER USER", "ALTER TABLE " + table + " DISABLE ROW LEVEL SECURITY"} {
			if code := try(statement); code != denied {
				t.Errorf("%s: %q, want it denied", statement, code)
			}
		}
	}
	for _, statement := range []string{
		"UPDATE audit_events SET kind = 'x'", "UPDATE decisions SET reason = 'x'", "UPDATE executions SET detail = 'x'", "UPDATE policies SET policy = 'x'",
		"UPDATE tenants SET created_at = created_at", "DELETE FROM tenants", "DELETE FROM goose_db_version", "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9, true)",
		"CREATE TABLE extra (x TEXT)", "CREATE ROLE another",
	} {
		if code := try(statement); code != denied {
			t.Errorf("%s: %q, want it denied", statement, code)
		}
	}
	for _, statement := range []string{"UPDATE challenges SET state = 'left'", "DELETE FROM sessions", "INSERT INTO policies SELECT tenant_id, version + 100, policy, created_at FROM policies"} {
		if code := try(statement); code != "" {
			t.Errorf("control: %s: %q, want it allowed", statement, code)
		}
	}
	// Another tenant's row cannot be written, nor an own row be given away.
	for _, statement := range []string{
		"INSERT INTO call_counts (tenant_id, agent_id, session_id, function, calls) VALUES ('beta', 'a', 's', 'f', 1)",
		"UPDATE memberships SET tenant_id = 'beta'",
	} {
		if code := try(statement); code != denied {
			t.Errorf("%s: %q, want it denied", statement, code)
		}
	}
}

// Without a tenant there is nothing, for whoever owns the tables either.
func TestPostgresWithoutATenantIsEmpty(t *testing.T) {
	t.Parallel()
	db := openPostgres(t)
	storetest.Fill(t, db)
	owner := postgrestest.Role(t, db.Raw, "")
	var tables []string
	collect(t, db.Raw, &tables, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relrowsecurity ORDER BY 1")
	if len(tables) < 15 {
		t.Fatalf("%d tables: %q", len(tables), tables)
	}
	mustRaw(t, db.Raw, "GRANT USAGE ON SCHEMA public TO "+owner)
	for _, table := range tables {
		mustRaw(t, db.Raw, "ALTER TABLE "+table+" OWNER TO "+owner)
	}
	tx, err := db.Raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	count := func(table, setting string) (n int) {
		t.Helper()
		if _, err := tx.ExecContext(t.Context(), "SELECT set_config('app.tenant', $1, true)", setting); err != nil {
			t.Fatal(err)
		}
		if err := tx.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count("approvals", ""); n == 0 {
		t.Error("control: a superuser sees nothing either")
	}
	if _, err := tx.ExecContext(t.Context(), "SET LOCAL ROLE "+owner); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if n := count(table, ""); n != 0 {
			t.Errorf("without a tenant the owner sees %d rows of %s", n, table)
		}
	}
	if n := count("approvals", "acme"); n == 0 {
		t.Error("control: with a tenant nothing is there either")
	}
}

// The owner needs to be no superuser.
func TestPostgresOwnerIsNoSuperuser(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Open(t)
	raw := postgrestest.SQL(t, dsn)
	postgrestest.Migrated(t) // so that the role is there, made by somebody else
	owner := postgrestest.Role(t, raw, "LOGIN CREATEROLE")
	mustRaw(t, raw, "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO "+owner+"', current_database()); END $$")
	var version int
	if err := raw.QueryRowContext(t.Context(), "SELECT current_setting('server_version_num')::int / 10000").Scan(&version); err != nil {
		t.Fatal(err)
	}
	if version >= 16 { // where CREATEROLE is about the roles that one made oneself
		s, err := store.Open(t.Context(), store.Config{URL: postgrestest.As(t, dsn, owner)})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Migrate(t.Context()); !fault.Is(err, fault.InvalidSetting) || !strings.Contains(err.Error(), "GRANT countersign_app TO") {
			t.Errorf("somebody else's role: %v, want it to say what to grant", err)
		}
		_ = s.Close()
		mustRaw(t, raw, "GRANT countersign_app TO "+owner)
	}
	s := openAt(t, store.Config{URL: postgrestest.As(t, dsn, owner)})
	tenant(t, s, "acme")
	if r, err := s.Audit().Verify(t.Context(), "acme"); err != nil || !r.OK || r.Size != 1 {
		t.Errorf("verify: %+v, %v", r, err)
	}
}

// Several servers that start at once migrate one after the other.
func TestPostgresMigratesOnce(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Open(t)
	const servers = 4
	errs := make(chan error, servers)
	for range servers {
		go func() {
			s, err := store.Open(t.Context(), store.Config{URL: dsn})
			if err == nil {
				err = errors.Join(s.Migrate(t.Context()), s.Close())
			}
			errs <- err
		}()
	}
	for range servers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestPostgresRefusesANewerSchema(t *testing.T) {
	t.Parallel()
	db := openPostgres(t)
	mustRaw(t, db.Raw, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)")
	if err := db.Store.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("migrate: %v, want it refused", err)
	}
}

func TestPostgresReadOnlyWritesNothing(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Migrated(t)
	tenant(t, openAt(t, store.Config{URL: dsn}), "acme")
	ro := openAt(t, store.Config{URL: dsn, ReadOnly: true})
	if r, err := ro.Audit().Verify(t.Context(), "acme"); err != nil || !r.OK || r.Size != 1 {
		t.Errorf("verify: %+v, %v", r, err)
	}
	err := ro.Tenants().Write(t.Context(), "acme", func(tenants.Writer) error { t.Error("fn ran"); return nil })
	if err == nil || ro.Migrate(t.Context()) == nil {
		t.Error("a store that was opened to read only writes")
	}
	// Not even what reads could.
	err = openAt(t, store.Config{URL: dsn}).Tenants().Read(t.Context(), "acme", func(r tenants.Reader) error {
		return r.(tenants.Writer).Append(audit.Event{Kind: audit.SignedIn, Actor: audit.Actor{Kind: "system"}})
	})
	if err == nil {
		t.Error("a transaction that reads wrote")
	}
}

func TestPostgresVerifyComparesGuards(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one call follows the other")
	for name, c := range map[string]struct{ edit, says string }{
		"dropped":             {"DROP TRIGGER audit_events_no_update ON audit_events", "audit_events_no_update is missing"},
		"disabled":            {"ALTER TABLE audit_events DISABLE TRIGGER audit_events_no_update", "audit_events_no_update isn't"},
		"replicas only":       {"ALTER TABLE audit_events ENABLE REPLICA TRIGGER audit_events_no_update", "audit_events_no_update isn't"},
		"changed":             {"CREATE OR REPLACE TRIGGER grants_once BEFORE UPDATE ON grants FOR EACH ROW WHEN (false) EXECUTE FUNCTION countersign_refuse('x')", "grants_once isn't"},
		"function":            {"CREATE OR REPLACE FUNCTION countersign_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'", "countersign_refuse isn't"},
		"size":                {"CREATE OR REPLACE FUNCTION countersign_next_event(tenant TEXT) RETURNS BIGINT LANGUAGE sql AS 'SELECT NULL::bigint'", "countersign_next_event isn't"},
		"added":               {"CREATE TRIGGER extra BEFORE INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()", `"extra" isn't`},
		"same name elsewhere": {"CREATE TRIGGER grants_once BEFORE UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION countersign_refuse('x')", "grants_once isn't"},
		"a rule":              {"CREATE RULE quiet AS ON UPDATE TO grants DO INSTEAD NOTHING", `"quiet" isn't`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openPostgres(t)
			storetest.Fill(t, db)
			mustRaw(t, db.Raw, c.edit)
			r, err := db.Store.Audit().Verify(t.Context(), "acme")
			if err != nil || r.OK || !strings.Contains(r.Problem, c.says) {
				t.Errorf("%+v, %v; want it to say %q", r, err, c.says)
			}
		})
	}
}

// Every key of tenant data begins with the tenant here too, by the catalog.
func TestPostgresKeysBeginWithTheTenant(t *testing.T) {
	t.Parallel()
	raw := postgrestest.SQL(t, postgrestest.Migrated(t))
	var tables, others []string
	collect(t, raw, &tables, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relrowsecurity AND relforcerowsecurity")
	collect(t, raw, &others, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY 1")
	if want := []string{"goose_db_version", "leases", "people", "sessions", "sign_in_failures", "sign_in_links", "tenants"}; len(tables) < 15 || !slices.Equal(others, want) {
		t.Errorf("%d tables have row-level security, and %q have not; want %q", len(tables), others, want)
	}
	global := "('" + strings.Join(others, "', '") + "')"
	for what, query := range map[string]string{
		"index": `SELECT i.relname FROM pg_index x JOIN pg_class c ON c.oid = indrelid JOIN pg_class i ON i.oid = indexrelid
			LEFT JOIN pg_attribute a ON attrelid = indrelid AND attnum = indkey[0]
			WHERE c.relnamespace = 'public'::regnamespace AND c.relname NOT IN ` + global + ` AND attname IS DISTINCT FROM 'tenant_id'`,
		"foreign key": `SELECT conname FROM pg_constraint JOIN pg_class c ON c.oid = conrelid JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
			WHERE contype = 'f' AND relnamespace = 'public'::regnamespace AND relname NOT IN ` + global + ` AND confrelid <> 'people'::regclass AND attname <> 'tenant_id'`,
		"table without a primary key": `SELECT relname FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
			AND NOT EXISTS (SELECT 1 FROM pg_index WHERE indrelid = c.oid AND indisprimary)`,
	} {
		var bad []string
		collect(t, raw, &bad, query)
		if len(bad) > 0 {
			t.Errorf("%s: %q", what, bad)
		}
	}
	var seen []string
	collect(t, raw, &seen, "SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class c ON c.oid = indrelid WHERE relnamespace = 'public'::regnamespace")
	if len(seen) < 30 {
		t.Errorf("%d indexes: the test no longer sees them", len(seen))
	}
}
