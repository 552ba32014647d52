package drivers

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/fault"
)

// Who may do what on Postgres. No migration speaks of it: after the migrations,
// every table of the schema is brought to the same rules, so that none can be
// forgotten.

// oldestPostgres is the oldest major version that the suite runs on.
const oldestPostgres = 15

// Global are the tables that belong to no tenant, although they may name one.
var Global = []string{"tenants", "people", "sessions", "sign_in_links", "sign_in_failures", "leases", "goose_db_version"}

// The one policy of each table of tenant data, as Postgres prints it.
const (
	policyCondition = "(tenant_id = NULLIF(current_setting('app.tenant'::text, true), ''::text))"
	wantedPolicy    = "tenant: * " + policyCondition + " " + policyCondition
)

// migrationLock is the key under which programs migrate one after the other.
const migrationLock = 7168209351

func (Postgres) migrations() (goose.Dialect, string) {
	return goose.DialectPostgres, "*.sqlite.sql"
}

// Migrate works as the owner, on connections that are closed afterwards.
func (d Postgres) Migrate(ctx context.Context, _ *sql.DB, before func(from, to int64)) (err error) {
	pool := stdlib.OpenDB(*d.owner)
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return unreachable(ownerSetting, d.owner, err)
	}
	defer conn.Close() // and with it goes the lock
	var version int
	if err := conn.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int / 10000 FROM pg_advisory_lock($1)", int64(migrationLock)).Scan(&version); err != nil {
		return err
	}
	if version < oldestPostgres {
		return fault.Member(fault.InvalidSetting, ownerSetting, "this is Postgres %d; use %d or newer", version, oldestPostgres)
	}
	news, err := upgrade(ctx, d, pool, before)
	if err != nil {
		return allowed(err, d.owner.User)
	}
	changed, err := secure(ctx, conn, version)
	if len(changed) > 0 && !news && err == nil {
		d.log.WarnContext(ctx, "tables were not protected as this program left them; they are again", "tables", changed)
	}
	return allowed(err, d.owner.User)
}

// allowed says what to do when the owner may not.
func allowed(err error, user string) error {
	var said *pgconn.PgError
	if !errors.As(err, &said) || said.Code != "42501" {
		return err
	}
	name := pgx.Identifier{user}.Sanitize()
	return &fault.Error{
		Code: fault.InvalidSetting, Member: ownerSetting, Cause: err,
		Detail: fmt.Sprintf("Postgres answers: %s; %s must own the database and its tables and be a member of %s: as a superuser run CREATE ROLE %[3]s (if there is none) and GRANT %[3]s TO %[2]s", said.Message, name, servingRole),
	}
}

// table is what the catalog says about one table.
type table struct {
	name               string
	ofTenant           bool // has a column tenant_id
	secured            bool // row-level security, for its owner too
	policies           string
	noUpdate, noDelete bool // refused by a trigger whatever the row
	granted            string
}

const tablesQuery = `
	SELECT c.relname,
		EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attname = 'tenant_id' AND NOT attisdropped),
		c.relrowsecurity AND c.relforcerowsecurity,
		coalesce((SELECT string_agg(concat_ws(' ', polname || ':', polcmd, CASE WHEN polpermissive THEN NULL ELSE 'restrictive' END,
			CASE WHEN polroles = '{0}' THEN NULL ELSE 'some' END, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)), '; ' ORDER BY polname)
			FROM pg_policy WHERE polrelid = c.oid), ''),
		coalesce(bool_or(tgtype & 16 > 0), false), coalesce(bool_or(tgtype & 8 > 0), false),
		coalesce((SELECT string_agg(privilege_type, ', ' ORDER BY privilege_type) FROM aclexplode(c.relacl)
			WHERE grantee IN (0, (SELECT oid FROM pg_roles WHERE rolname = $1))), '')
	FROM pg_class c
	LEFT JOIN pg_trigger t ON tgrelid = c.oid AND NOT tgisinternal AND tgqual IS NULL AND tgattr = ''
		AND tgtype & 3 = 3 AND tgenabled = 'O' AND tgfoid::regproc::text = 'countersign_refuse'
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
	GROUP BY c.oid ORDER BY c.relname`

// querier is a connection, a transaction or a pool.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func tablesOf(ctx context.Context, db querier) (all []table, err error) {
	rows, err := db.QueryContext(ctx, tablesQuery, servingRole)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t table
		if err := rows.Scan(&t.name, &t.ofTenant, &t.secured, &t.policies, &t.noUpdate, &t.noDelete, &t.granted); err != nil {
			return nil, err
		}
		t.ofTenant = t.ofTenant && !slices.Contains(Global, t.name)
		all = append(all, t)
	}
	return all, rows.Err()
}

// wants is what the serving role may do: what a trigger refuses anyway is not
// granted either. In the order of the alphabet, as the catalog has it.
func (t table) wants() string {
	switch t.name {
	case "goose_db_version":
		return "SELECT"
	case "tenants":
		return "INSERT, SELECT"
	}
	all := []string{"INSERT", "SELECT"}
	if !t.noUpdate {
		all = append(all, "UPDATE")
	}
	if !t.noDelete {
		all = slices.Insert(all, 0, "DELETE")
	}
	return strings.Join(all, ", ")
}

