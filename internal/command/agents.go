package command

import (
	"context"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/tenants"
)

// The commands about agents. Each migrates first.

type agentCreateCmd struct {
	Tenant string   `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
	Owner  string   `placeholder:"EMAIL" help:"Owner of the agent, who then can't decide its requests. Unset: no one."`
	Scopes []string `default:"submit" help:"Scopes of its key, comma-separated: submit (everything except dry runs), assess (dry runs)."`
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
		fmt.Fprintf(io.err, "created the agent %s (%s); its key is shown only once:\n", a.Name, a.ID)
		if _, err := fmt.Fprintln(io.out, key); err != nil {
			return fmt.Errorf("the key of %s couldn't be written and is lost; create a new one in the console (%w)", a.ID, err)
		}
		return nil
	})
}

type agentEnrollCmd struct {
	Tenant string        `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
	Name   string        `default:"agent" placeholder:"PREFIX" help:"How the names of the agents begin: PREFIX@HOST."`
	Owner  string        `placeholder:"EMAIL" help:"Owner of the agents, who then can't decide their requests. Unset: no one."`
	TTL    time.Duration `name:"ttl" default:"24h" help:"How long the token works."`
	Uses   int           `placeholder:"N" help:"How many machines can use it. Unset: any number."`
	End    bool          `help:"End all enrolment tokens of the organisation instead. Agents that enrolled keep their keys."`
}

// Run prints the token alone on standard output: it is shown this once.
func (c agentEnrollCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	return withTenants(ctx, set, log, func(s *tenants.Service) error {
		if c.End {
			n, err := s.EndEnrolments(ctx, c.Tenant)
			if err == nil {
				fmt.Fprintf(io.err, "ended %d enrolment tokens of %s\n", n, c.Tenant)
			}
			return err
		}
		token, until, err := s.OpenEnrolment(ctx, c.Tenant, tenants.NewEnrolment{Prefix: c.Name, Owner: c.Owner, Life: c.TTL, Uses: c.Uses})
		if err != nil {
			return err
		}
		fmt.Fprintf(io.err, "each machine exchanges this token for a key of its own with “countersign hook enroll”, until %s; it is shown only once:\n", until.Format(time.RFC3339))
		if _, err := fmt.Fprintln(io.out, token); err != nil {
			return fmt.Errorf("the token couldn't be written and is lost; end it with --end (%w)", err)
		}
		return nil
	})
}

type agentListCmd struct {
	Tenant string `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
}

// Run prints one line for each key, and one for each agent without any.
func (c agentListCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	return withTenants(ctx, set, log, func(s *tenants.Service) error {
		l, err := s.ListAgents(ctx, c.Tenant)
		if err != nil {
			return err
		}
		if l.Halt != nil {
			fmt.Fprintf(io.err, "all agents of %s have been stopped since %s\n", c.Tenant, l.Halt.At.Format(time.RFC3339))
		}
		w := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "AGENT\tID\tSTATE\tKEY\tEXPIRES\tLAST USED")
		for _, a := range l.Agents {
			state := "active"
			if a.StoppedAt != nil {
				state = "stopped"
			}
			if len(l.Keys[a.ID]) == 0 {
				fmt.Fprintf(w, "%s\t%s\t%s\tnone\t\t\n", a.Name, a.ID, state)
			}
			for _, k := range l.Keys[a.ID] {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s (%s)\t%s\t%s\n", a.Name, a.ID, state, k.ID, keyState(k, l.Now), orNever(k.ExpiresAt), orNever(k.LastUsedAt))
			}
		}
		return w.Flush()
	})
}

func keyState(k tenants.Key, now time.Time) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case !k.Works(now):
		return "expired"
	default:
		return strings.ReplaceAll(auth.JoinScopes(k.Scopes), ",", "+")
	}
}

func orNever(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Format(time.RFC3339)
}

type agentBindCmd struct {
	Tenant      string `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
	Name        string `arg:"" help:"Name of the agent."`
	Environment string `placeholder:"NAME" help:"Environment it works in, for example staging. Floors are lower in dev, test, staging, sandbox, local and any others that the policy names."`
	Workspace   string `placeholder:"DIR" help:"Full path of the folder it works in. Work inside isn't held; leaving it, destroying it or bringing in outside code is."`
	Sandboxed   bool   `help:"Code in the workspace can only reach things that matter over the network: a container or virtual machine without credentials."`
	None        bool   `help:"End the binding."`
	Reason      string `default:"on the command line" placeholder:"TEXT" help:"Reason, kept in the audit trail."`
}

// bound is what was given; all of it stands in place of what was there before.
func (c agentBindCmd) bound() (b tenants.Bound, err error) {
	given := c.Environment != "" || c.Workspace != ""
	switch {
	case c.None && (given || c.Sandboxed):
		return b, fmt.Errorf("--none can't be combined with --workspace, --environment or --sandboxed")
	case !c.None && !given:
		return b, fmt.Errorf("pass --workspace DIR, --environment NAME, both, or --none")
	case c.Sandboxed && c.Workspace == "":
		return b, fmt.Errorf("--sandboxed needs --workspace DIR")
	}
	b.Environment = c.Environment
	b.Workspace.Folder, b.Workspace.Sandboxed = c.Workspace, c.Sandboxed
	return b, nil
}

// Run binds without anybody else: whoever can run it reaches the database anyway. The
// trail says that it was the system.
func (c agentBindCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	bound, err := c.bound()
	if err != nil {
		return err
	}
	return withTenants(ctx, set, log, func(s *tenants.Service) error {
		if err := s.BindFromOutside(ctx, c.Tenant, c.Name, tenants.NewBinding{Bound: bound, Reason: c.Reason}); err != nil {
			return err
		}
		if c.None {
			fmt.Fprintf(io.err, "%s is no longer bound to anything\n", c.Name)
			return nil
		}
		var to []string
		switch folder := path.Clean(c.Workspace); {
		case c.Workspace == "":
		case c.Sandboxed:
			to = append(to, "the sandboxed workspace "+folder)
		default:
			to = append(to, "the workspace "+folder)
		}
		if c.Environment != "" {
			to = append(to, c.Environment)
		}
		fmt.Fprintf(io.err, "bound %s to %s\n", c.Name, strings.Join(to, " and to "))
		return nil
	})
}

type agentStopAllCmd struct {
	Tenant string `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
	Reason string `placeholder:"TEXT" help:"Reason, sent to agents and kept in the audit trail."`
}

// Run is the kill switch for when nobody can sign in.
func (c agentStopAllCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	return withTenants(ctx, set, log, func(s *tenants.Service) error {
		if err := s.StopAllFromOutside(ctx, c.Tenant, c.Reason); err != nil {
			return err
		}
		fmt.Fprintf(io.err, "stopped all agents of %s; they can only read their own approvals\n", c.Tenant)
		return nil
	})
}

type agentResumeCmd struct {
	Tenant string `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
	Reason string `required:"" placeholder:"TEXT" help:"Reason, kept in the audit trail."`
}

// Run ends stop-all.
func (c agentResumeCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	return withTenants(ctx, set, log, func(s *tenants.Service) error {
		if err := s.ResumeFromOutside(ctx, c.Tenant, c.Reason); err != nil {
			return err
		}
		fmt.Fprintf(io.err, "the agents of %s can act again\n", c.Tenant)
		return nil
	})
}
