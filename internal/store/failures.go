package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// Failures to sign in. They are of no tenant, because a person is of none.

type failureRow struct {
	Name     string
	Failures int
	EndsAt   time.Time
}

func (failureRow) TableName() string { return "sign_in_failures" }

func failuresOf(rows []failureRow) map[string]tenants.Failures {
	all := make(map[string]tenants.Failures, len(rows))
	for _, r := range rows {
		all[r.Name] = tenants.Failures{Count: r.Failures, Until: tables.Stamp(r.EndsAt)}
	}
	return all
}

// Failures returns what counts under these names.
func (s tenantStore) Failures(ctx context.Context, names ...string) (all map[string]tenants.Failures, now time.Time, err error) {
	err = s.readAt(ctx, func(db *gorm.DB, at time.Time) error {
		now = at
		var rows []failureRow
		err := db.Where("name IN ? AND ends_at > ?", names, now).Find(&rows).Error
		all = failuresOf(rows)
		return err
	})
	return all, now, err
}

// countFailure begins anew what counts no more, so nothing has to be thrown out of what
// accounts and addresses share.
const countFailure = `INSERT INTO sign_in_failures (name, failures, ends_at) VALUES (?, 1, ?)
	ON CONFLICT (name) DO UPDATE SET
		failures = CASE WHEN sign_in_failures.ends_at > ? THEN sign_in_failures.failures + 1 ELSE 1 END,
		ends_at = CASE WHEN sign_in_failures.ends_at > ? THEN sign_in_failures.ends_at ELSE excluded.ends_at END
	RETURNING name, failures, ends_at`

// CountFailures counts one more under each. Names are of three kinds and each comes once,
// in one order: so no two transactions wait for each other.
func (s tenantStore) CountFailures(ctx context.Context, limits ...auth.Limit) (all map[string]tenants.Failures, now time.Time, err error) {
	err = s.writeAt(ctx, func(db *gorm.DB, at time.Time) error {
		now = at
		rows := make([]failureRow, len(limits))
		for i, l := range limits {
			if err := db.Raw(countFailure, l.Name, tables.Stamp(now.Add(l.Last)), now, now).Scan(&rows[i]).Error; err != nil {
				return err
			}
		}
		all = failuresOf(rows)
		return nil
	})
	return all, now, err
}

// TakeBackFailures counts one less under each, and forgets some that count no more: of
// browsers there is a new name with every sign-in.
func (s tenantStore) TakeBackFailures(ctx context.Context, limits ...auth.Limit) error {
	return s.writeAt(ctx, func(db *gorm.DB, now time.Time) error {
		for _, l := range limits {
			less := gorm.Expr("failures - 1")
			if l.Forgiving {
				less = gorm.Expr("0")
			}
			if err := db.Table("sign_in_failures").Where("name = ? AND failures > 0", l.Name).Update("failures", less).Error; err != nil {
				return err
			}
		}
		return db.Where("name IN (?)", db.Table("sign_in_failures").Select("name").Where("ends_at <= ?", now).Order("ends_at").Limit(100)).Delete(&failureRow{}).Error
	})
}
