package approvals

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/grant"
	"github.com/countersign/countersign/internal/scoring"
)

// keyFrom is a new key that was created and signs at these times; the zero time
// is a key of before keys had times.
func keyFrom(t interface{ Fatal(...any) }, created, signs time.Time) *Ed25519Signer {
	document, err := NewSigningKeyFrom(created, signs)
	if created.IsZero() {
		document, err = NewSigningKey()
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewEd25519Signer(document)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func published(t interface{ Fatal(...any) }, jwks []byte) (ids []string) {
	var set struct {
		Keys []map[string]any `json:"keys"`
	}
	if err := json.Unmarshal(jwks, &set); err != nil {
		t.Fatal(err)
	}
	for _, k := range set.Keys {
		ids = append(ids, k["kid"].(string))
		if k["d"] != nil || k["nbf"] != nil || len(k) != 6 {
			t.Fatal("published: ", k)
		}
	}
	return ids
}

// A key whose time has not come signs where no other is left, since it was made.
func TestLastKeySigns(t *testing.T) {
	t.Parallel()
	last := keyFrom(t, noon, noon.Add(KeyLead))
	k, err := NewKeyring(func() time.Time { return noon.Add(time.Minute) }, []*Ed25519Signer{last})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := k.Keys(), []KeyStatus{{last.ID(), KeyCurrent, noon, time.Time{}}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestKeysWalkThroughTheirStates follows two keys from before the second signs
// until the first is gone, with the instants in between.
func TestKeysWalkThroughTheirStates(t *testing.T) {
	t.Parallel()
	now := noon
	swap := noon.Add(KeyLead)
	b, a := keyFrom(t, noon, swap), keyFrom(t, time.Time{}, time.Time{})          // ids are in the order of making
	k, err := NewKeyring(func() time.Time { return now }, []*Ed25519Signer{b, a}) // any order
	if err != nil {
		t.Fatal(err)
	}
	none := time.Time{}
	for _, c := range []struct {
		after  time.Duration
		signs  *Ed25519Signer
		states []KeyStatus
		shown  []string
	}{
		{0, a, []KeyStatus{{a.ID(), KeyCurrent, none, swap}, {b.ID(), KeyNext, noon, swap}}, []string{a.ID(), b.ID()}},
		{KeyLead - 1, a, []KeyStatus{{a.ID(), KeyCurrent, none, swap}, {b.ID(), KeyNext, noon, swap}}, []string{a.ID(), b.ID()}},
		{KeyLead, b, []KeyStatus{{a.ID(), KeyRetired, swap, swap.Add(KeyOverlap)}, {b.ID(), KeyCurrent, swap, none}}, []string{a.ID(), b.ID()}},
		{KeyLead + KeyOverlap - 1, b, []KeyStatus{{a.ID(), KeyRetired, swap, swap.Add(KeyOverlap)}, {b.ID(), KeyCurrent, swap, none}}, []string{a.ID(), b.ID()}},
		{KeyLead + KeyOverlap, b, []KeyStatus{{a.ID(), KeyGone, swap.Add(KeyOverlap), none}, {b.ID(), KeyCurrent, swap, none}}, []string{b.ID()}},
	} {
		now = noon.Add(c.after)
		if got := k.Keys(); !slices.Equal(got, c.states) {
			t.Errorf("after %v: %+v, want %+v", c.after, got, c.states)
		}
		if got := published(t, k.JWKS()); !slices.Equal(got, c.shown) {
			t.Errorf("after %v: published %v, want %v", c.after, got, c.shown)
		}
		token, err := k.Sign(GrantClaims{ID: "grt_1"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verify(token, ringOnly(t, c.signs).JWKS(), "EdDSA"); err != nil {
			t.Errorf("after %v it is not signed by the current key: %v", c.after, err)
		}
	}
}

func ringOnly(t *testing.T, s *Ed25519Signer) *Keyring {
	t.Helper()
	k, err := NewKeyring(func() time.Time { return noon }, []*Ed25519Signer{s})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestAClockThatWasSetBackStillSigns: with a key that is published anyway.
func TestAClockThatWasSetBackStillSigns(t *testing.T) {
	t.Parallel()
	s := keyFrom(t, noon, noon)
	k, err := NewKeyring(func() time.Time { return noon.Add(-1000 * time.Hour) }, []*Ed25519Signer{s})
	if err != nil {
		t.Fatal(err)
	}
	token, err := k.Sign(GrantClaims{ID: "grt_1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify(token, k.JWKS(), "EdDSA"); err != nil {
		t.Errorf("what it signed does not verify: %v", err)
	}
}

func TestKeyringRefuses(t *testing.T) {
	t.Parallel()
	a := keyFrom(t, noon, noon)
	k := ringOnly(t, a)
	for name, keys := range map[string][]*Ed25519Signer{"none": nil, "one twice": {a, keyFrom(t, noon, noon), a}} {
		if err := k.Replace(keys); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if got := k.Keys(); len(got) != 1 || got[0].ID != a.ID() {
			t.Errorf("%s: refused, and the ring is %v", name, got)
		}
	}
}

// TestMaxGrantLife: no policy lets a grant live longer than keys wait for.
func TestMaxGrantLife(t *testing.T) {
	t.Parallel()
	p := scoring.DefaultPolicy()
	p.GrantSeconds = int(MaxGrantLife / time.Second)
	if err := p.Validate(); err != nil {
		t.Errorf("the longest: %v", err)
	}
	p.GrantSeconds++
	if err := p.Validate(); err == nil {
		t.Error("a policy may let a grant live longer than MaxGrantLife")
	}
}

// TestSigningKeyErrorsKeepSecrets: what is wrong with a key is said without it.
func TestSigningKeyErrorsKeepSecrets(t *testing.T) {
	t.Parallel()
	document, err := NewSigningKeyFrom(noon, noon)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(document, &members); err != nil {
		t.Fatal(err)
	}
	secret := members["d"].(string)
	for _, broken := range [][]byte{
		document[:len(document)-1],
		bytes.Replace(document, []byte(`"nbf":`), []byte(`"nbf":"`+secret+`","x-":`), 1),
		bytes.Replace(document, []byte(`"Ed25519"`), []byte(`"`+secret+`"`), 1),
		bytes.Replace(document, []byte(`"kid"`), []byte(`"k"`), 1),
	} {
		if _, err := NewEd25519Signer(broken); err == nil || strings.Contains(err.Error(), secret[:8]) {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestGrantsVerifyThroughRotations: whenever keys are rotated, and however
// differently the clocks of two replicas go, each within half an hour, a grant
// that one replica signs verifies with the keys that the other publishes, fetched
// a while ago or just now, for as long as it lives.
func TestGrantsVerifyThroughRotations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seconds := func(label string, from, to time.Duration) time.Duration {
			return time.Duration(rapid.Int64Range(int64(from/time.Second), int64(to/time.Second)).Draw(t, label)) * time.Second
		}
		// The history: key after key, each added when the one before signs already.
		keys := []*Ed25519Signer{keyFrom(t, noon, noon)}
		added := []time.Time{noon}
		for range rapid.IntRange(1, 5).Draw(t, "rotations") {
			at := keys[len(keys)-1].SignsFrom.Add(seconds("until the next rotation", 0, 40*time.Hour))
			keys, added = append(keys, keyFrom(t, at, at.Add(KeyLead))), append(added, at)
		}
		// What the data directory holds at a time.
		at := func(now time.Time, skew time.Duration) *Keyring {
			held := keys[:1]
			for i := range keys {
				if !added[i].After(now) {
					held = keys[:i+1]
				}
			}
			k, err := NewKeyring(func() time.Time { return now.Add(skew) }, held)
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		const half = 30 * time.Minute
		// Most of what can go wrong goes wrong around a change, and at the ends.
		change := rapid.SampledFrom(keys[1:]).Draw(t, "change").SignsFrom
		signed := change.Add(rapid.SampledFrom([]time.Duration{-half, -1, 0, half, seconds("signed", -40*time.Hour, 40*time.Hour)}).Draw(t, "at"))
		if signed.Before(noon) {
			signed = noon
		}
		life := rapid.SampledFrom([]time.Duration{MaxGrantLife, seconds("life", 10*time.Second, MaxGrantLife)}).Draw(t, "for")
		var skews [2]time.Duration // of the signer, of the publisher
		for i := range skews {
			skews[i] = rapid.SampledFrom([]time.Duration{-half, 0, half, seconds("skew", -half, half)}).Draw(t, "clock")
		}
		token, err := at(signed, skews[0]).Sign(GrantClaims{
			Issuer: "https://console.example", Subject: "apr_1", Tenant: "acme", Agent: "agt_1", ID: "grt_1",
			Digest: "sha256:04e71ecbe5d4e5b1a4efdad0d6a0d0e4b11d16a77e9d8a9e3ac6c9a1d1ce2e2b", Expires: signed.Add(life),
		})
		if err != nil {
			t.Fatal(err)
		}
		fetched := signed.Add(rapid.SampledFrom([]time.Duration{-KeysMaxAge, 0, life - time.Second, seconds("fetched", -KeysMaxAge, life)}).Draw(t, "fetched"))
		if fetched.Before(noon) {
			fetched = noon
		}
		set, err := grant.ParseKeys(at(fetched, skews[1]).JWKS())
		if err != nil {
			t.Fatal(err)
		}
		v, err := grant.NewVerifier(grant.Config{
			Keys: set, Issuer: "https://console.example", Tenant: "acme", Agent: "agt_1",
			Now: func() time.Time { return signed.Add(life - time.Second) },
		})
		if err != nil {
			t.Fatal(err)
		}
		// Everything fits but the action, which is checked last.
		if _, err := v.Verify(token, []byte(`{"function":"f"}`)); err == nil || !strings.Contains(err.Error(), grant.ErrDigest.Error()) {
			t.Fatalf("signed %v, fetched %v after noon, rotated at %v: %v", signed.Sub(noon), fetched.Sub(noon), added, err)
		}
	})
}

// TestVerifyByPublishedKeys: what a key signed counts for as long as the key is published.
func TestVerifyByPublishedKeys(t *testing.T) {
	t.Parallel()
	now := noon
	a, b := keyFrom(t, noon.Add(-KeyLead), noon), keyFrom(t, noon, noon.Add(KeyLead))
	k, err := NewKeyring(func() time.Time { return now }, []*Ed25519Signer{a, b})
	if err != nil {
		t.Fatal(err)
	}
	want := GrantClaims{Issuer: "https://console.example", Subject: "apr_1", Tenant: "acme", Agent: "agt_1", Digest: "sha256:aa", Expires: noon.Add(time.Hour), ID: "grt_1"}
	token, err := k.Sign(want)
	if err != nil {
		t.Fatal(err)
	}
	for after, good := range map[time.Duration]bool{0: true, KeyLead: true, KeyLead + KeyOverlap - time.Second: true, KeyLead + KeyOverlap: false} {
		now = noon.Add(after)
		got, err := k.Verify(token)
		if good && (err != nil || got != want) || !good && !errors.Is(err, ErrUnknownKey) {
			t.Errorf("after %v: %+v, %v", after, got, err)
		}
	}
	now = noon
	if early, err := b.Sign(want); err != nil {
		t.Error(err)
	} else if got, err := k.Verify(early); err != nil || got != want { // of a server whose clock is fast
		t.Errorf("by the next key: %+v, %v", got, err)
	}
	for _, token := range []string{"", "forged.no.signature", strings.Replace(token, ".", "..", 1), token + "A"} {
		if got, err := k.Verify(token); err == nil {
			t.Errorf("%q: %+v", token, got)
		}
	}
}
