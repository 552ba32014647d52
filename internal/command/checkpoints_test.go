package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// heads is a log that grows, is cut and is forked as a test wants.
type heads struct {
	mu   sync.Mutex
	log  [][]byte // leaves
	fail error
}

func (h *heads) Since(_ context.Context, _ string, size int64) (head audit.Head, path [][]byte, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, leaf := range h.log {
		if head, err = head.Append([32]byte(leaf)); err != nil {
			return head, nil, err
		}
	}
	if h.fail != nil || size > head.Size {
		return head, nil, h.fail
	}
	path, err = audit.ProveConsistency(size, head, func(n audit.Node) ([]byte, error) {
		return audit.Join(h.log[n.Pos<<n.Height : (n.Pos+1)<<n.Height])
	})
	return head, path, err
}

func (h *heads) grow(events ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range events {
		leaf := audit.Leaf([]byte(e))
		h.log = append(h.log, leaf[:])
	}
}

func (h *heads) cut(to int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = h.log[:to]
}

// replicaOf is a signer on this directory and log, as another process would be.
func replicaOf(t *testing.T, dir string, h *heads) (c *checkpoints, out *bytes.Buffer, results map[string]int) {
	t.Helper()
	out, results = &bytes.Buffer{}, map[string]int{}
	c, err := openCheckpoints(Settings{DataDir: dir, now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }}, slog.New(slog.NewJSONHandler(out, nil)))
	if err != nil {
		t.Fatal(err)
	}
	c.trail, c.tenants = h, func(context.Context) ([]string, error) { return []string{"acme"}, nil }
	c.count = func(r string) { results[r]++ }
	return c, out, results
}

