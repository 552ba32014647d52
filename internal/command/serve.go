package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
)

// serveCmd is the server.
type serveCmd struct{ Serving }

// Run serves until it is told to stop.
func (c serveCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	a, err := NewApp(ctx, set, c.Serving, log)
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "last backup", "made", lastBackupOf(set))
	if err := a.announce(ctx, io); err != nil {
		return errors.Join(err, a.Close())
	}
	return errors.Join(a.Serve(ctx), a.Close())
}

// announce prints where the server is, and, while nobody can sign in, the
// one-time link that creates the first person.
func (a *App) announce(ctx context.Context, io streams) error {
	token, needed, err := a.Tenants.FirstRunLink(ctx)
	if err != nil {
		return fmt.Errorf("first-run link: %w", err)
	}
	if needed {
		if err := a.isNew(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(io.out, "Countersign listens on %s\n", a.URL())
	if needed {
		fmt.Fprintf(io.out, "No one can sign in yet. Create the first person here (works once, until the next start):\n%s/first-run?token=%s\n", a.URL(), url.QueryEscape(token))
	}
	return nil
}

// isNew refuses a database in which nobody can sign in while there are checkpoints of
// organisations that it does not have: it stands in the place of another one, or was
// emptied, and whoever opens the first link would have all of it.
func (a *App) isNew(ctx context.Context) error {
	all, err := a.Store.Tenants().Tenants(ctx)
	if err != nil {
		return err
	}
	missing, err := strays(a.signed.dir, all)
	if err != nil || len(missing) == 0 {
		return err
	}
	names := make([]string, len(missing))
	for i, name := range missing {
		names[i] = audit.Harmless(name)
	}
	return fault.New(fault.InvalidSetting, "no one can sign in with this database, and it has no trail of %s, although %s has signed checkpoints of it: it's another database or an emptied one; point COUNTERSIGN_DATABASE_URL or COUNTERSIGN_DATA_DIR at the database you mean, or restore a backup; to start over, move these checkpoints away first",
		strings.Join(names, ", "), a.signed.dir)
}

// migrateCmd brings the database to the current schema and ends.
type migrateCmd struct{}

// Run migrates.
func (migrateCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	db, err := openCommand(ctx, set, log)
	if err != nil {
		return err
	}
	fmt.Fprintln(io.err, "the database is up to date")
	return db.Close()
}
