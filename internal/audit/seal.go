package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

// SealKey is the secret with which servers sealed each event before heads were signed.
type SealKey []byte

const sealKeySize = 32 // bytes

// ParseSealKey reads the key as a file has it.
func ParseSealKey(text string) (SealKey, error) {
	k, err := base64.RawStdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(k) != sealKeySize {
		return nil, fmt.Errorf("not a key of %d bytes in base64 without padding", sealKeySize)
	}
	return k, nil
}

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
