package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
)

// syncEvery is how often the newest heads are put on disk for good. A process that dies leaves
// them to the next one; only a machine that loses its power can lose what came after.
const syncEvery = time.Second

// heads signs the heads of audit logs with the keys of the data directory, and keeps the newest
// of each beside the database, one file a tenant, where every server of the directory reads it
// before it acts. It is safe for concurrent use.
type heads struct {
	files checkpointFiles
	dir   string // of the notes
	log   *slog.Logger
	count func(result string) // "signed", "refused", "failed"

	turn     sync.Mutex // of those who keep a head
	mu       sync.Mutex
	keys     checkpointKeys
	last     map[string]audit.SignedCheckpoint
	unsynced map[string]bool
}

var _ store.Heads = (*heads)(nil)

// openHeads reads the keys; there may be none yet.
func openHeads(set Settings, log *slog.Logger) (*heads, error) {
	h := &heads{
		files: checkpointFiles{set.DataDir}, dir: set.noteDir(), log: log, count: func(string) {},
		last: map[string]audit.SignedCheckpoint{}, unsynced: map[string]bool{},
	}
	return h, h.reload()
}

const noteSuffix = ".note"

// notePath is where the newest note of a tenant is kept.
func notePath(dir, tenant string) string { return filepath.Join(dir, tenant+noteSuffix) }

// reload reads the keys again: somebody may have rotated.
func (h *heads) reload() error {
	keys, err := h.files.load()
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keys = keys
	return nil
}

// current are the keys, read again where somebody rotated, or does: a secret is gone, or another
// one is there.
func (h *heads) current() (checkpointKeys, error) {
	h.mu.Lock()
	keys := h.keys
	h.mu.Unlock()
	_, gone := os.Stat(h.files.path(keys.number))
	_, next := os.Stat(h.files.path(keys.number + 1))
	if gone == nil && errors.Is(next, fs.ErrNotExist) && len(keys.live) == 1 {
		return keys, nil
	}
	err := h.reload()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.keys, err
}

// Sign signs a head with the newest key.
func (h *heads) Sign(c audit.Checkpoint) ([]byte, error) {
	keys, err := h.current()
	if err != nil {
		return nil, err
	}
	if keys.signer == nil {
		return nil, noKeys(h.files.dir)
	}
	return keys.signer.Sign(c)
}

// Open reads a head that a key signed whose secret is there still.
func (h *heads) Open(note []byte) (audit.Checkpoint, error) {
	keys, err := h.current()
	if err != nil {
		return audit.Checkpoint{}, err
	}
	return audit.OpenCheckpoint(note, keys.live...)
}

// Remembered is the newest head that a process of this directory committed.
func (h *heads) Remembered(tenant string) (audit.SignedCheckpoint, error) {
	last := h.Newest(tenant)
	text, err := os.ReadFile(notePath(h.dir, tenant))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return last, nil
	case err != nil:
		return last, fmt.Errorf("its newest signed head can't be read, so nothing shows that the database isn't an earlier one: %w. Let the server read that file, or put it back from a copy of the data directory", err)
	case bytes.Equal(text, last.Note):
		return last, nil
	case len(text) == 0: // the machine lost its power before sync
		h.log.Error("a signed head is lost, so this start wouldn't notice if the database was put back to an earlier state", "file", notePath(h.dir, tenant))
		return last, nil
	}
	c, err := audit.OpenCheckpoint(text, h.Keys()...)
	if err != nil { // with a key that was made since
		if err := h.reload(); err != nil {
			return last, err
		}
		c, err = audit.OpenCheckpoint(text, h.Keys()...)
	}
	switch {
	case err == nil && c.Tenant != tenant:
		err = fmt.Errorf("it's of the organisation %q", c.Tenant)
		fallthrough
	case err != nil:
		return last, fault.New(fault.GrantUnproven, "%s isn't its newest signed head, so nothing shows that the database isn't an earlier one: %v. "+
			"Put the file back from a copy of the data directory; without one, hold the database against a checkpoint that you kept, with “countersign audit verify --checkpoint”, and delete the file", notePath(h.dir, tenant), err)
	case c.Size <= last.Size && last.Note != nil:
		return last, nil
	}
	last = audit.SignedCheckpoint{Checkpoint: c, Note: text, Problem: last.Problem}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last[tenant] = last
	return last, nil
}

