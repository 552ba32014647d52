package audit_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/countersign/countersign/internal/audit"
)

func checkpointKey(t *testing.T) *audit.CheckpointKey {
	t.Helper()
	secret, err := audit.NewCheckpointKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := audit.ParseCheckpointKey(secret + "\n")
	if err != nil || audit.CheckPublicKey(key.Public()) != nil {
		t.Fatal(err)
	}
	return key
}

func checkpointOf(head audit.Head) audit.Checkpoint {
	return audit.Checkpoint{Tenant: "acme", Size: head.Size, Root: head.RootHash(), At: noon}
}

// A signed checkpoint is read by anybody who can read notes, and by nobody
// otherwise than it was signed.
func TestCheckpointIsANote(t *testing.T) {
	t.Parallel()
	key, other := checkpointKey(t), checkpointKey(t)
	_, head := log(t, 5)
	want := checkpointOf(head)
	signed, err := key.Sign(want)
	if err != nil {
		t.Fatal(err)
	}
	v, err := note.NewVerifier(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	n, err := note.Open(signed, note.VerifierList(v))
	if err != nil || !strings.HasPrefix(n.Text, "countersign/acme\n5\n") || !strings.HasSuffix(n.Text, "=\n2026-03-01T12:00:00.123456Z\n") {
		t.Errorf("%v, %s", err, signed)
	}
	got, err := audit.OpenCheckpoint(signed, other.Public(), key.Public())
	if err != nil || !got.Equal(want) || !got.At.Equal(want.At) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := audit.OpenCheckpoint(signed, other.Public()); err == nil || !strings.Contains(err.Error(), "none of the 1 known keys") {
		t.Errorf("a stranger's key verified it: %v", err)
	}
	if _, err := audit.OpenCheckpoint(signed); err == nil {
		t.Error("it was verified without a key")
	}
	for i := range signed {
		changed := bytes.Clone(signed)
		changed[i] ^= 1
		// The last bits of the signature's base64 mean nothing: what it says stays.
		if c, err := audit.OpenCheckpoint(changed, key.Public()); err == nil && (!c.Equal(want) || !c.At.Equal(want.At)) {
			t.Errorf("with another byte %d it is %+v", i, c)
		}
	}
	for _, bad := range []string{"", "countersign", strings.Replace(key.Public(), "+", "-", 1), "other+" + key.Public()} {
		if audit.CheckPublicKey(bad) == nil {
			t.Errorf("%q is a key", bad)
		}
		if _, err := audit.ParseCheckpointKey(bad); err == nil {
			t.Errorf("%q is a secret key", bad)
		}
		if _, err := audit.OpenCheckpoint(signed, bad); err == nil {
			t.Errorf("%q verified it", bad)
		}
	}
	if _, err := audit.OpenCheckpoint(bytes.Repeat([]byte("a\n"), 8<<10), key.Public()); err == nil {
		t.Error("a flood is a checkpoint")
	}
}

// What this key signs and is no checkpoint of ours is refused by its text.
func TestCheckpointHasOneForm(t *testing.T) {
	t.Parallel()
	secret, public, err := note.GenerateKey(rand.Reader, "countersign")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	const root, at = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "2026-03-01T12:00:00.123456Z"
	good := "countersign/acme\n0\n" + root + "\n" + at + "\n"
	for text, want := range map[string]bool{
		good: true,
		strings.Replace(good, "countersign/acme", "countersign/", 1):   false,
		strings.Replace(good, "countersign/acme", "elsewhere/acme", 1): false,
		strings.Replace(good, "\n0\n", "\n00\n", 1):                    false,
		strings.Replace(good, "\n0\n", "\n-1\n", 1):                    false,
		strings.Replace(good, "\n0\n", "\n99999999999999999999\n", 1):  false,
		strings.Replace(good, root, root[:40], 1):                      false,
		strings.Replace(good, root, "", 1):                             false,
		strings.Replace(good, at, "2026-03-01T12:00:00Z", 1):           false,
		good + "more\n": false,
		"\n":            false,
	} {
		signed, err := note.Sign(&note.Note{Text: text}, signer)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := audit.OpenCheckpoint(signed, public); (err == nil) != want {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

// A log that is right in itself, with its head, is found to be cut, forked or
// rewritten by what was signed before.
func TestVerifyAgainstCheckpoints(t *testing.T) {
	t.Parallel()
	whole, head := log(t, 9)
	short, shortHead := log(t, 4)
	fork, forkHead := []audit.Record{}, audit.Head{}
	for i := range int64(9) {
		e := event(i)
		if i >= 5 {
			e.Function = "another"
		}
		b, err := e.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		leaf := audit.Leaf(b)
		if forkHead, err = forkHead.Append(leaf); err != nil {
			t.Fatal(err)
		}
		fork = append(fork, audit.Record{Event: e, Bytes: b, Leaf: leaf[:]})
	}
	empty, at4, at9 := checkpointOf(audit.Head{}), checkpointOf(shortHead), checkpointOf(head)
	elsewhere := at4
	elsewhere.Tenant = "rival"
	for _, c := range []struct {
		name    string
		log     []audit.Record
		head    audit.Head
		against []audit.Checkpoint
		broken  int64 // −1: holds
		says    string
	}{
		{"itself", whole, head, []audit.Checkpoint{empty, at4, at9}, -1, ""},
		{"cut", short, shortHead, []audit.Checkpoint{at4, at9}, 4, "the log has 4 events, but the checkpoint of 9 events signed at 2026-03-01T12:00:00.123456Z has more"},
		{"emptied", nil, audit.Head{}, []audit.Checkpoint{at4}, 0, "the log has 0 events"},
		{"forked", fork, forkHead, []audit.Checkpoint{at9, at4}, 4, "the first 9 events aren't those of the checkpoint"},
		{"forked, by one checkpoint", fork, forkHead, []audit.Checkpoint{at9}, 0, "the first 9 events aren't those"},
		{"another tenant's", whole, head, []audit.Checkpoint{elsewhere}, 0, "of tenant \"rival\""},
	} {
		r, err := audit.Verify("acme", c.head, each(c.log), c.against...)
		if err != nil || r.OK != (c.broken < 0) || r.FirstBroken != c.broken || !strings.Contains(r.Problem, c.says) {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		if plain, err := audit.Verify("acme", c.head, each(c.log)); err != nil || !plain.OK {
			t.Errorf("%s is not right in itself: %+v, %v", c.name, plain, err)
		}
		var out bytes.Buffer
		if err := audit.Export(&out, "acme", c.head, each(c.log)); err != nil {
			t.Fatal(err)
		}
		if r, err = audit.VerifyExport(&out, c.against...); err != nil || r.OK != (c.broken < 0) || r.FirstBroken != c.broken || !strings.Contains(r.Problem, c.says) {
			t.Errorf("%s as a file: %+v, %v", c.name, r, err)
		}
	}
}

func FuzzOpenCheckpoint(f *testing.F) {
	secret, public, err := note.GenerateKey(rand.Reader, "countersign")
	if err != nil {
		f.Fatal(err)
	}
	key, err := audit.ParseCheckpointKey(secret)
	if err != nil {
		f.Fatal(err)
	}
	signed, err := key.Sign(checkpointOf(audit.Head{}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signed)
	f.Add(fmt.Appendf(nil, "a\n1\nx\n\n— countersign AAAA\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := audit.OpenCheckpoint(b, public); err == nil && !c.Equal(checkpointOf(audit.Head{})) {
			t.Errorf("nobody signed %+v", c)
		}
	})
}
