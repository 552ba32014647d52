package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/tenants"
)

// The commands that create organisations, agents and people. Each migrates first.

// openCommand opens the database for a command that changes it.
func openCommand(ctx context.Context, set Settings, log *slog.Logger) (*store.Store, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(set.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	return openStore(ctx, set, log)
}

// withTenants runs fn with the service over the database.
func withTenants(ctx context.Context, set Settings, log *slog.Logger, fn func(*tenants.Service) error) error {
	db, err := openCommand(ctx, set, log)
	if err != nil {
		return err
	}
	passwords, err := auth.NewPasswords(1)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	s := tenants.NewService(tenants.Config{Store: db.Tenants(), Passwords: passwords, Throttle: auth.NewThrottle(time.Now), Log: log})
	return errors.Join(fn(s), db.Close())
}

type tenantCreateCmd struct {
	Slug string `arg:"" help:"Short name, [a-z][a-z0-9-]{1,39}: it stands in every address."`
}

// Run creates an organisation with the default policy.
func (c tenantCreateCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	return withTenants(ctx, set, log, func(s *tenants.Service) error {
		if err := s.CreateTenant(ctx, c.Slug); err != nil {
			return err
		}
		fmt.Fprintf(io.err, "created %s with the default policy\n", c.Slug)
		return nil
	})
}

type agentCreateCmd struct {
	Tenant string   `required:"" help:"Short name of the organisation."`
	Owner  string   `placeholder:"EMAIL" help:"Who owns the agent and therefore never decides for it. Unset: nobody."`
	Scopes []string `default:"submit" help:"Comma-separated, what its key opens: submit (everything but dry runs), assess (dry runs)."`
	Name   string   `arg:"" help:"Name shown in the queue, for example support-triage."`
}

// Run prints the key alone on standard output: it is shown this once.
func (c agentCreateCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	scopes := make([]auth.Scope, len(c.Scopes))
	for i, scope := range c.Scopes {
		scopes[i] = auth.Scope(scope)
	}
	return withTenants(ctx, set, log, func(s *tenants.Service) error {
		key, a, err := s.CreateAgent(ctx, c.Tenant, c.Name, c.Owner, scopes...)
		if err != nil {
			return err
		}
		fmt.Fprintf(io.err, "created the agent %s (%s); its key is shown this once:\n", a.Name, a.ID)
		fmt.Fprintln(io.out, key)
		return nil
	})
}

type personCreateCmd struct {
	Tenant        string   `required:"" help:"Short name of the organisation."`
	Roles         []string `required:"" enum:"operator,compliance,admin" help:"Comma-separated: ${enum}. Taken literally."`
	Name          string   `help:"Name shown to others. Unset: made from the address."`
	PasswordStdin bool     `name:"password-stdin" help:"Read the password from the first line of standard input. Without it only links sign the person in."`
	Email         string   `arg:"" help:"E-mail address to sign in with."`
}

// Run creates a person.
func (c personCreateCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	password, err := c.password(io.in)
	if err != nil {
		return err
	}
	roles := make([]auth.Role, len(c.Roles))
	for i, r := range c.Roles {
		roles[i] = auth.Role(r)
	}
	return withTenants(ctx, set, log, func(s *tenants.Service) error {
		p, err := s.CreatePerson(ctx, c.Tenant, c.Email, c.Name, password, roles)
		if err != nil {
			return err
		}
		fmt.Fprintf(io.err, "%s is %s in %s\n", p.Email, strings.Join(c.Roles, ", "), c.Tenant)
		return nil
	})
}

// password reads one line; its line end is not part of it.
func (c personCreateCmd) password(in io.Reader) (string, error) {
	if !c.PasswordStdin {
		return "", nil
	}
	line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", fault.Member(fault.InvalidForm, "password", "standard input was empty; write the password on its first line")
	}
	return line, nil
}
