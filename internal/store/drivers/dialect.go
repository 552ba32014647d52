package drivers

import (
	"context"
	"database/sql"
	"time"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
)

// Dialect is all that differs between databases.
type Dialect interface {
	// OpenWriter opens connections that write, and makes the database where there can be none.
	OpenWriter() (*gorm.DB, error)
	// OpenReader opens connections that cannot write. alone says that nobody writes
	// in this process, so that a file that does not exist must not be created.
	OpenReader(alone bool) (*gorm.DB, error)
	// Reach asks the database for a sign of life before anything is migrated.
	Reach(ctx context.Context, reader *sql.DB, alone bool) error
	// migrations says how goose calls the database, and which files are for others.
	migrations() (d goose.Dialect, others string)
	// Migrate runs the migrations as who may; writer is the pool of OpenWriter. before is told
	// the versions of a database that has a schema already, and may be nil.
	Migrate(ctx context.Context, writer *sql.DB, before func(from, to int64)) error
	// Load calls fill in one transaction that no trigger keeps from anything, with the tables in
	// the order in which their rows can be written. write runs one of who serves.
	Load(ctx context.Context, write func(context.Context, func(*gorm.DB) error) error, fill func(db *gorm.DB, tables []string) error) error
	// Check refuses a database on which a promise of the store would not hold.
	Check(db *gorm.DB) error
	// Translate turns what the driver says into errors of gorm and of errors.go. What
	// carries a fault stays what it is.
	Translate(err error) error

	// OneWriter says that one transaction writes at a time, whichever organisation it is of.
	OneWriter() bool
	// Options are those of a transaction.
	Options(reading bool) *sql.TxOptions
	// Holding are those of a transaction that holds a log: all that it reads is of one moment.
	Holding() *sql.TxOptions
	// Enter is the first thing in the transaction of a tenant: it names the tenant
	// to the database and reads the clock.
	Enter(db *gorm.DB, tenant string) (time.Time, error)
	// Clock reads the clock in the transaction of no tenant.
	Clock(db *gorm.DB) (time.Time, error)
	// ClockCanStep says whether the clock is one that can be set back under us.
	ClockCanStep() bool
	// Queue makes the transactions that call it with one name wait for each other.
	Queue(db *gorm.DB, name string) error

	// Locks ends a statement whose rows nobody else may change until the transaction ends.
	Locks() string
	// Holds is the condition that a column holds a text.
	Holds(column string) string

	// Guards lists what refuses edits, name → definition; WantGuards what it must be.
	Guards(db *gorm.DB) (map[string]string, error)
	WantGuards() (map[string]string, error)
}

// Listening is a database on which several servers can work.
type Listening interface {
	// Notify sends a payload to every listener.
	Notify(db *gorm.DB, payload string) error
	// Listen calls connected when it hears everything from then on, and heard for each
	// payload, until the connection is cut or ctx ends.
	Listen(ctx context.Context, connected func(), heard func(payload string)) error
}
