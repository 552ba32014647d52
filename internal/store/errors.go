package store

import (
	"errors"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/fault"
)

var (
	errTrigger = errors.New("refused by a trigger")
	errBusy    = errors.New("the database is busy")
	errLost    = errors.New("the database doesn't answer")
	errFull    = errors.New("the database can't be written")
	errAgain   = errors.New("the transaction must run again")
	errRead    = errors.New("nothing was written, so there is nothing to commit")
	errNoText  = errors.New("a value isn't text")
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
	case errors.Is(err, errBusy), errors.Is(err, errAgain):
		return &fault.Error{Code: fault.NotReady, Detail: "the database is busy; try again", Cause: err, RetryAfter: time.Second}
	case errors.Is(err, errLost):
		return &fault.Error{Code: fault.NotReady, Detail: "the database doesn't answer; try again", Cause: err, RetryAfter: time.Second}
	case errors.Is(err, errFull):
		return noRoom(err)
	case errors.Is(err, errNoText):
		return &fault.Error{Code: fault.InvalidMember, Detail: "a text isn't UTF-8 or holds a NUL character; leave those out", Cause: err}
	}
	return err
}

// isFault reports whether err says already what a caller may see.
func isFault(err error) bool {
	var f *fault.Error
	return errors.As(err, &f)
}
