package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/tenants"
)

// restoreCmd puts a backup back where nothing is.
type restoreCmd struct {
	From string `required:"" placeholder:"DIR" help:"What “countersign backup” made."`
	signedBefore
}

// Run works on a copy of the backup in the data directory. Nothing is in its place before
// everything holds.
func (c restoreCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	if err := set.check(); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(c.From, lastBackup)); err != nil {
		return fault.Member(fault.InvalidSetting, "--from", "%s is no finished backup; name a directory that “countersign backup” made", c.From)
	}
	if err := vacant(ctx, set, log); err != nil {
		return err
	}
	work := Settings{DataDir: filepath.Join(set.DataDir, "restore"+unfinished), now: set.now, uptime: set.uptime}
	if err := errors.Join(os.RemoveAll(work.DataDir), os.MkdirAll(work.noteDir(), 0o700)); err != nil {
		return err
	}
	defer os.RemoveAll(work.DataDir)
	from := Settings{DataDir: c.From}
	if err := errors.Join(copyFile(work.sqlitePath(), from.sqlitePath()), copyFiles(work.DataDir, from.DataDir), copyFiles(work.noteDir(), from.noteDir()), copyFile(filepath.Join(work.DataDir, lastBackup), filepath.Join(c.From, lastBackup))); err != nil {
		return err
	}
	db, h, err := openSigned(ctx, work, log)
	if err != nil {
		return err
	}
	restored, err := c.begin(ctx, set, work, io, log, db, h)
	if err == nil && set.DatabaseURL != "" {
		err = load(ctx, set, io, log, db)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("nothing was restored: %w", err)
	}
	if err := putInPlace(set, work, io, restored); err != nil {
		return err
	}
	fmt.Fprintf(io.out, "restored and verified: %s\nSessions ended, and so did links. What was revoked, suspended or made stricter since the backup isn't any more: look at keys, people, standing approvals and policies.\n", c.From)
	return nil
}