// A signer signs what grew, and nothing twice; it never signs a log that is not the
// one it signed before with events added, not even after a restart or when another
// replica signed it.
func TestCheckpointsNeverGoBack(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	h := &heads{}
	h.grow("a", "b", "c")
	one, out, results := replicaOf(t, dir, h)
	two, _, _ := replicaOf(t, dir, h)
	for range 2 {
		if err := one.sign(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s := one.Newest("acme"); s.Size != 3 || results["signed"] != 1 || len(results) != 1 {
		t.Errorf("%+v, %v", s, results)
	}
	// The log of the program is a place outside: the note is in it, whole.
	var line struct{ Msg, Note string }
	if err := json.Unmarshal(out.Bytes(), &line); err != nil || line.Msg != "audit checkpoint" {
		t.Fatalf("%s, %v", out, err)
	}
	if c, err := audit.OpenCheckpoint([]byte(line.Note), one.Keys()...); err != nil || c.Size != 3 || c.Tenant != "acme" {
		t.Errorf("%+v, %v", c, err)
	}
	h.grow("d", "e")
	if err := two.sign(t.Context()); err != nil || two.Newest("acme").Size != 5 {
		t.Fatalf("%+v, %v", two.Newest("acme"), err)
	}
	h.cut(4) // one has signed 3 of them only: it knows of the fifth by the directory
	fresh, _, _ := replicaOf(t, dir, h)
	for name, c := range map[string]*checkpoints{"who signed less": one, "who signed it": two, "a new process": fresh} {
		if err := c.sign(t.Context()); !fault.Is(err, fault.Changed) || !strings.Contains(err.Error(), "4 events, but the checkpoint of 5") {
			t.Errorf("%s: %v", name, err)
		}
		if s := c.Newest("acme"); s.Size != 5 || !strings.Contains(s.Problem, "cut off") {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if results["refused"] != 1 || !strings.Contains(out.String(), `"level":"ERROR"`) {
		t.Errorf("%v, %s", results, out)
	}
	h.grow("another", "f") // the fork is longer
	if err := fresh.sign(t.Context()); !fault.Is(err, fault.Changed) || !strings.Contains(err.Error(), "aren't those of the checkpoint") {
		t.Errorf("a fork: %v", err)
	}
	h.cut(4)
	h.grow("e", "f")
	if err := fresh.sign(t.Context()); err != nil || fresh.Newest("acme").Size != 6 || fresh.Newest("acme").Problem != "" {
		t.Errorf("put right: %+v, %v", fresh.Newest("acme"), err)
	}
	// What was kept is not what it was: an alarm, and no new beginning.
	path := notePath(filepath.Join(dir, "checkpoints"), "acme")
	note, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h.grow("g")
	for _, forged := range []string{strings.Replace(string(note), "\n6\n", "\n2\n", 1), "", strings.Replace(string(note), "acme", "rival", 1)} {
		if err := os.WriteFile(path, []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
		another, _, results := replicaOf(t, dir, h)
		if err := another.sign(t.Context()); err == nil || results["failed"] != 1 || another.Newest("acme").Note != nil {
			t.Errorf("%q: %v %v", forged, err, results)
		}
	}
}

// After a rotation the new key signs, what the old one signed still verifies, and
// the old secret is gone.
func TestCheckpointKeyRotation(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	h := &heads{}
	h.grow("a")
	c, _, _ := replicaOf(t, dir, h)
	if err := c.sign(t.Context()); err != nil {
		t.Fatal(err)
	}
	old := c.Newest("acme")
	if code, out, errs := command(t, "", "keys", "checkpoint", "--data-dir", dir); code != 0 || strings.TrimSpace(out) != c.Keys()[0] {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	code, out, errs := command(t, "", "keys", "checkpoint", "--rotate", "--data-dir", dir)
	keys := strings.Fields(out)
	if code != 0 || len(keys) != 2 || keys[1] != c.Keys()[0] || keys[0] == keys[1] || strings.Contains(out, "PRIVATE") {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "checkpoint-key.1")); !os.IsNotExist(err) {
		t.Errorf("the old secret: %v", err)
	}
	h.grow("b")
	if err := c.sign(t.Context()); err != nil {
		t.Fatal(err)
	}
	now := c.Newest("acme")
	for name, s := range map[string]struct {
		note []byte
		key  string
	}{"old note, old key": {old.Note, keys[1]}, "new note, new key": {now.Note, keys[0]}} {
		if _, err := audit.OpenCheckpoint(s.note, s.key); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := audit.OpenCheckpoint(now.Note, keys[1]); err == nil {
		t.Error("the old key still signs")
	}
	// A crash between the two files of a key loses neither half.
	if err := os.Remove(filepath.Join(dir, "checkpoint-key.2.pub")); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := command(t, "", "keys", "checkpoint", "--rotate", "--data-dir", dir); code != 0 || len(strings.Fields(out)) != 3 || strings.Fields(out)[1] != keys[0] {
		t.Errorf("%d %s", code, out)
	}
	if code, _, errs := command(t, "", "keys", "checkpoint", "--data-dir", filepath.Join(dir, "none")); code != 1 || !strings.Contains(errs, "no signing key") {
		t.Errorf("%d %s", code, errs)
	}
	info, err := os.Stat(filepath.Join(dir, "checkpoint-key.3"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// Whoever cuts the end of the trail off together with its head is found by the note
// on this machine, and by one that was kept elsewhere; so is a fork.
func TestACutTrailIsFound(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		do := func(want int, says string, args ...string) string {
			t.Helper()
			code, out, errs := command(t, "", append(args, "--data-dir", set.DataDir, "--database-url", set.DatabaseURL)...)
			if code != want || !strings.Contains(out+errs, says) {
				t.Fatalf("%v: exit %d, %q %q; want %d and %q", args, code, out, errs, want, says)
			}
			return out
		}
		do(0, "", "tenant", "create", "acme")
		do(0, "", "tenant", "create", "rival")
		do(0, "", "agent", "create", "--tenant", "acme", "worker")
		do(1, "no signing key in", "audit", "checkpoint", "--tenant", "acme")
		if _, err := (checkpointFiles{set.DataDir}).open(); err != nil { // as the first start of a server
			t.Fatal(err)
		}
		before := do(0, "countersign/acme\n2\n", "audit", "checkpoint", "--tenant", "acme")
		elsewhere := filepath.Join(t.TempDir(), "acme.note")
		if err := os.WriteFile(elsewhere, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		key := strings.TrimSpace(do(0, "countersign+", "keys", "checkpoint"))
		export := filepath.Join(t.TempDir(), "acme.jsonl")
		if err := os.WriteFile(export, []byte(do(0, "", "audit", "export", "--tenant", "acme")), 0o600); err != nil {
			t.Fatal(err)
		}
		do(0, "acme: holds, 2 events, root ", "audit", "verify", "--checkpoint", elsewhere)
		// Another life of the same organisation: right in itself, but not that one.
		wiped := set
		wiped.DataDir = filepath.Join(t.TempDir(), "data")
		if set.DatabaseURL != "" {
			wiped.DatabaseURL = postgrestest.Open(t)
		}
		again := func(want int, says string, args ...string) {
			t.Helper()
			code, out, errs := command(t, "", append(args, "--data-dir", wiped.DataDir, "--database-url", wiped.DatabaseURL)...)
			if code != want || !strings.Contains(out+errs, says) {
				t.Errorf("%v: exit %d, %q %q; want %d and %q", args, code, out, errs, want, says)
			}
		}
		again(0, "", "tenant", "create", "acme")
		again(0, "acme: holds, 1 events", "audit", "verify")
		again(1, "acme: BROKEN at event 1: the log has 1 events, but the checkpoint of 2 events", "audit", "verify", "--checkpoint", elsewhere, "--checkpoint-key", key)
		again(0, "", "agent", "create", "--tenant", "acme", "worker")
		again(1, "acme: BROKEN at event 0: the first 2 events aren't those of the checkpoint of 2 events", "audit", "verify", "--checkpoint", elsewhere, "--checkpoint-key", key)
		again(1, "none of the 0 known keys", "audit", "verify", "--checkpoint", elsewhere)
		again(0, "begins with the checkpoint of 2 events", "audit", "verify", "--file", export, "--checkpoint", elsewhere, "--checkpoint-key", key)
		// The note beside the database is looked at without being asked.
		if err := os.MkdirAll(filepath.Join(wiped.DataDir, "checkpoints"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(notePath(filepath.Join(wiped.DataDir, "checkpoints"), "acme"), []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		again(1, "BROKEN at event 0: the first 2 events aren't those", "audit", "verify", "--checkpoint-key", key)
		again(1, "none of the 0 known keys signed it", "audit", "verify")

		for says, args := range map[string][]string{
			"no such file":               {"audit", "verify", "--checkpoint", export + "x"},
			"no signed checkpoint":       {"audit", "verify", "--checkpoint", export},
			"no public key":              {"audit", "verify", "--checkpoint", elsewhere, "--checkpoint-key", "x"},
			"not of \"rival\"":           {"audit", "verify", "--tenant", "rival", "--checkpoint", elsewhere},
			"no organisation \"nobody\"": {"audit", "checkpoint", "--tenant", "nobody"},
		} {
			do(1, says, args...)
		}
	})
}

// A running server signs what happened when it ends, at the latest, and refuses to
// sign a trail whose end is gone.
func TestAServerSigns(t *testing.T) {
	t.Parallel()
	long.Race(t)
	set := Settings{DataDir: dataDir(t), NoteDir: filepath.Join(t.TempDir(), "notes")}
	a, err := NewApp(t.Context(), set, Serving{Addr: "127.0.0.1:0"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Tenants.CreateTenant(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	keys, err := checkpointFiles{set.DataDir}.load()
	if err != nil {
		t.Fatal(err)
	}
	s, err := readNote(notePath(set.NoteDir, "acme"), keys.public)
	if err != nil || s.Size < 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	db, err := store.Open(t.Context(), set.database(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if r, err := db.Audit().Verify(t.Context(), "acme", s.Checkpoint); err != nil || !r.OK || r.Size != s.Size {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestNoFirstRunLinkBesideCheckpoints: a server that finds nobody in its database, and
// checkpoints of an organisation that it does not have, hands out no link to begin with.
func TestNoFirstRunLinkBesideCheckpoints(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		h := bootOn(t, set)
		var out strings.Builder
		if err := h.announce(t.Context(), streams{out: &out}); err != nil || !strings.Contains(out.String(), "/first-run?token=") {
			t.Fatalf("a new database: %q, %v", out.String(), err)
		}
		if err := os.MkdirAll(h.signed.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(notePath(h.signed.dir, "acme"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		err := h.announce(t.Context(), streams{out: &out})
		if !fault.Is(err, fault.InvalidSetting) || out.String() != "" || !strings.Contains(err.Error(), "acme") || !strings.Contains(err.Error(), h.signed.dir) {
			t.Errorf("beside a checkpoint of acme: %q, %v", out.String(), err)
		}
		if err := h.Tenants.CreateTenant(t.Context(), "acme"); err != nil {
			t.Fatal(err)
		}
		if err := h.announce(t.Context(), streams{out: &out}); err != nil {
			t.Errorf("it has acme: %v", err)
		}
	})
}

// TestARefusedTrailSpendsNothing: an older copy of the database does not know what was
// spent since. A server that is started over it spends nothing, from its first answer on.
func TestARefusedTrailSpendsNothing(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneAtATime)
	set := Settings{DataDir: dataDir(t)}
	spend := func(h *house, key string, a reply) reply {
		return h.call(key, "POST", "/api/v1/approvals/"+a.ID+"/consume", fmt.Sprintf(`{"digest": %q}`, a.Digest))
	}
	older := filepath.Join(t.TempDir(), "older.db")
	var key string
	var a reply
	t.Run("before", func(t *testing.T) {
		h := bootOn(t, set)
		key = h.organisation("acme", nil)
		a = h.call(key, "POST", "/api/v1/approvals", `{"function": "get_user", "arguments": {"user_id": "usr_1"}}`)
		if _, err := rawDatabase(t, set).ExecContext(t.Context(), "VACUUM INTO ?", older); err != nil {
			t.Fatal(err)
		}
		if r := spend(h, key, a); r.status != http.StatusOK || r.Status != "consumed" {
			t.Fatalf("consume: %d %s", r.status, r.raw)
		}
	}) // the server signs when it ends
	for _, name := range []string{"countersign.db", "countersign.db-wal", "countersign.db-shm"} {
		if err := os.Remove(filepath.Join(set.DataDir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if err := os.Rename(older, set.sqlitePath()); err != nil {
		t.Fatal(err)
	}
	h := bootOn(t, set)
	if r := spend(h, key, a); r.status != http.StatusConflict || r.Type != "urn:countersign:problem:grant-unproven" {
		t.Errorf("consume once more: %d %s", r.status, r.raw)
	}
}
