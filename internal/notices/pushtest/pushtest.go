// Package pushtest is a push service for tests: it checks what RFC 8030, 8291 and 8292 ask of
// who sends, decrypts as a browser does, and keeps what came. It shares no code with who sends.
package pushtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Push is one message that came.
type Push struct {
	Device       *Device
	TTL          int
	Urgency      string
	Topic        string
	Subject      string
	Text         []byte        // decrypted
	Size         int           // of the body as it was sent
	SignedFor    time.Duration // how long the signature is good
	PublicKey    string        // who signed
	Notification Notification
}

// Notification is what the text says.
type Notification struct {
	Title, Body, Link, Tag, Until, Ends string
	Quiet                               bool
}

// Device is a browser that subscribed.
type Device struct {
	Endpoint string
	private  *ecdh.PrivateKey
	auth     []byte
}

// P256dh and Auth are its keys, as browsers give them.
func (d *Device) P256dh() string {
	return base64.RawURLEncoding.EncodeToString(d.private.PublicKey().Bytes())
}

// Auth is the secret of the subscription.
func (d *Device) Auth() string { return base64.RawURLEncoding.EncodeToString(d.auth) }

// Service is a push service on loopback.
type Service struct {
	*httptest.Server
	t       testing.TB
	now     func() time.Time
	mu      sync.Mutex
	devices map[string]*Device // by path
	got     []Push
	answer  http.HandlerFunc
}

// New starts one. now is the clock of who sends.
func New(t testing.TB, now func() time.Time) *Service {
	t.Helper()
	s := &Service{t: t, now: now, devices: map[string]*Device{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// Subscribe makes a device.
func (s *Service) Subscribe() *Device {
	s.t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	auth := make([]byte, 16)
	rand.Read(auth) // it never fails
	s.mu.Lock()
	defer s.mu.Unlock()
	path := "/push/" + strconv.Itoa(len(s.devices)+1) + "-" + rand.Text()
	d := &Device{Endpoint: s.URL + path, private: key, auth: auth}
	s.devices[path] = d
	return d
}

// Got is what came so far.
func (s *Service) Got() []Push {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Push(nil), s.got...)
}

// Then changes what is answered from now on; nil is 201.
func (s *Service) Then(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.read(r)
	if err != nil {
		s.t.Errorf("a push service would refuse this: %v", err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.got = append(s.got, p)
	if s.answer != nil {
		s.answer(w, r)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

var (
	urgencies = regexp.MustCompile(`^(very-low|low|normal|high)?$`)
	topics    = regexp.MustCompile(`^[A-Za-z0-9_-]{0,32}$`)
	vapid     = regexp.MustCompile(`^vapid t=([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+), k=([A-Za-z0-9_-]+)$`)
)

func (s *Service) read(r *http.Request) (p Push, err error) {
	p.Device = s.devices[r.URL.Path]
	if p.Device == nil || r.Method != http.MethodPost {
		return p, fmt.Errorf("%s %s is nobody's", r.Method, r.URL.Path)
	}
	if p.TTL, err = strconv.Atoi(r.Header.Get("TTL")); err != nil || p.TTL < 0 {
		return p, fmt.Errorf("the TTL is %q", r.Header.Get("TTL"))
	}
	p.Urgency, p.Topic = r.Header.Get("Urgency"), r.Header.Get("Topic")
	if !urgencies.MatchString(p.Urgency) || !topics.MatchString(p.Topic) {
		return p, fmt.Errorf("the urgency is %q, the topic %q", p.Urgency, p.Topic)
	}
	if r.Header.Get("Content-Encoding") != "aes128gcm" {
		return p, fmt.Errorf("the encoding is %q", r.Header.Get("Content-Encoding"))
	}
	if err := s.signed(&p, r); err != nil {
		return p, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return p, err
	}
	if p.Size = len(body); p.Size > 4096 {
		return p, fmt.Errorf("%d bytes are more than push services take", p.Size)
	}
	if p.Text, err = Decrypt(body, p.Device.private, p.Device.auth); err != nil {
		return p, err
	}
	return p, json.Unmarshal(p.Text, &p.Notification)
}

// signed checks the header of RFC 8292.
func (s *Service) signed(p *Push, r *http.Request) error {
	part := vapid.FindStringSubmatch(r.Header.Get("Authorization"))
	if part == nil {
		return fmt.Errorf("the authorization is %q", r.Header.Get("Authorization"))
	}
	p.PublicKey = part[3]
	point, err := base64.RawURLEncoding.DecodeString(part[3])
	if err != nil {
		return err
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return err
	}
	signature, err := base64.RawURLEncoding.DecodeString(part[2])
	if err != nil || len(signature) != 64 {
		return fmt.Errorf("the signature has %d bytes (%v)", len(signature), err)
	}
	hash := sha256.Sum256([]byte(part[1]))
	if !ecdsa.Verify(key, hash[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return errors.New("the signature does not verify")
	}
	head, body, _ := strings.Cut(part[1], ".")
	var header struct{ Typ, Alg string }
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	for text, to := range map[string]any{head: &header, body: &claims} {
		raw, err := base64.RawURLEncoding.DecodeString(text)
		if err == nil {
			err = json.Unmarshal(raw, to)
		}
		if err != nil {
			return err
		}
	}
	p.Subject, p.SignedFor = claims.Sub, time.Unix(claims.Exp, 0).Sub(s.now())
	switch {
	case header.Typ != "JWT" || header.Alg != "ES256":
		return fmt.Errorf("the token is a %+v", header)
	case claims.Aud != s.URL:
		return fmt.Errorf("it is for %q, not %q", claims.Aud, s.URL)
	case p.SignedFor <= 0 || p.SignedFor > 24*time.Hour:
		return fmt.Errorf("it is good for %v; RFC 8292 allows up to 24 h", p.SignedFor)
	case !strings.HasPrefix(claims.Sub, "mailto:") && !strings.HasPrefix(claims.Sub, "https://"):
		return fmt.Errorf("its subject is %q", claims.Sub)
	}
	return nil
}

// Decrypt is what a browser does (RFC 8291, and RFC 8188 for a single record).
func Decrypt(body []byte, private *ecdh.PrivateKey, auth []byte) ([]byte, error) {
	if len(body) < 21 || len(body) < 21+int(body[20]) {
		return nil, fmt.Errorf("%d bytes have no header", len(body))
	}
	salt, size, sender, sealed := body[:16], binary.BigEndian.Uint32(body[16:20]), body[21:21+int(body[20])], body[21+int(body[20]):]
	if size < 18 || len(sealed) > int(size) {
		return nil, fmt.Errorf("%d bytes in records of %d", len(sealed), size)
	}
	public, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return nil, err
	}
	shared, err := private.ECDH(public)
	if err != nil {
		return nil, err
	}
	info := append([]byte("WebPush: info\x00"), private.PublicKey().Bytes()...)
	secret := mac(mac(auth, shared), append(info, sender...), []byte{1})
	start := mac(salt, secret)
	block, err := aes.NewCipher(mac(start, []byte("Content-Encoding: aes128gcm\x00\x01"))[:16])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	text, err := aead.Open(nil, mac(start, []byte("Content-Encoding: nonce\x00\x01"))[:12], sealed, nil)
	if err != nil {
		return nil, err
	}
	end := strings.TrimRight(string(text), "\x00")
	if !strings.HasSuffix(end, "\x02") {
		return nil, errors.New("the last record does not end with 2")
	}
	return []byte(end[:len(end)-1]), nil
}

// mac is HMAC-SHA-256: one step of HKDF.
func mac(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}
