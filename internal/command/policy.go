package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
)

// importReplay is how many actions an import is tried on.
const importReplay = 200

// maxPolicyFile bounds what is read; a policy file is refused when it is longer.
const maxPolicyFile = 2 << 20

type policyExportCmd struct {
	Tenant string `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
}

// Run prints the current policy as YAML that policy import reads back exactly.
func (c policyExportCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	return withTenants(ctx, set, log, func(s *tenants.Service) error {
		v, err := s.PolicyOf(ctx, c.Tenant)
		if err != nil {
			return err
		}
		file, err := v.Policy.YAML()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(io.out, "# The policy of %s, version %d of %s.\n%s", c.Tenant, v.Version, v.CreatedAt.Format(time.RFC3339), file)
		return err
	})
}

type policyImportCmd struct {
	Tenant string `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
	Reason string `placeholder:"TEXT" help:"Reason, kept with the version and in the audit trail. Required unless --dry-run."`
	DryRun bool   `name:"dry-run" help:"Print what would change without changing anything."`
	File   string `arg:"" optional:"" type:"existingfile" help:"Policy in YAML; anything left out is as in the default policy. Unset: standard input."`
}

// Run says what the policy changes, and what it would have done to the newest
// actions; then it makes it the next version. This is the break-glass: nobody else
// is asked, and the trail says that it was the system.
func (c policyImportCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	if strings.TrimSpace(c.Reason) == "" && !c.DryRun {
		return fault.Member(fault.InvalidForm, "--reason", "say why in 1 to 2,000 characters; it stays with the version")
	}
	file, err := c.read(io.in)
	if err != nil {
		return err
	}
	draft, err := parsePolicy(file, io.err)
	if err != nil {
		return err
	}
	db, err := openCommand(ctx, set, log)
	if err != nil {
		return err
	}
	s := tenants.NewService(tenants.Config{Store: db.Tenants(), Log: log}) // nobody signs in here
	return errors.Join(c.apply(ctx, s, db.Approvals(), draft, io.out), db.Close())
}

func (c policyImportCmd) read(in io.Reader) ([]byte, error) {
	if c.File != "" {
		file, err := os.Open(c.File)
		if err != nil {
			return nil, fmt.Errorf("policy: %w", err)
		}
		defer file.Close()
		in = file
	}
	b, err := io.ReadAll(io.LimitReader(in, maxPolicyFile))
	if err != nil {
		return nil, fmt.Errorf("read the policy: %w", err)
	}
	if scoring.SaysNothing(b) { // a pipe that broke must not put the default policy back
		return nil, fault.Member(fault.InvalidForm, "policy", "there is nothing in it; write at least one setting, or {} for the default policy")
	}
	return b, nil
}

// parsePolicy says everything that is wrong with a policy file, a line each.
func parsePolicy(file []byte, wrongs io.Writer) (scoring.Policy, error) {
	p, wrong := scoring.ParsePolicy(file)
	if len(wrong) == 0 {
		return p, nil
	}
	for _, w := range wrong {
		fmt.Fprintln(wrongs, printable(strings.TrimPrefix(w.Member+": "+w.Detail.String(), ": ")))
	}
	return p, errFailed
}

func (c policyImportCmd) apply(ctx context.Context, s *tenants.Service, actions approvals.Store, draft scoring.Policy, out io.Writer) error {
	now, err := s.PolicyOf(ctx, c.Tenant)
	if err != nil {
		return err
	}
	if draft, err = s.Addressed(ctx, c.Tenant, draft); err != nil {
		return err
	}
	differences := now.Policy.Differences(draft)
	if len(differences) == 0 {
		fmt.Fprintf(out, "No changes: this is version %d of %s.\n", now.Version, c.Tenant)
		return nil
	}
	fmt.Fprintf(out, "Compared with version %d of %s:\n", now.Version, c.Tenant)
	for _, d := range differences {
		fmt.Fprintln(out, "  "+differenceLine(d))
	}
	replayed, err := approvals.Replay(ctx, actions, c.Tenant, draft, importReplay)
	if err != nil {
		return err
	}
	printReplay(out, replayed)
	if c.DryRun {
		fmt.Fprintln(out, "Nothing was changed.")
		return nil
	}
	made, err := s.ImportPolicy(ctx, c.Tenant, tenants.Change{Base: now.Version, Policy: draft, Reason: c.Reason})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s now has version %d.\n", c.Tenant, made.Version)
	return nil
}

// differenceLine is one setting: what it was, what it is, and whether that is weaker.
func differenceLine(d scoring.Difference) string {
	value := func(json string) string {
		if json == "" {
			return "not set"
		}
		return json
	}
	line := fmt.Sprintf("%s: %s -> %s", d.Member, value(d.Old), value(d.New))
	if d.Weaker {
		line += " (weaker)"
	}
	return printable(line)
}

func printReplay(out io.Writer, r approvals.Replayed) {
	if r.Actions == 0 {
		fmt.Fprintln(out, "There are no actions yet to replay.")
		return
	}
	fmt.Fprintf(out, "Of the newest %d actions (since %s) %d would be treated more strictly, %d less, %d newly blocked, and %d that were held or blocked would be approved automatically.\n",
		r.Actions, r.Oldest.Format(time.RFC3339), r.Stricter, r.Looser, r.Blocked, r.AutoApproved)
	for was, row := range r.Moves {
		for would, n := range row {
			if n > 0 && was != would {
				fmt.Fprintf(out, "  %s -> %s: %d\n", level.All()[was], level.All()[would], n)
			}
		}
	}
	if len(r.DeniedPassing) > 0 {
		fmt.Fprintln(out, "Denied or blocked then, approved automatically now:")
	}
	for _, a := range r.DeniedPassing {
		what := a.Function
		if action, err := a.Parsed(); err == nil {
			what = action.Headline(a.Assessment).Text
		}
		fmt.Fprintln(out, printable(fmt.Sprintf("  %s  %s  %s  %s", a.CreatedAt.Format(time.RFC3339), a.ID, a.Status, what)))
	}
}

// printable is one line that a terminal shows as it is: what it would obey, and
// what nobody sees, is written out.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}
