package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/store/drivers"
)

// beginWithin is how long a write waits for its turn: for a connection, of which
// SQLite has one that writes, and for whoever holds the file. Without it everybody
// who came while the file was held would wait as long once more than the one before.
// Hundreds who come at once have their turns within it, on a slow disk too.
const beginWithin = 20 * time.Second

// turns are those of one queue: of the connections of a pool, or of those who write to one log.
type turns struct {
	places *semaphore.Weighted // of the connections, first come, first served; nil: it has none

	mu     sync.Mutex
	newest time.Time // when somebody had theirs
}

func (q *turns) moved() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.newest = time.Now()
}

// queued is who waits in one queue, or in one after the other. Its context ends with ErrBusy
// where nothing comes of that in time.
type queued struct {
	ctx  context.Context
	end  context.CancelCauseFunc
	base context.Context
	late *time.Timer
	came time.Time

	mu     sync.Mutex
	in     []*turns // the last is that in which they wait
	inside bool
}

// waitIn joins a queue.
func waitIn(q *turns, ctx context.Context) *queued {
	w := &queued{came: time.Now(), base: ctx, in: []*turns{q}}
	w.ctx, w.end = context.WithCancelCause(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late = time.AfterFunc(drivers.Hangs, w.look)
	return w
}

// again waits in the same queue once more.
func (w *queued) again() *queued {
	w.mu.Lock()
	defer w.mu.Unlock()
	return waitIn(w.in[0], w.base)
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
	case still < drivers.Hangs && time.Since(w.came) < beginWithin-drivers.Hangs:
		w.late.Reset(drivers.Hangs - still) // the queue goes on
	default:
		w.end(drivers.ErrBusy)
	}
}

// next waits in another queue from now on.
func (w *queued) next(q *turns) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.in = append(w.in, q)
}

// moved tells who waits that the queues go on.
func (w *queued) moved() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, q := range w.in {
		q.moved()
	}
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
	if err != nil && errors.Is(context.Cause(w.ctx), drivers.ErrBusy) {
		return drivers.ErrBusy
	}
	return err
}

// begin runs fn in a transaction of a pool that begins in time, or not at all. How long it takes
// from then on is not limited.
func (w *queued) begin(pool *turns, db *gorm.DB, options *sql.TxOptions, fn func(*gorm.DB) error) error {
	defer w.done()
	w.next(pool)
	if pool.places != nil {
		if err := pool.places.Acquire(w.ctx, 1); err != nil {
			return w.failed(err)
		}
		defer pool.places.Release(1)
	}
	return w.failed(db.WithContext(w.ctx).Transaction(func(tx *gorm.DB) error {
		if !w.enter() { // ctx takes the transaction back
			return w.ctx.Err()
		}
		return fn(tx)
	}, options))
}
