package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
)

// auditVerifyCmd checks the trail without changing anything, not even the schema.
type auditVerifyCmd struct {
	Tenant string `help:"Short name of one organisation. Unset: all." xor:"what"`
	File   string `help:"Check an exported file of JSON lines in place of the database; - reads standard input." placeholder:"FILE" xor:"what"`
}

// Run prints one line a tenant. The exit code is 1 when a trail does not hold.
func (c auditVerifyCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	if c.File != "" {
		return verifyFile(c.File, io)
	}
	db, err := openToRead(ctx, set, log)
	if err != nil {
		return err
	}
	return errors.Join(c.verify(ctx, db, io), db.Close())
}

func (c auditVerifyCmd) verify(ctx context.Context, db *store.Store, io streams) error {
	all, err := db.Tenants().Tenants(ctx)
	if err != nil {
		return err
	}
	broken, found := false, false
	for _, t := range all {
		if c.Tenant != "" && t != c.Tenant {
			continue
		}
		found = true
		report, err := db.Audit().Verify(ctx, t)
		if err != nil {
			return fmt.Errorf("verify %s: %w", t, err)
		}
		if report.OK {
			fmt.Fprintf(io.out, "%s: holds, %d events, root %x\n", t, report.Size, report.Root)
			continue
		}
		broken = true
		fmt.Fprintf(io.out, "%s: BROKEN at event %d: %s\n", t, report.FirstBroken, report.Problem)
	}
	if c.Tenant != "" && !found {
		return fault.Member(fault.Missing, "--tenant", "there is no organisation %q", c.Tenant)
	}
	if broken {
		return errFailed
	}
	return nil
}
