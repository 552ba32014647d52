package store

import (
	"context"
	"fmt"

	"github.com/countersign/countersign/migrations"
)

// Migrate brings the database to the current schema. A database that a newer
// program wrote is refused.
func (s *Store) Migrate(ctx context.Context) error {
	if s.writer == nil {
		return errReadOnly
	}
	pool, err := s.writer.DB()
	if err != nil {
		return err
	}
	p, err := s.dialect.migrator(pool, migrations.Files)
	if err != nil {
		return err
	}
	is, want, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if is > want {
		return fmt.Errorf("the database has schema %d and this program knows %d; run the newer program", is, want)
	}
	_, err = p.Up(ctx)
	return err
}
