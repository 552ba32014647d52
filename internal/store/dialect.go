package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
)

// upgrading runs the migrations, and says whether there was one to run.
type upgrading func(ctx context.Context, db *sql.DB) (some bool, err error)

// dialect is all that differs between databases.
type dialect interface {
	openWriter() (*gorm.DB, error)
	// openReader opens connections that cannot write. alone says that nobody writes
	// in this process, so that a file that does not exist must not be created.
	openReader(alone bool) (*gorm.DB, error)
	// reach asks the database for a sign of life before anything is migrated.
	reach(ctx context.Context, reader *sql.DB, alone bool) error
	// migrations says how goose calls the database, and which files are for others.
	migrations() (d goose.Dialect, others string)
	// migrate calls upgrade with who may migrate; writer is the pool of openWriter.
	migrate(ctx context.Context, writer *sql.DB, upgrade upgrading) error
	// load calls fill in one transaction that no trigger keeps from anything, with the tables in
	// the order in which their rows can be written. s is migrated.
	load(ctx context.Context, s *Store, fill func(db *gorm.DB, tables []string) error) error
	// check refuses a database on which a promise of this package would not hold.
	check(db *gorm.DB) error
	// translate turns what the driver says into errors of gorm and of errors.go. What
	// carries a fault stays what it is.
	translate(err error) error

	// oneWriter says that one transaction writes at a time, whichever organisation it is of.
	oneWriter() bool
	// options are those of a transaction.
	options(reading bool) *sql.TxOptions
	// holding are those of a transaction that holds a log: all that it reads is of one moment.
	holding() *sql.TxOptions
	// enter is the first thing in the transaction of a tenant: it names the tenant
	// to the database and reads the clock.
	enter(db *gorm.DB, tenant string) (time.Time, error)
	// clock reads the clock in the transaction of no tenant.
	clock(db *gorm.DB) (time.Time, error)
	// clockCanStep says whether the clock is one that can be set back under us.
	clockCanStep() bool
	// queue makes the transactions that call it with one name wait for each other.
	queue(db *gorm.DB, name string) error

	// holds is the condition that a column holds a text.
	holds(column string) string

	// guards lists what refuses edits, name → definition; wantGuards what it must be.
	guards(db *gorm.DB) (map[string]string, error)
	wantGuards() (map[string]string, error)
}
