package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/organisation"
	"github.com/countersign/countersign/internal/store/pages"
	"github.com/countersign/countersign/internal/store/reconcile"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// Store is one database. It is safe for concurrent use. Close it.
type Store struct {
	dialect drivers.Dialect
	writer  *gorm.DB // nil when opened to read only
	reader  *gorm.DB
	log     *slog.Logger
	clock   *clock
	reading turns // of reader
	writing turns // of writer
	disk    disk
	heads   Heads       // nil: nothing is written
	trails  sync.Map    // by organisation: *trail
	queues  sync.Map    // of those who write, by name: *lane
	deaf    atomic.Bool // whether it hears no other server at the moment

	upgrading func(from, to int64) // may be nil
}

// Config says which database, and how.
type Config struct {
	URL        string               // of Postgres (postgres://…), as the user who migrates; empty: SQLite at Path
	ServingURL string               // of the same database, as the user who serves; empty: URL
	Path       string               // of the SQLite file
	ReadOnly   bool                 // nothing is written, created or migrated
	Now        func() time.Time     // SQLite's clock; nil: time.Now. Postgres has its own
	Uptime     func() time.Duration // what the clock is held against; nil: that of the machine, or nothing for a clock that is given
	Log        *slog.Logger         // nil: nothing is logged
	Heads      Heads                // as SignWith; nil: none yet
	Upgrading  func(from, to int64) // told before the schema of a database that has one changes; nil: nobody is
}

