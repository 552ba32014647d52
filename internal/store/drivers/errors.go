package drivers

import (
	"errors"

	"github.com/countersign/countersign/internal/fault"
)

// What went wrong, whichever database says it. Translate wraps them.
var (
	ErrTrigger = errors.New("refused by a trigger")
	ErrBusy    = errors.New("the database is busy")
	ErrLost    = errors.New("the database doesn't answer")
	ErrFull    = errors.New("the database can't be written")
	ErrAgain   = errors.New("the transaction must run again")
	ErrNoText  = errors.New("a value isn't text")
)

// IsFault reports whether err says already what a caller may see.
func IsFault(err error) bool {
	var f *fault.Error
	return errors.As(err, &f)
}
