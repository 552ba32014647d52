package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"gorm.io/gorm"
)

// beginWithin is how long a write waits for its turn: for a connection, of which
// SQLite has one that writes, and for whoever holds the file. Without it everybody
// who came while the file was held would wait as long once more than the one before.
// Hundreds who come at once have their turns within it, on a slow disk too.
const beginWithin = 20 * time.Second

// hangs is how long nothing may come of a statement, or of a queue, before who waits is told
// that the database is busy. Agents and people are answered within five seconds.
const hangs = 4 * time.Second

// turns are those of the connections of one pool.
type turns struct {
	mu     sync.Mutex
	newest time.Time // when somebody had theirs
}

// begun runs fn in a transaction that begins in time, or not at all. How long it
// takes from then on is not limited.
func (q *turns) begun(ctx context.Context, db *gorm.DB, options *sql.TxOptions, fn func(*gorm.DB) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	came, inside, late := time.Now(), false, (*time.Timer)(nil)
	q.mu.Lock()
	late = time.AfterFunc(hangs, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		still := time.Since(q.newest)
		switch {
		case inside:
		case still < hangs && time.Since(came) < beginWithin-hangs:
			late.Reset(hangs - still) // the queue goes on
		default:
			end(errBusy)
		}
	})
	q.mu.Unlock()
	defer late.Stop()
	err := db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		q.mu.Lock()
		inside, q.newest = ctx.Err() == nil, time.Now()
		q.mu.Unlock()
		if !inside { // ctx takes the transaction back
			return ctx.Err()
		}
		return fn(tx)
	}, options)
	if errors.Is(context.Cause(ctx), errBusy) { // and not what the driver made of it
		return errBusy
	}
	return err
}
