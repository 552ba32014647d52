package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
)

// serveCmd is the server.
type serveCmd struct{ Serving }

// Run serves until it is told to stop.
func (c serveCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	a, err := NewApp(ctx, set, c.Serving, log)
	if err != nil {
		return err
	}
	if err := a.announce(ctx, io); err != nil {
		return errors.Join(err, a.Close())
	}
	return errors.Join(a.Serve(ctx), a.Close())
}

// announce prints where the server is, and, while nobody can sign in, the
// one-time link that creates the first person.
func (a *App) announce(ctx context.Context, io streams) error {
	fmt.Fprintf(io.out, "Countersign listens on %s\n", a.URL())
	token, needed, err := a.Tenants.FirstRunLink(ctx)
	if err != nil {
		return fmt.Errorf("first-run link: %w", err)
	}
	if needed {
		fmt.Fprintf(io.out, "Nobody can sign in yet. Create the first person here (works once, until the next start):\n%s/first-run?token=%s\n", a.URL(), url.QueryEscape(token))
	}
	return nil
}

// migrateCmd brings the database to the current schema and ends.
type migrateCmd struct{}

// Run migrates.
func (migrateCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	db, err := openCommand(ctx, set, log)
	if err != nil {
		return err
	}
	fmt.Fprintln(io.err, "the database has the current schema")
	return db.Close()
}
