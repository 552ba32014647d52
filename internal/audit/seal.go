package audit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

// SealKey is the secret with which the servers of one installation seal each event that they
// write. Whoever writes to the database without it can add an event, or change one with its
// leaf and everything above it, and no hash is wrong then; but the seal is.
type SealKey []byte

const sealKeySize = 32 // bytes

// NewSealKey makes a key.
func NewSealKey() SealKey {
	k := make(SealKey, sealKeySize)
	_, _ = rand.Read(k) // never fails
	return k
}

// ParseSealKey reads what Text wrote.
func ParseSealKey(text string) (SealKey, error) {
	k, err := base64.RawStdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(k) != sealKeySize {
		return nil, fmt.Errorf("not a key of %d bytes in base64 without padding", sealKeySize)
	}
	return k, nil
}

// Text is the key for a file that nobody else can read.
func (k SealKey) Text() string { return base64.RawStdEncoding.EncodeToString(k) }

// Seal is HMAC-SHA-256 in hex over the place of an event and its leaf hash, which is over all
// of its bytes.
func (k SealKey) Seal(tenant string, index int64, leaf []byte) string {
	mac := hmac.New(sha256.New, k)
	fmt.Fprintf(mac, "countersign audit event\x00%s\x00%d\x00", tenant, index)
	mac.Write(leaf)
	return hex.EncodeToString(mac.Sum(nil))
}

// Sealed reports whether seal is that of this key.
func (k SealKey) Sealed(tenant string, index int64, leaf []byte, seal string) bool {
	return hmac.Equal([]byte(seal), []byte(k.Seal(tenant, index, leaf)))
}
