package grant

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

const (
	maxKeysBytes   = 64 << 10
	defaultTimeout = 5 * time.Second
	defaultEvery   = 30 * time.Second
	defaultMaxAge  = 15 * time.Minute
	firstEvery     = time.Second // between attempts while no keys were ever had
)

// Remote says where the keys are and how often they may be asked for. Only
// Issuer is required.
type Remote struct {
	// Issuer is the console's public URL. It must be https, or http to this very
	// machine: whoever can answer in the server's place can sign grants.
	Issuer string
	// AllowHTTP accepts http to other machines, for a network that is trusted
	// as much as the server itself.
	AllowHTTP bool
	Client    *http.Client  // nil: http.DefaultClient; redirects are never followed
	Timeout   time.Duration // of one request; 0: 5 s
	// Every is the least time between two requests, whatever grants come in; 0: 30 s.
	Every time.Duration
	// MaxAge is after how long the keys are asked for again though none is
	// unknown, so that withdrawn ones are forgotten; 0: 15 minutes, which is well
	// under the hour for which a new key is published before it signs.
	MaxAge time.Duration
	Now    func() time.Time // nil: time.Now
}

// Fetched are keys fetched from {issuer}/.well-known/jwks.json and kept. They are
// fetched when first needed, when a grant names an unknown key, and when they
// are older than MaxAge. When that fails the keys that there are stay good.
type Fetched struct {
	Remote
	url  string
	turn chan struct{} // holds one token: whoever has it may fetch and write the fields below
	last time.Time     // of the last attempt
	have atomic.Pointer[fetchedSet]
}

type fetchedSet struct {
	*KeySet
	at time.Time
}

// FetchKeys returns keys that are fetched when they are needed; it asks nobody
// yet. It refuses an Issuer whose keys would not be safe to believe.
func FetchKeys(r Remote) (*Fetched, error) {
	u, ok := Base(r.Issuer)
	if !ok {
		return nil, fmt.Errorf("grant: Remote.Issuer %.200q is no base URL; write the console's public one, for example https://approvals.example.com", r.Issuer)
	}
	if u.Scheme == "http" && !r.AllowHTTP && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("grant: Remote.Issuer %.200q is http: anybody on the way could give other keys; use https, or set AllowHTTP", r.Issuer)
	}
	if r.Timeout < 0 || r.Every < 0 || r.MaxAge < 0 {
		return nil, errors.New("grant: Remote.Timeout, Every and MaxAge must not be negative")
	}
	orElse(&r.Timeout, defaultTimeout)
	orElse(&r.Every, defaultEvery)
	orElse(&r.MaxAge, defaultMaxAge)
	if r.Now == nil {
		r.Now = time.Now
	}
	client := http.Client{}
	if r.Client != nil {
		client = *r.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r.Client = &client
	return &Fetched{Remote: r, url: u.String() + "/.well-known/jwks.json", turn: make(chan struct{}, 1)}, nil
}

// plainPath is a path that is written in one way only.
var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9][A-Za-z0-9._~-]*)*$`)

// Base reads the public URL of a console: http or https, a host, maybe a port, maybe a path of plain
// names, and nothing else. It has no slash at its end then. ok is false for anything else, and base empty.
func Base(public string) (base *url.URL, ok bool) {
	u, err := url.Parse(strings.TrimRight(public, "/"))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || !plainPath.MatchString(u.EscapedPath()) ||
		*u != (url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}) {
		return &url.URL{}, false
	}
	return u, true
}

func orElse(d *time.Duration, usual time.Duration) {
	if *d == 0 {
		*d = usual
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Key returns the key of this id. Whoever asks for a known key never waits for
// somebody else's request. ctx ends waiting for one; the request that this call
// makes itself goes on to its end, at most Timeout, since others need its answer.
func (f *Fetched) Key(ctx context.Context, kid string) (ed25519.PublicKey, error) {
	if key, fresh := f.known(kid); key != nil {
		if !fresh {
			return f.renewed(ctx, kid, key)
		}
		return key, nil
	}
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrKeys, ctx.Err())
	}
	err := f.fetch(ctx) // asks nobody when somebody else just did
	if have := f.have.Load(); have != nil {
		return have.Key(ctx, kid)
	}
	return nil, err
}

// known returns the key if it was fetched, and whether that was lately.
func (f *Fetched) known(kid string) (key ed25519.PublicKey, fresh bool) {
	have := f.have.Load()
	if have == nil {
		return nil, false
	}
	return slices.Clone(have.keys[kid]), f.Now().Sub(have.at) < f.MaxAge
}

// renewed fetches keys that are old, unless somebody does already, and returns
// the key of this id: no longer if it was withdrawn, the old one if nobody answers.
func (f *Fetched) renewed(ctx context.Context, kid string, old ed25519.PublicKey) (ed25519.PublicKey, error) {
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	default:
		return old, nil
	}
	if f.fetch(ctx) != nil {
		return old, nil
	}
	return f.have.Load().Key(ctx, kid)
}

// errRecently is why no request was made.
var errRecently = errors.New("they were asked for a moment ago")

// fetch replaces the keys, or leaves them as they are. It needs the turn.
func (f *Fetched) fetch(ctx context.Context) error {
	every := f.Every
	if f.have.Load() == nil {
		every = min(every, firstEvery)
	}
	now := f.Now()
	if !f.last.IsZero() && now.Sub(f.last) < every && !now.Before(f.last) {
		return fmt.Errorf("%w: %w", ErrKeys, errRecently)
	}
	f.last = now
	document, err := f.get(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrKeys, err)
	}
	set, err := ParseKeys(document)
	if err != nil {
		return err
	}
	f.have.Store(&fetchedSet{KeySet: set, at: now})
	return nil
}

// get makes one request, bounded in time and size.
func (f *Fetched) get(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, nil)
	if err != nil {
		return nil, err
	}
	res, err := f.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", f.url, res.Status)
	}
	document, err := io.ReadAll(io.LimitReader(res.Body, maxKeysBytes+1))
	if err != nil {
		return nil, err
	}
	if len(document) > maxKeysBytes {
		return nil, fmt.Errorf("%s answered more than %d bytes", f.url, maxKeysBytes)
	}
	return document, nil
}
