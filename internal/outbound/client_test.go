package outbound_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/countersign/countersign/internal/outbound"
)

// spellings are private, loopback, link-local, metadata, shared, unique-local and other
// special addresses as people have written them to get past checks.
var spellings = []string{
	"127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "2130706433", "017700000001", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "0x7f.1",
	"127.0.0.1.", "localhost", "localhost.", "LOCALHOST", "0", "0.0.0.0", "0.0.0.1", "00000177.0.0.1", "127.000.000.001", "%31%32%37.0.0.1",
	"10.0.0.1", "10.255.255.255", "167772161", "0xa.0.0.1", "012.0.0.1", "172.16.0.1", "172.31.255.255", "0xac100001", "192.168.0.1", "3232235521",
	"169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.0.1", "100.64.0.1", "100.127.255.254", "100.100.100.200", "192.0.0.192", "198.18.0.1",
	"192.0.2.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.88.99.1", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]",
	"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:a9fe:a9fe]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::169.254.169.254]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2001:0:53aa:64c::1]",
	"[fe80::1]", "[fe80::1%25lo]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[fdff::1]", "[ff02::1]", "[100::1]", "[2001:db8::1]", "[3fff::1]",
	"①②⑦.0.0.1", "127。0。0。1", "user@127.0.0.1", "user:pass@10.0.0.1", "example.com@127.0.0.1", "metadata.google.internal",
}

// port counts every connection that reaches loopback.
func port(t *testing.T) (number string, reached *atomic.Int64) {
	t.Helper()
	reached = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			reached.Add(1)
		}
	}
	t.Cleanup(server.Close)
	_, number, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return number, reached
}

// No spelling of a private address is called, over https or http, whether the settings
// would have taken it or not.
func TestPrivateAddressesAreNotCalled(t *testing.T) {
	t.Parallel()
	if len(spellings) < 60 {
		t.Fatalf("%d spellings only", len(spellings))
	}
	number, reached := port(t)
	client := outbound.New(outbound.Config{Resolver: resolver(t, func(string) string { return "127.0.0.1" }), TLS: &tls.Config{InsecureSkipVerify: true}})
	for _, host := range spellings {
		for _, scheme := range []string{"https://", "http://"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, scheme+host+":"+number+"/", nil)
			if err != nil {
				continue // no address at all
			}
			if status, _, _, err := client.Do(r); err == nil || status != 0 {
				t.Errorf("%s%s was called", scheme, host)
			}
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d connections reached loopback", n)
	}
}

// Every address that IANA lists as special is refused, and ordinary ones are not.
func TestPublic(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"1.1.1.1": true, "8.8.8.8": true, "93.184.215.14": true, "172.32.0.1": true, "100.128.0.1": true, "2606:4700:4700::1111": true, "2a00:1450::1": true,
		"127.0.0.1": false, "169.254.169.254": false, "100.64.0.1": false, "fd00::1": false, "::ffff:8.8.8.8": false, "64:ff9b::808:808": false, "2002:808:808::": false, "fe80::1%eth0": false, "::": false,
	} {
		if got := outbound.Public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s is public: %v, want %v", text, got, want)
		}
	}
}

// What settings take and refuse, before anything is called.
func TestCheckURL(t *testing.T) {
	t.Parallel()
	allowed, err := outbound.ParseNetworks("10.1.0.0/16, 127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string][2]bool{ // without and with allowed networks
		"https://example.com/hook?x=1": {true, true}, "https://8.8.8.8": {true, true}, "https://10.1.2.3/": {false, true}, "http://10.1.2.3/": {false, true},
		"https://10.2.0.1/": {false, false}, "https://[::ffff:127.0.0.1]/": {false, true}, "http://example.com": {false, true}, "ftp://example.com": {false, false}, "https://": {false, false}, "": {false, false},
		"https://a:b@example.com": {false, false}, "https://example.com/#x": {false, false}, "https://exa mple.com": {false, false}, "//example.com": {false, false}, "https://example.com\\@127.0.0.1": {false, false},
		"https://example.com/" + strings.Repeat("a", 3000): {false, false},
	} {
		for i, c := range []outbound.Config{{}, {Allowed: allowed}} {
			if err := outbound.New(c).CheckURL("url", address); (err == nil) != want[i] {
				t.Errorf("%.60q with %v: %v, want taken %v", address, c.Allowed, err, want[i])
			}
		}
	}
	for _, wrong := range []string{"10.0.0.0/40", "x", "fe80::1%eth0", "::ffff:10.0.0.0/104"} {
		if _, err := outbound.ParseNetworks(wrong); err == nil {
			t.Errorf("%q is taken as networks", wrong)
		}
	}
}

