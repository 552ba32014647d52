package tables

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
	"github.com/countersign/countersign/internal/store/logstate"
)

// Tx is one transaction on the tables of one tenant.
type Tx struct {
	DB      *gorm.DB
	Tenant  string
	At      time.Time // Now
	Writes  bool
	Holds   bool             // it writes, and has the log for itself
	Known   map[string]Known // what it has read already, by name; nil: nothing
	Sums    Sums
	Acting  *auth.Agent // who came with a key; nil: nobody did
	Dialect drivers.Dialect
	Clock   func(*gorm.DB) (time.Time, error) // the time to go by
	// Rights are those of members as the log says; outdated says that these aren't the newest.
	Rights func(outdated func(*logstate.Rights) bool) (*logstate.Rights, error)
}

// New is a transaction whose statements find it.
func New(db *gorm.DB, tenant string, writes bool) *Tx {
	t := &Tx{Tenant: tenant, Writes: writes, Sums: Sums{}}
	t.DB = db.WithContext(context.WithValue(db.Statement.Context, inTx{}, t))
	return t
}

// Now is the database's clock: the same all through a transaction; of one that writes, from
// when it held the log.
func (t *Tx) Now() time.Time { return t.At }

// Of begins a statement on a table of tenant data. Every such statement begins here.
func (t *Tx) Of(table string) *gorm.DB {
	return t.DB.Table(table).Where(table+".tenant_id = ?", t.Tenant)
}

// Stamp is a time as it is stored: UTC, microseconds.
func Stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Changed turns "the condition did not hold" into a fault.
func Changed(r *gorm.DB, otherwise error) error {
	if r.Error != nil {
		return r.Error
	}
	if r.RowsAffected == 0 {
		return otherwise
	}
	return nil
}

// One reads a single row; no row is fault.Missing, with this detail.
func One[T any](q *gorm.DB, none string, args ...any) (T, error) {
	var row T
	r := q.Limit(1).Find(&row)
	if errors.Is(r.Error, drivers.ErrNoText) { // nothing can have such a name
		return row, fault.New(fault.Missing, none, args...)
	}
	return row, Changed(r, fault.New(fault.Missing, none, args...))
}

// Each reads the rows of a statement; read says what each of them is.
func Each[R, T any](q *gorm.DB, read func(R) (T, error)) ([]T, error) {
	var rows []R
	err := q.Find(&rows).Error
	all := make([]T, len(rows))
	for i, r := range rows {
		if err == nil {
			all[i], err = read(r)
		}
	}
	return all, err
}

// All is Each where nothing can go wrong with a row.
func All[R, T any](q *gorm.DB, read func(R) T) ([]T, error) {
	return Each(q, func(r R) (T, error) { return read(r), nil })
}
