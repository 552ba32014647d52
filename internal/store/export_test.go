package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/live"
)

// Guards is what `audit verify` compares, and with what.
func (s *Store) Guards(ctx context.Context) (have, want map[string]string, err error) {
	if want, err = s.dialect.wantGuards(ctx); err != nil {
		return nil, nil, err
	}
	err = s.readGlobal(ctx, func(db *gorm.DB) (err error) {
		have, err = s.dialect.guards(db)
		return err
	})
	return have, want, err
}

// ReplicateEvery is Replicate with another poll, so that a test need not wait for
// it, or can do without.
func (s *Store) ReplicateEvery(ctx context.Context, hub *live.Hub, poll time.Duration) {
	s.replicate(ctx, hub, poll)
}
