package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
)

// auditVerifyCmd checks the trail without changing anything, not even the schema.
type auditVerifyCmd struct {
	Tenant string `placeholder:"SLUG" help:"Short name of one organisation. Unset: all." xor:"what"`
	File   string `help:"Check an exported JSON lines file instead of the database; - reads standard input." placeholder:"FILE" xor:"what"`
	signedBefore
}

// Run prints one line a tenant. The exit code is 1 when a trail does not hold.
func (c auditVerifyCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	against, err := c.given(set)
	if err != nil {
		return err
	}
	if c.File != "" {
		return verifyFile(c.File, io, against)
	}
	db, err := openToRead(ctx, set, log)
	if err != nil {
		return err
	}
	return errors.Join(c.verify(ctx, set, db, io, against), db.Close())
}

// verify holds what is in the database against itself and against what was signed.
// against are the checkpoints that somebody named: their organisations are verified.
func (c auditVerifyCmd) verify(ctx context.Context, set Settings, db *store.Store, io streams, against []signedNote) error {
	named := map[string][]signedNote{}
	for _, s := range against {
		if c.Tenant != "" && c.Tenant != s.Tenant {
			return fault.Member(fault.InvalidSetting, "--checkpoint", "%s is of the organisation %q, not of %q", s.Checkpoint, s.Tenant, c.Tenant)
		}
		named[s.Tenant] = append(named[s.Tenant], s)
	}
	all, err := db.Tenants().Tenants(ctx)
	if err != nil {
		return err
	}
	broken, found := false, false
	for _, t := range all {
		if c.Tenant != "" && t != c.Tenant || len(against) > 0 && named[t] == nil {
			continue
		}
		found = true
		holds, err := c.verifyOne(ctx, set, db, io, t, named[t])
		if err != nil {
			return err
		}
		broken = broken || !holds
		delete(named, t)
	}
	for t := range named {
		return fault.Member(fault.Missing, "--checkpoint", "it belongs to the organisation %q, which isn't in this database", t)
	}
	if c.Tenant != "" && !found {
		return fault.Member(fault.Missing, "--tenant", "there is no organisation %q", c.Tenant)
	}
	if c.Tenant == "" && len(against) == 0 {
		gone, err := strays(set.noteDir(), all)
		if err != nil {
			return fault.Member(fault.InvalidSetting, "--checkpoint-dir", "%v", err)
		}
		for _, t := range gone {
			broken = true
			fmt.Fprintf(io.out, "%s: MISSING: %s is a signed checkpoint of it, but this database has no such organisation\n", audit.Harmless(t), notePath(set.noteDir(), t))
		}
		if !found {
			return fault.New(fault.Missing, "this database has no organisation, so there is no trail that could hold; look whether --database-url and --data-dir name the right one")
		}
	}
	if broken {
		return errFailed
	}
	return nil
}

// verifyOne says of one trail whether it holds, and what it was held against.
func (c auditVerifyCmd) verifyOne(ctx context.Context, set Settings, db *store.Store, io streams, tenant string, notes []signedNote) (holds bool, err error) {
	if len(notes) == 0 {
		if notes, err = c.kept(set, tenant); err != nil {
			return false, err
		}
	}
	report, err := db.Audit().Verify(ctx, tenant, checkpointsOf(notes)...)
	if err != nil {
		return false, fmt.Errorf("verify %s: %w", tenant, err)
	}
	if report.OK {
		fmt.Fprintf(io.out, "%s: holds, %d events, root %x%s\n", tenant, report.Size, report.Root, fits(notes))
	} else {
		fmt.Fprintf(io.out, "%s: BROKEN at event %d: %s\n", tenant, report.FirstBroken, report.Problem)
	}
	signature := "; signature of the head checked"
	if keys, err := c.keys(set); err != nil || len(keys) == 0 {
		signature = "; no key in " + set.DataDir + ", so an event added by someone else wouldn't be noticed"
	}
	fmt.Fprintf(io.out, "%s: held against the tables and triggers of the database%s%s\n", tenant, heldAgainst(notes, "none in "+set.noteDir()), signature)
	return report.OK, nil
}
