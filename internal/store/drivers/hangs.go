package drivers

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Hangs is how long nothing may come of a statement, or of a queue, before who waits is told
// that the database is busy. Agents and people are answered within five seconds.
const Hangs = 4 * time.Second

// limit ends a statement of which nothing comes: the server stands still, or the way to it.
type limit struct{}

// endless marks the context of what may take as long as it takes.
type endless struct{}

// WithoutLimit lets statements take as long as they take.
func WithoutLimit(ctx context.Context) context.Context {
	return context.WithValue(ctx, endless{}, true)
}

// TraceQueryStart is asked for the context of each statement.
func (limit) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	if ctx.Value(endless{}) != nil {
		return ctx
	}
	limited, end := context.WithTimeoutCause(ctx, Hangs+Hangs/8, ErrBusy) // what waits for a lock ends before
	return context.WithValue(limited, limit{}, end)
}

// TraceQueryEnd is told when its last row was read.
func (limit) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	if end, ok := ctx.Value(limit{}).(context.CancelFunc); ok {
		end()
	}
}
