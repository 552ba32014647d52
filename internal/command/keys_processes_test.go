package command

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/grant"
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/long"
)

// TestKilledWhileRotating kills a process that rotates as fast as it can, again
// and again. What it said it had done is done, and the keys work.
func TestKilledWhileRotating(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "the race detector doesn't see another process")
	h := newKeyHouse(t)
	h.replica()
	for round := range 8 {
		// The other process goes on from this time, two hours a rotation.
		h.advance(100_000 * time.Hour)
		cmd := exec.Command(os.Args[0], "-test.run=^TestRotateUntilKilled$")
		cmd.Env = append(os.Environ(), rotateUntilKilled+"="+h.dir, fmt.Sprintf("%s_AT=%d", rotateUntilKilled, h.at.Load()))
		said, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		last, rotations := "", bufio.NewScanner(said)
		for range 2 + 3*round {
			if rotations.Scan() {
				last = rotations.Text()
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for rotations.Scan() {
			last = rotations.Text()
		}
		_ = cmd.Wait() // it was killed
		keys, err := h.load()
		if err != nil || !slices.ContainsFunc(keys, func(k storedKey) bool { return k.ID() == last }) {
			t.Fatalf("killed after it added %s: the keys are %v, %v", last, keys, err)
		}
		ring, err := h.ring(keys)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ring.Sign(approvals.GrantClaims{ID: "grt_1"}); err != nil {
			t.Errorf("nobody can sign: %v", err)
		}
	}
}

const rotateUntilKilled = "COUNTERSIGN_TEST_ROTATE"

// TestRotateUntilKilled is the other process of TestKilledWhileRotating, and
// nothing otherwise.
func TestRotateUntilKilled(t *testing.T) {
	dir := os.Getenv(rotateUntilKilled)
	if dir == "" {
		return
	}
	var at int64
	if _, err := fmt.Sscan(os.Getenv(rotateUntilKilled+"_AT"), &at); err != nil {
		t.Fatal(err)
	}
	f := keyFiles{dir, func() time.Time { return time.Unix(at, 0) }}
	for ; ; at += 2 * 3600 {
		if err := f.rotate(false); err != nil {
			t.Fatal(err)
		}
		keys, err := f.load()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(keys[len(keys)-1].ID())
	}
}

// TestServersFollowARotation: two servers on one data directory and database,
// rotated by a third: grants of before and after verify with what either
// publishes, and nobody was restarted.
func TestServersFollowARotation(t *testing.T) {
	t.Parallel()
	long.Race(t)
	dir := filepath.Join(t.TempDir(), "data")
	old, err := approvals.NewSigningKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "grant-key.json"), old, 0o600)); err != nil {
		t.Fatal(err)
	}
	one, two := bootOn(t, Settings{DataDir: dir}), bootOn(t, Settings{DataDir: dir})
	key := one.organisation("acme", nil)
	const harmless = `{"function":"get_user","arguments":{"user_id":"usr_1"}}`
	issue := func() (token, kid, agent string) {
		t.Helper()
		a := one.call(key, "POST", "/api/v1/approvals", harmless)
		if a.Status != "approved" || a.Decision == nil || a.Decision.Grant == nil {
			t.Fatalf("submitted: %s", a.raw)
		}
		var header, claims struct{ Kid, Agent string }
		if err := errors.Join(json.Unmarshal(part(t, *a.Decision.Grant, 0), &header), json.Unmarshal(part(t, *a.Decision.Grant, 1), &claims)); err != nil {
			t.Fatal(err)
		}
		return *a.Decision.Grant, header.Kid, claims.Agent
	}
	before, first, agent := issue()
	later := atomic.Int64{}
	verifier := func(from *house) *grant.Verifier {
		keys, err := grant.FetchKeys(grant.Remote{Issuer: from.URL(), Now: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }})
		if err != nil {
			t.Fatal(err)
		}
		v, err := grant.NewVerifier(grant.Config{Keys: keys, Issuer: one.URL(), Tenant: "acme", Agent: agent})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := verifier(one)
	if _, err := v.Verify(before, []byte(harmless)); err != nil {
		t.Fatal(err)
	}

	// Somebody rotated two hours ago, so the new key signs since an hour.
	past := keyFiles{dir, func() time.Time { return time.Now().Add(-2 * time.Hour) }}
	if err := past.rotate(false); err != nil {
		t.Fatal(err)
	}
	one.keys.reread(t.Context())
	two.keys.reread(t.Context())
	a, b := one.call("", "GET", "/.well-known/jwks.json", ""), two.call("", "GET", "/.well-known/jwks.json", "")
	if a.status != 200 || !bytes.Equal(a.raw, b.raw) || bytes.Count(a.raw, []byte(`"kid"`)) != 2 || bytes.Contains(a.raw, []byte(`"d"`)) {
		t.Errorf("the servers publish %s and %s", a.raw, b.raw)
	}
	after, second, _ := issue()
	if second == first {
		t.Error("the new key does not sign")
	}
	later.Store(int64(30 * time.Second)) // the verifier may ask again
	for name, v := range map[string]*grant.Verifier{"one that knew the old key": v, "a new one, from the other server": verifier(two)} {
		for when, token := range map[string]string{"after": after, "before": before} {
			if _, err := v.Verify(token, []byte(harmless)); err != nil {
				t.Errorf("%s, a grant of %s: %v", name, when, err)
			}
		}
	}
}

// part is a decoded part of a token.
func part(t *testing.T, token string, i int) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[i])
	if err != nil {
		t.Fatal(err)
	}
	return b
}
