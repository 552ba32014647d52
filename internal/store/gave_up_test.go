package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/tenants"
)

type plainHeads struct{ k *audit.CheckpointKey }

func (h plainHeads) Sign(c audit.Checkpoint) ([]byte, error) { return h.k.Sign(c) }
func (h plainHeads) Open(n []byte) (audit.Checkpoint, error) {
	return audit.OpenCheckpoint(n, h.k.Public())
}
func (h plainHeads) Remembered(string) (c audit.SignedCheckpoint, err error) { return c, nil }
func (h plainHeads) Keep(audit.SignedCheckpoint)                             {}
func (h plainHeads) Say(string, []byte) error                                { return nil }
func (h plainHeads) Said(string) ([]Said, error)                             { return nil, nil }
func (h plainHeads) Appended(string, []string)                               {}
func (h plainHeads) Refuse(context.Context, string, string)                  {}

// The state of a log is not changed under whoever reads it: a transaction that was taken back,
// for its caller gave up, may be reading still.
func TestTheStateStandsStillForWhoGaveUp(t *testing.T) {
	secret, err := audit.NewCheckpointKey()
	if err != nil {
		t.Fatal(err)
	}
	k, err := audit.ParseCheckpointKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "x.db"), Heads: plainHeads{k}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := tenants.NewService(tenants.Config{Store: s.Tenants()}).CreateTenant(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	told := func() error {
		return s.write(context.Background(), "acme", func(w *tx) error {
			return w.Append(audit.Event{Kind: audit.HeadSigned, Actor: audit.Actor{Kind: "system"}})
		})
	}
	if err := told(); err != nil {
		t.Fatal(err)
	}
	ctx, giveUp := context.WithCancel(t.Context())
	err = s.write(ctx, "acme", func(w *tx) error {
		was := w.state.Head.Size
		giveUp()
		done := make(chan error, 1)
		go func() { done <- told() }()
		select {
		case err := <-done:
			if err != nil {
				return err
			}
		case <-time.After(3 * time.Second):
			return errors.New("the other one waits, as it should")
		}
		if w.state.Head.Size != was {
			t.Errorf("the state that it reads has %d events now, and had %d", w.state.Head.Size, was)
		}
		return nil
	})
	t.Log(err)
}
