package drivers

import (
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/countersign/countersign/internal/fault"
)

// Postgres migrates as one user and serves as another: row-level security
// does not bind a superuser, and the owner of a table could take it away.
type Postgres struct {
	owner   *pgx.ConnConfig // migrates
	serving *pgx.ConnConfig // serves, after SET ROLE; may be the same user
	Alone   bool            // nothing is written, by anybody in this process
	log     *slog.Logger
}

// servingRole is the role of every connection that serves.
const servingRole = "countersign_app"

// connections is how many connections each of the two pools opens at most.
const connections = 10

// The settings that name the two users.
const (
	ownerSetting   = "COUNTERSIGN_DATABASE_URL"
	servingSetting = "COUNTERSIGN_SERVING_DATABASE_URL"
)

// NewPostgres reads the two URLs; serving may be empty. No error repeats a URL:
// it holds a password.
func NewPostgres(owner, serving string, log *slog.Logger) (d Postgres, err error) {
	d.log = log
	if d.owner, err = parseURL(ownerSetting, owner); err != nil {
		return d, err
	}
	d.serving = d.owner
	if serving != "" {
		d.serving, err = parseURL(servingSetting, serving)
	}
	return d, err
}

func parseURL(setting, url string) (*pgx.ConnConfig, error) {
	c, err := pgx.ParseConfig(url)
	if err != nil || !isPostgres(url) {
		return nil, fault.Member(fault.InvalidSetting, setting, "it can't be read as a Postgres URL; write postgres://user:password@host:5432/database, with special characters percent-encoded")
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "countersign"
	}
	c.RuntimeParams["timezone"] = "UTC"
	return c, nil
}

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

func (d Postgres) OpenWriter() (*gorm.DB, error) { return open(d.server(false)) }

func (d Postgres) OpenReader(alone bool) (*gorm.DB, error) {
	if alone {
		return open(d.reading())
	}
	return open(d.server(true))
}

// reading is how a connection is made of which nobody waits for an answer. A user who may only
// read, of a backup or a standby, need not be a member of the role that serves.
func (d Postgres) reading() *pgx.ConnConfig {
	c := d.server(true)
	c.Tracer = nil
	ctx := context.Background()
	conn, err := pgx.ConnectConfig(ctx, c)
	if !refused(err) {
		if err == nil {
			_ = conn.Close(ctx) // it was a look
		}
		return c
	}
	itself, may := c.Copy(), false
	delete(itself.RuntimeParams, "role")
	if conn, err = pgx.ConnectConfig(ctx, itself); err == nil {
		err = errors.Join(conn.QueryRow(ctx, "SELECT has_table_privilege('audit_logs', 'SELECT')").Scan(&may), conn.Close(ctx))
	}
	if err != nil || !may {
		return c // whose refusal says what to do
	}
	return itself
}

// refused says that a user may not act as the role that serves, or that there is none.
func refused(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && strings.Contains(said.Message, servingRole)
}

// server is how a connection that serves is made. The role is a start-up
// parameter, so that RESET ROLE leads back to it.
func (d Postgres) server(reading bool) *pgx.ConnConfig {
	c := d.serving.Copy()
	c.RuntimeParams["role"] = servingRole
	c.RuntimeParams["lock_timeout"] = strconv.FormatInt(Hangs.Milliseconds(), 10)
	c.Tracer = limit{}
	c.RuntimeParams["idle_in_transaction_session_timeout"] = "60s"
	if reading {
		c.RuntimeParams["default_transaction_read_only"] = "on"
	}
	return c
}

func open(c *pgx.ConnConfig) (*gorm.DB, error) {
	pool := stdlib.OpenDB(*c)
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return gorm.Open(postgresDialector{&gormpostgres.Dialector{Config: &gormpostgres.Config{Conn: pool}}},
		&gorm.Config{TranslateError: true, Logger: logger.Discard, SkipDefaultTransaction: true, DisableAutomaticPing: true})
}

// Reach connects as the user who migrates: before the first migration nobody else
// can. Who only reads connects as one who serves.
func (d Postgres) Reach(ctx context.Context, _ *sql.DB, alone bool) error {
	setting, config := ownerSetting, d.owner
	if alone {
		setting, config = d.servingSetting(), d.reading()
	}
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return unreachable(setting, config, err)
	}
	return c.Close(ctx)
}

// servingSetting is the setting that says who serves.
func (d Postgres) servingSetting() string {
	if d.serving == d.owner {
		return ownerSetting
	}
	return servingSetting
}

// unreachable says in one line why there is no connection, and never the password.
func unreachable(setting string, c *pgx.ConnConfig, err error) error {
	var said *pgconn.PgError
	switch {
	case !errors.As(err, &said):
		f := fault.Member(fault.NotReady, setting, "no Postgres answers at %s, port %s; is it running?", c.Host, strconv.Itoa(int(c.Port)))
		f.Cause, f.RetryAfter = err, time.Second
		return f
	case strings.HasPrefix(said.Code, "57P"), said.Code == codeTooManyConnections:
		f := fault.Member(fault.NotReady, setting, "%s answers: %s", c.Host, said.Message)
		f.Cause, f.RetryAfter = err, time.Second
		return f
	case refused(err):
		return &fault.Error{
			Code: fault.InvalidSetting, Member: setting, Cause: err,
			Detail: fmt.Sprintf("%s answers: %s; run migrate, and, as a superuser, GRANT %s TO %s", c.Host, said.Message, servingRole, pgx.Identifier{c.User}.Sanitize()),
		}
	}
	return &fault.Error{Code: fault.InvalidSetting, Member: setting, Detail: c.Host + " answers: " + said.Message, Cause: err}
}

