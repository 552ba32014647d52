package notices

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// sealKey is the length of the key of a Sealer, in bytes: AES-256.
const sealKey = 32

// Sealer encrypts the secrets of channels at rest (AES-256-GCM), each bound to its channel:
// whoever reads the database reads none, and a row that is copied elsewhere opens nothing.
// Servers of one database share its key. It never changes.
type Sealer struct {
	aead cipher.AEAD
	sums []byte // the key of sum
}

// NewSealKey returns a new key for NewSealer.
func NewSealKey() string {
	key := make([]byte, sealKey)
	rand.Read(key) // it never fails
	return base64.RawStdEncoding.EncodeToString(key)
}

// NewSealer reads what NewSealKey returned. The error says nothing of the content.
func NewSealer(key string) (*Sealer, error) {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimSpace(key))
	if err != nil || len(raw) != sealKey {
		return nil, errors.New("it is no key for the secrets of channels")
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	sums, err := hkdf.Expand(sha256.New, raw, "digests of the settings of channels", sha256.Size)
	return &Sealer{aead, sums}, err
}

// sum is a digest of what a channel was set to. A policy holds it, which many may read: so
// it has a key, and nobody can try which address fits.
func (s *Sealer) sum(tenant, channel string, settings map[string]string) (string, error) {
	text, err := json.Marshal(settings)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, s.sums)
	mac.Write(bound(tenant, channel))
	mac.Write([]byte{0})
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// bound names the channel to which a secret belongs.
func bound(tenant, channel string) []byte { return []byte(tenant + "\x00" + channel) }

// seal encrypts the secrets of a channel.
func (s *Sealer) seal(tenant, channel string, secrets map[string]string) (string, error) {
	if len(secrets) == 0 {
		return "", nil
	}
	text, err := json.Marshal(secrets)
	if err != nil {
		return "", err
	}
	return base64.RawStdEncoding.EncodeToString(s.aead.Seal(nil, nil, text, bound(tenant, channel))), nil
}

// open decrypts what seal returned for the same channel.
func (s *Sealer) open(tenant, channel, sealed string) (map[string]string, error) {
	secrets := map[string]string{}
	if sealed == "" {
		return secrets, nil
	}
	raw, err := base64.RawStdEncoding.DecodeString(sealed)
	if err == nil {
		raw, err = s.aead.Open(nil, nil, raw, bound(tenant, channel))
	}
	if err != nil {
		return nil, fmt.Errorf("the secrets of channel %s cannot be read with the key of this server", channel)
	}
	return secrets, json.Unmarshal(raw, &secrets)
}
