package httpserver

import (
	"net/http/httptest"
	"testing"

	"github.com/countersign/countersign/internal/fault"
)

// Whose address a request has: an attacker writes any header.
func TestAddressOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, proxies, peer, forwarded, want string }{
		{"no proxy is trusted", "", "192.0.2.9:1", "198.51.100.1", "192.0.2.9"},
		{"a loopback peer is not trusted by itself", "", "127.0.0.1:1", "198.51.100.1", "127.0.0.1"},
		{"the peer is no proxy", "10.0.0.0/8", "192.0.2.9:1", "198.51.100.1", "192.0.2.9"},
		{"a private peer is not trusted by itself", "10.0.0.0/8", "192.168.1.1:1", "198.51.100.1", "192.168.1.1"},
		{"the peer is the proxy", "10.0.0.0/8", "10.1.2.3:1", "198.51.100.1", "198.51.100.1"},
		{"a single address", "127.0.0.1", "127.0.0.1:1", "198.51.100.1", "198.51.100.1"},
		{"IPv6", "2001:db8::1", "[2001:db8::1]:1", "2001:db8::9", "2001:db8::9"},
		{"what the client wrote in front does not count", "10.0.0.0/8", "10.1.2.3:1", "203.0.113.7, 198.51.100.1", "198.51.100.1"},
		{"a chain of proxies", "10.0.0.0/8", "10.1.2.3:1", "198.51.100.1, 10.9.9.9", "198.51.100.1"},
	} {
		proxies, err := ParseProxies(c.proxies)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.peer
		r.Header.Set("X-Forwarded-For", c.forwarded)
		if got := addressOf(proxies)(r); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	for _, bad := range []string{"nginx", "10.0.0.0/99", "10.0.0.1,,x"} {
		if _, err := ParseProxies(bad); !fault.Is(err, fault.InvalidSetting) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
