package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/toollist"
	"github.com/countersign/countersign/internal/tenants"
)

type agentToolsCmd struct {
	Tenant string `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
	Prefix string `placeholder:"TEXT" help:"Prefix that the agent's client adds to each name, for example mcp__github__."`
	Server string `placeholder:"NAME" help:"Server the list comes from. Unset: the one in the prefix, or the known server with these tools."`
	Reason string `placeholder:"TEXT" help:"Why the suggested effects are accepted, for the policy version. Unset: none are accepted."`
	Name   string `arg:"" help:"Name of the agent."`
	File   string `arg:"" type:"existingfile" help:"Result of tools/list, as JSON."`
}

// Run imports the list and says what was read of each tool. What is suggested becomes the
// next version of the policy where a reason is given. Nobody else is asked, as with policy
// import, and the trail says that it was the system.
func (c agentToolsCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	list, err := c.read()
	if err != nil {
		return err
	}
	db, err := openCommand(ctx, set, log)
	if err != nil {
		return err
	}
	s := tenants.NewService(tenants.Config{Store: db.Tenants(), Log: log}) // nobody signs in here
	return errors.Join(c.apply(ctx, s, db.Approvals(), list, io.out), db.Close())
}

func (c agentToolsCmd) read() ([]byte, error) {
	file, err := os.Open(c.File)
	if err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, toollist.MaxBytes+1)) // one more is refused
	if err != nil {
		return nil, fmt.Errorf("read the tools: %w", err)
	}
	return b, nil
}

func (c agentToolsCmd) apply(ctx context.Context, s *tenants.Service, actions approvals.Store, list []byte, out io.Writer) error {
	all, server, err := s.ImportToolsFor(ctx, c.Tenant, c.Name, tenants.ToolImport{Server: c.Server, Prefix: c.Prefix, List: list})
	if err != nil {
		return err
	}
	tools := slices.DeleteFunc(all, func(t tenants.Tool) bool { return t.Server != server })
	now, err := s.PolicyOf(ctx, c.Tenant)
	if err != nil {
		return err
	}
	accept := map[string]effects.Kind{}
	for _, t := range tools {
		f, _ := tenants.AcceptedTool(now.Policy, c.Name, t.Name)
		if kind := effects.Suggested(t.Server, t.Own, t.Annotations.SaysReadOnly()); kind != "" && f.Effect == "" {
			accept[t.Name] = kind
		}
	}
	draft := tenants.AcceptTools(now.Policy, c.Name, tools, accept)
	if err := c.print(out, now.Policy, draft, tools); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s has %d tools of the server %s.\n", c.Name, len(tools), server)
	if len(now.Policy.Differences(draft)) == 0 {
		return nil
	}
	replayed, err := approvals.Replay(ctx, actions, c.Tenant, draft, importReplay)
	if err != nil {
		return err
	}
	printReplay(out, replayed)
	if strings.TrimSpace(c.Reason) == "" {
		fmt.Fprintf(out, "Suggested effects: %d, none accepted; pass --reason to accept them, or review them in the console.\n", len(accept))
		return nil
	}
	made, err := s.ImportPolicy(ctx, c.Tenant, tenants.Change{Base: now.Version, Policy: draft, Reason: c.Reason})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s now has policy version %d. Tool effects: %d.\n", c.Tenant, made.Version, len(accept))
	return nil
}

// print is one line for each tool: what a call without arguments is read as, the level at
// which it is held at least now, and with what is suggested.
func (c agentToolsCmd) print(out io.Writer, now, draft scoring.Policy, tools []tenants.Tool) error {
	var under [2]*scoring.Compiled
	for i, p := range []scoring.Policy{now, draft} {
		compiled, err := scoring.Compile(p)
		if err != nil {
			return err
		}
		under[i] = compiled
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TOOL\tNEWS\tREAD AS\tHELD AT\tSUGGESTED\tHELD AT THEN")
	for _, t := range tools {
		action, err := scoring.NewAction(canon.Object(canon.Member{Name: "function", Value: canon.String(t.Name)}))
		if err != nil {
			return err
		}
		in := scoring.Inputs{Agent: c.Name, Tool: &effects.Tool{Name: t.Name, SHA256: t.SHA256, Raises: t.Raises}}
		was, would := under[0].Examine(action, nil).Given(in).Assess(1), under[1].Examine(action, nil).Given(in).Assess(1)
		suggested, then := "", ""
		if f, ok := tenants.AcceptedTool(draft, c.Name, t.Name); ok && f.Tool == t.SHA256 {
			suggested, then = string(f.Effect), would.Floor.Level.String()
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.Name, t.News, was.Effects[0].Kind, was.Floor.Level, suggested, then)
	}
	return w.Flush()
}
