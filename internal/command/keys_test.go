package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
)

// keyHouse is one data directory with a clock that stands still until it is told.
type keyHouse struct {
	keyFiles
	t  *testing.T
	at atomic.Int64
}

func newKeyHouse(t *testing.T) *keyHouse {
	t.Helper()
	h := &keyHouse{t: t}
	h.at.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Unix())
	h.keyFiles = keyFiles{dir: filepath.Join(t.TempDir(), "data"), now: func() time.Time { return time.Unix(h.at.Load(), 0).UTC() }}
	return h
}

func (h *keyHouse) advance(d time.Duration) { h.at.Add(int64(d / time.Second)) }

func (h *keyHouse) replica() *followedKeys {
	h.t.Helper()
	k, err := followKeys(h.keyFiles, slog.New(slog.DiscardHandler))
	if err != nil {
		h.t.Fatal(err)
	}
	return k
}

func (h *keyHouse) mustRotate(compromised bool) {
	h.t.Helper()
	if err := h.rotate(compromised); err != nil {
		h.t.Fatal(err)
	}
}

// states is "current next" and the like, in the order in which the keys sign.
func (h *keyHouse) states() string {
	h.t.Helper()
	ring, err := h.open()
	if err != nil {
		h.t.Fatal(err)
	}
	var states []string
	for _, k := range ring.Keys() {
		states = append(states, string(k.State))
	}
	return strings.Join(states, " ")
}

func (h *keyHouse) files() (names []string) {
	h.t.Helper()
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
		if info, err := e.Info(); err != nil || info.Mode() != 0o600 {
			h.t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	return names
}

// signedWith is the key that a server signs with now.
func signedWith(t *testing.T, k *followedKeys) string {
	t.Helper()
	token, err := k.ring.Sign(approvals.GrantClaims{ID: "grt_1"})
	if err != nil {
		t.Fatal(err)
	}
	var header struct{ Kid string }
	if err := json.Unmarshal(part(t, token, 0), &header); err != nil {
		t.Fatal(err)
	}
	return header.Kid
}

// TestRotation walks a data directory of the first version, which has one key
// without times, through two rotations. Two servers run all the while.
func TestRotation(t *testing.T) {
	t.Parallel()
	h := newKeyHouse(t)
	old, err := approvals.NewSigningKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(h.dir, 0o700), os.WriteFile(h.path(1), old, 0o600)); err != nil {
		t.Fatal(err)
	}
	one, two := h.replica(), h.replica()
	agree := func(what, states string, files ...string) (signs string) {
		t.Helper()
		one.reread(t.Context())
		two.reread(t.Context())
		if a, b := one.ring.JWKS(), two.ring.JWKS(); !bytes.Equal(a, b) || bytes.Contains(a, []byte(`"d"`)) {
			t.Errorf("%s: the servers publish %s and %s", what, a, b)
		}
		if got := h.states(); got != states {
			t.Errorf("%s: the keys are %s, want %s", what, got, states)
		}
		if got := h.files(); !slices.Equal(got, files) {
			t.Errorf("%s: the files are %v, want %v", what, got, files)
		}
		if a, b := signedWith(t, one), signedWith(t, two); a != b {
			t.Errorf("%s: one signs with %s, the other with %s", what, a, b)
		}
		return signedWith(t, one)
	}
	first := agree("an old directory", "current", "grant-key.json")
	if content, err := os.ReadFile(h.path(1)); err != nil || !bytes.Equal(content, old) {
		t.Error("the old file was changed: an older version could not go on with it")
	}
	h.mustRotate(false)
	if signs := agree("rotated", "current next", "grant-key.2.json", "grant-key.json"); signs != first {
		t.Error("the new key signs before anybody has heard of it")
	}
	if err := h.rotate(false); !fault.Is(err, fault.AlreadyExists) || !strings.Contains(err.Error(), "2026-03-01T13:00:00Z") {
		t.Errorf("a second rotation meanwhile: %v, want %s with the time", err, fault.AlreadyExists)
	}
	h.advance(approvals.KeyLead - time.Second)
	if signs := agree("a second before", "current next", "grant-key.2.json", "grant-key.json"); signs != first {
		t.Error("the new key signs too early")
	}
	h.advance(time.Second)
	second := agree("an hour later", "retired current", "grant-key.2.json", "grant-key.json")
	if second == first {
		t.Error("the new key does not sign")
	}
	h.mustRotate(false)
	h.advance(approvals.KeyLead)
	third := agree("rotated again", "retired retired current", "grant-key.2.json", "grant-key.3.json", "grant-key.json")
	h.advance(approvals.KeyOverlap)
	if signs := agree("a day later", "gone gone current", "grant-key.2.json", "grant-key.3.json", "grant-key.json"); signs != third {
		t.Error("another key signs again")
	}
	h.mustRotate(false)
	agree("and again", "current next", "grant-key.3.json", "grant-key.4.json")
	h.at.Add(-int64(approvals.KeyOverlap/time.Second) * 3)
	if err := h.rotate(true); err != nil {
		t.Errorf("compromised, with the clock set back: %v", err)
	}
	if fifth := agree("compromised", "current", "grant-key.5.json"); fifth == third {
		t.Error("the compromised key still signs")
	}
}

