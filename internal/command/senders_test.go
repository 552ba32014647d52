package command

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/fault"
)

// Push services get a contact that they take: what is set, or where the server is.
func TestPushContact(t *testing.T) {
	t.Parallel()
	for contact, want := range map[string]string{"": "https://localhost:8080", "mailto:ops@example.com": "mailto:ops@example.com", "https://example.com/contact": "https://example.com/contact"} {
		s := Serving{Addr: "127.0.0.1:0", PushContact: contact}
		if got := s.pushContact("http://localhost:8080"); got != want || s.check() != nil {
			t.Errorf("%q gives %q (%v), want %q", contact, got, s.check(), want)
		}
	}
	for _, contact := range []string{"ops@example.com", "mailto:", "mailto:ops", "http://example.com", "https://", "tel:112", "%"} {
		err := Serving{Addr: "127.0.0.1:0", PushContact: contact}.check()
		if !fault.Is(err, fault.InvalidSetting) || !strings.Contains(err.Error(), "COUNTERSIGN_PUSH_CONTACT") {
			t.Errorf("%q is taken: %v", contact, err)
		}
	}
}

// The key of push notifications is made once and read from then on.
func TestPushKeyStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := openPushKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := openPushKey(dir)
	if err != nil || second.Public() != first.Public() {
		t.Errorf("the second start has another key (%v)", err)
	}
}
