package approvals

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/countersign/countersign/internal/auth"
)

// GrantClaims is what a grant says: this agent may do this act once, until then.
type GrantClaims struct {
	Issuer  string // the console's public URL
	Subject string // approval id
	Tenant  string
	Agent   string // agent id
	Digest  string // of the original act
	Expires time.Time
	ID      string // jti
}

// MarshalJSON writes the claims of product.md; exp is in seconds (RFC 7519), so a
// grant lives until the start of that second.
func (c GrantClaims) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Iss    string `json:"iss"`
		Sub    string `json:"sub"`
		Tenant string `json:"tenant"`
		Agent  string `json:"agent"`
		Digest string `json:"digest"`
		Exp    int64  `json:"exp"`
		Jti    string `json:"jti"`
	}{c.Issuer, c.Subject, c.Tenant, c.Agent, c.Digest, c.Expires.Unix(), c.ID})
}

// Ed25519Signer signs grants with one key. It is safe for concurrent use.
type Ed25519Signer struct {
	signer jose.Signer
	public jose.JSONWebKey
}

// NewSigningKey returns a new private key as a JWK document, to be kept secret.
func NewSigningKey() ([]byte, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	key := jose.JSONWebKey{Key: private, KeyID: auth.NewID("gk"), Algorithm: string(jose.EdDSA), Use: "sig"}
	return key.MarshalJSON()
}

// NewEd25519Signer reads what NewSigningKey wrote.
func NewEd25519Signer(keyJSON []byte) (*Ed25519Signer, error) {
	var key jose.JSONWebKey
	if err := key.UnmarshalJSON(keyJSON); err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	if _, ok := key.Key.(ed25519.PrivateKey); !ok || key.KeyID == "" {
		return nil, fmt.Errorf("signing key: want a private Ed25519 JWK with a kid")
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: key}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	return &Ed25519Signer{signer: s, public: key.Public()}, nil
}

// Sign returns the compact JWS (RFC 7515) over the claims.
func (s *Ed25519Signer) Sign(c GrantClaims) (string, error) {
	payload, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	jws, err := s.signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("sign grant: %w", err)
	}
	return jws.CompactSerialize()
}

// JWKS returns the public keys as a JWK set (RFC 7517), for whoever verifies
// grants offline.
func (s *Ed25519Signer) JWKS() []byte {
	doc, _ := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{s.public}}) // a public key always marshals
	return doc
}

// withGrant returns an approved a with its signed grant.
func (a Approval) withGrant(s Signer, issuer string, life time.Duration, now time.Time) (Approval, error) {
	// Whole seconds, rounded down: the row and the token expire at the same instant.
	g := Grant{ID: auth.NewID("grt"), ExpiresAt: now.Add(life).Truncate(time.Second)}
	token, err := s.Sign(GrantClaims{
		Issuer: issuer, Subject: a.ID, Tenant: a.Tenant, Agent: a.Agent.ID,
		Digest: a.Digest, Expires: g.ExpiresAt, ID: g.ID,
	})
	if err != nil {
		return a, err
	}
	g.Token = token
	a.Grant = &g
	return a, nil
}
