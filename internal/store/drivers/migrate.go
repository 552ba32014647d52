package drivers

import (
	"context"
	"database/sql"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/migrations"
)

// versions is what migrates a database, and the versions that it has and should have. One
// that a newer program wrote is refused.
func versions(ctx context.Context, of Dialect, db *sql.DB) (p *goose.Provider, is, want int64, err error) {
	d, others := of.migrations()
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
func upgrade(ctx context.Context, d Dialect, db *sql.DB, before func(from, to int64)) (some bool, err error) {
	p, is, want, err := versions(ctx, d, db)
	if err != nil {
		return false, err
	}
	if is > 0 && is < want && before != nil {
		before(is, want)
	}
	ran, err := p.Up(ctx)
	return len(ran) > 0, err
}

// CheckSchema refuses to read what this program would read wrongly.
func CheckSchema(ctx context.Context, d Dialect, db *sql.DB) error {
	_, is, want, err := versions(ctx, d, db)
	if IsFault(err) {
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
