package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/countersign/countersign/internal/fault"
)

const (
	// MaxReply bounds what is read of an answer, in bytes.
	MaxReply = 64 << 10
	// maxHeader bounds the header of an answer, in bytes.
	maxHeader = 32 << 10
	// within bounds a call whose context has no end.
	within = 30 * time.Second
	// maxURL bounds an address, in bytes.
	maxURL = 2048
)

// Client calls addresses that somebody typed. It is safe for concurrent use.
type Client struct {
	allowed Networks
	http    *http.Client
}

// Config says what may be called.
type Config struct {
	Allowed  Networks      // beside the public internet, and over plain http
	Resolver *net.Resolver // nil: the system's
	TLS      *tls.Config   // nil: the system's certificates
}

// New returns a client.
func New(c Config) *Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Resolver: c.Resolver}
	client := &Client{allowed: c.Allowed}
	dialer.ControlContext = client.control
	client.http = &http.Client{
		Timeout:       within,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: c.TLS, TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
			MaxResponseHeaderBytes: maxHeader,
			// A connection is of one call: it was checked for that one.
			DisableKeepAlives: true,
		},
	}
	return client
}

// HTTP is the client for libraries that want one. Every promise of this package holds for it
// but the one on errors; see Clean.
func (c *Client) HTTP() *http.Client {
	bounded := *c.http
	bounded.Transport = limited{c.http.Transport}
	return &bounded
}

// limited reads no more than MaxReply of an answer, and knows whether it went over http.
type limited struct{ next http.RoundTripper }

// RoundTrip is one call.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" {
		r = r.WithContext(context.WithValue(r.Context(), plain{}, true))
	}
	answer, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(answer.Body, MaxReply), answer.Body}
	return answer, nil
}

// plain marks the context of a call over http.
type plain struct{}

// errRefused says that an address is not called.
type errRefused struct{ text string }

func (e errRefused) Error() string { return e.text }

// Refused reports whether a call failed because its address may not be called.
func Refused(err error) bool {
	var r errRefused
	return errors.As(err, &r)
}

// control is asked for each address to which a connection is about to be made.
func (c *Client) control(ctx context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return errRefused{"the address could not be read"}
	}
	at := to.Addr().WithZone("")
	if c.allowed.contain(at) || c.allowed.contain(at.Unmap()) && at.Is4In6() {
		return nil
	}
	if !Public(at) {
		return errRefused{fmt.Sprintf("%s isn't a public internet address, and the server's settings don't allow it", at)}
	}
	if ctx.Value(plain{}) != nil {
		return errRefused{fmt.Sprintf("%s would be called over plain http; use https", at)}
	}
	return nil
}

// Do makes one call and returns its status, header and the beginning of its body.
func (c *Client) Do(r *http.Request) (status int, header http.Header, body []byte, err error) {
	answer, err := c.HTTP().Do(r)
	if err != nil {
		return 0, nil, nil, Clean(err)
	}
	defer answer.Body.Close()
	// An answer that does not end is none; what it said so far is.
	body, err = io.ReadAll(answer.Body)
	if err != nil {
		err = Clean(err)
	}
	return answer.StatusCode, answer.Header, body, err
}

// Clean takes the URL out of an error.
func Clean(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// CheckURL refuses an address that can never be called: a fault on member. What a name
// resolves to is checked with each call.
func (c *Client) CheckURL(member, text string) error {
	refuse := func(format string, args ...any) error {
		return fault.Member(fault.InvalidForm, member, format, args...)
	}
	if len(text) > maxURL {
		return refuse("the address has more than %d bytes", maxURL)
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Opaque != "" || strings.ContainsAny(text, " \t\r\n\\") {
		return refuse("this isn't an address; enter it in full, for example https://example.com/hooks/1")
	}
	at, literal := netip.Addr{}, false
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		at, literal = a.WithZone("").Unmap(), true
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return refuse("%.20q addresses can't be called; use https", u.Scheme)
	case u.User != nil:
		return refuse("the address has a user name or password in it; leave them out")
	case u.Fragment != "":
		return refuse("leave out everything from # on; it's never sent")
	case u.Hostname() == "":
		return refuse("the address names no host")
	case u.Scheme == "http" && len(c.allowed) == 0:
		return refuse("use https; anything sent over http can be read and changed on the way")
	case literal && !Public(at) && !c.allowed.contain(at):
		return refuse("%s isn't a public internet address; whoever runs the server can allow it with COUNTERSIGN_NOTICE_NETWORKS", at.String())
	}
	return nil
}
