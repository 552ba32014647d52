package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/internal/fault"
)

// slugForm is what an organisation may be called: it stands in paths and in keys.
var slugForm = regexp.MustCompile(`^[a-z][a-z0-9-]{1,39}$`)

// CheckSlug says whether a tenant's slug is acceptable.
func CheckSlug(slug string) error {
	if slugForm.MatchString(slug) {
		return nil
	}
	offer := strings.Trim(noSlug.ReplaceAllString(strings.ToLower(slug), "-"), "-")
	if !slugForm.MatchString(offer) {
		offer = "acme"
	}
	return fault.Member(fault.InvalidForm, "slug", "an organisation's short name is 2 to 40 characters a–z, 0–9 and -, starting with a letter (for example %s)", offer)
}

// noSlug is what stands between the words of a name.
var noSlug = regexp.MustCompile(`[^a-z0-9]+`)

// NewAgentKey returns a key csk_{tenant}_{secret} with 256 random bits, and the
// hash that is stored. The key itself is shown once and kept nowhere. A secret
// with so many random bits needs no slow hash.
func NewAgentKey(tenant string) (key, hash string) {
	return newTenantSecret("csk_", tenant)
}

// NewTicket returns a secret cst_{tenant}_{secret} for a link that an admin hands
// to somebody, and the hash that is stored.
func NewTicket(tenant string) (token, hash string) { return newTenantSecret("cst_", tenant) }

// NewEnrolment returns a secret cse_{tenant}_{secret} with which machines get keys of their
// own, and its hash.
func NewEnrolment(tenant string) (token, hash string) { return newTenantSecret("cse_", tenant) }

func newTenantSecret(prefix, tenant string) (secret, hash string) {
	secret = prefix + tenant + "_" + randomText()
	return secret, HashToken(secret)
}

// KeyHint is how the secret of a key begins: enough to tell an agent's keys
// apart, and far from enough to guess one (24 of 256 bits).
func KeyHint(key string) string {
	const shown = 4
	_, secret, _ := strings.Cut(strings.TrimPrefix(key, "csk_"), "_")
	return secret[:min(shown, len(secret))]
}

// SplitAgentKey returns the tenant that a key names and the hash to look for.
// ok is false when the text cannot be a key.
func SplitAgentKey(key string) (tenant, hash string, ok bool) { return splitTenantSecret("csk_", key) }

// SplitTicket is SplitAgentKey for what NewTicket returns.
func SplitTicket(token string) (tenant, hash string, ok bool) {
	return splitTenantSecret("cst_", token)
}

// SplitEnrolment is SplitAgentKey for what NewEnrolment returns.
func SplitEnrolment(token string) (tenant, hash string, ok bool) {
	return splitTenantSecret("cse_", token)
}

func splitTenantSecret(prefix, key string) (tenant, hash string, ok bool) {
	rest, isKey := strings.CutPrefix(key, prefix)
	tenant, secret, two := strings.Cut(rest, "_")
	if !isKey || !two || len(secret) != base64.RawURLEncoding.EncodedLen(32) || !slugForm.MatchString(tenant) {
		return "", "", false
	}
	return tenant, HashToken(key), true
}

// NewToken returns a secret for a one-time link, 256 random bits, and its hash.
func NewToken() (token, hash string) {
	token = randomText()
	return token, HashToken(token)
}

// HashToken is the form in which keys and tokens are stored: SHA-256, hex.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func randomText() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(b)
}

// NewID returns prefix_ and a UUIDv7 in hex without dashes: unique, and later
// ids sort after earlier ones.
func NewID(prefix string) string {
	id := uuid.Must(uuid.NewV7()) // fails only without randomness
	return prefix + "_" + hex.EncodeToString(id[:])
}

// FirstID returns the id that sorts before every one made by NewID at t or later,
// and after those made in earlier milliseconds.
func FirstID(prefix string, t time.Time) string {
	return fmt.Sprintf("%s_%012x%020d", prefix, max(0, t.UnixMilli()), 0)
}

// idForm is what NewID returns.
var idForm = regexp.MustCompile(`^[a-z]+_[0-9a-f]{32}$`)

// IsID reports whether id could come from NewID(prefix).
func IsID(prefix, id string) bool {
	return idForm.MatchString(id) && strings.HasPrefix(id, prefix+"_")
}

// NewUUID returns a UUIDv7 in its usual form, where a format asks for one.
func NewUUID() string { return uuid.Must(uuid.NewV7()).String() }
