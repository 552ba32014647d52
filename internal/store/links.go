package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

type linkRow struct {
	TokenHash, Kind string
	PersonID        *string
	ExpiresAt       time.Time
	UsedAt          *time.Time
}

func (linkRow) TableName() string { return "sign_in_links" }

// CreateLink stores a link; with voidOthers every unused one of that kind goes first.
func (s tenantStore) CreateLink(ctx context.Context, l tenants.Link, voidOthers bool) error {
	return s.writeGlobal(ctx, func(db *gorm.DB) error {
		if voidOthers {
			// Of two programs that start at once, one voids the link of the other.
			if err := s.dialect.Queue(db, "links of kind "+string(l.Kind)); err != nil {
				return err
			}
			if err := db.Where("kind = ? AND used_at IS NULL", string(l.Kind)).Delete(&linkRow{}).Error; err != nil {
				return err
			}
		}
		row := linkRow{TokenHash: l.Hash, Kind: string(l.Kind), ExpiresAt: stamp(l.ExpiresAt)}
		if l.Person != "" {
			row.PersonID = &l.Person
		}
		return db.Create(&row).Error
	})
}

func (r linkRow) link() tenants.Link {
	l := tenants.Link{Hash: r.TokenHash, Kind: tenants.LinkKind(r.Kind), ExpiresAt: stamp(r.ExpiresAt), UsedAt: stampPointer(r.UsedAt)}
	if r.PersonID != nil {
		l.Person = *r.PersonID
	}
	return l
}

// liveLink is the condition of a link that works. That of the first person is dead once
// there is one, however they came.
func liveLink(db *gorm.DB, hash string, now time.Time) *gorm.DB {
	return db.Where("token_hash = ? AND used_at IS NULL AND expires_at > ?", hash, now).
		Where("kind <> ? OR NOT EXISTS (SELECT 1 FROM people)", string(tenants.LinkFirstRun))
}

func (s tenantStore) Link(ctx context.Context, hash string) (l tenants.Link, err error) {
	err = s.readGlobal(ctx, func(db *gorm.DB) error {
		now, err := s.now(db)
		if err != nil {
			return err
		}
		row, err := one[linkRow](liveLink(db, hash, now), "no such link")
		l = row.link()
		return err
	})
	return l, err
}

func (s tenantStore) UseLink(ctx context.Context, hash string) (l tenants.Link, err error) {
	err = s.writeGlobal(ctx, func(db *gorm.DB) error {
		now, err := s.now(db)
		if err != nil {
			return err
		}
		l, err = useLink(db, hash, now)
		return err
	})
	return l, err
}

// UseLink marks a link as used inside this transaction.
func (t *tx) UseLink(hash string) (tenants.Link, error) { return useLink(t.db, hash, t.now) }

func useLink(db *gorm.DB, hash string, now time.Time) (tenants.Link, error) {
	row, err := one[linkRow](liveLink(db, hash, now), "no such link")
	if err != nil || row.Kind == string(tenants.LinkDemo) {
		return row.link(), err
	}
	used := liveLink(db.Table("sign_in_links"), hash, now).Update("used_at", now)
	return row.link(), changed(used, fault.New(fault.Missing, "no such link"))
}
