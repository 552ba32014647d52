package grant

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"slices"

	"github.com/countersign/countersign/internal/canon"
)

// Keys finds the public key that a grant names. ParseKeys and FetchKeys are the
// two that there are; it must be safe for concurrent use.
type Keys interface {
	// Key returns the key of this id. ErrKey: there is none; ErrKeys: nobody can
	// tell at the moment.
	Key(ctx context.Context, kid string) (ed25519.PublicKey, error)
}

// KeySet is a fixed set of public keys. It never changes.
type KeySet struct{ keys map[string]ed25519.PublicKey }

// ParseKeys reads a JWK set (RFC 7517 §5), for an executor that is given the keys
// with its configuration: the document at {issuer}/.well-known/jwks.json. Keys
// of other kinds are left out. It is refused with ErrKeys when no key is left,
// when two have one id, or when it holds a private key: that was never to leave
// the server.
//
// The server publishes a new key an hour before it signs with it and an old one
// for a day after, so a fixed set is out of date after each rotation. FetchKeys
// keeps up by itself.
func ParseKeys(jwks []byte) (*KeySet, error) {
	tree, err := canon.Parse(jwks)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeys, err)
	}
	set := &KeySet{keys: map[string]ed25519.PublicKey{}}
	for i, key := range tree.Get("keys").Elements() {
		if !key.Get("d").IsAbsent() || !key.Get("k").IsAbsent() {
			return nil, fmt.Errorf("%w: key %d is secret; give executors only what /.well-known/jwks.json says, and rotate that key", ErrKeys, i+1)
		}
		public, ok := parseKey(key)
		if !ok {
			continue
		}
		kid := key.Get("kid").Text()
		if _, twice := set.keys[kid]; twice {
			return nil, fmt.Errorf("%w: two keys have the id %.60q", ErrKeys, kid)
		}
		set.keys[kid] = public
	}
	if len(set.keys) == 0 {
		return nil, fmt.Errorf("%w: no Ed25519 key with an id is in the document", ErrKeys)
	}
	return set, nil
}

// parseKey reads one public key (RFC 8037 §2), if it is one that signs grants.
func parseKey(key canon.Value) (ed25519.PublicKey, bool) {
	is := func(name, want string, needed bool) bool {
		v := key.Get(name)
		return v.Text() == want || !needed && v.IsAbsent()
	}
	if !is("kty", "OKP", true) || !is("crv", "Ed25519", true) || !is("alg", "EdDSA", false) || !is("use", "sig", false) || key.Get("kid").Text() == "" {
		return nil, false
	}
	x, err := decode(key.Get("x").Text())
	return x, err == nil && len(x) == ed25519.PublicKeySize
}

// Key returns the key of this id, or ErrKey.
func (s *KeySet) Key(_ context.Context, kid string) (ed25519.PublicKey, error) {
	if key, ok := s.keys[kid]; ok {
		return slices.Clone(key), nil
	}
	return nil, fmt.Errorf("%w %.60q", ErrKey, kid)
}
