package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/grant"
)

const (
	maxAnswerBytes = 8 << 20          // an approval holds the act, what was made of it and the assessment
	attemptTimeout = 30 * time.Second // of one request that waits for nobody
	firstPause     = 200 * time.Millisecond
	longestPause   = 5 * time.Second
)

// Client makes the calls of the agent API. It is safe for concurrent use.
type Client struct {
	base  string // the console's public URL, without a slash at its end
	key   Key
	http  *http.Client
	pins  *pins
	trail *trail
}

// New refuses settings that could send the key to somebody else: an address with a
// query or a user in it, or http to another machine.
func New(s Settings) (*Client, error) {
	u, ok := grant.Base(s.URL)
	if !ok {
		return nil, errors.New("the url of the settings is no base URL; write the console's public one, for example https://approvals.example.com")
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("the url of the settings is http to %s: anybody on the way could read the key and answer for the server; use https", OneLine(u.Host, 100))
	}
	if s.Key == "" || strings.ContainsFunc(string(s.Key), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the key of the settings is no key; it is one word that begins with csk_")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true
	transport.MaxResponseHeaderBytes = 64 << 10
	if s.CA != "" {
		pem, err := os.ReadFile(s.CA)
		if err != nil {
			return nil, fmt.Errorf("the ca of the settings can't be read: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("the ca of the settings, %s, holds no PEM certificate", s.CA)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	c := &Client{base: u.String(), key: s.Key, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	c.pins, c.trail = newPins(c, s), &trail{file: c.kept(s, "trail-", ".note")}
	return c, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// request is one call. It can be sent any number of times.
type request struct {
	method, path string
	key          string // Idempotency-Key
	body         []byte
	timeout      time.Duration
	public       bool // is sent without the agent's key
}

// checked is an answer that knows whether it is complete.
type checked interface{ check() error }

// try sends a request until a final answer comes or ctx ends. It returns the status,
// and how many attempts before the last one may have reached the server unheard.
func (c *Client) try(ctx context.Context, r request, into checked) (status, lost int, err error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		status, err = c.once(ctx, r, into)
		if err == nil {
			return status, lost, nil
		}
		after, again := temporary(err)
		if !again || ctx.Err() != nil {
			return 0, lost, err
		}
		if p := (*Problem)(nil); !errors.As(err, &p) || p.Status != http.StatusTooManyRequests {
			lost++
		}
		select {
		case <-ctx.Done():
			return 0, lost, err
		case <-time.After(max(after, pause/2+rand.N(pause/2))):
		}
	}
}

// once sends a request and reads one whole answer.
func (c *Client) once(ctx context.Context, r request, into checked) (status int, err error) {
	if r.timeout == 0 {
		r.timeout = attemptTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, c.base+r.path, bytes.NewReader(r.body))
	if err != nil {
		return 0, err
	}
	// The transport would send a request with an Idempotency-Key again by itself, and
	// whether an attempt was lost decides about replays.
	req.GetBody = nil
	if !r.public {
		req.Header.Set("Authorization", "Bearer "+string(c.key))
		if head := c.trail.sent(); head != "" {
			req.Header.Set(checkpointHeader, head)
		}
	}
	req.Header.Set("Accept", "application/json")
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return 0, noAnswer(err)
	}
	defer res.Body.Close()
	if head := res.Header.Get(checkpointHeader); head != "" {
		c.trail.seen(head)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes+1))
	if err != nil && res.StatusCode < 300 {
		return 0, noAnswer(err)
	}
	if res.StatusCode >= 300 {
		return 0, problem(res, body)
	}
	if len(body) > maxAnswerBytes {
		return 0, fmt.Errorf("%w: it has more than %d bytes", ErrNoAnswer, maxAnswerBytes)
	}
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusCreated {
		return 0, fmt.Errorf("%w: HTTP %d", ErrNoAnswer, res.StatusCode)
	}
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind != "application/json" && kind != "application/jwk-set+json" {
		return 0, fmt.Errorf("%w: it is %s, not JSON", ErrNoAnswer, orWord(OneLine(kind, 40), "of no type"))
	}
	if err := decode(body, into); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	return res.StatusCode, nil
}

// decode reads one document that is the whole of body.
func decode(body []byte, into checked) error {
	if err := json.Unmarshal(body, into); err != nil {
		return errors.New("it isn't whole JSON of the expected form")
	}
	return into.check()
}

// noAnswer says why there was none, without the address, which may hold ids. A
// certificate that does not hold will not hold later.
func noAnswer(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if bad := (*tls.CertificateVerificationError)(nil); errors.As(err, &bad) {
		return fmt.Errorf("the server's certificate isn't good: %w", bad.Err)
	}
	return fmt.Errorf("%w: %w", ErrNoAnswer, err)
}

// problem reads an answer from 300 on. Whatever its body is, it is one.
func problem(res *http.Response, body []byte) *Problem {
	p := &Problem{Status: res.StatusCode, Title: http.StatusText(res.StatusCode)}
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
		p.RetryAfter = time.Duration(min(seconds, maxWaitSeconds)) * time.Second
	}
	if res.StatusCode < 400 {
		p.Title = "the server redirects to another address, which is not followed; write the right url into the settings"
		return p
	}
	var document struct{ Type, Title, Detail, Instance string }
	if json.Unmarshal(body, &document) != nil {
		return p
	}
	if code, ours := strings.CutPrefix(document.Type, "urn:countersign:problem:"); ours {
		p.Code, p.Instance = OneLine(code, 60), OneLine(document.Instance, 100)
		p.Title, p.Detail = OneLine(document.Title, 200), OneLine(document.Detail, 600)
	}
	return p
}