// Open opens the database. It does not migrate: before Migrate, Postgres has
// nobody who could serve.
func Open(ctx context.Context, c Config) (*Store, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	d, err := dialectOf(c)
	if err != nil {
		return nil, err
	}
	if c.Uptime == nil && (c.Now == nil || c.URL != "") {
		c.Uptime = uptime
	}
	s := &Store{dialect: d, log: c.Log, heads: c.Heads, upgrading: c.Upgrading, clock: &clock{log: c.Log, uptime: c.Uptime}}
	if err := s.open(ctx, c.ReadOnly); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func dialectOf(c Config) (drivers.Dialect, error) {
	if c.URL != "" {
		d, err := drivers.NewPostgres(c.URL, c.ServingURL, c.Log)
		d.Alone = c.ReadOnly
		return d, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return drivers.SQLite{Path: c.Path, Now: c.Now}, nil
}

func (s *Store) open(ctx context.Context, readOnly bool) (err error) {
	if !readOnly {
		if s.writer, err = s.dialect.OpenWriter(); err != nil {
			return err
		}
	}
	if s.reader, err = s.dialect.OpenReader(readOnly); err != nil {
		return err
	}
	for db, queue := range map[*gorm.DB]*turns{s.reader: &s.reading, s.writer: &s.writing} {
		if db != nil {
			pool, err := db.DB()
			if err != nil {
				return err
			}
			queue.places = semaphore.NewWeighted(int64(pool.Stats().MaxOpenConnections))
			db.Logger = drivers.LogStatements(db, s.log)
			if err := tables.ForgetWhatChanges(db); err != nil {
				return err
			}
		}
	}
	if readOnly {
		if err := s.reach(ctx, true); err != nil {
			return err
		}
		pool, err := s.reader.DB()
		if err != nil {
			return err
		}
		if err := drivers.CheckSchema(ctx, s.dialect, pool); err != nil {
			return err
		}
		return s.readGlobal(ctx, s.dialect.Check)
	}
	return s.reach(ctx, false)
}

func (s *Store) reach(ctx context.Context, alone bool) error {
	pool, err := s.reader.DB()
	if err != nil {
		return err
	}
	return s.dialect.Reach(ctx, pool, alone)
}

// Migrate brings the database to the current schema and checks that it keeps
// tenants apart. A database that a newer program wrote is refused. Programs that
// start at once wait for each other.
func (s *Store) Migrate(ctx context.Context) error {
	if s.writer == nil {
		return errReadOnly
	}
	pool, err := s.writer.DB()
	if err != nil {
		return err
	}
	if err := s.dialect.Migrate(ctx, pool, s.upgrading); err != nil {
		return err
	}
	return s.check(ctx)
}

// check refuses a database that cannot be served, or on which tenants would not
// be kept apart.
func (s *Store) check(ctx context.Context) error {
	if err := s.reach(ctx, true); err != nil {
		return err
	}
	return s.readGlobal(ctx, s.dialect.Check)
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

var (
	errReadOnly = errors.New("the database was opened to read only")
	errRead     = errors.New("nothing was written, so there is nothing to commit")
)

// Ready says whether the database answers and can be written, and whether its clock goes on.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.tryDisk(ctx); err != nil {
		return err
	}
	err := s.readGlobal(ctx, func(db *gorm.DB) error {
		_, err := s.now(db)
		return err
	})
	return errors.Join(err, s.Trouble())
}

// Trouble is why nothing can be written at the moment, as far as it was seen; nil: nothing is
// known to keep anybody from it. It asks nobody and is quick.
func (s *Store) Trouble() error {
	if s.disk.none.Load() {
		return tables.DiskFull(nil)
	}
	return s.clock.trouble()
}

// tx is one transaction on one tenant: what the adapters are made of.
type tx struct {
	*tables.Tx
	pages.Pages
	organisation.Organisation
	reconcile.Checks
	store *Store

	// What follows is of a transaction that holds the log.
	group    *group          // nil: it doesn't
	refusal  error           // nor does this one, because the log is refused: it can only say no
	state    *logstate.State // what the log says, without what was appended
	head     audit.Head
	appended []appended
	snapshot *audit.Snapshot
	said     []string        // what was said before and is among what was appended
	unlock   func()          // gives the state back; nil: it isn't held
	anew     *FirstSignature // nil: the head must be signed
}

// read runs fn on one consistent state of a tenant's data.
func (s *Store) read(ctx context.Context, tenant string, fn func(*tx) error) error {
	return s.readGlobal(ctx, func(db *gorm.DB) error { return s.enter(db, tenant, false, fn) })
}

// write runs fn, which has the log for itself, and commits all of it, or nothing. fn may run
// again, from the start, after a deadlock.
func (s *Store) write(ctx context.Context, tenant string, fn func(*tx) error) error {
	return s.perform(oneAct(ctx, tenant, false, fn))
}

// writeEach is write for several tenants, which fn enters one after the other. All that it reads
// is of one moment, so that what is compared with the log is what is used, and nobody of this
// process moves the log in that moment.
func (s *Store) writeEach(ctx context.Context, tenants []string, fn func(enter func(tenant string, fn func(*tx) error) error) error) error {
	return s.perform(&act{ctx: ctx, tenants: tenants, run: func(g *group, db *gorm.DB) error {
		return fn(func(tenant string, fn func(*tx) error) error { return g.enter(db, tenant, fn) })
	}})
}

// writeAside is write for what no event tells of. It doesn't wait for the log, and nobody who
// does waits for it.
func (s *Store) writeAside(ctx context.Context, tenant string, fn func(*tx) error) error {
	return s.writeGlobal(ctx, func(db *gorm.DB) error { return s.enter(db, tenant, true, fn) })
}

func (s *Store) enter(db *gorm.DB, tenant string, writes bool, fn func(*tx) error) error {
	now, err := s.dialect.Enter(db, tenant)
	if err = s.dialect.Translate(err); errors.Is(err, drivers.ErrNoText) {
		return fault.New(fault.Missing, "no such organisation")
	}
	if err != nil {
		return err
	}
	t := s.in(db, tenant, writes)
	if t.At, err = s.clock.hold(tables.Stamp(now)); err != nil && writes {
		return err
	}
	return fn(t)
}

func (s *Store) in(db *gorm.DB, tenant string, writes bool) *tx {
	b := tables.New(db, tenant, writes)
	b.Dialect, b.Clock = s.dialect, s.now
	of := requests.Requests{Tx: b}
	t := &tx{Tx: b, Pages: pages.Pages{Requests: of}, Organisation: organisation.Organisation{Tx: b}, store: s}
	t.Checks = reconcile.New(b, of, t.Organisation, t)
	b.Rights = t.rights
	return t
}

// readGlobal and writeGlobal are the doors for the tables that belong to no tenant.
func (s *Store) readGlobal(ctx context.Context, fn func(*gorm.DB) error) error {
	var said error
	err := waitIn(&s.reading, ctx).begin(&s.reading, s.reader, s.dialect.Options(true), func(tx *gorm.DB) error {
		said = fn(tx)
		return errRead
	})
	if errors.Is(err, errRead) {
		err = said
	}
	return s.toCaller(ctx, err)
}

func (s *Store) writeGlobal(ctx context.Context, fn func(*gorm.DB) error) error {
	return s.perform(&act{ctx: ctx, run: func(_ *group, db *gorm.DB) error { return fn(db) }})
}

// readAt and writeAt are these with the database's clock.
func (s *Store) readAt(ctx context.Context, fn func(db *gorm.DB, now time.Time) error) error {
	return s.readGlobal(ctx, s.at(fn))
}

func (s *Store) writeAt(ctx context.Context, fn func(db *gorm.DB, now time.Time) error) error {
	return s.writeGlobal(ctx, s.at(fn))
}

func (s *Store) at(fn func(db *gorm.DB, now time.Time) error) func(*gorm.DB) error {
	return func(db *gorm.DB) error {
		now, err := s.now(db)
		if err != nil {
			return err
		}
		return fn(db, now)
	}
}

// toCaller is what a caller learns of an error. gorm translates most errors, but not
// those of statements that are written out. Whoever gave up is told so, and not
// what the driver made of it.
func (s *Store) toCaller(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if err = s.dialect.Translate(err); errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", drivers.ErrBusy, err) // the limit of a statement
	}
	if errors.Is(err, drivers.ErrFull) {
		s.disk.full(ctx, s.log, err)
	}
	err = tables.Classify(err)
	if ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return err
}
