package store

import (
	"context"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/store/organisation"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// AnyPerson reports whether somebody can sign in.
func (s tenantStore) AnyPerson(ctx context.Context) (some bool, err error) {
	err = s.readGlobal(ctx, func(db *gorm.DB) error {
		var ids []string
		err := db.Table("people").Limit(1).Pluck("person_id", &ids).Error
		some = len(ids) > 0
		return err
	})
	return some, err
}

func (s tenantStore) PersonByEmail(ctx context.Context, email string) (p auth.Person, hash string, err error) {
	err = s.readGlobal(ctx, func(db *gorm.DB) error {
		row, err := tables.One[organisation.PersonRow](db.Where("email = ?", strings.ToLower(email)), "no such person")
		p, hash = row.Person(), row.PasswordHash
		return err
	})
	return p, hash, err
}

// Account is Person with what belongs to no tenant.
func (s tenantStore) Account(ctx context.Context, id string) (a tenants.Account, err error) {
	err = s.readGlobal(ctx, func(db *gorm.DB) error {
		row, err := tables.One[organisation.PersonRow](db.Where("person_id = ?", id), "no such person")
		a = tenants.Account{Person: row.Person(), PasswordHash: row.PasswordHash, SessionsFrom: tables.StampPointer(row.SessionsFrom)}
		return err
	})
	return a, err
}

func (s tenantStore) SetPassword(ctx context.Context, person, hash string) error {
	return s.writeAt(ctx, func(db *gorm.DB, now time.Time) error { return organisation.SetPassword(db, person, hash, now) })
}

func (s tenantStore) EndAllSessions(ctx context.Context, person string) error {
	return s.writeAt(ctx, func(db *gorm.DB, now time.Time) error { return organisation.EndAllSessions(db, person, now) })
}

func (s tenantStore) Person(ctx context.Context, id string) (auth.Person, error) {
	a, err := s.Account(ctx, id)
	return a.Person, err
}
