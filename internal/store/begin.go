package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
)

// beginWithin is how long a write waits for its turn: for a connection, of which
// SQLite has one that writes, and for whoever holds the file. Without it everybody
// who came while the file was held would wait as long once more than the one before.
// Hundreds who come at once have their turns within it, on a slow disk too.
const beginWithin = 20 * time.Second

// begun runs fn in a transaction that begins in time, or not at all. How long it
// takes from then on is not limited.
func (s *Store) begun(ctx context.Context, fn func(*gorm.DB) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	late := time.AfterFunc(beginWithin, func() { end(errBusy) })
	defer late.Stop()
	err := s.writer.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if !late.Stop() { // ctx takes the transaction back
			return errBusy
		}
		return fn(tx)
	}, s.dialect.options(false))
	if errors.Is(context.Cause(ctx), errBusy) { // and not what the driver made of it
		return errBusy
	}
	return err
}
