package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"sync/atomic"
	"time"

	"gorm.io/gorm"
)

// disk remembers that the database could not be written, so that pages and probes say so,
// until it can be again.
type disk struct{ none atomic.Bool }

func (d *disk) full(ctx context.Context, log *slog.Logger, cause error) {
	if !d.none.Swap(true) {
		log.ErrorContext(ctx, "ALARM: the disk of the database is full, or fails; nothing is stored until it has room", "cause", cause)
	}
}

// trySize is how much is written to see whether there is room: about what a submission takes.
const trySize = 256 << 10

// tryDisk looks, where there was no room, whether there is again, and takes back what it wrote.
// What is written can't be pressed together.
func (s *Store) tryDisk(ctx context.Context) error {
	if !s.disk.none.Load() {
		return nil
	}
	some := make([]byte, trySize/2)
	_, _ = rand.Read(some) // never fails
	err := s.writeGlobal(ctx, func(db *gorm.DB) error {
		return db.Exec(takeLease, "room", hex.EncodeToString(some), time.Unix(0, 0).UTC(), time.Unix(1, 0).UTC()).Error
	})
	if err == nil {
		err = s.writeGlobal(ctx, func(db *gorm.DB) error { return db.Exec("DELETE FROM leases WHERE name = ?", "room").Error })
	}
	if err != nil {
		return err
	}
	s.disk.none.Store(false)
	s.log.WarnContext(ctx, "the disk of the database has room again")
	return nil
}
