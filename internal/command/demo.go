package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// demoCmd is the real server on a database that lives as long as it runs, with
// scripted agents that use the real HTTP API.
type demoCmd struct{ Serving }

const (
	demoTenant = "demo"
	demoPerson = "priya.raman@demo.test"
)

// Run serves the demo until it is told to stop, then removes its database.
func (c demoCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	dir, err := os.MkdirTemp("", "countersign-demo-")
	if err != nil {
		return fmt.Errorf("temporary directory: %w", err)
	}
	defer os.RemoveAll(dir)
	set.DatabaseURL, set.ServingURL, set.NoteDir, set.DataDir = "", "", "", filepath.Join(dir, "data")
	c.demo = true
	a, err := NewApp(ctx, set, c.Serving, log)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	agents, desk, err := a.populateDemo(ctx, io)
	if err != nil {
		return errors.Join(err, a.Close())
	}
	a.running.Go(func() {
		if err := runDesk(ctx, agents[0].base, desk, io.out, log); err != nil && ctx.Err() == nil {
			fmt.Fprintf(io.out, "%s: %v\n", demoDesk, err)
		}
	})
	for _, agent := range agents {
		a.running.Go(func() { agent.run(ctx) })
	}
	err = a.Serve(ctx)
	stop()
	return errors.Join(err, a.Close())
}

// populateDemo creates the organisation, one person with every role and the
// agents, and prints the link that signs the person in. desk is the key of the agent
// behind a gateway.
func (a *App) populateDemo(ctx context.Context, io streams) (agents []*demoAgent, desk string, err error) {
	if err := a.Tenants.CreateTenant(ctx, demoTenant); err != nil {
		return nil, "", err
	}
	policy := scoring.DefaultPolicy()
	policy.FreshSignInMinutes = 0 // the link is all that there is to sign in with
	if _, err := a.Tenants.ImportPolicy(ctx, demoTenant, tenants.Change{Base: 1, Policy: policy, Reason: "The demo never asks anyone to sign in again."}); err != nil {
		return nil, "", err
	}
	if _, err := a.Tenants.CreatePerson(ctx, demoTenant, demoPerson, "Priya Raman", "", auth.Roles()); err != nil {
		return nil, "", err
	}
	for _, s := range demoScripts() {
		key, _, err := a.Tenants.CreateAgent(ctx, demoTenant, s.name, "")
		if err != nil {
			return nil, "", err
		}
		if b := s.binding(); b.Workspace.Folder != "" {
			if err := a.Tenants.BindFromOutside(ctx, demoTenant, s.name, b); err != nil {
				return nil, "", err
			}
		}
		agents = append(agents, newDemoAgent(a.listener.Addr(), a.URL(), key, s, io.out))
	}
	if desk, _, err = a.Tenants.CreateAgent(ctx, demoTenant, demoDesk, ""); err != nil {
		return nil, "", err
	}
	token, err := a.Tenants.SignInLink(ctx, demoTenant, demoPerson, tenants.LinkDemo)
	if err != nil {
		return nil, "", err
	}
	fmt.Fprintf(io.out, "Countersign demo: five agents are at work, one of them behind an MCP gateway. Everything is deleted when you stop it (Ctrl-C).\n")
	fmt.Fprintf(io.out, "Sign in: %s/sign-in?token=%s\n", a.URL(), url.QueryEscape(token))
	return agents, desk, nil
}