// Keep writes a head that was committed in the place of an older one. Where it can't, this
// process goes on by what it has in memory.
func (h *heads) Keep(c audit.SignedCheckpoint) {
	h.turn.Lock()
	defer h.turn.Unlock()
	err := h.alone(func() error {
		if last, err := h.Remembered(c.Tenant); err == nil && c.Size <= last.Size {
			return nil // another process appended since, and was faster
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		c.Problem = h.last[c.Tenant].Problem
		h.last[c.Tenant] = c
		if err := h.write(c); err != nil {
			return err
		}
		h.unsynced[c.Tenant] = true
		h.count("signed")
		return nil
	})
	if err != nil {
		h.count("failed")
		h.log.Error("the newest signed head can't be kept outside of the database; a restart wouldn't notice if the database was put back to an earlier state", "tenant", c.Tenant, "error", err)
	}
}

// keepWithin is how long a head waits for another process to write its own.
const keepWithin = 2 * time.Second

// alone runs fn while no other process of this directory replaces a note, so that no older one
// comes after a newer.
func (h *heads) alone(fn func() error) error {
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), keepWithin)
	defer cancel()
	lock := flock.New(filepath.Join(h.dir, ".lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 200*time.Microsecond); err != nil {
		return fmt.Errorf("wait for another process that keeps a signed head: %w", err)
	}
	return errors.Join(fn(), lock.Unlock())
}

// write replaces the file, whole. It is put on disk by sync.
func (h *heads) write(c audit.SignedCheckpoint) error {
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(h.dir, ".note-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.Write(c.Note); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), notePath(h.dir, c.Tenant))
}

// sync puts on disk what was kept since the last time.
func (h *heads) sync(context.Context) (err error) {
	h.mu.Lock()
	tenants := h.unsynced
	h.unsynced = map[string]bool{}
	h.mu.Unlock()
	for tenant := range tenants {
		err = errors.Join(err, syncFile(notePath(h.dir, tenant)))
	}
	if len(tenants) == 0 {
		return nil
	}
	return errors.Join(err, syncDir(h.dir))
}

// syncFile puts a file on disk, whichever of several versions it is by now.
func syncFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// saidDir is where events wait for the log of a tenant, one file each.
func saidDir(dir, tenant string) string { return filepath.Join(dir, tenant+".said") }

// Say puts an event on disk.
func (h *heads) Say(tenant string, event []byte) error {
	dir := saidDir(h.dir, tenant)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return errors.Join(writeOnce(filepath.Join(dir, auth.NewUUID()), string(event)), syncDir(h.dir))
}

// Said are the events that wait, in the order in which they were said.
func (h *heads) Said(tenant string) ([]store.Said, error) { return readSaid(h.dir, tenant) }

func readSaid(of, tenant string) (said []store.Said, err error) {
	dir := saidDir(of, tenant)
	entries, err := os.ReadDir(dir) // sorted: the names begin with a time
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unfinishedKey) {
			continue
		}
		text, unread := os.ReadFile(filepath.Join(dir, e.Name()))
		if errors.Is(unread, fs.ErrNotExist) {
			continue // another server appended it
		}
		err = errors.Join(err, unread)
		said = append(said, store.Said{Name: e.Name(), Event: text})
	}
	return said, err
}

// Appended removes what the log has now. What stays is found to be told.
func (h *heads) Appended(tenant string, names []string) {
	for _, name := range names {
		if err := os.Remove(filepath.Join(saidDir(h.dir, tenant), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			h.log.Error("what was said while the audit trail was refused is in it now, but its file stays", "tenant", tenant, "error", err)
		}
	}
}

// Refuse is told why nothing is accepted of a log, each time that somebody tries.
func (h *heads) Refuse(ctx context.Context, tenant, problem string) {
	h.mu.Lock()
	last := h.last[tenant]
	was := last.Problem
	last.Problem = problem
	h.last[tenant] = last
	h.mu.Unlock()
	switch {
	case problem == was:
	case problem == "":
		h.log.InfoContext(ctx, "an audit trail is what was signed again", "tenant", tenant)
	default:
		h.count("refused")
		h.log.ErrorContext(ctx, "ALARM: an audit trail is not what was signed; nothing of it is accepted or spent", "tenant", tenant, "problem", problem)
	}
}

// refused names the organisations whose trail isn't what was signed.
func (h *heads) refused() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var failed []error
	for tenant, last := range h.last {
		if last.Problem != "" {
			failed = append(failed, fault.New(fault.NotReady, "the audit trail of %s isn't what was signed: %s", tenant, last.Problem))
		}
	}
	return errors.Join(failed...)
}

// Newest is the newest signed head of a tenant that this process knows; without a note before
// the first.
func (h *heads) Newest(tenant string) audit.SignedCheckpoint {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last[tenant]
}

// remembered is what agents remember of the trail.
type remembered struct {
	*store.Store
	heads *heads
}

// Newest is the newest signed head as a note.
func (r remembered) Newest(tenant string) []byte { return r.heads.Newest(tenant).Note }

// Keys are the public keys that verify checkpoints, the one that signs first.
func (h *heads) Keys() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.keys.public
}
