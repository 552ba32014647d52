package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/tenants"
)

// auditExportCmd writes a whole trail to standard output, oldest first, reading
// only. Whoever may run it can read the database itself, so no event tells of it.
type auditExportCmd struct {
	Tenant string `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
	Format string `enum:"jsonl,csv" default:"jsonl" help:"jsonl: the stored bytes of each event and the head, for “audit verify --file”. csv: a table for reading."`
}

// Run writes the events that the log had when it began.
func (c auditExportCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	db, err := openToRead(ctx, set, log)
	if err != nil {
		return err
	}
	return errors.Join(c.export(ctx, db, io.out), db.Close())
}

func (c auditExportCmd) export(ctx context.Context, db *store.Store, out io.Writer) error {
	head, err := db.Audit().Head(ctx, c.Tenant)
	if fault.Is(err, fault.Missing) {
		return fault.Member(fault.Missing, "--tenant", "there is no organisation %q", c.Tenant)
	}
	if err != nil {
		return err
	}
	if c.Format == "jsonl" {
		return audit.Export(out, c.Tenant, head, walk(ctx, db, c.Tenant, head.Size))
	}
	var names tenants.Names
	err = db.Tenants().Read(ctx, c.Tenant, func(r tenants.Reader) (err error) {
		names, err = tenants.ReadNames(r)
		return err
	})
	if err != nil {
		return err
	}
	table := audit.NewCSV(out)
	table.EventHead()
	for r, err := range walk(ctx, db, c.Tenant, head.Size) {
		if err != nil {
			return err
		}
		if err := names.Former(ctx, db.Tenants(), r.Event.People()...); err != nil {
			return err
		}
		table.Event(r, names.Of)
	}
	return table.Flush()
}

// walk reads the trail below an index, oldest first.
func walk(ctx context.Context, db *store.Store, tenant string, below int64) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		stop := errors.New("stopped")
		err := db.Audit().Walk(ctx, tenant, audit.Filter{}, below, func(r audit.Record) error {
			if !yield(r, nil) {
				return stop
			}
			return nil
		})
		if err != nil && !errors.Is(err, stop) {
			yield(audit.Record{}, err)
		}
	}
}

// verifyFile checks a file that “audit export” or the console wrote, without a
// database.
func verifyFile(name string, io streams, against []signedNote) error {
	in := io.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return fault.Member(fault.InvalidSetting, "--file", "%v", err)
		}
		defer f.Close()
		in = f
	}
	report, err := audit.VerifyExport(bufio.NewReader(in), checkpointsOf(against)...)
	if err != nil {
		return err
	}
	held := func(who string) {
		fmt.Fprintf(io.out, "%s: held against its own head, without the tables of a database%s\n", who, heldAgainst(against, "none named with --checkpoint"))
	}
	if !report.OK {
		fmt.Fprintf(io.out, "%s: BROKEN at event %d: %s\n", name, report.FirstBroken, audit.Harmless(report.Problem))
		held(name)
		return errFailed
	}
	fmt.Fprintf(io.out, "%s: holds, %d events, root %x%s\n", audit.Harmless(report.Tenant), report.Size, report.Root, fits(against))
	held(audit.Harmless(report.Tenant))
	return nil
}
