package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/countersign/countersign/migrations"
)

// Migrate brings the database to the current schema and checks that it keeps
// tenants apart. A database that a newer program wrote is refused. Programs that
// start at once wait for each other.
func (s *Store) Migrate(ctx context.Context) error {
	if s.writer == nil {
		return errReadOnly
	}
	pool, err := s.writer.DB()
	if err != nil {
		return err
	}
	if err := s.dialect.migrate(ctx, pool); err != nil {
		return err
	}
	if s.reader == nil { // a schema in memory serves nobody
		return nil
	}
	return s.check(ctx)
}

// upgrade runs the migrations, but for those of the other database, and says
// whether there was one to run.
func upgrade(ctx context.Context, d goose.Dialect, db *sql.DB, others string) (some bool, err error) {
	names, err := fs.Glob(migrations.Files, others)
	if err != nil {
		return false, err
	}
	p, err := goose.NewProvider(d, db, migrations.Files, goose.WithDisableGlobalRegistry(true), goose.WithExcludeNames(names))
	if err != nil {
		return false, err
	}
	is, want, err := p.GetVersions(ctx)
	if err != nil {
		return false, err
	}
	if is > want {
		return false, fmt.Errorf("the database has schema %d and this program knows %d; run the newer program", is, want)
	}
	ran, err := p.Up(ctx)
	return len(ran) > 0, err
}
