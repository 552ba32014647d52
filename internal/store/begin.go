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

// turns are those of one queue: of the connections of a pool, or of those who write to one log.
type turns struct {
	mu     sync.Mutex
	newest time.Time // when somebody had theirs
}

func (q *turns) moved() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.newest = time.Now()
}

// queued is who waits in one queue, or in one after the other. Its context ends with errBusy
// where nothing comes of that in time.
type queued struct {
	ctx  context.Context
	end  context.CancelCauseFunc
	late *time.Timer
	came time.Time

	mu     sync.Mutex
	in     []*turns // the last is that in which they wait
	inside bool
}

// queue joins one.
func (q *turns) queue(ctx context.Context) *queued {
	w := &queued{came: time.Now(), in: []*turns{q}}
	w.ctx, w.end = context.WithCancelCause(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late = time.AfterFunc(hangs, w.look)
	return w
}

// look gives up where the queue stands still, or has gone on for too long.
func (w *queued) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.in[len(w.in)-1]
	q.mu.Lock()
	still := time.Since(q.newest)
	q.mu.Unlock()
	switch {
	case w.inside:
	case still < hangs && time.Since(w.came) < beginWithin-hangs:
		w.late.Reset(hangs - still) // the queue goes on
	default:
		w.end(errBusy)
	}
}

// next waits in another queue from now on.
func (w *queued) next(q *turns) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.in = append(w.in, q)
}

// enter reports whether they had their turn in time; then nothing limits them any more.
func (w *queued) enter() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.inside = w.ctx.Err() == nil; w.inside {
		for _, q := range w.in {
			q.moved()
		}
	}
	return w.inside
}

func (w *queued) done() {
	w.late.Stop()
	w.end(nil)
}

// failed is an error as who waited is told it, and not what the driver made of it.
func (w *queued) failed(err error) error {
	if err != nil && errors.Is(context.Cause(w.ctx), errBusy) {
		return errBusy
	}
	return err
}

// begin runs fn in a transaction that begins in time, or not at all. How long it takes from
// then on is not limited.
func (w *queued) begin(db *gorm.DB, options *sql.TxOptions, fn func(*gorm.DB) error) error {
	defer w.done()
	return w.failed(db.WithContext(w.ctx).Transaction(func(tx *gorm.DB) error {
		if !w.enter() { // ctx takes the transaction back
			return w.ctx.Err()
		}
		return fn(tx)
	}, options))
}
