package store

import (
	"context"
	"encoding/base64"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/tables"
)

// Sessions keeps sign-in sessions, as scs.CtxStore asks for it. The token that
// arrives here is already hashed (SessionManager.HashTokenInStore).
type Sessions struct{ s *Store }

// sessionsAtOnce bounds the values of one statement.
const sessionsAtOnce = 1000

// Sessions returns the session store.
func (s *Store) Sessions() Sessions { return Sessions{s} }

type sessionRow struct {
	TokenHash, Data string
	ExpiresAt       time.Time
}

func (sessionRow) TableName() string { return "sessions" }

// FindCtx returns the data of a session that has not expired.
func (x Sessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	err = x.s.readAt(ctx, func(db *gorm.DB, now time.Time) error {
		row, err := tables.One[sessionRow](db.Where("token_hash = ? AND expires_at > ?", token, now), "no such session")
		if fault.Is(err, fault.Missing) {
			return nil
		}
		if err != nil {
			return err
		}
		found = true
		data, err = base64.StdEncoding.DecodeString(row.Data)
		return err
	})
	return data, found, err
}

// Existing are those of these sessions that have not expired or ended.
func (x Sessions) Existing(ctx context.Context, tokens []string) (there []string, err error) {
	err = x.s.readAt(ctx, func(db *gorm.DB, now time.Time) error {
		for part := range slices.Chunk(tokens, sessionsAtOnce) {
			var some []string
			if err := db.Model(&sessionRow{}).Where("token_hash IN ? AND expires_at > ?", part, now).Pluck("token_hash", &some).Error; err != nil {
				return err
			}
			there = append(there, some...)
		}
		return nil
	})
	return there, err
}

// CommitCtx writes a session, and clears away those that have expired.
func (x Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	return x.s.writeAt(ctx, func(db *gorm.DB, now time.Time) error {
		if err := db.Where("expires_at <= ?", now).Delete(&sessionRow{}).Error; err != nil {
			return err
		}
		row := sessionRow{TokenHash: token, Data: base64.StdEncoding.EncodeToString(data), ExpiresAt: tables.Stamp(expiry)}
		return db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "token_hash"}}, DoUpdates: clause.AssignmentColumns([]string{"data", "expires_at"})}).Create(&row).Error
	})
}

// DeleteCtx ends a session.
func (x Sessions) DeleteCtx(ctx context.Context, token string) error {
	return x.s.writeGlobal(ctx, func(db *gorm.DB) error {
		return db.Where("token_hash = ?", token).Delete(&sessionRow{}).Error
	})
}

// Find, Commit and Delete complete scs.Store; the manager calls the forms with a
// context instead.
func (x Sessions) Find(token string) ([]byte, bool, error) {
	return x.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a context.
func (x Sessions) Commit(token string, data []byte, expiry time.Time) error {
	return x.CommitCtx(context.Background(), token, data, expiry)
}

// Delete is DeleteCtx without a context.
func (x Sessions) Delete(token string) error { return x.DeleteCtx(context.Background(), token) }