func TestRotateNeedsTheRightTime(t *testing.T) {
	t.Parallel()
	h := newKeyHouse(t)
	h.replica()
	h.advance(-2 * approvals.KeyLead)
	if err := h.rotate(false); !fault.Is(err, fault.InvalidSetting) || !strings.Contains(err.Error(), "clock") {
		t.Errorf("rotated with a clock before the current key's: %v", err)
	}
	if got := h.files(); len(got) != 1 {
		t.Errorf("the files are %v", got)
	}
}

// TestRotateAtOnce: of many that rotate at the same time one does.
func TestRotateAtOnce(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newKeyHouse(t)
	h.replica()
	errs := make(chan error, 8)
	for range cap(errs) {
		go func() { errs <- h.rotate(false) }()
	}
	won := 0
	for range cap(errs) {
		if err := <-errs; err == nil {
			won++
		} else if !fault.Is(err, fault.AlreadyExists) && !fault.Is(err, fault.Changed) {
			t.Error(err)
		}
	}
	if got := h.states(); won != 1 || got != "current next" {
		t.Errorf("%d rotated, the keys are %s", won, got)
	}
}

// TestCrashWhileRotating: wherever it stops, what is left works, and the next
// rotation clears up.
func TestCrashWhileRotating(t *testing.T) {
	t.Parallel()
	half := func(h *keyHouse, age time.Duration) {
		path := filepath.Join(h.dir, unfinishedKey+"123")
		content, err := os.ReadFile(h.path(1))
		if err == nil {
			err = os.WriteFile(path, content[:len(content)/2], 0o600)
		}
		at := h.now().Add(-age)
		if err := errors.Join(err, os.Chtimes(path, at, at)); err != nil {
			h.t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		crash         func(*keyHouse)
		states, after string
		files         int // after the next rotation
	}{
		"while writing":              {func(h *keyHouse) { half(h, 2*time.Hour) }, "current", "current next", 2},
		"while somebody else writes": {func(h *keyHouse) { half(h, time.Minute) }, "current", "current next", 3},
		"after linking": {func(h *keyHouse) {
			h.mustRotate(false)
			if err := os.Link(h.path(2), filepath.Join(h.dir, unfinishedKey+"1")); err != nil {
				t.Fatal(err)
			}
			at := h.now().Add(-2 * time.Hour)
			if err := os.Chtimes(h.path(2), at, at); err != nil {
				t.Fatal(err)
			}
			h.advance(approvals.KeyLead)
		}, "retired current", "retired current next", 3},
		"before deleting": {func(h *keyHouse) {
			h.mustRotate(false)
			h.advance(approvals.KeyLead + approvals.KeyOverlap)
			if err := h.create(3, h.now(), h.now().Add(approvals.KeyLead)); err != nil {
				t.Fatal(err)
			}
			h.advance(approvals.KeyLead)
		}, "gone retired current", "retired current next", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newKeyHouse(t)
			first := h.replica()
			c.crash(h)
			first.reread(t.Context())
			if got := h.states(); got != c.states {
				t.Errorf("it left %s, want %s", got, c.states)
			}
			if signedWith(t, first) != signedWith(t, h.replica()) {
				t.Error("a server that ran on and a new one sign with two keys")
			}
			h.mustRotate(false)
			if got := h.states(); got != c.after || len(h.files()) != c.files {
				t.Errorf("the next rotation left %s in %v, want %s in %d files", got, h.files(), c.after, c.files)
			}
		})
	}
	t.Run("compromised", func(t *testing.T) {
		t.Parallel()
		h := newKeyHouse(t)
		h.replica()
		half(h, 0)
		h.mustRotate(true)
		if got := h.files(); len(got) != 1 || got[0] != "grant-key.2.json" {
			t.Errorf("left are %v: something of the compromised keys is still there", got)
		}
	})
}

