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

// openStore opens the database, migrates it, and gives it the key that signs its audit trails.
func openStore(ctx context.Context, set Settings, log *slog.Logger) (*store.Store, error) {
	db, _, err := openSigned(ctx, set, log)
	return db, err
}

// openSigned is openStore that also returns who signs. The first start makes the key, and
// signs the trails that an earlier program left without a signature. It refuses a database that
// was signed with a key that the data directory doesn't have.
func openSigned(ctx context.Context, set Settings, log *slog.Logger) (*store.Store, *heads, error) {
	if err := os.MkdirAll(set.DataDir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("data directory: %w", err)
	}
	h, err := openHeads(set, log)
	if err != nil {
		return nil, nil, err
	}
	db, err := openMigrated(ctx, set, log)
	if err != nil {
		return nil, nil, err
	}
	if err := h.take(ctx, db); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, h, nil
}

// take makes the first key where there is none, and signs what isn't signed yet.
func (h *heads) take(ctx context.Context, db *store.Store) error {
	signed, unsigned, err := db.SignedTenants(ctx)
	if err != nil {
		return err
	}
	if h.keys.signer == nil {
		if len(signed) > 0 {
			return fault.Member(fault.InvalidSetting, "COUNTERSIGN_DATA_DIR",
				"the audit trails of this database are signed with a key that %s doesn't have; name the data directory that its servers share. Is it lost? See “countersign keys recover --help”", h.files.dir)
		}
		if _, err := h.files.open(); err != nil {
			return err
		}
		if err := h.reload(); err != nil {
			return err
		}
	}
	db.SignWith(h)
	_, err = os.Stat(signedPath(h.files.dir))
	switch {
	case err == nil && len(unsigned) > 0:
		h.log.ErrorContext(ctx, "ALARM: audit trails that aren't signed, though those of this data directory are; nothing of them is accepted", "tenants", unsigned)
		return nil
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("data directory: %w", err)
	}
	key, err := readTrailKey(h.files.dir)
	if err != nil {
		return err
	}
	var failed error
	for i, tenant := range unsigned {
		if err := h.signFirst(ctx, db, tenant, key); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		h.log.InfoContext(ctx, "an audit trail is signed from here on", "tenant", tenant, "done", i+1, "of", len(unsigned))
	}
	if failed != nil {
		return ignoreUnproven(failed) // the others are served; of these nothing is accepted
	}
	if err := writeOnce(signedPath(h.files.dir), "The audit trails of this data directory are signed; one that isn't is none of its servers'.\n"); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("data directory: %w", err)
	}
	return remove(trailKeyPath(h.files.dir)) // each log was held against it for the last time
}

// signedPath says that every trail of a data directory was signed once: from then on nothing is
// signed that isn't.
func signedPath(dir string) string { return filepath.Join(dir, "trails-signed") }

// signFirst signs a trail of before heads were signed, unless it was signed before.
func (h *heads) signFirst(ctx context.Context, db *store.Store, tenant string, key audit.SealKey) error {
	last, err := h.Remembered(tenant)
	if err != nil {
		return err
	}
	if last.Epoch > 0 {
		return fault.New(fault.GrantUnproven, "the audit trail of %s was signed before, and isn't any more", tenant)
	}
	return db.SignFirst(ctx, tenant, store.FirstSignature{SealKey: key, Event: func() audit.Event {
		return audit.Event{Kind: audit.HeadSigned, Actor: audit.Actor{Kind: "system"}}
	}, Progress: func(done, of int64) {
		h.log.InfoContext(ctx, "reading an audit trail before it is signed for the first time", "tenant", tenant, "events", done, "of", of)
	}})
}

// ignoreUnproven lets a server start whose other organisations hold: who refuses was told of.
func ignoreUnproven(err error) error {
	if fault.Is(err, fault.GrantUnproven) {
		return nil
	}
	return err
}

// openMigrated opens the database and brings it to the current schema.
func openMigrated(ctx context.Context, set Settings, log *slog.Logger) (*store.Store, error) {
	database := set.database(log)
	database.Upgrading = func(from, to int64) {
		log.WarnContext(ctx, "the schema of the database is upgraded; only a backup leads back", "from", from, "to", to, "last_backup", lastBackupOf(set))
	}
	db, err := store.Open(ctx, database)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if err := db.Migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("migrate the database: %w", err), db.Close())
	}
	return db, nil
}

// openToRead opens the database so that nothing in it can change.
func openToRead(ctx context.Context, set Settings, log *slog.Logger) (*store.Store, error) {
	if err := set.check(); err != nil {
		return nil, err
	}
	database := set.database(log)
	database.ReadOnly = true
	h, err := openHeads(set, log)
	if err != nil {
		return nil, err
	}
	if len(h.keys.public) > 0 { // without a key nobody can say who signed
		database.Heads = h
	}
	db, err := store.Open(ctx, database)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return db, nil
}

// trailKeyPath is the secret that sealed events before heads were signed.
func trailKeyPath(dir string) string { return filepath.Join(dir, "trail-key") }

// readTrailKey reads that secret; nil where there is none.
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