// secure makes the serving role, and brings every table to the rules. Where all
// is as it should be it changes nothing, so it disturbs nobody who is at work. It
// returns the tables that were not.
func secure(ctx context.Context, conn *sql.Conn, version int) (changed []string, err error) {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	member := "MEMBER"
	if version >= 16 {
		member = "SET"
	}
	for _, statement := range []string{
		// Roles belong to the whole server: another database may be making it now.
		`DO $$ BEGIN
			IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '` + servingRole + `') THEN CREATE ROLE ` + servingRole + ` NOLOGIN; END IF;
		EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
		END $$`,
		`DO $$ BEGIN
			IF NOT pg_has_role(current_user, '` + servingRole + `', '` + member + `') THEN GRANT ` + servingRole + ` TO CURRENT_USER; END IF;
		END $$`,
		`DO $$ BEGIN
			IF NOT has_schema_privilege('` + servingRole + `', current_schema(), 'USAGE') THEN
				EXECUTE format('GRANT USAGE ON SCHEMA %I TO ` + servingRole + `', current_schema());
			END IF;
		END $$`,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return nil, fmt.Errorf("serving role: %w", err)
		}
	}
	all, err := tablesOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		steps := t.steps()
		if len(steps) > 0 {
			changed = append(changed, t.name)
		}
		for _, statement := range steps {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return nil, fmt.Errorf("row-level security of %s: %w", t.name, err)
			}
		}
	}
	return changed, tx.Commit()
}

// steps are the statements that bring a table to the rules.
func (t table) steps() (steps []string) {
	name := pgx.Identifier{t.name}.Sanitize()
	if t.granted != t.wants() {
		steps = append(steps, "REVOKE ALL ON "+name+" FROM PUBLIC, "+servingRole, "GRANT "+t.wants()+" ON "+name+" TO "+servingRole)
	}
	if !t.ofTenant {
		return steps
	}
	if !t.secured {
		steps = append(steps, "ALTER TABLE "+name+" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
	}
	if t.policies == "" {
		steps = append(steps, "CREATE POLICY tenant ON "+name+" USING "+policyCondition+" WITH CHECK "+policyCondition)
	}
	return steps
}

// Check refuses to serve where row-level security would not bind. It runs as one
// who serves.
func (d Postgres) Check(db *gorm.DB) error {
	conn, ok := db.Statement.ConnPool.(querier)
	if !ok {
		return fmt.Errorf("a transaction of type %T", db.Statement.ConnPool)
	}
	ctx := db.Statement.Context
	all, err := tablesOf(ctx, conn)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fault.Member(fault.InvalidSetting, ownerSetting, "the database is empty; run migrate first")
	}
	if err := d.checkUsers(db); err != nil {
		return err
	}
	for _, t := range all {
		switch {
		case !t.ofTenant:
		case !t.secured:
			return fault.Member(fault.InvalidSetting, ownerSetting, "row-level security of the table %s is off, so tenants wouldn't be kept apart; run migrate as the owner of the tables", t.name)
		case t.policies != wantedPolicy:
			return fault.Member(fault.InvalidSetting, ownerSetting, "the policies of the table %s aren't those of this program, so tenants might not be kept apart; drop them and run migrate", t.name)
		}
	}
	return nil
}

// checkUsers looks at the role, and where somebody else serves than migrates, at
// the user who took it too.
func (d Postgres) checkUsers(db *gorm.DB) error {
	users := []string{"current_user"}
	if d.serving != d.owner {
		users = append(users, "session_user")
	}
	for _, user := range users {
		var u struct {
			Name, Over, Owns string
			Sync             string
		}
		err := db.Raw(`
			SELECT u.name, current_setting('synchronous_commit') AS sync,
				coalesce((SELECT min(rolname) FROM pg_roles WHERE (rolsuper OR rolbypassrls) AND pg_has_role(u.name, oid, 'MEMBER')), '') AS over,
				coalesce((SELECT min(relname) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND pg_has_role(u.name, relowner, 'MEMBER')), '') AS owns
			FROM (SELECT ` + user + `::name AS name) u`).Scan(&u).Error
		switch {
		case err != nil:
			return err
		case d.Alone && user == "current_user" && u.Name != servingRole:
			return nil // who only reads, with rights of their own
		case u.Over != "":
			return fault.Member(fault.InvalidSetting, d.servingSetting(), "%s is superuser or has BYPASSRLS (by the role %s), so tenants wouldn't be kept apart; serve as another user: ALTER ROLE %s NOSUPERUSER NOBYPASSRLS", u.Name, u.Over, u.Name)
		case u.Owns != "":
			return fault.Member(fault.InvalidSetting, d.servingSetting(), "%s owns the table %s or is a member of its owner, so it could end row-level security; serve as a user who is only a member of %s", u.Name, u.Owns, servingRole)
		case u.Sync == "off":
			return fault.Member(fault.InvalidSetting, d.servingSetting(), "synchronous_commit is off, so an answer could be lost that was given; set it to on")
		}
	}
	return nil
}
