package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
)

// The commands about the keys that sign the heads of audit trails.

type keysCheckpointCmd struct {
	Rotate bool `help:"Create a new key, sign every audit trail that holds with it, and delete the old secret; checkpoints it signed still verify. Give the new public key to whoever keeps checkpoints."`
}

// Run prints the public keys, the one that signs first.
func (c keysCheckpointCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	files := checkpointFiles{set.DataDir}
	if c.Rotate {
		left, err := rotate(ctx, set, log)
		if err != nil {
			return err
		}
		for _, tenant := range left {
			fmt.Fprintf(io.err, "%s isn't what was signed, so the new key didn't sign it: nothing of it is accepted until it is restored from a backup; “countersign audit verify” says what's wrong\n", tenant)
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
		fmt.Fprintln(io.err, "every audit trail that holds is signed with the new key; running servers use it at once, without a restart")
	}
	return nil
}

// rotate makes the next key, signs every log with it, and then deletes the secrets of those
// before it. From then on a head that an older key signed counts nowhere; what is cut off in
// between is done by the next rotation. left are the logs that aren't what was signed: they keep
// no key alive, and stay refused.
func rotate(ctx context.Context, set Settings, log *slog.Logger) (left []string, err error) {
	files := checkpointFiles{set.DataDir}
	keys, err := files.load()
	if err != nil {
		return nil, err
	}
	if keys.signer == nil {
		return nil, noKeys(files.dir)
	}
	// A public half that a crash kept from being written is gone with its secret.
	if err := writeOnce(files.path(keys.number)+".pub", keys.signer.Public()+"\n"); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("checkpoint key: %w", err)
	}
	err = files.create(keys.number + 1)
	if errors.Is(err, fs.ErrExist) {
		return nil, fault.New(fault.Changed, "someone else rotated at the same time; see “keys checkpoint”")
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint key: %w", err)
	}
	db, h, err := openSigned(ctx, set, log)
	if err != nil {
		return nil, err
	}
	err = h.eachTrail(ctx, db, func(tenant string) error {
		err := db.Sign(ctx, tenant, signedBy(h.keys.signer.Public()))
		if fault.Is(err, fault.GrantUnproven) {
			left, err = append(left, tenant), nil
		}
		return err
	})
	if err := errors.Join(err, h.sync(ctx), db.Close()); err != nil {
		return nil, fmt.Errorf("the new key is there, and the old one stays until every audit trail that holds is signed with the new one: %w", err)
	}
	for number := range keys.number {
		if err := remove(files.path(number + 1)); err != nil {
			return nil, err
		}
	}
	return left, syncDir(files.dir)
}

// eachTrail calls do for each organisation.
func (h *heads) eachTrail(ctx context.Context, db *store.Store, do func(tenant string) error) error {
	all, err := db.Tenants().Tenants(ctx)
	for _, tenant := range all {
		if one := do(tenant); one != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", tenant, one))
		}
	}
	return err
}

// signedBy is the event of a log that is signed with another key from here on.
func signedBy(public string, more ...canon.Member) audit.Event {
	return audit.Event{Kind: audit.HeadSigned, Actor: audit.Actor{Kind: "system"}, Data: canon.Object(
		append(more, canon.Member{Name: "key", Value: canon.String(checkpointKeyID(public))})...)}
}

// keysRecoverCmd makes a new key after the old one was lost.
type keysRecoverCmd struct {
	signedBefore
	WithoutCheckpoint bool `help:"There is no checkpoint. Then nothing shows whether events were cut off or rewritten before, and the audit trail says so for ever."`
}

// Run holds every trail against the newest checkpoint that somebody kept, and signs it with a
// new key. The trail tells of it for ever.
func (c keysRecoverCmd) Run(ctx context.Context, set Settings, io streams, log *slog.Logger) error {
	h, err := openHeads(set, log)
	if err != nil {
		return err
	}
	if h.keys.signer != nil {
		return fault.Member(fault.InvalidSetting, "COUNTERSIGN_DATA_DIR", "%s has a key that signs, so there is nothing to recover; “countersign keys checkpoint --rotate” makes another one", set.DataDir)
	}
	given, err := c.given(set)
	if err != nil {
		return err
	}
	db, err := openMigrated(ctx, set, log)
	if err != nil {
		return err
	}
	return errors.Join(c.recover(ctx, set, io, log, db, h, given), db.Close())
}

func (c keysRecoverCmd) recover(ctx context.Context, set Settings, io streams, log *slog.Logger, db *store.Store, h *heads, given []signedNote) error {
	notes := map[string]signedNote{}
	for _, n := range given {
		if n.Size >= notes[n.Tenant].Size {
			notes[n.Tenant] = n
		}
	}
	logs, said := map[string]store.FirstSignature{}, map[string]string{}
	err := h.eachTrail(ctx, db, func(tenant string) error {
		if _, ok := notes[tenant]; !ok {
			kept, err := c.kept(set, tenant)
			if err != nil {
				return err
			}
			if len(kept) == 0 && !c.WithoutCheckpoint {
				return fault.Member(fault.Missing, "--checkpoint", "there is no checkpoint of it in %s; name one that you kept, with --checkpoint-key, or say --without-checkpoint", set.noteDir())
			}
			for _, n := range kept {
				notes[tenant] = n
			}
		}
		n, ok := notes[tenant]
		more := []canon.Member{{Name: "recovered", Value: canon.Bool(true)}}
		if said[tenant] = "no checkpoint shows that nothing was cut off or rewritten before"; ok {
			said[tenant], more = "it begins with "+n.String(), append(more, canon.Member{Name: "checkpoint", Value: canon.Int(n.Size)})
		}
		logs[tenant] = store.FirstSignature{
			Kept: &n.Checkpoint, Progress: func(int64, int64) {},
			Event: func() audit.Event { return signedBy(h.keys.signer.Public(), more...) },
		}
		return nil
	})
	if err != nil {
		return err
	}
	db.SignWith(h)
	err = db.Recover(ctx, logs, func() error { // all hold, or nothing is signed
		if _, err := h.files.open(); err != nil {
			return err
		}
		return h.reload()
	})
	if err != nil && h.keys.signer != nil { // with which nothing was signed
		err = errors.Join(err, remove(h.files.path(h.keys.number)), remove(h.files.path(h.keys.number)+".pub"))
	}
	if err != nil {
		return err
	}
	for _, tenant := range slices.Sorted(maps.Keys(said)) {
		if _, ok := notes[tenant]; !ok {
			log.ErrorContext(ctx, "ALARM: an audit trail is signed with a new key, and no checkpoint shows that it is whole", "tenant", tenant)
		}
		fmt.Fprintf(io.out, "%s: signed with a new key; %s\n", tenant, said[tenant])
	}
	return h.sync(ctx)
}
