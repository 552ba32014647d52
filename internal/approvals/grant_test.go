package approvals

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// newSigner is a ring with one key that is as old as can be.
func newSigner(t *testing.T) *Keyring {
	t.Helper()
	key, err := NewSigningKey()
	if err != nil {
		t.Fatal(err)
	}
	return ringOf(t, key)
}

func ringOf(t *testing.T, key []byte) *Keyring {
	t.Helper()
	s, err := NewEd25519Signer(key)
	if err != nil {
		t.Fatal(err)
	}
	k, err := NewKeyring(func() time.Time { return noon }, []*Ed25519Signer{s})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// verify does what a stranger with the JWKS does.
func verify(token string, jwks []byte, algorithms ...jose.SignatureAlgorithm) ([]byte, error) {
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(jwks, &set); err != nil {
		return nil, err
	}
	jws, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return nil, err
	}
	return jws.Verify(set)
}

// TestGrantToken: a stranger verifies it with the public keys alone, and it says
// exactly what the row says.
func TestGrantToken(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	now := noon.Add(123456789 * time.Nanosecond)
	a, err := inStatus(Approved).withGrant(s, "https://console.example", 300*time.Second, now)
	if err != nil {
		t.Fatal(err)
	}
	if want := noon.Add(300 * time.Second); !a.Grant.ExpiresAt.Equal(want) {
		t.Errorf("the row expires at %v, want %v: the token knows whole seconds only", a.Grant.ExpiresAt, want)
	}
	payload, err := verify(a.Grant.Token, s.JWKS(), jose.EdDSA)
	if err != nil {
		t.Fatal(err)
	}
	var claims map[string]any
	if err := json.Unmarshal(payload, &claims); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"iss": "https://console.example", "sub": "apr_1", "tenant": "acme", "agent": "agt_1", "digest": "sha256:aa",
		"exp": float64(noon.Add(300 * time.Second).Unix()), "jti": a.Grant.ID,
	}
	for name, v := range want {
		if claims[name] != v {
			t.Errorf("%s is %v, want %v", name, claims[name], v)
		}
	}
	if len(claims) != len(want) || !strings.HasPrefix(a.Grant.ID, "grt_") {
		t.Errorf("the claims are %s", payload)
	}
	again, err := inStatus(Approved).withGrant(s, "https://console.example", 300*time.Second, now)
	if err != nil || again.Grant.ID == a.Grant.ID {
		t.Errorf("two grants have the id %s, %v", a.Grant.ID, err)
	}
	if _, err := verify(a.Grant.Token, s.JWKS(), jose.HS256, jose.RS256, jose.ES256); err == nil {
		t.Error("it parsed as another algorithm")
	}
	header, err := base64.RawURLEncoding.DecodeString(strings.Split(a.Grant.Token, ".")[0])
	if err != nil {
		t.Fatal(err)
	}
	var named map[string]any
	if err := json.Unmarshal(header, &named); err != nil || named["alg"] != "EdDSA" || named["kid"] == "" || named["jwk"] != nil {
		t.Errorf("the header is %s, %v", header, err)
	}
}

// TestForgedGrants: no other bytes verify.
func TestForgedGrants(t *testing.T) {
	t.Parallel()
	s, other := newSigner(t), newSigner(t)
	token, err := s.Sign(GrantClaims{Subject: "apr_1", Digest: "sha256:aa", Expires: noon})
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(token, ".")
	encode := base64.RawURLEncoding.EncodeToString
	payload, _ := base64.RawURLEncoding.DecodeString(parts[1])
	signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
	flipped := bytes.Clone(signature)
	flipped[len(flipped)-1] ^= 1
	elsewhere, _ := other.Sign(GrantClaims{Subject: "apr_1", Digest: "sha256:aa", Expires: noon})
	for name, forged := range map[string]string{
		"another digest":       parts[0] + "." + encode(bytes.Replace(payload, []byte("sha256:aa"), []byte("sha256:bb"), 1)) + "." + parts[2],
		"a flipped signature":  parts[0] + "." + parts[1] + "." + encode(flipped),
		"no signature":         parts[0] + "." + parts[1] + ".",
		"alg none":             encode([]byte(`{"alg":"none"}`)) + "." + parts[1] + ".",
		"alg HS256, known key": encode([]byte(`{"alg":"HS256"}`)) + "." + parts[1] + "." + parts[2],
		"another key":          elsewhere,
	} {
		if got, err := verify(forged, s.JWKS(), jose.EdDSA); err == nil {
			t.Errorf("%s: verified as %s", name, got)
		}
	}
	for i := range parts[1] {
		changed := []byte(parts[1])
		changed[i] ^= 3
		// The last characters may hold bits that mean nothing: then the claims are the same.
		if got, err := verify(parts[0]+"."+string(changed)+"."+parts[2], s.JWKS(), jose.EdDSA); err == nil && !bytes.Equal(got, payload) {
			t.Fatalf("verified with byte %d of the payload changed: %s", i, got)
		}
	}
}

// TestJWKS publishes no private key.
func TestJWKS(t *testing.T) {
	t.Parallel()
	key, err := NewSigningKey()
	if err != nil {
		t.Fatal(err)
	}
	s := ringOf(t, key)
	var private, public map[string]any
	var set struct{ Keys []map[string]any }
	if json.Unmarshal(key, &private) != nil || json.Unmarshal(s.JWKS(), &set) != nil || len(set.Keys) != 1 {
		t.Fatalf("the documents are %s and %s", "(private)", s.JWKS())
	}
	public = set.Keys[0]
	if private["d"] == nil || public["d"] != nil || bytes.Contains(s.JWKS(), []byte(private["d"].(string))) {
		t.Errorf("the public document is %s", s.JWKS())
	}
	for name, want := range map[string]string{"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": private["kid"].(string)} {
		if public[name] != want {
			t.Errorf("%s is %v, want %s", name, public[name], want)
		}
	}
}

// TestSigningKeyRefused: anything but a private Ed25519 key with a name.
func TestSigningKeyRefused(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	marshal := func(k jose.JSONWebKey) []byte { b, _ := k.MarshalJSON(); return b }
	good := marshal(jose.JSONWebKey{Key: private, KeyID: "k"})
	if _, err := NewEd25519Signer(good); err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string][]byte{
		"nothing": nil, "text": []byte("key"), "null": []byte("null"), "an empty object": []byte("{}"),
		"a public key":       marshal(jose.JSONWebKey{Key: public, KeyID: "k"}),
		"a key without name": marshal(jose.JSONWebKey{Key: private}),
		"a shared secret":    marshal(jose.JSONWebKey{Key: []byte("secret"), KeyID: "k"}),
		"half a key":         slices.Clone(good[:len(good)/2]),
	} {
		if s, err := NewEd25519Signer(key); err == nil || s != nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestSignerReady: a key file whose halves do not belong together signs nothing
// that anybody could verify.
func TestSignerReady(t *testing.T) {
	t.Parallel()
	s := newSigner(t)
	if err := s.Ready(); err != nil {
		t.Error(err)
	}
	(*s.keys.Load())[0].public = (*newSigner(t).keys.Load())[0].public
	if err := s.Ready(); err == nil {
		t.Error("another public key is ready")
	}
}
