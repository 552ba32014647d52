package grant

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/canon"
)

// maxTokenBytes bounds what is looked at; a grant has some 600 bytes.
const maxTokenBytes = 8 << 10

// token is a compact JWS (RFC 7515 §7.1) taken apart. Nothing in it is to be
// believed before the signature was checked.
type token struct {
	kid       string
	signed    string // what the signature is over: the first two parts with their dot
	payload   []byte
	signature []byte
}

// parseToken accepts the one form that the server writes. The algorithm is
// fixed, so alg chooses nothing: it is compared. A key that a token brings along
// (jwk, jku, x5c, x5u) or a condition (crit, b64) is one member too many.
func parseToken(compact string) (t token, err error) {
	if len(compact) > maxTokenBytes {
		return token{}, fmt.Errorf("%w: %d bytes are too many", ErrToken, len(compact))
	}
	parts := strings.Split(compact, ".")
	if len(parts) != 3 {
		return token{}, fmt.Errorf("%w: it has %d parts, not header.payload.signature", ErrToken, len(parts))
	}
	var raw [3][]byte
	for i, part := range parts {
		if raw[i], err = decode(part); err != nil {
			return token{}, fmt.Errorf("%w: part %d %w", ErrToken, i+1, err)
		}
	}
	header, err := object(raw[0], "alg", "kid", "typ")
	if err != nil {
		return token{}, fmt.Errorf("%w: header: %w", ErrToken, err)
	}
	if alg, typ := header["alg"].Text(), header["typ"].Text(); alg != "EdDSA" || typ != "JWT" {
		return token{}, fmt.Errorf("%w: alg %.20q and typ %.20q, want EdDSA and JWT", ErrToken, alg, typ)
	}
	kid := header["kid"].Text()
	if kid == "" {
		return token{}, fmt.Errorf("%w: no kid says which key signed it", ErrToken)
	}
	return token{kid: kid, signed: compact[:len(parts[0])+1+len(parts[1])], payload: raw[1], signature: raw[2]}, nil
}

// decode reads base64url without padding. encoding/base64 skips line ends, and
// bits that mean nothing when it is not strict; here one text has one meaning.
func decode(part string) ([]byte, error) {
	b, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil || base64.RawURLEncoding.EncodeToString(b) != part {
		return nil, fmt.Errorf("is not base64url (RFC 7515 §2)")
	}
	return b, nil
}

// object reads a JSON object that has exactly these members.
func object(data []byte, names ...string) (map[string]canon.Value, error) {
	tree, err := canon.Parse(data)
	if err != nil {
		return nil, err
	}
	members := make(map[string]canon.Value, len(names))
	for _, name := range names {
		members[name] = tree.Get(name)
		if members[name].IsAbsent() {
			return nil, fmt.Errorf("%q is missing", name)
		}
	}
	for name := range tree.Members() {
		if _, known := members[name]; !known {
			return nil, fmt.Errorf("%.40q is not known here and might be a condition", name)
		}
	}
	return members, nil
}

// Claims is what a verified grant says: this agent may do this act once, until
// then.
type Claims struct {
	Issuer   string    // the console's public URL
	Approval string    // id of the approval (sub), for consume and result
	Tenant   string    // short name of the organisation
	Agent    string    // agent id
	Digest   string    // of the act; what consume must name
	Expires  time.Time // the first instant at which it is no longer good, whole seconds, UTC
	ID       string    // of the grant (jti), as the audit trail names it
}

// parseClaims reads a payload whose signature was checked.
func parseClaims(payload []byte) (Claims, error) {
	m, err := object(payload, "iss", "sub", "tenant", "agent", "digest", "exp", "jti")
	if err != nil {
		return Claims{}, fmt.Errorf("%w: claims: %w", ErrToken, err)
	}
	exp, whole := m["exp"].Int64()
	if !whole {
		return Claims{}, fmt.Errorf("%w: claims: exp is not a number of seconds", ErrToken)
	}
	c := Claims{
		Issuer: m["iss"].Text(), Approval: m["sub"].Text(), Tenant: m["tenant"].Text(), Agent: m["agent"].Text(),
		Digest: m["digest"].Text(), Expires: time.Unix(exp, 0).UTC(), ID: m["jti"].Text(),
	}
	if c.Approval == "" || c.ID == "" {
		return Claims{}, fmt.Errorf("%w: claims: sub and jti must be strings that name the approval and the grant", ErrToken)
	}
	return c, nil
}
