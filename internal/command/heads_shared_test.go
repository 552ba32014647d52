package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/long"
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

// A note that can't be read, or that no key of the directory signed, proves nothing: the server
// refuses that organisation, and says so with what to do, until the note is back.
func TestABadNoteIsRefusedAndTold(t *testing.T) {
	t.Parallel()
	set := Settings{DataDir: dataDir(t)}
	var log lockedBuffer
	h := bootLogging(t, set, slog.New(slog.NewTextHandler(&log, nil)))
	key := h.organisation("acme", nil)
	submit := func() reply {
		return h.call(key, "POST", "/api/v1/approvals", `{"function": "get_user", "arguments": {"user_id": "usr_1"}}`)
	}
	if r := submit(); r.status != http.StatusCreated {
		t.Fatalf("submit: %d %s", r.status, r.raw)
	}
	path := notePath(set.noteDir(), "acme")
	note, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	for what, spoil := range map[string]struct {
		do   func() error
		says string
	}{
		"a note that is none":       {func() error { return os.WriteFile(path, []byte("x"), 0o600) }, "back from a copy of the data directory"},
		"a note that can't be read": {func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) }, "Let the server read that file"},
	} {
		if err := spoil.do(); err != nil {
			t.Fatal(err)
		}
		if r := submit(); r.status != http.StatusConflict || r.Type != "urn:countersign:problem:grant-unproven" {
			t.Errorf("%s: a submission is answered %d %s", what, r.status, r.raw)
		}
		if r := h.call("", "GET", "/readyz", ""); r.status != http.StatusServiceUnavailable {
			t.Errorf("%s: readiness is %d", what, r.status)
		}
		if problem := h.signed.Newest("acme").Problem; !strings.Contains(problem, spoil.says) || !strings.Contains(problem, path) {
			t.Errorf("%s: people are told %q", what, problem)
		}
		counted++
		if want := fmt.Sprintf("countersign_audit_checkpoints_total{result=\"refused\"} %d\n", counted); !strings.Contains(h.metrics(), want) {
			t.Errorf("%s: the metrics don't have %q", what, want)
		}
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, note, 0o600)); err != nil {
			t.Fatal(err)
		}
		if r := submit(); r.status != http.StatusCreated {
			t.Errorf("%s, and back: %d %s", what, r.status, r.raw)
		}
		if note, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(log.String(), "ALARM"); n != 2 {
		t.Errorf("%d alarms, want one for each: %s", n, log.String())
	}
}

// metrics are what the server tells of itself.
func (h *house) metrics() string {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.URL()+"/metrics", http.NoBody)
	if err != nil {
		h.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

// Servers that share a directory keep the newest head, however they meet: none is in the place of
// a newer one, not even for a moment.
func TestAnOlderHeadReplacesNone(t *testing.T) {
	t.Parallel()
	long.Race(t)
	dir := dataDir(t)
	if _, err := (checkpointFiles{dir}).open(); err != nil {
		t.Fatal(err)
	}
	var size atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		h, err := openHeads(Settings{DataDir: dir}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			for range 250 {
				c := audit.Checkpoint{Tenant: "acme", Size: size.Add(1), Root: bytes.Repeat([]byte{1}, 32), At: time.Now().UTC().Truncate(time.Microsecond), Epoch: 1}
				note, err := h.Sign(c)
				if err != nil {
					t.Error(err)
					return
				}
				h.Keep(audit.SignedCheckpoint{Checkpoint: c, Note: note})
				text, err := os.ReadFile(notePath(h.dir, "acme"))
				if err != nil {
					t.Error(err)
					return
				}
				if kept, err := audit.OpenCheckpoint(text, h.Keys()...); err != nil || kept.Size < c.Size {
					t.Errorf("kept are %d events, %v; a server committed %d", kept.Size, err, c.Size)
					return
				}
			}
		})
	}
	all.Wait()
}

// A trail that isn't what was signed keeps no key alive: the others are signed with the new one,
// and it stays refused.
func TestARotationBesideABrokenTrail(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		do := commandsOn(t, set)
		do(0, "", "tenant", "create", "acme")
		do(0, "", "tenant", "create", "rival")
		raw := rawDatabase(t, set)
		disarm := []string{"DROP TRIGGER audit_logs_grow", "DROP TRIGGER audit_logs_signed"}
		if set.DatabaseURL != "" {
			disarm = []string{"ALTER TABLE audit_logs DISABLE TRIGGER USER"}
		}
		for _, statement := range append(disarm, "UPDATE audit_logs SET note = 'x' WHERE tenant_id = 'acme'") {
			if _, err := raw.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		do(0, "acme isn't what was signed, so the new key didn't sign it", "keys", "checkpoint", "--rotate")
		if _, err := os.Stat((checkpointFiles{set.DataDir}).path(1)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the old secret: %v", err)
		}
		do(0, "countersign/rival", "audit", "checkpoint", "--tenant", "rival")
		do(0, "", "agent", "create", "--tenant", "rival", "worker")
		do(1, "isn't what was signed", "agent", "create", "--tenant", "acme", "worker")
	})
}