func (Postgres) Translate(err error) error {
	if err == nil || IsFault(err) {
		return err
	}
	return postgresDialector{&gormpostgres.Dialector{Config: &gormpostgres.Config{}}}.Translate(err)
}

func (Postgres) Options(reading bool) *sql.TxOptions {
	if reading {
		return &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	return &sql.TxOptions{Isolation: sql.LevelReadCommitted}
}

func (Postgres) OneWriter() bool { return false }

// Holding reads one moment. Where another server moved the log since, its row says so, and the
// transaction runs again.
func (Postgres) Holding() *sql.TxOptions {
	return &sql.TxOptions{Isolation: sql.LevelRepeatableRead}
}

// Enter sets what the policies of row-level security compare with.
func (Postgres) Enter(db *gorm.DB, tenant string) (now time.Time, err error) {
	err = db.Raw("SELECT clock_timestamp() FROM set_config('app.tenant', ?, true)", tenant).Scan(&now).Error
	return now, err
}

func (Postgres) Clock(db *gorm.DB) (now time.Time, err error) {
	err = db.Raw("SELECT clock_timestamp()").Scan(&now).Error
	return now, err
}

// ClockCanStep: the database's host keeps its own time, and transactions write
// their events in another order than they began.
func (Postgres) ClockCanStep() bool { return false }

func (Postgres) Locks() string { return " FOR UPDATE" }

func (Postgres) Holds(column string) string { return "strpos(" + column + ", ?) > 0" }

// Queue takes a lock that the end of the transaction gives back.
func (Postgres) Queue(db *gorm.DB, name string) error {
	return db.Exec("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name).Error
}

// postgresDialector translates the codes that gorm's does not know.
type postgresDialector struct{ *gormpostgres.Dialector }

// SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	codeNotNull            = "23502"
	codeRefused            = "23001" // raised by countersign_refuse
	codeSerialization      = "40001"
	codeDeadlock           = "40P01"
	codeLockTimeout        = "55P03"
	codeStatementTimeout   = "57014"
	codeIdleTimeout        = "25P03"
	codeDiskFull           = "53100"
	codeIOError            = "58030"
	codeNoText             = "22021" // a NUL, or bytes that are not UTF-8
	codeStalePlan          = "0A000"
	codeTooManyConnections = "53300"
)

func (d postgresDialector) Translate(err error) error {
	var said *pgconn.PgError
	if !errors.As(err, &said) {
		if lost(err) {
			return fmt.Errorf("%w: %w", ErrLost, err)
		}
		return err
	}
	switch code := said.Code; {
	case code == codeRefused:
		return fmt.Errorf("%w: %w", ErrTrigger, err)
	case code == codeNotNull:
		return fmt.Errorf("%w: %w", gorm.ErrCheckConstraintViolated, err)
	case code == codeSerialization, code == codeDeadlock,
		// Another program migrated; the connection has forgotten the plan by now.
		code == codeStalePlan && strings.Contains(said.Message, "cached plan"):
		return fmt.Errorf("%w: %w", ErrAgain, err)
	case code == codeLockTimeout, code == codeStatementTimeout:
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case code == codeDiskFull, code == codeIOError:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case code == codeNoText:
		return fmt.Errorf("%w: %w", ErrNoText, err)
	case strings.HasPrefix(code, "08"), strings.HasPrefix(code, "57P"), code == codeIdleTimeout, code == codeTooManyConnections:
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return d.Dialector.Translate(said)
}

// lost says whether the connection is gone. A context that ended says so itself.
func lost(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var failed *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &failed) || errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// wantedGuards is what guards returns on a database that is as it should be. A
// test holds it against one, and writes it with -update.
//
//go:embed postgres_guards.json
var wantedGuards []byte

func (Postgres) WantGuards() (want map[string]string, err error) {
	return want, json.Unmarshal(wantedGuards, &want)
}

// Guards lists triggers (one that is disabled says so), our functions, and rules,
// of which there are none.
func (Postgres) Guards(db *gorm.DB) (map[string]string, error) {
	var rows []struct{ Name, Definition string }
	err := db.Raw(`
		SELECT tgname AS name, pg_get_triggerdef(t.oid, true) || CASE tgenabled WHEN 'O' THEN '' ELSE ' (not enabled)' END AS definition
		FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
		WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
		UNION ALL
		SELECT proname, replace(pg_get_functiondef(oid), quote_ident(current_schema()) || '.', '') FROM pg_proc
		WHERE pronamespace = current_schema()::regnamespace AND starts_with(proname, 'countersign_')
		UNION ALL
		SELECT rulename, definition FROM pg_rules WHERE schemaname = current_schema()
		ORDER BY 1, 2`).Scan(&rows).Error
	all := make(map[string]string, len(rows))
	for _, r := range rows {
		all[r.Name] += r.Definition // two of one name are on two tables
	}
	return all, err
}
