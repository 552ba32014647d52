package approvals

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
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

// wireClaims are the claims of a grant (docs/grants.md); exp is in seconds (RFC 7519), so a
// grant lives until the start of that second.
type wireClaims struct {
	Iss    string `json:"iss"`
	Sub    string `json:"sub"`
	Tenant string `json:"tenant"`
	Agent  string `json:"agent"`
	Digest string `json:"digest"`
	Exp    int64  `json:"exp"`
	Jti    string `json:"jti"`
}

// MarshalJSON writes the claims as the token has them.
func (c GrantClaims) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireClaims{c.Issuer, c.Subject, c.Tenant, c.Agent, c.Digest, c.Expires.Unix(), c.ID})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *GrantClaims) UnmarshalJSON(b []byte) error {
	var w wireClaims
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*c = GrantClaims{w.Iss, w.Sub, w.Tenant, w.Agent, w.Digest, time.Unix(w.Exp, 0).UTC(), w.Jti}
	return nil
}

// Ed25519Signer is one key that signs grants. It is safe for concurrent use.
type Ed25519Signer struct {
	Created   time.Time // zero: before keys had times
	SignsFrom time.Time // zero: always
	signer    jose.Signer
	public    jose.JSONWebKey
}

// keyTimes are the times of a key, written beside it in the names of JWT
// (RFC 7519), in seconds. A key without them is as old as can be.
type keyTimes struct {
	Created   int64 `json:"iat"`
	SignsFrom int64 `json:"nbf"`
}

// NewSigningKey returns a new private key as a JWK document, to be kept secret.
// It has no times: it signs at once.
func NewSigningKey() ([]byte, error) { return newSigningKey(nil) }

// NewSigningKeyFrom returns a new private key that is created now and signs from
// a time on, in whole seconds.
func NewSigningKeyFrom(now, signs time.Time) ([]byte, error) {
	return newSigningKey(&keyTimes{Created: now.Unix(), SignsFrom: signs.Unix()})
}

func newSigningKey(times *keyTimes) ([]byte, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	key := jose.JSONWebKey{Key: private, KeyID: auth.NewID("gk"), Algorithm: string(jose.EdDSA), Use: "sig"}
	document, err := key.MarshalJSON()
	if err != nil || times == nil {
		return document, err
	}
	var members map[string]any
	if err := json.Unmarshal(document, &members); err != nil {
		return nil, err
	}
	members["iat"], members["nbf"] = times.Created, times.SignsFrom
	return json.Marshal(members)
}

// NewEd25519Signer reads what NewSigningKey or NewSigningKeyFrom wrote. Its
// errors say nothing of the content.
func NewEd25519Signer(keyJSON []byte) (*Ed25519Signer, error) {
	var key jose.JSONWebKey
	var times keyTimes
	if key.UnmarshalJSON(keyJSON) != nil || json.Unmarshal(keyJSON, &times) != nil {
		return nil, errors.New("signing key: it is no JWK (RFC 7517)")
	}
	if _, ok := key.Key.(ed25519.PrivateKey); !ok || key.KeyID == "" {
		return nil, errors.New("signing key: want a private Ed25519 JWK with a kid")
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: key}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return nil, errors.New("signing key: it cannot sign with EdDSA")
	}
	return &Ed25519Signer{Created: instant(times.Created), SignsFrom: instant(times.SignsFrom), signer: signer, public: key.Public()}, nil
}

// instant is a time in seconds; 0 is none.
func instant(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// ID is the key's name in tokens and in the JWK set (kid).
func (s *Ed25519Signer) ID() string { return s.public.KeyID }

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

// ErrUnknownKey says that a token names a key that is not published: one that was
// withdrawn, whose time is over, or that never was ours.
var ErrUnknownKey = errors.New("it is signed with a key that this server does not publish")

// Verify returns what a token says that this key signed.
func (s *Ed25519Signer) Verify(token string) (GrantClaims, error) {
	return verifyToken(token, s.public)
}

// verifyToken returns what a token says that one of these keys signed.
func verifyToken(token string, keys ...jose.JSONWebKey) (c GrantClaims, err error) {
	jws, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil {
		return c, errors.New("it is no signed token")
	}
	for _, key := range keys {
		if key.KeyID != jws.Signatures[0].Header.KeyID {
			continue
		}
		payload, err := jws.Verify(key)
		if err != nil {
			return c, errors.New("its signature does not fit")
		}
		return c, json.Unmarshal(payload, &c)
	}
	return c, ErrUnknownKey
}

// Ready signs and verifies a word, as a probe: nil when what is signed now can be
// verified with the published key.
func (s *Ed25519Signer) Ready() error {
	jws, err := s.signer.Sign([]byte("ready"))
	if err != nil {
		return fmt.Errorf("signer: %w", err)
	}
	if _, err := jws.Verify(s.public); err != nil {
		return fmt.Errorf("signer: the published key does not verify what is signed: %w", err)
	}
	return nil
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
