package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/tenants"
)

// The commands about organisations and people; agents.go has those about agents. Each migrates first.

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
	s := tenants.NewService(tenants.Config{Store: db.Tenants(), Passwords: auth.NewPasswords(1, hashing), Log: log})
	return errors.Join(fn(s), db.Close())
}

type tenantCreateCmd struct {
	Slug string `arg:"" help:"Short name, [a-z][a-z0-9-]{1,39}, used in URLs."`
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

type personCreateCmd struct {
	Tenant        string   `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
	Roles         []string `required:"" enum:"operator,compliance,admin" help:"Comma-separated: ${enum}. The person gets exactly these."`
	Name          string   `placeholder:"NAME" help:"Name shown to others. Unset: derived from the email address."`
	PasswordStdin bool     `name:"password-stdin" help:"Read the password from the first line of standard input. Unset: the person signs in by link only."`
	Email         string   `arg:"" help:"Email address to sign in with."`
}

// Run creates a person.
func (c personCreateCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	password, err := c.password(io.in)
	if err != nil {
		return err
	}
	return withTenants(ctx, set, log, func(s *tenants.Service) error {
		p, err := s.CreatePerson(ctx, c.Tenant, c.Email, c.Name, password, rolesOf(c.Roles))
		if err != nil {
			return err
		}
		fmt.Fprintf(io.err, "%s is %s in %s\n", p.Email, strings.Join(c.Roles, ", "), c.Tenant)
		return nil
	})
}

func rolesOf(names []string) []auth.Role {
	roles := make([]auth.Role, len(names))
	for i, r := range names {
		roles[i] = auth.Role(r)
	}
	return roles
}

type personGrantCmd struct {
	Tenant string   `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
	Roles  []string `required:"" enum:"operator,compliance,admin" help:"Comma-separated: ${enum}. They replace the person's current roles."`
	Email  string   `arg:"" help:"Email address of an existing person."`
}

// Run is the break-glass: it works when nobody can sign in who may do it.
func (c personGrantCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	return withTenants(ctx, set, log, func(s *tenants.Service) error {
		p, err := s.Grant(ctx, c.Tenant, c.Email, rolesOf(c.Roles))
		if err != nil {
			return err
		}
		fmt.Fprintf(io.err, "%s is %s in %s; the audit trail records that this was granted on the command line\n", p.Email, strings.Join(c.Roles, ", "), c.Tenant)
		return nil
	})
}

type personPasswordCmd struct {
	PasswordStdin bool   `name:"password-stdin" required:"" help:"Read the password from the first line of standard input."`
	Email         string `arg:"" help:"Email address to sign in with."`
}

// Run sets a password: the way back for who lost theirs and belongs to more than
// one organisation, whose admins cannot do it.
func (c personPasswordCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	password, err := readPassword(io.in)
	if err != nil {
		return err
	}
	return withTenants(ctx, set, log, func(s *tenants.Service) error {
		p, err := s.SetPassword(ctx, c.Email, password)
		if err != nil {
			return err
		}
		fmt.Fprintf(io.err, "%s has a new password and is signed out everywhere\n", p.Email)
		return nil
	})
}

// password reads one line where the command was told to.
func (c personCreateCmd) password(in io.Reader) (string, error) {
	if !c.PasswordStdin {
		return "", nil
	}
	return readPassword(in)
}

// readPassword reads one line; its line end is not part of it.
func readPassword(in io.Reader) (string, error) {
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
