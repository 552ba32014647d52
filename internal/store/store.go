package store

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/fault"
)

// Store is one database. It is safe for concurrent use. Close it.
type Store struct {
	dialect dialect
	writer  *gorm.DB // nil when opened to read only
	reader  *gorm.DB
	now     func() time.Time
	log     *slog.Logger
}

// Config says which database, and how.
type Config struct {
	URL      string           // empty: SQLite at Path
	Path     string           // of the SQLite file
	ReadOnly bool             // nothing is written, created or migrated
	Now      func() time.Time // SQLite's clock; nil: time.Now
	Log      *slog.Logger
}

// Open opens the database. It does not migrate.
func Open(ctx context.Context, c Config) (*Store, error) {
	s := &Store{dialect: sqliteDialect{path: c.Path}, now: c.Now, log: c.Log}
	if c.URL != "" {
		return nil, fault.New(fault.InvalidSetting, "only SQLite is supported; leave the database URL unset")
	}
	if s.now == nil {
		s.now = time.Now
	}
	if err := s.open(c.ReadOnly); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.Ready(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) open(readOnly bool) (err error) {
	if !readOnly {
		if s.writer, err = s.dialect.openWriter(); err != nil {
			return err
		}
	}
	s.reader, err = s.dialect.openReader(readOnly)
	return err
}

// Close closes every connection.
func (s *Store) Close() error {
	var failed []error
	for _, db := range []*gorm.DB{s.reader, s.writer} {
		if db == nil {
			continue
		}
		pool, err := db.DB()
		if err == nil {
			err = pool.Close()
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

var errReadOnly = errors.New("the database was opened to read only")

// Ready says whether the database answers.
func (s *Store) Ready(ctx context.Context) error {
	pool, err := s.reader.DB()
	if err != nil {
		return err
	}
	if err := pool.PingContext(ctx); err != nil {
		return &fault.Error{Code: fault.NotReady, Detail: "the database does not answer", Cause: err, RetryAfter: time.Second}
	}
	return nil
}

// tx is one transaction on one tenant: what the adapters are made of.
type tx struct {
	db     *gorm.DB
	tenant string
	now    time.Time
}

// Now is the database's clock, the same all through the transaction.
func (t *tx) Now() time.Time { return t.now }

// of begins a statement on a table of tenant data. Every such statement begins here.
func (t *tx) of(table string) *gorm.DB {
	return t.db.Table(table).Where(table+".tenant_id = ?", t.tenant)
}

// clock reads the database's clock. SQLite runs in this process, so its clock is ours.
func (s *Store) clock() time.Time { return stamp(s.now()) }

// stamp is a time as it is stored: UTC, microseconds.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// read runs fn on one consistent state of a tenant's data.
func (s *Store) read(ctx context.Context, tenant string, fn func(*tx) error) error {
	return s.readGlobal(ctx, func(db *gorm.DB) error {
		return fn(&tx{db: db, tenant: tenant, now: s.clock()})
	})
}

// write runs fn and commits all of it, or nothing.
func (s *Store) write(ctx context.Context, tenant string, fn func(*tx) error) error {
	return s.writeGlobal(ctx, func(db *gorm.DB) error {
		return fn(&tx{db: db, tenant: tenant, now: s.clock()})
	})
}

// readGlobal and writeGlobal are the doors for the tables that belong to no tenant.
func (s *Store) readGlobal(ctx context.Context, fn func(*gorm.DB) error) error {
	return classify(s.reader.WithContext(ctx).Transaction(fn))
}

func (s *Store) writeGlobal(ctx context.Context, fn func(*gorm.DB) error) error {
	if s.writer == nil {
		return errReadOnly
	}
	return classify(s.writer.WithContext(ctx).Transaction(fn))
}

// changed turns "the condition did not hold" into a fault.
func changed(r *gorm.DB, otherwise error) error {
	if r.Error != nil {
		return r.Error
	}
	if r.RowsAffected == 0 {
		return otherwise
	}
	return nil
}

// one reads a single row; no row is fault.Missing.
func one[T any](q *gorm.DB, what string) (T, error) {
	var row T
	r := q.Limit(1).Find(&row)
	return row, changed(r, fault.New(fault.Missing, "no such %s", what))
}
