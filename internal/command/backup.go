package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
)

// A backup is a data directory: the database as a SQLite file, whichever database it is of, the
// keys, and the signed heads of that moment. It has its name only once it is whole and verified.

const (
	unfinished = ".unfinished" // is in the name of what isn't whole
	// lastBackup says when the newest backup was made, and where. It is in the data directory, and
	// the last thing that is written into a backup.
	lastBackup = "last-backup"
)

// backupCmd copies everything that a restore needs, under running servers.
type backupCmd struct {
	To string `required:"" placeholder:"DIR" help:"Directory to make; it gets its name when the copy is whole and verified. It holds the secret keys, as the data directory does."`
}

// Run says done only of what holds.
func (c backupCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) (err error) {
	to, err := filepath.Abs(c.To)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return fault.Member(fault.AlreadyExists, "--to", "%s exists already; name a directory that doesn't", to)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(to), filepath.Base(to)+unfinished+"-*") // with mode 0700
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	at := set.clock()()
	if err := copyAll(ctx, set, io, log, work); err != nil {
		return fmt.Errorf("nothing was backed up: %w", err)
	}
	said := fmt.Sprintf("%s to %s\n", audit.FormatTime(at), to)
	if err := syncAll(work); err != nil {
		return err
	}
	if err := writeOnce(filepath.Join(work, lastBackup), said); err != nil {
		return err
	}
	if err := errors.Join(os.Rename(work, to), syncDir(filepath.Dir(to))); err != nil {
		return err
	}
	fmt.Fprintf(io.out, "backed up and verified: %s\n", to)
	if err := replaceFile(filepath.Join(set.DataDir, lastBackup), said); err != nil {
		log.WarnContext(ctx, "the backup is there, but its time can't be noted in the data directory, so a start won't name it", "error", err)
	}
	return nil
}

// copyAll makes a data directory that holds.
func copyAll(ctx context.Context, set Settings, io streams, log *slog.Logger, work string) error {
	h, err := openHeads(set, log)
	if err != nil {
		return err
	}
	if len(h.keys.live) == 0 {
		return noKeys(set.DataDir)
	}
	db, err := openToRead(ctx, set, log)
	if err != nil {
		return err
	}
	copied := Settings{DataDir: work, now: set.now, uptime: set.uptime}
	known := map[string][]audit.Checkpoint{} // before the copy, which begins with them
	err = h.eachTrail(ctx, db, func(tenant string) error {
		last, err := h.Remembered(tenant)
		if last.Note != nil {
			known[tenant] = []audit.Checkpoint{last.Checkpoint}
		}
		return err
	})
	if err == nil {
		err = db.CopyTo(ctx, copied.sqlitePath(), telling(io, "copied"))
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if err := copyFiles(work, set.DataDir); err != nil {
		return err
	}
	of, signs, err := openSigned(ctx, copied, log)
	if err != nil {
		return err
	}
	return errors.Join(verifyCopy(ctx, io, of, signs, known), of.Close())
}

// verifyCopy holds each trail of a copy against its tables, its signed head and what is known of
// it, and keeps the heads beside it.
func verifyCopy(ctx context.Context, io streams, db *store.Store, h *heads, known map[string][]audit.Checkpoint) error {
	any := false
	err := h.eachTrail(ctx, db, func(tenant string) error {
		any = true
		progress := telling(io, "verified, of "+tenant)
		report, err := db.Audit().VerifyTelling(ctx, tenant, func(done, _ int64) { progress("events", done) }, known[tenant]...)
		if err != nil {
			return err
		}
		if !report.OK {
			return fault.New(fault.GrantUnproven, "its trail doesn't hold: broken at event %d: %s", report.FirstBroken, report.Problem)
		}
		fmt.Fprintf(io.err, "%s: holds, %d events\n", tenant, report.Size)
		_, note, err := db.Audit().Signed(ctx, tenant)
		if err != nil || len(note) == 0 {
			return err
		}
		c, err := h.Open(note)
		if err != nil {
			return err
		}
		return h.write(audit.SignedCheckpoint{Checkpoint: c, Note: note})
	})
	if err == nil && !any {
		err = fault.New(fault.Missing, "it has no organisation, so there is nothing to keep; look whether --database-url and --data-dir name the right one")
	}
	return err
}

// tellEvery bounds what is said of how far a copy is.
const tellEvery = 2 * time.Second

// telling says on standard error how far something is, from time to time.
func telling(io streams, what string) func(of string, n int64) {
	last := time.Now()
	return func(of string, n int64) {
		if time.Since(last) > tellEvery {
			last = time.Now()
			fmt.Fprintf(io.err, "%s: %d %s\n", what, n, of)
		}
	}
}

// copyFiles copies the files of a data directory but those of the database, with mode 0600.
func copyFiles(to, from string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if !e.Type().IsRegular() || strings.HasPrefix(name, filepath.Base(Settings{}.sqlitePath())) || strings.HasPrefix(name, unfinishedKey) || name == lastBackup {
			continue
		}
		err := copyFile(filepath.Join(to, name), filepath.Join(from, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a key that was withdrawn just now
			return err
		}
	}
	return nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// replaceFile writes a file whole, in the place of an older one.
func replaceFile(path, text string) error {
	next := path + unfinished
	return errors.Join(os.RemoveAll(next), writeOnce(next, text), os.Rename(next, path))
}

// syncAll puts a directory and everything in it on disk.
func syncAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return syncDir(path)
		}
		return syncFile(path)
	})
}

// lastBackupOf says when and where the newest backup was made.
func lastBackupOf(set Settings) string {
	text, err := os.ReadFile(filepath.Join(set.DataDir, lastBackup))
	if err != nil {
		return "none yet; make one with “countersign backup --to DIR”"
	}
	return strings.TrimSpace(string(text))
}
