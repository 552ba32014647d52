package tables

import (
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
)

// Classify turns what a database says into a fault. What already is one, and a
// context that ended, stay what they are; anything else is Internal at the edge.
// That includes what a trigger refused: only a mistake of ours gets that far.
func Classify(err error) error {
	var f *fault.Error
	var broken BrokenEvent
	switch {
	case err == nil, errors.As(err, &f):
		return err
	case errors.As(err, &broken):
		return &fault.Error{Code: fault.GrantUnproven, Detail: "an event of the audit trail isn't the one that was signed; don't act, and tell whoever runs this server: “countersign audit verify” says what's wrong", Cause: err}
	case errors.Is(err, gorm.ErrDuplicatedKey):
		return &fault.Error{Code: fault.AlreadyExists, Detail: "it already exists", Cause: err}
	case errors.Is(err, gorm.ErrForeignKeyViolated):
		// Every foreign key begins with the tenant, so the id of another tenant is
		// one that does not exist.
		return &fault.Error{Code: fault.Missing, Detail: "what this belongs to doesn't exist", Cause: err}
	case errors.Is(err, drivers.ErrBusy), errors.Is(err, drivers.ErrAgain):
		return &fault.Error{Code: fault.NotReady, Detail: "the database is busy; try again", Cause: err, RetryAfter: time.Second}
	case errors.Is(err, drivers.ErrLost):
		return &fault.Error{Code: fault.NotReady, Detail: "the database doesn't answer; try again", Cause: err, RetryAfter: time.Second}
	case errors.Is(err, drivers.ErrFull):
		return DiskFull(err)
	case errors.Is(err, drivers.ErrNoText):
		return &fault.Error{Code: fault.InvalidMember, Detail: "a text isn't UTF-8 or holds a NUL character; leave those out", Cause: err}
	}
	return err
}

// BrokenEvent says that an event is not what its own hash says.
type BrokenEvent struct {
	at      int64
	problem string
}

// Error names the event.
func (e BrokenEvent) Error() string { return fmt.Sprintf("event %d: %s", e.at, e.problem) }

// DiskFull is the fault of a database that cannot be written.
func DiskFull(cause error) error {
	f := fault.New(fault.NotReady, "the disk of the database is full, or fails, so nothing can be stored; make room on it, or repair it, then try again")
	f.Cause, f.RetryAfter = cause, 10*time.Second
	return f
}
