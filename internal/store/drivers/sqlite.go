package drivers

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"modernc.org/sqlite"

	"github.com/countersign/countersign/internal/fault"
)

// SQLite is a file.
type SQLite struct {
	Path string
	Now  func() time.Time // its clock
}

// readers is how many connections read at once.
const readers = 4

// Common to every connection. Without the last two, times are stored in Go's
// print form and compare wrongly.
const common = "_pragma=busy_timeout(4000)&_pragma=foreign_keys(1)&_time_format=sqlite&_timezone=UTC"

// What makes a connection a writer, a reader beside it, or a reader of a file
// that must stay as it is (the journal mode is written into the file).
const (
	forWriting     = "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate"
	forReading     = "&_pragma=query_only(1)"
	forReadingOnly = "&_pragma=query_only(1)&mode=ro"
	onReadOnlyDisk = forReadingOnly + "&immutable=1"
)

func (d SQLite) dsn(more string) string {
	return "file:" + (&url.URL{Path: d.Path}).EscapedPath() + "?" + common + more
}

func (d SQLite) OpenWriter() (*gorm.DB, error) {
	// The file holds secrets' hashes and people's addresses: nobody else reads it.
	f, err := os.OpenFile(d.Path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("database file: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return d.open(forWriting, 1)
}

func (d SQLite) OpenReader(alone bool) (*gorm.DB, error) {
	if alone {
		if _, err := os.Stat(d.Path); err != nil {
			return nil, fault.New(fault.InvalidSetting, "there is no database at %s; name its directory with --data-dir", d.Path)
		}
		db, err := d.open(forReadingOnly, readers)
		var e *sqlite.Error
		if errors.As(err, &e) && e.Code()&primaryCode == codeCantOpen { // it can't make the files that it keeps beside it
			return d.openUnchanging()
		}
		return db, err
	}
	return d.open(forReading, readers)
}

// openUnchanging reads a database in a directory that can't be written, where nobody else
// writes either: a server has a write-ahead log beside it. What is in one is not in the
// database yet.
func (d SQLite) openUnchanging() (*gorm.DB, error) {
	if log, err := os.Stat(d.Path + "-wal"); err == nil && log.Size() > 0 {
		return nil, fault.New(fault.InvalidSetting, "%s-wal has changes that aren't in %[1]s yet, and they can't be read in a directory that can't be written; copy both files into one that can, and name it with --data-dir", d.Path)
	}
	return d.open(onReadOnlyDisk, readers)
}

func (d SQLite) open(more string, connections int) (*gorm.DB, error) {
	db, err := gorm.Open(sqliteDialector{d.dsn(more)},
		&gorm.Config{TranslateError: true, Logger: logger.Discard, SkipDefaultTransaction: true})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", d.Path, err)
	}
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return db, nil
}

// SQLite's extended result codes (https://www.sqlite.org/rescode.html).
const (
	codeBusy              = 5
	codeIO                = 10
	codeFull              = 13
	codeCantOpen          = 14
	codePrimaryKey        = 1555
	codeUnique            = 2067
	codeForeignKey        = 787
	codeCheck             = 275
	codeTrigger           = 1811
	primaryCode           = 0xff
	codeConstraintNotNull = 1299
)

// existsAlready is how the triggers against REPLACE begin their message.
const existsAlready = "exists already: "

// Translate turns the driver's codes into errors of gorm and of errors.go.
func (d sqliteDialector) Translate(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case codePrimaryKey, codeUnique:
		return gorm.ErrDuplicatedKey
	case codeForeignKey:
		return gorm.ErrForeignKeyViolated
	case codeCheck, codeConstraintNotNull:
		return gorm.ErrCheckConstraintViolated
	case codeTrigger:
		if strings.Contains(e.Error(), existsAlready) {
			return gorm.ErrDuplicatedKey
		}
		return fmt.Errorf("%w: %s", ErrTrigger, e.Error())
	}
	switch e.Code() & primaryCode {
	case codeBusy:
		return fmt.Errorf("%w: %s", ErrBusy, e.Error())
	case codeFull, codeIO:
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

func (d SQLite) Reach(ctx context.Context, reader *sql.DB, _ bool) error {
	if err := reader.PingContext(ctx); err != nil {
		return &fault.Error{Code: fault.NotReady, Detail: "the database doesn't answer", Cause: err, RetryAfter: time.Second}
	}
	return nil
}

func (SQLite) migrations() (goose.Dialect, string) {
	return goose.DialectSQLite3, "*.postgres.sql"
}

// Migrate has one user, who may all.
func (d SQLite) Migrate(ctx context.Context, writer *sql.DB, before func(from, to int64)) error {
	_, err := upgrade(ctx, d, writer, before)
	return err
}

func (SQLite) Check(*gorm.DB) error { return nil }

func (SQLite) Translate(err error) error {
	if err == nil || IsFault(err) {
		return err
	}
	return sqliteDialector{}.Translate(err)
}

// Options are the defaults: what a connection may do is in its DSN.
func (SQLite) Options(bool) *sql.TxOptions { return nil }

func (SQLite) OneWriter() bool { return true }

func (SQLite) Holding() *sql.TxOptions { return nil }

// Enter has nobody to name a tenant to. SQLite runs in this process, so its clock
// is ours.
func (d SQLite) Enter(*gorm.DB, string) (time.Time, error) { return d.Now(), nil }

func (d SQLite) Clock(*gorm.DB) (time.Time, error) { return d.Now(), nil }

// ClockCanStep: whoever sets this machine's clock sets ours.
func (SQLite) ClockCanStep() bool { return true }

// Locks: there is one writer.
func (SQLite) Locks() string { return "" }

func (SQLite) Holds(column string) string { return "instr(" + column + ", ?) > 0" }

// Queue has nothing to do: there is one writer.
func (SQLite) Queue(*gorm.DB, string) error { return nil }

// Guards lists the triggers.
func (SQLite) Guards(db *gorm.DB) (map[string]string, error) {
	var rows []struct{ Name, SQL string }
	if err := db.Raw("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").Scan(&rows).Error; err != nil {
		return nil, err
	}
	all := make(map[string]string, len(rows))
	for _, r := range rows {
		all[r.Name] = r.SQL
	}
	return all, nil
}

func (SQLite) WantGuards() (map[string]string, error) {
	return sqliteGuards()
}

// sqliteGuards migrates an empty database in memory and lists its triggers. One
// program has one schema, so once is enough.
var sqliteGuards = sync.OnceValues(func() (map[string]string, error) {
	d := SQLite{Path: ":memory:", Now: time.Now}
	db, err := d.open("", 1)
	if err != nil {
		return nil, err
	}
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	if _, err := upgrade(context.Background(), d, pool, nil); err != nil {
		return nil, fmt.Errorf("schema in memory: %w", err)
	}
	return d.Guards(db)
})