// TestBadKeysChangeNothing: a running server goes on with what it has.
func TestBadKeysChangeNothing(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*keyHouse) error{
		"a file that is no key":   func(h *keyHouse) error { return os.WriteFile(h.path(2), []byte("{}"), 0o600) },
		"a key copied":            func(h *keyHouse) error { return os.Link(h.path(1), h.path(7)) },
		"all keys gone":           func(h *keyHouse) error { return os.Remove(h.path(1)) },
		"the directory is gone":   func(h *keyHouse) error { return os.RemoveAll(h.dir) },
		"a directory of the name": func(h *keyHouse) error { return os.Mkdir(h.path(3), 0o700) },
	} {
		h := newKeyHouse(t)
		k := h.replica()
		before := string(k.ring.JWKS())
		if err := spoil(h); err != nil {
			t.Fatal(err)
		}
		k.reread(t.Context())
		if got := string(k.ring.JWKS()); got != before {
			t.Errorf("%s: it publishes %s, want %s", name, got, before)
		}
	}
	h := newKeyHouse(t)
	h.replica()
	for _, other := range []string{"grant-key.0.json", "grant-key.1.json", "grant-key.2.json.bak", "grant-key.x.json", "xgrant-key.json", "grant-key.-2.json"} {
		if err := os.WriteFile(filepath.Join(h.dir, other), []byte("no key"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.states(); got != "current" {
		t.Errorf("beside files of other names the keys are %s", got)
	}
}

// TestKeyCommands: they print what may be told, and make nothing where nothing is.
func TestKeyCommands(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none")
	for _, verb := range []string{"list", "rotate"} {
		code, out, errs := command(t, "", "keys", verb, "--data-dir", none)
		if _, err := os.Stat(none); code != 1 || out != "" || !strings.Contains(errs, "first start") || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("keys %s of nothing: %d %q %q, directory %v", verb, code, out, errs, err)
		}
	}
	h := newKeyHouse(t)
	h.now = time.Now
	h.replica()
	code, rotated, errs := command(t, "", "keys", "rotate", "--data-dir", h.dir)
	if code != 0 || !strings.Contains(errs, "15s") {
		t.Errorf("rotate: %d %q", code, errs)
	}
	code, listed, errs2 := command(t, "", "keys", "list", "--data-dir", h.dir)
	lines := strings.Split(strings.TrimSpace(listed), "\n")
	if code != 0 || errs2 != "" || listed != rotated || len(lines) != 3 || !strings.Contains(lines[1], "  current  20") || !strings.Contains(lines[2], "  next  ") {
		t.Errorf("list: %d\n%s%s", code, listed, errs2)
	}
	if code, _, again := command(t, "", "keys", "rotate", "--data-dir", h.dir); code != 1 || !strings.Contains(again, "rotate again after that") || strings.Count(again, "\n") != 1 {
		t.Errorf("a second rotation: %d %q", code, again)
	}
	all := rotated + listed + errs
	code, out, errs := command(t, "", "keys", "rotate", "--compromised", "--data-dir", h.dir)
	if code != 0 || strings.Count(out, "current") != 1 || strings.Count(out, "\n") != 2 {
		t.Errorf("compromised: %d %q %q", code, out, errs)
	}
	all += out + errs
	keys, err := h.load()
	if err != nil || len(keys) != 1 || keys[0].number != 3 {
		t.Fatalf("keys %v, %v", keys, err)
	}
	content, err := os.ReadFile(h.path(3))
	var private struct{ D string }
	if err != nil || json.Unmarshal(content, &private) != nil || private.D == "" || strings.Contains(all, private.D) || strings.Contains(all, `"d"`) {
		t.Errorf("a private part was printed, or %v", err)
	}
}

// TestVerifyFollowsARotation: a server that has not looked yet takes a grant of one that
// has, signed with the key that replaced a leaked one, and none of that.
func TestVerifyFollowsARotation(t *testing.T) {
	t.Parallel()
	h := newKeyHouse(t)
	one, two := h.replica(), h.replica()
	leaked, err := one.Sign(approvals.GrantClaims{ID: "grt_1"})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := two.Verify(leaked); err != nil || c.ID != "grt_1" {
		t.Errorf("the shared key: %+v, %v", c, err)
	}
	h.mustRotate(true)
	one.reread(t.Context())
	next, err := one.Sign(approvals.GrantClaims{ID: "grt_2"})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := two.Verify(next); err != nil || c.ID != "grt_2" {
		t.Errorf("the new key: %+v, %v", c, err)
	}
	if _, err := two.Verify(leaked); !errors.Is(err, approvals.ErrUnknownKey) {
		t.Errorf("the leaked key: %v", err)
	}
}
