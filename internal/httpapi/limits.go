package httpapi

import (
	"context"
	"crypto/sha256"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// How often somebody may call. Each replica counts for itself: docs/adr/0023-each-server-counts-for-itself.md.

const (
	// minBurst lets an agent with a low rate still submit, spend and report one
	// action after another without a pause.
	minBurst = 10
	// strangerRate and strangerBurst are how many requests a second, and how many at
	// once, one address may send without a key that works. Keys have 256 random bits,
	// so nobody guesses one: the limit only keeps a flood of wrong keys from the
	// database.
	strangerRate, strangerBurst = 5, 50
)

// limits are the limits of one API.
type limits struct {
	now func() time.Time
	// calls and waits are by agent; nil when the rate is unlimited. Waits are GETs
	// that hold their answer back. They have a bucket of their own, so that waiting
	// for many approvals never uses up what spending one of them needs.
	calls, waits *buckets
	strangers    *buckets // by address
	proved       *recent[[sha256.Size]byte, struct{}]
	perSecond    int
}

// newLimits allows each agent so many requests a second; 0 is unlimited.
func newLimits(perSecond int, now func() time.Time) *limits {
	l := &limits{
		now: now, perSecond: perSecond,
		strangers: newBuckets(strangerRate, strangerBurst),
		proved:    newRecent[[sha256.Size]byte, struct{}](),
	}
	if perSecond > 0 {
		l.calls = newBuckets(perSecond, max(perSecond, minBurst))
		l.waits = newBuckets(perSecond, max(perSecond, minBurst))
	}
	return l
}

// stranger refuses an address that sent too many requests without a key that
// works. A key that worked lately is let through to the key check all the same:
// agents behind one proxy share its address, and somebody else's wrong keys must
// not shut them out. It is still looked up, so a revoked key opens nothing.
func (l *limits) stranger(address, key string) error {
	if _, known := l.proved.get(sha256.Sum256([]byte(key))); known {
		return nil
	}
	if wait := l.strangers.peek(address, l.now()); wait > 0 {
		return tooMany(wait, "too many requests from this address came without a key that works; wait, and check the key")
	}
	return nil
}

// authenticated remembers how the key check ended.
func (l *limits) authenticated(address, key string, err error) {
	switch {
	case err == nil:
		l.proved.put(sha256.Sum256([]byte(key)), struct{}{})
	case fault.Is(err, fault.Unauthorized):
		l.strangers.take(address, l.now())
	}
}

// agent refuses a call of an agent that is too fast.
func (l *limits) agent(a auth.Agent, waits bool) error {
	from, what := l.calls, "requests"
	if waits {
		from, what = l.waits, "waits"
	}
	if from == nil {
		return nil
	}
	if wait := from.take(a.Tenant+"/"+a.ID, l.now()); wait > 0 {
		return tooMany(wait, "this agent sent more than %d %s a second; wait, then send it again", l.perSecond, what)
	}
	return nil
}

func tooMany(wait time.Duration, format string, args ...any) error {
	f := fault.New(fault.RateLimited, format, args...)
	f.RetryAfter = wait
	return f
}

// networkOf is who is limited for an address: itself, or of an IPv6 address the
// /64, which is what one customer gets.
func networkOf(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap()
	if ip.Is6() {
		prefix, _ := ip.Prefix(64) // 64 is in range
		return prefix.String()
	}
	return ip.String()
}

// limit holds an agent to its rate.
func (s *server) limit(ctx huma.Context, next func(huma.Context)) {
	wait := ctx.Query("wait")
	waits := ctx.Method() == http.MethodGet && wait != "" && wait != "0"
	if err := s.limits.agent(principal(ctx.Context()), waits); err != nil {
		s.Metrics.limited(limitName(waits))
		s.refuse(ctx, err)
		return
	}
	next(ctx)
}

func limitName(waits bool) string {
	if waits {
		return limitWait
	}
	return limitAgent
}

// identify finds the agent of a key that came from an address.
func (s *server) identify(ctx context.Context, address, key string) (auth.Agent, error) {
	address = networkOf(address)
	if err := s.limits.stranger(address, key); err != nil {
		s.Metrics.limited(limitAddress)
		return auth.Agent{}, err
	}
	if key == "" {
		err := fault.New(fault.Unauthorized, "no API key came with the request; send Authorization: Bearer csk_… with the agent's key")
		s.limits.authenticated(address, key, err)
		return auth.Agent{}, err
	}
	agent, err := s.Agents.AuthenticateAgent(ctx, key)
	s.limits.authenticated(address, key, err)
	return agent, err
}
