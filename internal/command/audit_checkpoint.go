package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
)

// auditCheckpointCmd prints the signed head of a trail as it is now. It only reads.
type auditCheckpointCmd struct {
	Tenant string `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
}

// Run prints the signed note alone on standard output.
func (c auditCheckpointCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
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
	note, err := c.newest(ctx, db, h)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	_, err = io.out.Write(note)
	return err
}

// newest is the head in the database, unless it isn't what was signed, or an earlier one.
func (c auditCheckpointCmd) newest(ctx context.Context, db *store.Store, h *heads) ([]byte, error) {
	head, note, err := db.Audit().Signed(ctx, c.Tenant)
	if fault.Is(err, fault.Missing) {
		return nil, fault.Member(fault.Missing, "--tenant", "there is no organisation %q", c.Tenant)
	}
	if err != nil {
		return nil, err
	}
	last, err := h.Remembered(c.Tenant)
	if err != nil {
		return nil, err
	}
	signed, err := h.Open(note)
	switch {
	case err != nil:
		return nil, fault.New(fault.Changed, "%s: its head isn't signed: %v; docs/audit.md says what to do", c.Tenant, err)
	case signed.Tenant != c.Tenant, signed.Size != head.Size, !bytes.Equal(signed.Root, head.RootHash()):
		return nil, fault.New(fault.Changed, "%s: its head isn't the one that was signed; docs/audit.md says what to do", c.Tenant)
	case signed.Size < last.Size, signed.Size == last.Size && !bytes.Equal(signed.Root, last.Root):
		return nil, fault.New(fault.Changed, "%s: the log has %d events, but %s has more, or others; docs/audit.md says what to do", c.Tenant, signed.Size, last.Checkpoint)
	}
	return note, nil
}

// signedBefore are the flags that say what a trail must still fit.
type signedBefore struct {
	Checkpoint    []string `help:"A signed checkpoint you kept; the trail must begin with the entries it covers. May be repeated. Unset: the newest in the checkpoint directory, if any." placeholder:"FILE" sep:"none"`
	CheckpointKey []string `help:"Public key that verifies it, as printed by “keys checkpoint”. May be repeated. Unset: the keys in the data directory." placeholder:"KEY" sep:"none"`
}

// keys are those that are trusted.
func (b signedBefore) keys(set Settings) ([]string, error) {
	for _, k := range b.CheckpointKey {
		if err := audit.CheckPublicKey(k); err != nil {
			return nil, fault.Member(fault.InvalidSetting, "--checkpoint-key", "%v", err)
		}
	}
	if len(b.CheckpointKey) > 0 {
		return b.CheckpointKey, nil
	}
	keys, err := checkpointFiles{set.DataDir}.load()
	return keys.public, err
}

// signedNote is a checkpoint that a trail is held against.
type signedNote struct {
	audit.Checkpoint
	file, key string // where it stands, and the name of the key that signed it
	text      string // of the note
}

// String says what it is and where it comes from.
func (n signedNote) String() string {
	return fmt.Sprintf("%s with the key %s (%s)", n.Checkpoint, n.key, n.file)
}

// openNote reads the note in a file that one of these keys signed.
func openNote(file string, keys []string) (n signedNote, err error) {
	text, err := os.ReadFile(file)
	if err == nil && len(text) == 0 { // the machine lost its power before the head was on disk
		err = fs.ErrNotExist
	}
	if err != nil {
		return n, err
	}
	n = signedNote{file: file, text: string(text)}
	if n.Checkpoint, err = audit.OpenCheckpoint(text, keys...); err != nil {
		return n, fmt.Errorf("%s: %w", file, err)
	}
	for _, k := range keys {
		if _, err := audit.OpenCheckpoint(text, k); err == nil {
			n.key = checkpointKeyID(k)
		}
	}
	return n, nil
}

// checkpointsOf are what a trail is held against, without where they come from.
func checkpointsOf(notes []signedNote) []audit.Checkpoint {
	all := make([]audit.Checkpoint, len(notes))
	for i, n := range notes {
		all[i] = n.Checkpoint
	}
	return all
}

// given reads the checkpoints that the flags name.
func (b signedBefore) given(set Settings) (all []signedNote, err error) {
	keys, err := b.keys(set)
	if err != nil {
		return nil, err
	}
	for _, path := range b.Checkpoint {
		n, err := openNote(path, keys)
		if err != nil {
			return nil, fault.Member(fault.InvalidSetting, "--checkpoint", "%v", err)
		}
		all = append(all, n)
	}
	return all, nil
}

// kept is the newest checkpoint that this machine has of a tenant: one or none.
func (b signedBefore) kept(set Settings, tenant string) ([]signedNote, error) {
	keys, err := b.keys(set)
	if err != nil {
		return nil, err
	}
	n, err := openNote(notePath(set.noteDir(), tenant), keys)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Member(fault.InvalidSetting, "--checkpoint-dir", "the checkpoint %v", err)
	}
	return []signedNote{n}, nil
}

// strays are the notes on this machine of organisations that are not among these, by
// their short name.
func strays(dir string, tenants []string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if name, isNote := strings.CutSuffix(e.Name(), noteSuffix); isNote && !slices.Contains(tenants, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// fits says in a line of what holds which checkpoints it was held against.
func fits(against []signedNote) (s string) {
	for _, n := range against {
		s += fmt.Sprintf(", begins with %s", n.Checkpoint)
	}
	return s
}

// heldAgainst ends the sentence that says what a trail was held against, so that nobody
// takes a check for more than it was.
func heldAgainst(notes []signedNote, without string) (s string) {
	if len(notes) == 0 {
		return "; no checkpoint (" + without + "), so a trail that was cut or rewritten wouldn't be noticed"
	}
	for _, n := range notes {
		s += ", " + n.String()
	}
	return s
}
