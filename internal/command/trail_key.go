package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
)

// trailKeyPath is the secret that seals events of the audit trail; replicas and commands share
// it with the data directory.
func trailKeyPath(dir string) string { return filepath.Join(dir, "trail-key") }

// readTrailKey reads the key; nil where there is none.
func readTrailKey(dir string) (audit.SealKey, error) {
	text, err := os.ReadFile(trailKeyPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("trail key: %w", err)
	}
	key, err := audit.ParseSealKey(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", trailKeyPath(dir), err)
	}
	return key, nil
}

// sealTrail makes a migrated store seal what it writes. The first start makes the key, and seals
// what is stored: of two that start at once the one reads what the other wrote. It refuses a
// database whose events other servers seal, since those would refuse every event of this one.
func sealTrail(ctx context.Context, dir string, db *store.Store, log *slog.Logger) error {
	key, err := readTrailKey(dir)
	if err != nil {
		return err
	}
	sealed, ours, err := db.Sealed(ctx, key)
	if err != nil {
		return err
	}
	if sealed && !ours {
		return fault.Member(fault.InvalidSetting, "COUNTERSIGN_DATA_DIR",
			"%s isn't the key that the newest events of this database are sealed with; name the data directory that its servers share. Is that key lost? Stop all servers, run “countersign audit verify”, then “countersign keys trail --replace”", trailKeyPath(dir))
	}
	if key == nil {
		if key, err = newTrailKey(ctx, dir, db, log); err != nil {
			return err
		}
	}
	db.SealWith(key)
	return nil
}

// newTrailKey seals what is stored with a new key before anybody can read the key: a start that
// is cut off in between begins anew.
func newTrailKey(ctx context.Context, dir string, db *store.Store, log *slog.Logger) (audit.SealKey, error) {
	key := audit.NewSealKey()
	err := db.SealStored(ctx, key, func(done, of int) {
		log.InfoContext(ctx, "the stored audit trail is sealed", "organisations", done, "of", of)
	})
	if err != nil {
		return nil, fmt.Errorf("seal the audit trail: %w", err)
	}
	if err := writeOnce(trailKeyPath(dir), key.Text()+"\n"); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("trail key: %w", err)
	}
	return readTrailKey(dir)
}

// keysTrailCmd is about the key that seals events.
type keysTrailCmd struct {
	Replace bool `help:"Create a new key and seal the stored trail with it, because the old key was lost or leaked. Stop all servers and run “audit verify” first: the stored trail counts as true from then on."`
}

// Run says whether the key is that of the newest events, or makes another one.
func (c keysTrailCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	if c.Replace {
		return c.replace(ctx, set, io, log)
	}
	db, err := openToRead(ctx, set, log)
	if err != nil {
		return err
	}
	defer db.Close()
	key, err := readTrailKey(set.DataDir)
	if err != nil {
		return err
	}
	sealed, ours, err := db.Sealed(ctx, key)
	switch {
	case err != nil:
		return err
	case key == nil:
		return fault.Member(fault.Missing, "--data-dir", "there is no key %s; the first start of the server makes one", trailKeyPath(set.DataDir))
	case sealed && !ours:
		return fault.Member(fault.InvalidSetting, "--data-dir", "%s isn't the key that the newest events of this database are sealed with", trailKeyPath(set.DataDir))
	}
	fmt.Fprintf(io.out, "%s seals the audit trails of this database\n", trailKeyPath(set.DataDir))
	return nil
}

func (c keysTrailCmd) replace(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	if err := set.check(); err != nil {
		return err
	}
	if err := os.MkdirAll(set.DataDir, 0o700); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	db, err := openMigrated(ctx, set, log)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := os.Remove(trailKeyPath(set.DataDir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("trail key: %w", err)
	}
	if _, err := newTrailKey(ctx, set.DataDir, db, log); err != nil {
		return err
	}
	fmt.Fprintf(io.out, "%s is new and the stored trail is sealed with it; start the servers\n", trailKeyPath(set.DataDir))
	return nil
}
