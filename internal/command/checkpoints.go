package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
)

// checkpointEvery is how often a server signs the trails that grew: so much of the
// newest past nobody outside of the database has a note of.
const checkpointEvery = time.Minute

// trailReader is what the signer asks of the database.
type trailReader interface {
	// Since is the head of now, with the proof that the log begins with that of a size.
	Since(ctx context.Context, tenant string, size int64) (audit.Head, [][]byte, error)
}

// checkpoints signs the heads of audit trails and keeps the newest of each beside
// the database, one file a tenant. It has a state of its own and never goes back: a
// log that is not the one it signed with events added gets no new signature, and an
// alarm. It is safe for concurrent use.
type checkpoints struct {
	files   checkpointFiles
	dir     string // of the notes
	trail   trailReader
	tenants func(ctx context.Context) ([]string, error)
	now     func() time.Time
	log     *slog.Logger
	count   func(result string) // "signed", "refused", "failed"

	round sync.Mutex // one at a time

	mu   sync.Mutex
	keys checkpointKeys
	last map[string]audit.SignedCheckpoint
}

// openCheckpoints returns a signer without a database: its callers add trail and
// tenants. It makes the first key where there is none.
func openCheckpoints(set Settings, log *slog.Logger) (*checkpoints, error) {
	files := checkpointFiles{set.DataDir}
	keys, err := files.open()
	if err != nil {
		return nil, err
	}
	return &checkpoints{
		files: files, dir: set.noteDir(), now: set.clock(), log: log, count: func(string) {},
		keys: keys, last: map[string]audit.SignedCheckpoint{},
	}, nil
}

const noteSuffix = ".note"

// notePath is where the newest note of a tenant is kept.
func notePath(dir, tenant string) string { return filepath.Join(dir, tenant+noteSuffix) }

// readNote reads a note that one of these keys signed. fs.ErrNotExist: there is none.
func readNote(path string, keys []string) (audit.SignedCheckpoint, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return audit.SignedCheckpoint{}, err
	}
	c, err := audit.OpenCheckpoint(text, keys...)
	if err != nil {
		return audit.SignedCheckpoint{}, fmt.Errorf("the checkpoint %s: %w", path, err)
	}
	return audit.SignedCheckpoint{Checkpoint: c, Note: text}, nil
}

// sign signs what grew since the last round, tenant by tenant. The error joins
// those of all that could not be signed.
func (c *checkpoints) sign(ctx context.Context) error {
	if err := c.reload(); err != nil {
		return err
	}
	all, err := c.tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range all {
		_, one := c.signOne(ctx, tenant)
		err = errors.Join(err, one)
	}
	return err
}

// reload reads the keys again: somebody may have rotated.
func (c *checkpoints) reload() error {
	keys, err := c.files.load()
	if err == nil && keys.signer == nil {
		err = noKeys(c.files.dir)
	}
	if err != nil {
		c.count("failed")
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys = keys
	return nil
}

// signOne returns the checkpoint of the tenant's log as it is now. fault.Changed:
// the log is not what was signed before with events added, and nothing was signed.
func (c *checkpoints) signOne(ctx context.Context, tenant string) (audit.SignedCheckpoint, error) {
	c.round.Lock()
	defer c.round.Unlock()
	last, err := c.known(tenant)
	if err != nil {
		c.count("failed")
		return last, err
	}
	head, path, err := c.trail.Since(ctx, tenant, last.Size)
	if err != nil {
		c.count("failed")
		return last, fmt.Errorf("checkpoint of %s: %w", tenant, err)
	}
	if last.Note != nil {
		if last.Problem = head.Extends(last.Checkpoint, path); last.Problem != "" {
			c.remember(last)
			c.count("refused")
			c.log.ErrorContext(ctx, "an audit trail is not what was signed before; it gets no new checkpoint", "tenant", tenant, "problem", last.Problem)
			return last, fault.New(fault.Changed, "%s: %s; docs/audit.md says what to do", tenant, last.Problem)
		}
		if head.Size == last.Size {
			c.remember(last)
			return last, nil
		}
	}
	next := audit.SignedCheckpoint{Checkpoint: audit.Checkpoint{Tenant: tenant, Size: head.Size, Root: head.RootHash(), At: c.now().UTC().Truncate(time.Microsecond)}}
	if next.Note, err = c.signer().Sign(next.Checkpoint); err != nil {
		c.count("failed")
		return last, err
	}
	c.remember(next)
	c.log.InfoContext(ctx, "audit checkpoint", "tenant", tenant, "size", next.Size, "note", string(next.Note))
	if err := c.keep(next); err != nil {
		c.count("failed")
		return next, fmt.Errorf("keep the checkpoint of %s: %w", tenant, err)
	}
	c.count("signed")
	return next, nil
}

// Refused says why the log of a tenant gets no new checkpoint, as far as the last round
// found; "" where it does.
func (c *checkpoints) Refused(tenant string) string { return c.Newest(tenant).Problem }

// known is the newest checkpoint of a tenant that this process or, through the
// directory, another one signed; without a note where there is none.
func (c *checkpoints) known(tenant string) (audit.SignedCheckpoint, error) {
	last := c.Newest(tenant)
	kept, err := readNote(notePath(c.dir, tenant), c.Keys())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return last, nil
	case err != nil:
		return last, err
	case kept.Tenant != tenant:
		return last, fmt.Errorf("the checkpoint %s is of tenant %q", notePath(c.dir, tenant), kept.Tenant)
	case kept.Size > last.Size || last.Note == nil:
		return kept, nil
	}
	return last, nil
}

func (c *checkpoints) remember(s audit.SignedCheckpoint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last[s.Tenant] = s
}

func (c *checkpoints) signer() *audit.CheckpointKey {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.keys.signer
}

// keep puts the note in its file, whole. Where several servers share the directory
// the larger one stays, but for the moment between the look and the rename; then
// the next round puts that right.
func (c *checkpoints) keep(s audit.SignedCheckpoint) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	if kept, err := readNote(notePath(c.dir, s.Tenant), c.Keys()); err == nil && kept.Size > s.Size {
		return nil
	}
	file, err := os.CreateTemp(c.dir, ".note-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.Write(s.Note); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), notePath(c.dir, s.Tenant)); err != nil {
		return err
	}
	return syncDir(c.dir)
}

// Newest is the newest signed checkpoint of a tenant; without a note before the first.
func (c *checkpoints) Newest(tenant string) audit.SignedCheckpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last[tenant]
}

// Keys are the public keys that verify checkpoints, the one that signs first.
func (c *checkpoints) Keys() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.keys.public
}
