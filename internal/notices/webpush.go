package notices

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// What Web Push asks of a server: messages that only the browser can read (RFC 8291), and a
// signature by which a push service knows who sends (VAPID, RFC 8292).

const (
	// pushRecord is the size of the one record of a message: what every push service takes.
	pushRecord = 4096
	// pushOverhead is what of it is no text: salt, size, length of the key, the key, the end
	// of the text and the tag of AES-GCM.
	pushOverhead = 16 + 4 + 1 + 65 + 1 + 16
	// authBytes is the length of the secret of a subscription.
	authBytes = 16
	// vapidFor is for how long a signature is good: RFC 8292 allows 24 hours, and clocks differ.
	vapidFor = 12 * time.Hour
)

// PushKey signs for this installation. Browsers subscribe with its public half, so a
// subscription is of no use to whoever has another key. Servers of one database share it.
type PushKey struct{ private *ecdsa.PrivateKey }

// NewPushKey returns a new key for ReadPushKey.
func NewPushKey() string {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		panic(err) // rand.Reader never fails
	}
	return base64.RawURLEncoding.EncodeToString(key.Bytes())
}

// ReadPushKey reads what NewPushKey returned. The error says nothing of the content.
func ReadPushKey(text string) (*PushKey, error) {
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil, errors.New("it is no key for push notifications")
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		return nil, errors.New("it is no key for push notifications")
	}
	return &PushKey{key}, nil
}

// Public is the half that browsers get: an uncompressed point, in base64url.
func (k *PushKey) Public() string {
	point, err := k.private.PublicKey.Bytes()
	if err != nil {
		panic(err) // ReadPushKey takes points of the curve only
	}
	return base64.RawURLEncoding.EncodeToString(point)
}

// authorization is the header that tells a push service who sends, for the host of an
// endpoint alone.
func (k *PushKey) authorization(endpoint, subject string, now time.Time) (string, error) {
	to, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{"aud": to.Scheme + "://" + to.Host, "exp": now.Add(vapidFor).Unix(), "sub": subject})
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	token := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)
	hash := sha256.Sum256([]byte(token))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, hash[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return fmt.Sprintf("vapid t=%s.%s, k=%s", token, encode(signature), k.Public()), nil
}

// subscriber is what a browser gave to encrypt for it.
type subscriber struct {
	public *ecdh.PublicKey
	auth   []byte
}

// readSubscriber reads keys as browsers give them, in base64url.
func readSubscriber(p256dh, auth string) (s subscriber, err error) {
	point, err := unpadded(p256dh)
	if err != nil {
		return s, err
	}
	if s.public, err = ecdh.P256().NewPublicKey(point); err != nil {
		return s, err
	}
	if s.auth, err = unpadded(auth); err == nil && len(s.auth) != authBytes {
		err = fmt.Errorf("the secret has %d bytes, not %d", len(s.auth), authBytes)
	}
	return s, err
}

func unpadded(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}

// encrypt makes a message that only the subscriber reads, with a key and a salt that are
// used this once: one record of the coding aes128gcm (RFC 8188).
func (s subscriber) encrypt(text []byte, once *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	if len(text) > pushRecord-pushOverhead {
		return nil, fmt.Errorf("%d bytes are too many for one message", len(text))
	}
	shared, err := once.ECDH(s.public)
	if err != nil {
		return nil, err
	}
	own := once.PublicKey().Bytes()
	secret, err := hkdf.Key(sha256.New, shared, s.auth, "WebPush: info\x00"+string(s.public.Bytes())+string(own), 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	head := binary.BigEndian.AppendUint32(append([]byte(nil), salt...), pushRecord)
	head = append(append(head, byte(len(own))), own...)
	const last = 2 // marks the end of the text in the last record
	return aead.Seal(head, nonce, append(append([]byte(nil), text...), last), nil), nil
}

// seal is encrypt with a new key and salt.
func (s subscriber) seal(text []byte) ([]byte, error) {
	once, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, 16)
	rand.Read(salt) // it never fails
	return s.encrypt(text, once, salt)
}