// vacant refuses a place where something is.
func vacant(ctx context.Context, set Settings, log *slog.Logger) error {
	entries, err := os.ReadDir(set.DataDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("data directory: %w", err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() { // a directory may have the notes of the lost one
			return fault.Member(fault.InvalidSetting, "COUNTERSIGN_DATA_DIR", "%s isn't empty: it has %s. Move its files away first; its directory “checkpoints” can stay, it says what the backup lacks", set.DataDir, e.Name())
		}
	}
	if set.DatabaseURL == "" {
		return nil
	}
	db, err := store.Open(ctx, set.database(log))
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	empty, err := db.Vacant(ctx)
	if err == nil && !empty {
		err = fault.Member(fault.InvalidSetting, "COUNTERSIGN_DATABASE_URL", "this database isn't empty; make another one with CREATE DATABASE and name it, or rename this one first")
	}
	return errors.Join(err, db.Close())
}

// begin verifies each trail, and begins its new epoch.
func (c restoreCmd) begin(ctx context.Context, set, work Settings, io streams, log *slog.Logger, db *store.Store, h *heads) (all []string, err error) {
	newest, known, err := c.signed(ctx, set, work, db, h)
	if err != nil {
		return nil, err
	}
	if err := verifyCopy(ctx, io, db, h, known); err != nil { // all hold, or nothing is written
		return nil, err
	}
	service := approvals.NewService(approvals.Config{Store: db.Approvals(), Live: live.New(), Log: log})
	defer service.Stop()
	err = h.eachTrail(ctx, db, func(tenant string) error {
		all = append(all, tenant)
		head, err := db.Audit().Head(ctx, tenant)
		if err != nil {
			return err
		}
		said, stopped, texts, err := saidOf(set, tenant)
		if err != nil {
			return err
		}
		var cancelled, voided int
		err = db.Approvals().Write(ctx, tenant, func(w approvals.Writer) (err error) {
			if err := w.Append(restoredEvent(head.Size, newest[tenant], texts)); err != nil {
				return err
			}
			cancelled, voided, err = service.EndAll(w, said)
			return err
		})
		if err == nil && stopped != nil {
			err = db.Tenants().Write(ctx, tenant, func(w tenants.Writer) error { return tenants.StopAsSaid(w, *stopped) })
		}
		if err == nil {
			fmt.Fprintf(io.err, "%s: restored with %d events; %d requests cancelled, %d approvals voided\n", tenant, head.Size, cancelled, voided)
		}
		return err
	})
	return all, err
}

// saidOf is what was said of an organisation while its log was refused, and waits beside the
// checkpoints of the lost one: about requests, whether all agents were stopped, and all of it as
// it was written.
func saidOf(set Settings, tenant string) (about []audit.Event, stopped *audit.Event, texts []canon.Value, err error) {
	said, err := readSaid(set.noteDir(), tenant)
	for _, s := range said {
		e, unread := audit.Parse(s.Event)
		if unread != nil || e.Tenant != tenant {
			return nil, nil, nil, fault.New(fault.GrantUnproven, "%s can't be read; move it away", filepath.Join(saidDir(set.noteDir(), tenant), s.Name))
		}
		texts = append(texts, canon.String(string(s.Event)))
		if e.Kind == audit.AgentsStopped {
			stopped = &e
			continue
		}
		about = append(about, e)
	}
	return about, stopped, texts, err
}

// signed are the newest checkpoints that are at hand of each trail, and those that the copy must
// begin with.
func (c restoreCmd) signed(ctx context.Context, set, work Settings, db *store.Store, h *heads) (newest map[string]signedNote, known map[string][]audit.Checkpoint, err error) {
	notes, err := c.given(work)
	if err != nil {
		return nil, nil, err
	}
	newest, known = map[string]signedNote{}, map[string][]audit.Checkpoint{}
	return newest, known, h.eachTrail(ctx, db, func(tenant string) error {
		work.NoteDir = set.noteDir()
		kept, err := c.kept(work, tenant)
		if err != nil {
			return fmt.Errorf("%w; name the public key of it with --checkpoint-key, or move it away", err)
		}
		head, err := db.Audit().Head(ctx, tenant)
		for _, n := range append(kept, notes...) {
			if n.Tenant != tenant {
				continue
			}
			if n.Size <= head.Size {
				known[tenant] = append(known[tenant], n.Checkpoint)
			}
			if n.Size >= newest[tenant].Size {
				newest[tenant] = n
			}
		}
		return err
	})
}

// restoredEvent says for ever what the backup lacks, and what was said while the log was refused.
func restoredEvent(size int64, newest signedNote, said []canon.Value) audit.Event {
	var data []canon.Member
	if newest.file != "" {
		data = append(data,
			canon.Member{Name: "epoch", Value: canon.Int(newest.Epoch + 1)},
			canon.Member{Name: "checkpoint", Value: canon.Int(newest.Size)},
			canon.Member{Name: "missing", Value: canon.Int(max(0, newest.Size-size))},
			canon.Member{Name: "signed_at", Value: canon.String(audit.FormatTime(newest.At))},
			canon.Member{Name: "note", Value: canon.String(newest.text)},
		)
	}
	if len(said) > 0 {
		data = append(data, canon.Member{Name: "said", Value: canon.Array(said...)})
	}
	e := audit.Event{Kind: audit.Restored, Actor: audit.Actor{Kind: "system"}}
	if len(data) > 0 {
		e.Data = canon.Object(data...)
	}
	return e
}

// load fills an empty Postgres.
func load(ctx context.Context, set Settings, io streams, log *slog.Logger, from *store.Store) error {
	db, err := openMigrated(ctx, set, log)
	if err != nil {
		return err
	}
	return errors.Join(db.Load(ctx, from, telling(io, "written")), db.Close())
}

// putInPlace moves what was restored to where servers look for it, the database last.
func putInPlace(set, work Settings, io streams, all []string) error {
	lost, err := strays(set.noteDir(), all)
	if err != nil {
		return err
	}
	for _, tenant := range lost {
		path := notePath(set.noteDir(), tenant)
		fmt.Fprintf(io.err, "%s: the backup is from before there was this organisation; its checkpoint is %s.lost now\n", audit.Harmless(tenant), path)
		for _, path := range []string{path, saidDir(set.noteDir(), tenant)} {
			if err := os.Rename(path, path+".lost"); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	if err := os.MkdirAll(set.noteDir(), 0o700); err != nil {
		return err
	}
	for _, tenant := range all {
		text, err := os.ReadFile(notePath(work.noteDir(), tenant))
		if err := errors.Join(err, replaceFile(notePath(set.noteDir(), tenant), string(text)), os.RemoveAll(saidDir(set.noteDir(), tenant))); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(work.DataDir)
	if err != nil {
		return err
	}
	database := filepath.Base(work.sqlitePath())
	for _, e := range entries {
		name := e.Name()
		if !e.Type().IsRegular() || name == database || name == doorsKeyName { // without that key no session and no link of before is known
			continue
		}
		if err := move(set, work, name); err != nil {
			return err
		}
	}
	if set.DatabaseURL == "" {
		err = move(set, work, database)
	}
	return errors.Join(err, syncDir(set.DataDir))
}

func move(set, work Settings, name string) error {
	from := filepath.Join(work.DataDir, name)
	return errors.Join(syncFile(from), os.Rename(from, filepath.Join(set.DataDir, name)))
}
