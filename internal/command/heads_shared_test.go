package command

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
)

// A server that ran while the key was rotated takes no head any more that the old one signs.
func TestARetiredKeyUnderARunningServer(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	files := checkpointFiles{dir}
	old, err := files.open()
	if err != nil {
		t.Fatal(err)
	}
	server, err := openHeads(Settings{DataDir: dir}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	head := func(k *audit.CheckpointKey, size int64) []byte {
		t.Helper()
		note, err := k.Sign(audit.Checkpoint{Tenant: "acme", Size: size, Root: bytes.Repeat([]byte{byte(size)}, 32), At: time.Now().UTC().Truncate(time.Microsecond), Epoch: 1})
		if err != nil {
			t.Fatal(err)
		}
		return note
	}
	if err := files.create(2); err != nil { // as rotate does
		t.Fatal(err)
	}
	now, err := files.load()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Open(head(now.signer, 5)); err != nil { // the event of the rotation
		t.Fatal(err)
	}
	if err := os.Remove(files.path(1)); err != nil {
		t.Fatal(err)
	}
	if c, err := server.Open(head(old.signer, 6)); err == nil {
		t.Errorf("a running server takes a head of %d events that the retired key signed", c.Size)
	}
	if next, err := openHeads(Settings{DataDir: dir}, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	} else if _, err := next.Open(head(old.signer, 6)); err == nil {
		t.Error("a started one, too")
	}
}

// Of two processes that commit one after the other, the first may be told of its commit late.
func TestAHeadThatIsToldOfLate(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	if _, err := (checkpointFiles{dir}).open(); err != nil {
		t.Fatal(err)
	}
	server := func() *heads {
		h, err := openHeads(Settings{DataDir: dir}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	keep := func(h *heads, size int64) {
		c := audit.Checkpoint{Tenant: "acme", Size: size, Root: bytes.Repeat([]byte{byte(size)}, 32), At: time.Now().UTC().Truncate(time.Microsecond), Epoch: 1}
		note, err := h.Sign(c)
		if err != nil {
			t.Fatal(err)
		}
		h.Keep(audit.SignedCheckpoint{Checkpoint: c, Note: note})
	}
	one, two := server(), server()
	keep(two, 5) // committed after the one of 4 events, and acknowledged
	keep(one, 4)
	for name, h := range map[string]*heads{"the first": one, "the next process": server()} {
		if c, err := h.Remembered("acme"); err != nil || c.Size != 5 {
			t.Errorf("%s remembers %d events, %v; want 5", name, c.Size, err)
		}
	}
}

// A server that ran while the key was rotated signs nothing with the old one any more.
func TestARotationWhileAServerRuns(t *testing.T) {
	t.Parallel()
	set := Settings{DataDir: dataDir(t)}
	h := bootOn(t, set)
	do := func(want int, says string, args ...string) string {
		t.Helper()
		code, out, errs := command(t, "", append(args, "--data-dir", set.DataDir)...)
		if code != want || !strings.Contains(out+errs, says) {
			t.Errorf("%v: exit %d, %q %q; want %d and %q", args, code, out, errs, want, says)
		}
		return out
	}
	h.organisation("acme", nil)
	do(0, "signed with the new key", "keys", "checkpoint", "--rotate")
	if err := h.Tenants.CreateTenant(t.Context(), "rival"); err != nil { // before anybody asked anything of acme
		t.Fatal(err)
	}
	do(0, "rival: holds", "audit", "verify")
}
