package store

import (
	"errors"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
)

// classify turns what a database says into a fault. What already is one, and a
// context that ended, stay what they are; anything else is Internal at the edge.
// That includes what a trigger refused: only a mistake of ours gets that far.
func classify(err error) error {
	var f *fault.Error
	var broken brokenEvent
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
		return noRoom(err)
	case errors.Is(err, drivers.ErrNoText):
		return &fault.Error{Code: fault.InvalidMember, Detail: "a text isn't UTF-8 or holds a NUL character; leave those out", Cause: err}
	}
	return err
}
