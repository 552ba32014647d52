package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store/organisation"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// Tenants returns the database as package tenants needs it.
func (s *Store) Tenants() tenants.Store {
	return tenantStore{adapter[tenants.Reader, tenants.Writer]{s}}
}

type tenantStore struct {
	adapter[tenants.Reader, tenants.Writer]
}

type tenantRow struct {
	TenantID  string
	CreatedAt time.Time
}

func (tenantRow) TableName() string { return "tenants" }

// Now is the database's clock.
func (s tenantStore) Now(ctx context.Context) (now time.Time, err error) {
	err = s.readAt(ctx, func(_ *gorm.DB, at time.Time) error {
		now = at
		return nil
	})
	return now, err
}

// WriteEach enters one tenant after the other in one transaction. Who calls names them in one
// order, so that two such transactions do not wait for each other.
func (s tenantStore) WriteEach(ctx context.Context, slugs []string, fn func(w tenants.Writer, tenant string) error) error {
	return s.writeEach(ctx, slugs, func(enter func(string, func(*tx) error) error) error {
		for _, slug := range slugs {
			if err := enter(slug, func(t *tx) error { return fn(t, slug) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// CreateTenant inserts the tenant, its first policy and its empty log, then runs
// fn in the same transaction.
func (s tenantStore) CreateTenant(ctx context.Context, slug string, p scoring.Policy, fn func(tenants.Writer) error) error {
	first, err := organisation.PolicyRowOf(slug, tenants.PolicyVersion{Version: 1, Policy: p})
	if err != nil {
		return err
	}
	return s.write(ctx, slug, func(t *tx) error {
		head := tables.NewLogRow(slug, audit.Head{})
		for _, row := range []any{&tenantRow{slug, t.At}, &head} {
			if err := tables.Classify(t.DB.Create(row).Error); fault.Is(err, fault.AlreadyExists) {
				return fault.Member(fault.AlreadyExists, "slug", "there's already an organisation %s; choose another short name", slug)
			} else if err != nil {
				return err
			}
		}
		if err := t.hold(); err != nil {
			return err
		}
		first.CreatedAt = t.At
		if err := t.DB.Create(&first).Error; err != nil {
			return err
		}
		return fn(t)
	})
}

// tenants lists every slug.
func (s *Store) tenants(ctx context.Context) (slugs []string, err error) {
	err = s.readGlobal(ctx, func(db *gorm.DB) error {
		slugs, err = s.tenantsIn(db)
		return err
	})
	return slugs, err
}

func (*Store) tenantsIn(db *gorm.DB) (slugs []string, err error) {
	err = db.Table("tenants").Order("tenant_id").Pluck("tenant_id", &slugs).Error
	return slugs, err
}
