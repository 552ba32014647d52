package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
)

// auditCheckpointCmd signs the head of a trail as it is now. It reads the database
// only; the note also becomes the newest in the directory of checkpoints.
type auditCheckpointCmd struct {
	Tenant string `required:"" placeholder:"SLUG" help:"Short name of the organisation."`
}

// Run prints the signed note alone on standard output.
func (c auditCheckpointCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	db, err := openToRead(ctx, set, log)
	if err != nil {
		return err
	}
	if _, err := db.Audit().Head(ctx, c.Tenant); err != nil {
		if fault.Is(err, fault.Missing) {
			err = fault.Member(fault.Missing, "--tenant", "there is no organisation %q", c.Tenant)
		}
		return errors.Join(err, db.Close())
	}
	// With the wrong data directory a new key would sign what nobody can verify.
	if keys, err := (checkpointFiles{set.DataDir}).load(); err != nil || keys.signer == nil {
		if err == nil {
			err = noKeys(set.DataDir)
		}
		return errors.Join(err, db.Close())
	}
	signer, err := openCheckpoints(set, slog.New(slog.DiscardHandler))
	if err != nil {
		return errors.Join(err, db.Close())
	}
	signer.trail = db.Audit()
	signed, err := signer.signOne(ctx, c.Tenant)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	_, err = io.out.Write(signed.Note)
	return err
}

// signedBefore are the flags that say what a trail must still fit.
type signedBefore struct {
	Checkpoint    []string `help:"A signed checkpoint that was kept: the trail must begin with what it was of. May be repeated. Unset: the newest in the directory of checkpoints, if there is one." placeholder:"FILE" sep:"none"`
	CheckpointKey []string `help:"The public key that verifies it, as “keys checkpoint” printed it. May be repeated. Unset: the keys in the data directory." placeholder:"KEY" sep:"none"`
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

// given reads the checkpoints that the flags name.
func (b signedBefore) given(set Settings) (all []audit.Checkpoint, err error) {
	keys, err := b.keys(set)
	if err != nil {
		return nil, err
	}
	for _, path := range b.Checkpoint {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fault.Member(fault.InvalidSetting, "--checkpoint", "%v", err)
		}
		c, err := audit.OpenCheckpoint(text, keys...)
		if err != nil {
			return nil, fault.Member(fault.InvalidSetting, "--checkpoint", "%s: %v", path, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// kept is the newest checkpoint that this machine has of a tenant: one or none.
func (b signedBefore) kept(set Settings, tenant string) ([]audit.Checkpoint, error) {
	keys, err := b.keys(set)
	if err != nil {
		return nil, err
	}
	s, err := readNote(notePath(set.noteDir(), tenant), keys)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Member(fault.InvalidSetting, "--checkpoint-dir", "%v", err)
	}
	return []audit.Checkpoint{s.Checkpoint}, nil
}

// fits says in a line of what holds which checkpoints it was held against.
func fits(against []audit.Checkpoint) (s string) {
	for _, c := range against {
		s += fmt.Sprintf(", begins with %s", c)
	}
	return s
}

// The commands about the keys that sign checkpoints.

type keysCheckpointCmd struct {
	Rotate bool `help:"Make a new key that signs from now on, and delete the old secret; what the old one signed still verifies. Give the new public key to whoever keeps checkpoints."`
}

// Run prints the public keys, the one that signs first.
func (c keysCheckpointCmd) Run(set Settings, io streams) error {
	files := checkpointFiles{set.DataDir}
	if c.Rotate {
		if err := files.rotate(); err != nil {
			return err
		}
	}
	keys, err := files.load()
	if err != nil {
		return err
	}
	if len(keys.public) == 0 {
		return noKeys(set.DataDir)
	}
	for _, k := range keys.public {
		fmt.Fprintln(io.out, k)
	}
	if c.Rotate {
		fmt.Fprintf(io.err, "running servers sign with the new key within %v; nothing has to be restarted\n", checkpointEvery)
	}
	return nil
}
