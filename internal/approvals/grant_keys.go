package approvals

import (
	"cmp"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/countersign/countersign/internal/audit"
)

// A signing key walks through three states, by the clock alone:
//
//	            SignsFrom              the next key's SignsFrom         + KeyOverlap
//	next ──────────▶ current ─────────────────▶ retired ─────────────────▶ gone
//	published        published, signs            published                  deleted by the next rotation
//
// Nobody has to do anything at these moments: whoever has the same keys and about
// the same time says the same, so replicas agree without speaking to each other.
const (
	// MaxGrantLife is the longest that a policy lets a grant live.
	MaxGrantLife = 86_400 * time.Second
	// KeyLead is how long a new key is published before it signs. Verifiers keep
	// the JWK set for up to KeysMaxAge, and clocks differ: in an hour everybody has it.
	KeyLead = time.Hour
	// KeyOverlap is how long a key stays published after it signed for the last
	// time: until the longest grant is over, and the lead once more for a replica
	// whose clock is slow.
	KeyOverlap = MaxGrantLife + KeyLead
	// KeysMaxAge is how long a verifier may keep the JWK set without asking again.
	KeysMaxAge = 15 * time.Minute
)

// KeyState is where a signing key stands.
type KeyState string

const (
	KeyNext    KeyState = "next"    // published, does not sign yet
	KeyCurrent KeyState = "current" // signs
	KeyRetired KeyState = "retired" // published for the grants that it signed
	KeyGone    KeyState = "gone"    // no longer published: every grant that it signed is over
)

// KeyStatus is what may be told about a key. It has no private part.
type KeyStatus struct {
	ID    string
	State KeyState
	Since time.Time // of the state; zero for a current key that was there before keys had times
	Until time.Time // of the state; zero while nothing ends it
}

// Keyring signs grants with the current one of several keys and publishes those
// that verifiers need. It is safe for concurrent use; Replace changes the keys.
type Keyring struct {
	now  func() time.Time
	keys atomic.Pointer[[]*Ed25519Signer] // by SignsFrom, never empty
}

// NewKeyring returns a ring of at least one key.
func NewKeyring(now func() time.Time, keys []*Ed25519Signer) (*Keyring, error) {
	k := &Keyring{now: now}
	return k, k.Replace(keys)
}

// Replace puts other keys in the place of those that there are. It refuses an
// empty ring and two keys of one id, and then everything stays as it was.
func (k *Keyring) Replace(keys []*Ed25519Signer) error {
	if len(keys) == 0 {
		return errors.New("signing keys: there is none")
	}
	keys = slices.Clone(keys)
	slices.SortFunc(keys, func(a, b *Ed25519Signer) int {
		return cmp.Or(a.SignsFrom.Compare(b.SignsFrom), cmp.Compare(a.ID(), b.ID()))
	})
	seen := map[string]bool{}
	for _, s := range keys {
		if seen[s.ID()] {
			return errors.New("signing keys: two have the id " + s.ID())
		}
		seen[s.ID()] = true
	}
	k.keys.Store(&keys)
	return nil
}

// current is the index of the key that signs at t: the last whose time has come.
// Where none's has (a clock that was set back) the first signs rather than nobody:
// it is published like every other.
func current(keys []*Ed25519Signer, t time.Time) int {
	i := len(keys) - 1
	for i > 0 && keys[i].SignsFrom.After(t) {
		i--
	}
	return i
}

// Sign returns the compact JWS over the claims, by the current key.
func (k *Keyring) Sign(c GrantClaims) (string, error) {
	keys := *k.keys.Load()
	return keys[current(keys, k.now())].Sign(c)
}

// Verify returns what a token says that one of the published keys signed; the retired
// ones count, as the grants that they signed do.
func (k *Keyring) Verify(token string) (GrantClaims, error) {
	return verifyToken(token, k.published()...)
}

// Ready is the current key's, as a probe.
func (k *Keyring) Ready() error {
	keys := *k.keys.Load()
	return keys[current(keys, k.now())].Ready()
}

// Keys says where each key stands, in the order in which they sign.
func (k *Keyring) Keys() []KeyStatus {
	return standing(*k.keys.Load(), k.now())
}

func standing(keys []*Ed25519Signer, t time.Time) []KeyStatus {
	now := current(keys, t)
	all := make([]KeyStatus, len(keys))
	for i, s := range keys {
		status := KeyStatus{ID: s.ID()}
		switch {
		case i > now:
			status.State, status.Since, status.Until = KeyNext, s.Created, s.SignsFrom
		case i == now:
			status.State, status.Since = KeyCurrent, s.SignsFrom
			if s.SignsFrom.After(t) { // no other is left
				status.Since = s.Created
			}
			if i+1 < len(keys) {
				status.Until = keys[i+1].SignsFrom
			}
		default:
			replaced := keys[i+1].SignsFrom
			status.State, status.Since, status.Until = KeyRetired, replaced, replaced.Add(KeyOverlap)
			if !t.Before(status.Until) {
				status.State, status.Since, status.Until = KeyGone, status.Until, time.Time{}
			}
		}
		all[i] = status
	}
	return all
}

// Published are the public halves of the keys that JWKS has, in the order in which
// they sign.
func (k *Keyring) Published() []audit.SigningKey {
	keys := *k.keys.Load()
	all := make([]audit.SigningKey, 0, len(keys))
	for i, status := range standing(keys, k.now()) {
		public, ok := keys[i].public.Key.(ed25519.PublicKey)
		if !ok || status.State == KeyGone {
			continue
		}
		all = append(all, audit.SigningKey{Use: audit.UseGrants, ID: keys[i].ID(), Public: base64.RawURLEncoding.EncodeToString(public), From: keys[i].SignsFrom})
	}
	return all
}

// JWKS returns the public keys as a JWK set (RFC 7517), for whoever verifies
// grants offline: the next, the current and the retired ones.
func (k *Keyring) JWKS() []byte {
	doc, _ := json.Marshal(jose.JSONWebKeySet{Keys: k.published()}) // public keys always marshal
	return doc
}

// published are the keys of JWKS.
func (k *Keyring) published() []jose.JSONWebKey {
	keys := *k.keys.Load()
	public := make([]jose.JSONWebKey, 0, len(keys))
	for i, status := range standing(keys, k.now()) {
		if status.State != KeyGone {
			public = append(public, keys[i].public)
		}
	}
	return public
}
