package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/store/organisation"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// CreateLink stores a link; with voidOthers every unused one of that kind goes first.
func (s tenantStore) CreateLink(ctx context.Context, l tenants.Link, voidOthers bool) error {
	return s.writeGlobal(ctx, func(db *gorm.DB) error {
		if voidOthers {
			// Of two programs that start at once, one voids the link of the other.
			if err := s.dialect.Queue(db, "links of kind "+string(l.Kind)); err != nil {
				return err
			}
			if err := db.Where("kind = ? AND used_at IS NULL", string(l.Kind)).Delete(&organisation.LinkRow{}).Error; err != nil {
				return err
			}
		}
		row := organisation.LinkRow{TokenHash: l.Hash, Kind: string(l.Kind), ExpiresAt: tables.Stamp(l.ExpiresAt)}
		if l.Person != "" {
			row.PersonID = &l.Person
		}
		return db.Create(&row).Error
	})
}

func (s tenantStore) Link(ctx context.Context, hash string) (l tenants.Link, err error) {
	err = s.readAt(ctx, func(db *gorm.DB, now time.Time) error {
		row, err := tables.One[organisation.LinkRow](organisation.LiveLink(db, hash, now), "no such link")
		l = row.Link()
		return err
	})
	return l, err
}

func (s tenantStore) UseLink(ctx context.Context, hash string) (l tenants.Link, err error) {
	err = s.writeAt(ctx, func(db *gorm.DB, now time.Time) (err error) {
		l, err = organisation.UseLink(db, hash, now)
		return err
	})
	return l, err
}
