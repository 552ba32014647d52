package notices

import (
	"crypto/ecdh"
	"encoding/base64"
	"testing"

	"github.com/countersign/countersign/internal/notices/pushtest"
)

// The example of RFC 8291, section 5 and Appendix A.
const (
	rfcText    = "When I grow up, I want to be a watermelon"
	rfcAuth    = "BTBZMqHH6r4Tts7J_aSIgg"
	rfcBrowser = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94" // private
	rfcPublic  = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	rfcServer  = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw" // private
	rfcSalt    = "DGv6ra1nlYgDCS1FRnbzlw"
	rfcBody    = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)

func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func privateKey(t *testing.T, text string) *ecdh.PrivateKey {
	t.Helper()
	key, err := ecdh.P256().NewPrivateKey(bytesOf(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// What is sent is, byte for byte, what RFC 8291 gives as its example, and the receiver of
// these tests reads it.
func TestRFC8291(t *testing.T) {
	t.Parallel()
	to, err := readSubscriber(rfcPublic, rfcAuth)
	if err != nil {
		t.Fatal(err)
	}
	body, err := to.encrypt([]byte(rfcText), privateKey(t, rfcServer), bytesOf(t, rfcSalt))
	if err != nil {
		t.Fatal(err)
	}
	if got := base64.RawURLEncoding.EncodeToString(body); got != rfcBody {
		t.Errorf("the message is\n%s, want\n%s", got, rfcBody)
	}
	text, err := pushtest.Decrypt(bytesOf(t, rfcBody), privateKey(t, rfcBrowser), bytesOf(t, rfcAuth))
	if err != nil || string(text) != rfcText {
		t.Errorf("the receiver reads %q (%v)", text, err)
	}
	other := bytesOf(t, rfcAuth)
	other[0]++
	if _, err := pushtest.Decrypt(body, privateKey(t, rfcBrowser), other); err == nil {
		t.Error("the receiver reads it with another secret")
	}
}
