package store

import (
	"context"
	"database/sql"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/countersign/countersign/internal/fault"
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
	if err := s.dialect.migrate(ctx, pool, s.upgrade); err != nil {
		return err
	}
	if s.reader == nil { // a schema in memory serves nobody
		return nil
	}
	return s.check(ctx)
}

// schema is what migrates a database, and the versions that it has and should have. One
// that a newer program wrote is refused.
func (s *Store) schema(ctx context.Context, db *sql.DB) (p *goose.Provider, is, want int64, err error) {
	d, others := s.dialect.migrations()
	names, err := fs.Glob(migrations.Files, others)
	if err != nil {
		return nil, 0, 0, err
	}
	p, err = goose.NewProvider(d, db, migrations.Files, goose.WithDisableGlobalRegistry(true), goose.WithExcludeNames(names))
	if err != nil {
		return nil, 0, 0, err
	}
	is, want, err = p.GetVersions(ctx)
	if err == nil && is > want {
		err = fault.New(fault.InvalidSetting, "the database has schema %d and this program knows %d; run the newer program", is, want)
	}
	return p, is, want, err
}

// upgrade runs the migrations, and says whether there was one to run.
func (s *Store) upgrade(ctx context.Context, db *sql.DB) (some bool, err error) {
	p, is, want, err := s.schema(ctx, db)
	if err != nil {
		return false, err
	}
	if is > 0 && is < want && s.upgrading != nil {
		s.upgrading(is, want)
	}
	ran, err := p.Up(ctx)
	return len(ran) > 0, err
}

// checkSchema refuses to read what this program would read wrongly.
func (s *Store) checkSchema(ctx context.Context) error {
	pool, err := s.reader.DB()
	if err != nil {
		return err
	}
	_, is, want, err := s.schema(ctx, pool)
	if isFault(err) {
		return err
	}
	if err != nil { // goose would make its table, where there is none
		return &fault.Error{Code: fault.InvalidSetting, Detail: "this isn't a database of Countersign, or an empty one; look whether --database-url and --data-dir name the right one", Cause: err}
	}
	if is < want {
		return fault.New(fault.InvalidSetting, "the database has schema %d and this program reads %d: it isn't migrated yet; back it up and run “countersign migrate”, or use the program that wrote it", is, want)
	}
	return nil
}
