package grant

import "errors"

// Why a grant is not good, for errors.Is. Every error of Verify is one of these,
// with the particulars in its text; none carries the token. All of them mean: do
// not run. Only ErrKeys, and ErrKey with fetched keys, may go away when the same
// call is made again.
var (
	ErrToken     = errors.New("grant: not a grant")                         // not a compact JWS as Countersign writes it: parts, base64url, header, claims
	ErrKeys      = errors.New("grant: the public keys cannot be had")       // not fetched, or not a JWK set
	ErrKey       = errors.New("grant: signed with an unknown key")          // the JWK set has no key of this id
	ErrSignature = errors.New("grant: the signature does not fit")          // not signed with the key it names, or changed since
	ErrIssuer    = errors.New("grant: from another issuer")                 // iss
	ErrTenant    = errors.New("grant: for another tenant")                  // tenant
	ErrAgent     = errors.New("grant: for another agent")                   // agent
	ErrExpired   = errors.New("grant: expired")                             // exp
	ErrAction    = errors.New("grant: the action cannot be read as an act") // the JSON to be run is none, or has members that no digest covers
	ErrDigest    = errors.New("grant: for another action")                  // digest
)
