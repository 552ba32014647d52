package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store/postgrestest"
)

// Two servers that share a data directory remember the same heads, and so does the next
// process; what isn't signed, or is of another organisation, is no head.
func TestHeadsAreShared(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	if _, err := (checkpointFiles{dir}).open(); err != nil {
		t.Fatal(err)
	}
	server := func() *heads {
		t.Helper()
		h, err := openHeads(Settings{DataDir: dir}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	one, two := server(), server()
	keep := func(h *heads, size int64) {
		t.Helper()
		c := audit.Checkpoint{Tenant: "acme", Size: size, Root: bytes.Repeat([]byte{byte(size)}, 32), At: time.Now().UTC().Truncate(time.Microsecond), Epoch: 1}
		note, err := h.Sign(c)
		if err != nil {
			t.Fatal(err)
		}
		h.Keep(audit.SignedCheckpoint{Checkpoint: c, Note: note})
	}
	keep(one, 3)
	keep(two, 5)
	keep(two, 4) // one whose commit is told of late
	for name, h := range map[string]*heads{"the first": one, "the second": two, "the next process": server()} {
		if c, err := h.Remembered("acme"); err != nil || c.Size != 5 {
			t.Errorf("%s remembers %d events, %v; want 5", name, c.Size, err)
		}
	}
	if err := errors.Join(one.sync(t.Context()), two.sync(t.Context())); err != nil {
		t.Error(err)
	}
	path := notePath(filepath.Join(dir, "checkpoints"), "acme")
	note, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, forged := range []string{strings.Replace(string(note), "\n5\n", "\n2\n", 1), "x", strings.Replace(string(note), "acme", "rival", 1)} {
		if err := os.WriteFile(path, []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := server().Remembered("acme")
		wantFaultCode(t, fmt.Sprintf("%q", forged), err, fault.GrantUnproven)
	}
	// What makes a server refuse is told of once, and taken back.
	one.Refuse(t.Context(), "acme", "it was cut")
	if one.Newest("acme").Problem == "" || one.refused() == nil {
		t.Error("nobody is told")
	}
	one.Refuse(t.Context(), "acme", "")
	if one.Newest("acme").Problem != "" || one.refused() != nil {
		t.Error("it isn't taken back")
	}
}

func wantFaultCode(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// A rotation signs every trail with the new key under running servers. What the old one signed
// still verifies, but it signs no head any more, whoever has the secret.
func TestCheckpointKeyRotation(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneAtATime)
	onBoth(t, func(t *testing.T, set Settings) {
		do := commandsOn(t, set)
		do(1, "no signing key in", "keys", "checkpoint")
		h := bootOn(t, set)
		key := h.organisation("acme", nil)
		submit := func(want int) reply {
			t.Helper()
			a := h.call(key, "POST", "/api/v1/approvals", `{"function": "get_user", "arguments": {"user_id": "usr_1"}}`)
			if a.status != want {
				t.Fatalf("submit: %d %s", a.status, a.raw)
			}
			return a
		}
		submit(http.StatusCreated)
		old := do(0, "countersign/acme", "audit", "checkpoint", "--tenant", "acme")
		stolen, err := os.ReadFile(filepath.Join(set.DataDir, "checkpoint-key.1"))
		if err != nil {
			t.Fatal(err)
		}
		first := strings.TrimSpace(do(0, "countersign+", "keys", "checkpoint"))

		keys := strings.Fields(do(0, "signed with the new key", "keys", "checkpoint", "--rotate"))
		if len(keys) != 2 || keys[1] != first || keys[0] == keys[1] {
			t.Fatalf("%q", keys)
		}
		if _, err := os.Stat(filepath.Join(set.DataDir, "checkpoint-key.1")); !os.IsNotExist(err) {
			t.Errorf("the old secret: %v", err)
		}
		submit(http.StatusCreated) // by the server that was running
		now := do(0, "countersign/acme", "audit", "checkpoint", "--tenant", "acme")
		for name, s := range map[string][2]string{"old note, old key": {old, keys[1]}, "new note, new key": {now, keys[0]}} {
			if _, err := audit.OpenCheckpoint([]byte(s[0]), s[1]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := audit.OpenCheckpoint([]byte(now), keys[1]); err == nil {
			t.Error("the old key still signs")
		}
		do(0, "acme: holds", "audit", "verify")

		// Somebody with the database and the old secret signs a head of his own.
		thief, err := audit.ParseCheckpointKey(string(stolen))
		if err != nil {
			t.Fatal(err)
		}
		c, err := audit.OpenCheckpoint([]byte(now), keys[0])
		if err != nil {
			t.Fatal(err)
		}
		forged, err := thief.Sign(c)
		if err != nil {
			t.Fatal(err)
		}
		raw := rawDatabase(t, set)
		disarm := []string{"DROP TRIGGER audit_logs_grow", "DROP TRIGGER audit_logs_signed"}
		if set.DatabaseURL != "" {
			disarm = []string{"ALTER TABLE audit_logs DISABLE TRIGGER USER"}
		}
		for _, statement := range append(disarm, "UPDATE audit_logs SET note = '"+string(forged)+"', frontier = frontier || ''") {
			if _, err := raw.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		other := bootOn(t, set)
		if r := other.call(key, "POST", "/api/v1/approvals", `{"function": "get_user", "arguments": {"user_id": "usr_2"}}`); r.status != http.StatusConflict {
			t.Errorf("a head that a retired key signed: %d %s", r.status, r.raw)
		}
	})
}

// Who loses the data directory gets a new key, which the trail tells of for ever; the newest
// checkpoint that somebody kept shows that nothing is missing.
func TestKeysRecover(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneAtATime)
	onBoth(t, func(t *testing.T, set Settings) {
		do := commandsOn(t, set)
		do(0, "", "tenant", "create", "acme")
		do(0, "", "tenant", "create", "rival")
		note := filepath.Join(t.TempDir(), "acme.note")
		if err := os.WriteFile(note, []byte(do(0, "", "audit", "checkpoint", "--tenant", "acme")), 0o600); err != nil {
			t.Fatal(err)
		}
		key := strings.TrimSpace(do(0, "", "keys", "checkpoint"))
		do(1, "there is nothing to recover", "keys", "recover")
		for _, lost := range []string{"checkpoint-key.1", "checkpoint-key.1.pub", "checkpoints"} {
			if err := os.RemoveAll(filepath.Join(set.DataDir, lost)); err != nil {
				t.Fatal(err)
			}
		}
		do(1, "keys recover --help", "tenant", "create", "another")
		do(1, "say --without-checkpoint", "keys", "recover", "--checkpoint", note, "--checkpoint-key", key)
		do(0, "it begins with the checkpoint of", "keys", "recover", "--checkpoint", note, "--checkpoint-key", key, "--without-checkpoint")
		do(0, "", "tenant", "create", "another")
		do(0, "acme: holds", "audit", "verify")
		if told := do(0, "", "audit", "export", "--tenant", "rival"); !strings.Contains(told, `"recovered":true`) || strings.Contains(told, `"checkpoint":`) {
			t.Errorf("the trail without a checkpoint says %s", told)
		}
	})
}

// Whoever cuts the end of the trail off together with its head is found by the note
// on this machine, and by one that was kept elsewhere; so is a fork.
func TestACutTrailIsFound(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		do := commandsOn(t, set)
		do(0, "", "tenant", "create", "acme")
		do(0, "", "tenant", "create", "rival")
		do(0, "", "agent", "create", "--tenant", "acme", "worker")
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
		again := commandsOn(t, wiped)
		again(0, "", "tenant", "create", "acme")
		again(0, "acme: holds, 1 events", "audit", "verify")
		again(1, "acme: BROKEN at event 1: the log has 1 events, but the checkpoint of 2 events", "audit", "verify", "--checkpoint", elsewhere, "--checkpoint-key", key)
		again(0, "", "agent", "create", "--tenant", "acme", "worker")
		again(1, "acme: BROKEN at event 0: the first 2 events aren't those of the checkpoint of 2 events", "audit", "verify", "--checkpoint", elsewhere, "--checkpoint-key", key)
		again(1, "none of the 1 known keys", "audit", "verify", "--checkpoint", elsewhere)
		again(0, "begins with the checkpoint of 2 events", "audit", "verify", "--file", export, "--checkpoint", elsewhere, "--checkpoint-key", key)
		// The note beside the database is looked at without being asked.
		if err := os.MkdirAll(filepath.Join(wiped.DataDir, "checkpoints"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(notePath(filepath.Join(wiped.DataDir, "checkpoints"), "acme"), []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		again(1, "BROKEN at event 0: the first 2 events aren't those", "audit", "verify", "--checkpoint-key", key)
		again(1, "none of the 1 known keys signed it", "audit", "verify")

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
		if err := os.Remove(notePath(h.signed.dir, "acme")); err != nil {
			t.Fatal(err)
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
	})
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
