package main

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
	File   string `help:"Check an exported file of JSON lines in place of the database; - reads standard input." placeholder:"FILE" xor:"what"`
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

// against are the checkpoints that somebody named: their organisations are verified.
func (c auditVerifyCmd) verify(ctx context.Context, set Settings, db *store.Store, io streams, against []audit.Checkpoint) error {
	named := map[string][]audit.Checkpoint{}
	for _, s := range against {
		if c.Tenant != "" && c.Tenant != s.Tenant {
			return fault.Member(fault.InvalidSetting, "--checkpoint", "%s is of the organisation %q, not of %q", s, s.Tenant, c.Tenant)
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
		signed := named[t]
		if len(signed) == 0 {
			if signed, err = c.kept(set, t); err != nil {
				return err
			}
		}
		delete(named, t)
		report, err := db.Audit().Verify(ctx, t, signed...)
		if err != nil {
			return fmt.Errorf("verify %s: %w", t, err)
		}
		if report.OK {
			fmt.Fprintf(io.out, "%s: holds, %d events, root %x%s\n", t, report.Size, report.Root, fits(signed))
			continue
		}
		broken = true
		fmt.Fprintf(io.out, "%s: BROKEN at event %d: %s\n", t, report.FirstBroken, report.Problem)
	}
	for t := range named {
		return fault.Member(fault.Missing, "--checkpoint", "it is of the organisation %q, which is not in this database", t)
	}
	if c.Tenant != "" && !found {
		return fault.Member(fault.Missing, "--tenant", "there is no organisation %q", c.Tenant)
	}
	if broken {
		return errFailed
	}
	return nil
}
