package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
)

// A backup is a SQLite file, whichever database it is of. So it can be read and verified where
// it lies, without a server and without another program, and goes back into either.

// CopyTo writes the database as it is at one moment to a SQLite file that is not there yet.
// Nobody waits for it.
func (s *Store) CopyTo(ctx context.Context, path string, progress func(table string, rows int64)) error {
	if d, ok := s.dialect.(drivers.SQLite); ok {
		return d.VacuumInto(ctx, path)
	}
	to, err := Open(ctx, Config{Path: path, Log: s.log})
	if err != nil {
		return err
	}
	if err = to.Migrate(ctx); err == nil {
		err = to.Load(ctx, s, progress)
	}
	return errors.Join(err, to.Close())
}

// notCopied are the tables of which every database has its own.
var notCopied = []string{"goose_db_version", "sqlite_sequence", "leases"}

// Load writes every row of another database into this one, which is migrated and empty: all of
// them, or none. It reads them tenant by tenant, as row-level security wants it.
func (s *Store) Load(ctx context.Context, from *Store, progress func(table string, rows int64)) error {
	ctx = drivers.WithoutLimit(ctx)
	return from.readGlobal(ctx, func(src *gorm.DB) error {
		tenants, err := from.tenantsIn(src)
		if err != nil {
			return err
		}
		return s.dialect.Load(ctx, s.writeGlobal, func(dst *gorm.DB, tables []string) error {
			tables = slices.DeleteFunc(tables, func(t string) bool { return slices.Contains(notCopied, t) })
			for _, table := range tables {
				if slices.Contains(drivers.Global, table) {
					if err := copyRows(src.Table(table), dst, table, progress); err != nil {
						return err
					}
				}
			}
			for _, tenant := range tenants {
				if err := s.loadTenant(from, src, dst, tenant, tables, progress); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (s *Store) loadTenant(from *Store, src, dst *gorm.DB, tenant string, tables []string, progress func(string, int64)) error {
	_, entered := from.dialect.Enter(src, tenant)
	_, err := s.dialect.Enter(dst, tenant)
	if err := errors.Join(entered, err); err != nil {
		return err
	}
	var logs int64
	if err := src.Table("audit_logs").Where("tenant_id = ?", tenant).Count(&logs).Error; err != nil {
		return err
	}
	if logs == 0 {
		return fault.New(fault.InvalidSetting, "%s is in the table tenants, but nothing of it can be read: row-level security hides its rows, or they were left out when this database was dumped; look at its policies, or at how it came about", tenant)
	}
	for _, table := range tables {
		if !slices.Contains(drivers.Global, table) {
			if err := copyRows(src.Table(table).Where("tenant_id = ?", tenant), dst, table, progress); err != nil {
				return err
			}
		}
	}
	return nil
}

// copiedAtOnce is how many rows one statement writes: with all columns of the widest table
// fewer parameters than both databases take.
const copiedAtOnce = 200

func copyRows(q, dst *gorm.DB, table string, progress func(string, int64)) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("copy %s: %w", table, err)
		}
	}()
	rows, err := q.Rows()
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	n, batch := int64(0), []map[string]any{}
	write := func() error {
		if len(batch) == 0 {
			return nil
		}
		n += int64(len(batch))
		progress(table, n)
		err := dst.Table(table).Create(&batch).Error
		batch = batch[:0]
		return err
	}
	for rows.Next() {
		values, row := make([]any, len(columns)), make(map[string]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, c := range columns {
			if n, ok := values[i].(int64); ok && c.DatabaseTypeName() == "BOOLEAN" { // SQLite has none
				values[i] = n != 0
			}
			row[c.Name()] = values[i]
		}
		if batch = append(batch, row); len(batch) == copiedAtOnce {
			if err := write(); err != nil {
				return err
			}
		}
	}
	return errors.Join(rows.Err(), write())
}

// Vacant reports whether nobody has used this Postgres yet. It need not be migrated.
func (s *Store) Vacant(ctx context.Context) (bool, error) {
	d, ok := s.dialect.(drivers.Postgres)
	if !ok {
		return false, errors.ErrUnsupported
	}
	return d.Vacant(ctx)
}
