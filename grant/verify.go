package grant

import (
	"context"
	"crypto/ed25519"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
	"time"
)

// maxLeeway bounds Config.Leeway: more is a broken clock, not a tolerance.
const maxLeeway = 5 * time.Minute

// Config says whose grants are good. Keys, Issuer, Tenant and Agent are
// required: an empty one never means "any".
type Config struct {
	Keys   Keys   // ParseKeys or FetchKeys
	Issuer string // the console's public URL, for example https://approvals.example.com
	Tenant string // short name of the organisation
	Agent  string // id of the agent that this executor works for, agt_…
	// Leeway is how long after its end a grant is still good here, for clocks that
	// differ; 0 to 5 minutes. Consume knows no leeway.
	Leeway time.Duration
	Now    func() time.Time // nil: time.Now
}

// Verifier checks grants. It never changes and is safe for concurrent use.
type Verifier struct{ Config }

// NewVerifier refuses a Config with something missing or out of range.
func NewVerifier(c Config) (*Verifier, error) {
	switch {
	case c.Keys == nil:
		return nil, errors.New("grant: Config.Keys is missing; use ParseKeys or FetchKeys")
	case c.Issuer == "" || c.Tenant == "" || c.Agent == "":
		return nil, errors.New("grant: Config.Issuer, Tenant and Agent are required; say whose grants this executor obeys")
	case c.Leeway < 0 || c.Leeway > maxLeeway:
		return nil, fmt.Errorf("grant: Config.Leeway is %v; between 0 and %v is accepted", c.Leeway, maxLeeway)
	}
	c.Issuer = strings.TrimRight(c.Issuer, "/")
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Verifier{c}, nil
}

// Verify reports whether token is a grant for exactly this action, and what it
// says. action is the JSON of the act as it will be run; see Digest for its
// members. It does not prove that the grant was not spent before, or that the
// policy is still the same: verify, then consume, then run (package comment).
//
// The error is one of the Err values of this package, and then the Claims are
// empty. With keys from FetchKeys it may make one bounded request.
func (v *Verifier) Verify(token string, action []byte) (Claims, error) {
	return v.VerifyContext(context.Background(), token, action)
}

// VerifyContext is Verify with a context for fetching keys.
func (v *Verifier) VerifyContext(ctx context.Context, token string, action []byte) (Claims, error) {
	t, err := parseToken(token)
	if err != nil {
		return Claims{}, err
	}
	key, err := v.Keys.Key(ctx, t.kid)
	if err != nil {
		return Claims{}, err
	}
	if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, []byte(t.signed), t.signature) {
		return Claims{}, ErrSignature
	}
	// From here on it is what the server wrote; the question is whether it is for us.
	c, err := parseClaims(t.payload)
	if err != nil {
		return Claims{}, err
	}
	if err := v.concerns(c); err != nil {
		return Claims{}, err
	}
	digest, err := Digest(action)
	if err != nil {
		return Claims{}, err
	}
	if subtle.ConstantTimeCompare([]byte(digest), []byte(c.Digest)) != 1 {
		return Claims{}, fmt.Errorf("%w: %s was approved, %s is about to run", ErrDigest, c.Digest, digest)
	}
	return c, nil
}

// concerns reports why claims are not for this executor now, or nil.
func (v *Verifier) concerns(c Claims) error {
	switch {
	case c.Issuer != v.Issuer:
		return fmt.Errorf("%w: %.200q, want %q", ErrIssuer, c.Issuer, v.Issuer)
	case c.Tenant != v.Tenant:
		return fmt.Errorf("%w: %.60q, want %q", ErrTenant, c.Tenant, v.Tenant)
	case c.Agent != v.Agent:
		return fmt.Errorf("%w: %.60q, want %q", ErrAgent, c.Agent, v.Agent)
	case !v.Now().Before(c.Expires.Add(v.Leeway)):
		return fmt.Errorf("%w at %s", ErrExpired, c.Expires.Format(time.RFC3339))
	}
	return nil
}