// resolver answers every name with what answer says, from a name server of its own.
func resolver(t *testing.T, answer func(name string) string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		buffer := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m.Header.Response, m.Additionals = true, nil
			if a, err := netip.ParseAddr(answer(q.Name.String())); err == nil && a.Is4() && q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: a.As4()}}}
			}
			if out, err := m.Pack(); err == nil {
				_, _ = server.WriteTo(out, from)
			}
		}
	})
	t.Cleanup(func() {
		_ = server.Close()
		running.Wait()
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// A name that resolves to a public address when it is looked at, and to a private one when
// it is called, is not called there: what counts is the address of the connection.
func TestRebinding(t *testing.T) {
	t.Parallel()
	number, reached := port(t)
	var rebound atomic.Bool
	rebinding := resolver(t, func(string) string {
		if !rebound.Load() {
			return "93.184.215.14"
		}
		return "127.0.0.1"
	})
	if first, err := rebinding.LookupHost(t.Context(), "rebind.example"); err != nil || len(first) != 1 || first[0] != "93.184.215.14" {
		t.Fatalf("the look before says %v (%v)", first, err)
	}
	rebound.Store(true)
	client := outbound.New(outbound.Config{Resolver: rebinding})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://rebind.example:"+number+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := client.Do(r); !outbound.Refused(err) {
		t.Errorf("the call ended with %v, want a refusal", err)
	}
	if reached.Load() != 0 {
		t.Error("loopback was reached")
	}
}

func local(t *testing.T) *outbound.Client {
	t.Helper()
	networks, err := outbound.ParseNetworks("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	return outbound.New(outbound.Config{Allowed: networks})
}

// Redirects are answers: nothing is called that nobody typed.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	number, reached := port(t)
	for _, code := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:"+number+"/", code))
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if status, _, _, err := local(t).Do(r); err != nil || status != code {
			t.Errorf("%d is answered as %d (%v)", code, status, err)
		}
		server.Close()
	}
	if reached.Load() != 0 {
		t.Error("a redirect was followed")
	}
}

// Of an endless answer no more than a little is read; one that never comes ends with the
// caller's patience.
func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
				return
			}
		}
	}))
	defer endless.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endless.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	status, _, body, err := local(t).Do(r)
	if status != http.StatusOK || err != nil || len(body) != outbound.MaxReply {
		t.Errorf("an endless answer is %d with %d bytes (%v)", status, len(body), err)
	}
	came := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(came)
		<-r.Context().Done()
	}))
	defer slow.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if r, err = http.NewRequestWithContext(ctx, http.MethodPost, slow.URL, nil); err != nil {
		t.Fatal(err)
	}
	go func() {
		<-came
		cancel(context.DeadlineExceeded)
	}()
	if status, _, _, err := local(t).Do(r); status != 0 || err == nil {
		t.Errorf("an answer that never comes is %d (%v)", status, err)
	}
}

// An error never holds the address: it can be a secret.
func TestErrorsHoldNoAddress(t *testing.T) {
	t.Parallel()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://127.0.0.1:1/hooks/T0PS3CR3T", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := outbound.New(outbound.Config{}).Do(r); err == nil || strings.Contains(err.Error(), "T0PS3CR3T") {
		t.Errorf("the error is %v", err)
	}
}
