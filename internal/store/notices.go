package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/store/tables"
)

// Notices returns the database as package notices needs it.
func (s *Store) Notices() notices.Store {
	return noticeStore{adapter[notices.Reader, notices.Writer]{s}}
}

type noticeStore struct {
	adapter[notices.Reader, notices.Writer]
}

// takeLease leaves a lease with whoever has it until it ends.
const takeLease = `INSERT INTO leases (name, holder, until_at) VALUES (?, ?, ?)
	ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at
	WHERE leases.holder = excluded.holder OR leases.until_at <= ?`

// Lease makes holder the one in charge, unless somebody else is.
func (s noticeStore) Lease(ctx context.Context, work, holder string, life time.Duration) (held bool, err error) {
	err = s.writeAt(ctx, func(db *gorm.DB, now time.Time) error {
		r := db.Exec(takeLease, work, holder, tables.Stamp(now.Add(life)), tables.Stamp(now))
		held = r.RowsAffected > 0
		return r.Error
	})
	return held, err
}

// EndLease gives it back.
func (s noticeStore) EndLease(ctx context.Context, work, holder string) error {
	return s.writeGlobal(ctx, func(db *gorm.DB) error {
		return db.Exec("DELETE FROM leases WHERE name = ? AND holder = ?", work, holder).Error
	})
}
