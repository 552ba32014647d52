package drivers

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// VacuumInto copies the database as it is at one moment to a file that is not there yet.
func (d SQLite) VacuumInto(ctx context.Context, path string) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // SQLite would take another mode
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	db, err := d.open("&mode=ro", 1)
	if err != nil {
		return err
	}
	pool, err := db.DB()
	if err != nil {
		return err
	}
	return errors.Join(db.WithContext(ctx).Exec("VACUUM INTO ?", path).Error, pool.Close())
}

// Load drops the triggers and makes them again.
func (d SQLite) Load(ctx context.Context, write func(context.Context, func(*gorm.DB) error) error, fill func(*gorm.DB, []string) error) error {
	return write(ctx, func(db *gorm.DB) error {
		guards, err := d.Guards(db)
		if err != nil {
			return err
		}
		var tables []string
		if err := db.Raw("SELECT name FROM sqlite_master WHERE type = 'table'").Scan(&tables).Error; err != nil {
			return err
		}
		if err := db.Exec("PRAGMA defer_foreign_keys = ON").Error; err != nil {
			return err
		}
		for name := range guards {
			if err := db.Exec("DROP TRIGGER " + name).Error; err != nil {
				return err
			}
		}
		if err := fill(db, tables); err != nil {
			return err
		}
		for _, definition := range guards {
			if err := db.Exec(definition).Error; err != nil {
				return err
			}
		}
		return nil
	})
}

// Load works as the owner, who may switch triggers off. A table was made after those that it
// refers to, so the oldest comes first.
func (d Postgres) Load(ctx context.Context, _ func(context.Context, func(*gorm.DB) error) error, fill func(*gorm.DB, []string) error) error {
	return d.asOwner(ctx, func(db *gorm.DB) error {
		var tables []string
		if err := db.Raw("SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY oid").Scan(&tables).Error; err != nil {
			return err
		}
		triggers := func(turn string) error {
			for _, t := range tables {
				if err := db.Exec("ALTER TABLE " + pgx.Identifier{t}.Sanitize() + " " + turn + " TRIGGER USER").Error; err != nil {
					return err
				}
			}
			return nil
		}
		if err := triggers("DISABLE"); err != nil {
			return err
		}
		if err := fill(db, slices.Clone(tables)); err != nil {
			return err
		}
		return triggers("ENABLE")
	})
}

func (d Postgres) asOwner(ctx context.Context, fn func(*gorm.DB) error) error {
	db, err := open(d.owner)
	if err != nil {
		return err
	}
	pool, err := db.DB()
	if err != nil {
		return err
	}
	return errors.Join(db.WithContext(ctx).Transaction(fn), pool.Close())
}

// Vacant reports whether nobody has used this database yet. It need not be migrated.
func (d Postgres) Vacant(ctx context.Context) (vacant bool, err error) {
	err = d.asOwner(ctx, func(db *gorm.DB) error {
		var made bool
		if err := db.Raw("SELECT to_regclass('tenants') IS NOT NULL").Scan(&made).Error; err != nil || !made {
			vacant = !made
			return err
		}
		return db.Raw("SELECT NOT EXISTS (SELECT 1 FROM tenants) AND NOT EXISTS (SELECT 1 FROM people)").Scan(&vacant).Error
	})
	return vacant, err
}
