package edge

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/grant"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/tenants"
)

const (
	// sessionLife ends a sign-in, whatever happens in it.
	sessionLife = 12 * time.Hour
	// shortIdle is after how long without the person their browser no longer speaks for
	// them outside of an organisation. Within one its policy says when deciding is locked.
	shortIdle = 15 * time.Minute
	// ActivityStep is how exactly the last activity is known: it is written at most
	// so often, so that reading pages is not writing to the database.
	ActivityStep = time.Minute
)

// What a session holds.
const (
	PersonKey   = "person"       // id
	emailKey    = "email"        // for the page of somebody without an organisation
	SignedInKey = "signed-in-at" // microseconds since 1970
	unprovenKey = "unproven"     // tenants.Arrival
	tenantsKey  = "tenants"      // slugs at sign-in, for the menu only; membership is read anew
)

// sessions knows who is signed in. The state is the store's, so any replica can
// answer.
type sessions struct {
	Store SessionStore
	// Manager is made at the first request: only then is it known whether the
	// public address is https.
	Manager func() *scs.SessionManager
	Now     func(ctx context.Context) (time.Time, error) // the database's, so that replicas agree
	// NeverLock is for the demo, where nobody has a password.
	NeverLock bool
	// suffix ends the names of cookies: the path of the public URL. The prefix __Host-, which keeps
	// other hosts from setting them, wants them for the whole host, so the name tells two servers apart.
	suffix func() string
}

func newSessions(store SessionStore, publicURL func() string, now func(ctx context.Context) (time.Time, error), neverLock bool) *sessions {
	suffix := sync.OnceValue(func() string {
		public, _ := grant.Base(publicURL()) // the server came up with it
		return strings.ReplaceAll(public.Path, "/", ".")
	})
	return &sessions{Store: store, Now: now, NeverLock: neverLock, suffix: suffix, Manager: sync.OnceValue(func() *scs.SessionManager {
		m := scs.New()
		m.Store = store
		m.HashTokenInStore = true
		m.Lifetime = sessionLife
		m.IdleTimeout = 0 // it would make every request write; see activity
		m.Cookie.Name = "countersign_session"
		m.Cookie.HttpOnly = true
		m.Cookie.SameSite = http.SameSiteLaxMode
		m.Cookie.Path = "/"
		if strings.HasPrefix(publicURL(), "https://") {
			m.Cookie.Name = "__Host-countersign"
			m.Cookie.Secure = true
		}
		m.Cookie.Name += suffix()
		return m
	})}
}

// visit is a signed-in person's session during one request.
type visit struct {
	ctx      context.Context // carries the session's data for scs
	Token    string
	Person   string
	Email    string
	SignedIn time.Time
	Unproven bool
	Tenants  []string
}

// Token is what the request's cookie says; empty without one.
func (s *sessions) Token(r *http.Request) string {
	c, err := r.Cookie(s.Manager().Cookie.Name)
	if err != nil {
		return ""
	}
	return c.Value
}

// Find reads the session behind a token. ok is false when nobody is signed in
// with it (any more).
func (s *sessions) Find(ctx context.Context, token string) (v visit, ok bool, err error) {
	m := s.Manager()
	if v.ctx, err = m.Load(ctx, token); err != nil {
		return v, false, err
	}
	v.Token, v.Person, v.Email = token, m.GetString(v.ctx, PersonKey), m.GetString(v.ctx, emailKey)
	v.SignedIn = time.UnixMicro(m.GetInt64(v.ctx, SignedInKey)).UTC()
	v.Unproven = m.GetBool(v.ctx, unprovenKey)
	v.Tenants = strings.Fields(m.GetString(v.ctx, tenantsKey))
	return v, v.Person != "", nil
}

// Existing says of sessions, as the store names them, which have not ended.
func (s *sessions) Existing(ctx context.Context, stored []string) (map[string]bool, error) {
	all, err := s.Store.Existing(ctx, stored)
	there := make(map[string]bool, len(all))
	for _, token := range all {
		there[token] = true
	}
	return there, err
}

// StoredToken is a token as the store has it; scs has a function like it, which is its own.
func StoredToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Open signs a person in under a new token: one that was planted before the
// sign-in is worth nothing afterwards. at is the database's time from before the
// person proved who they are, so that what ended sign-ins meanwhile ended this one.
func (s *sessions) Open(c echo.Context, p tenants.Arrival, slugs []string, at time.Time) error {
	m := s.Manager()
	ctx, err := m.Load(c.Request().Context(), s.Token(c.Request()))
	if err != nil {
		return err
	}
	if err := m.RenewToken(ctx); err != nil {
		return err
	}
	if err := m.Clear(ctx); err != nil {
		return err
	}
	m.Put(ctx, PersonKey, p.ID)
	m.Put(ctx, emailKey, p.Email)
	m.Put(ctx, SignedInKey, at.UnixMicro())
	m.Put(ctx, unprovenKey, p.Unproven)
	m.Put(ctx, tenantsKey, strings.Join(slugs, " "))
	token, expires, err := m.Commit(ctx)
	if err != nil {
		return err
	}
	s.cookie(c, ctx, token, expires)
	return nil
}

// End removes the session from the store, so that its token is dead everywhere.
func (s *sessions) End(c echo.Context, v visit) error {
	m := s.Manager()
	if err := m.Destroy(v.ctx); err != nil {
		return err
	}
	s.cookie(c, v.ctx, "", time.Time{})
	return nil
}

// cookie sets the cookie, and keeps the response out of every cache.
func (s *sessions) cookie(c echo.Context, ctx context.Context, token string, expires time.Time) {
	s.Manager().WriteSessionCookie(ctx, c.Response(), token, expires)
	c.Response().Header().Set("Cache-Control", "no-store") // scs adds a weaker one
}

// The last activity is a record of its own beside the session. Inside it, a page
// that loads while the person signs out would write the session back to life. Each
// organisation has one, because each says itself how long is too long: where that is
// long, somebody may come to a browser that nobody used for hours, and what they do
// there must not open the others.

// activityOf names that record. The token itself is never stored.
func activityOf(token, tenant string) string {
	sum := sha256.Sum256([]byte("activity " + tenant + " " + token))
	return "activity." + hex.EncodeToString(sum[:])
}

// idle is how long ago the person last did something in an organisation, or signed in.
func (s *sessions) idle(ctx context.Context, v visit, tenant string) (time.Duration, error) {
	b, found, err := s.Store.FindCtx(ctx, activityOf(v.Token, tenant))
	if err != nil {
		return 0, err
	}
	last := v.SignedIn
	if found && len(b) == 8 {
		last = time.UnixMicro(int64(binary.BigEndian.Uint64(b)))
	}
	now, err := s.Now(ctx)
	return now.Sub(last), err
}

// Here reports whether the person did something lately in one of their organisations.
func (s *sessions) Here(ctx context.Context, v visit) (bool, error) {
	for _, tenant := range append([]string{""}, v.Tenants...) {
		if idle, err := s.idle(ctx, v, tenant); err != nil || idle <= shortIdle {
			return err == nil, err
		}
	}
	return false, nil
}

// Locked reports whether deciding needs another sign-in: after so long without the
// person.
func (s *sessions) Locked(ctx context.Context, v visit, tenant string, most time.Duration) (bool, error) {
	if s.NeverLock {
		return false, nil
	}
	idle, err := s.idle(ctx, v, tenant)
	return err != nil || idle > most, err
}

// Touch is locked, and remembers that the person did something. Once locked it stays
// locked until the next sign-in: looking at pages does not prove who is looking.
func (s *sessions) Touch(ctx context.Context, v visit, tenant string, most time.Duration) (locked bool, err error) {
	if s.NeverLock {
		return false, nil
	}
	idle, err := s.idle(ctx, v, tenant)
	if err != nil || idle > most {
		return true, err
	}
	if idle < ActivityStep {
		return false, nil
	}
	now, err := s.Now(ctx)
	if err != nil {
		return true, err
	}
	b := binary.BigEndian.AppendUint64(nil, uint64(now.UnixMicro()))
	return false, s.Store.CommitCtx(ctx, activityOf(v.Token, tenant), b, now.Add(sessionLife))
}

// The cookie that makes a browser known (auth.Doors). It outlives the session.

func (s *sessions) deviceCookie() http.Cookie { return s.plainCookie("device") }

// plainCookie is one beside that of the session.
func (s *sessions) plainCookie(name string) http.Cookie {
	m := s.Manager()
	c := http.Cookie{Name: "countersign_" + name, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: m.Cookie.Secure}
	if c.Secure {
		c.Name = "__Host-countersign-" + name
	}
	c.Name += s.suffix()
	return c
}

// Device is what the request's cookie says; empty without one.
func (s *sessions) Device(r *http.Request) string {
	c, err := r.Cookie(s.deviceCookie().Name)
	if err != nil {
		return ""
	}
	return c.Value
}

// Remember makes the browser known.
func (s *sessions) Remember(c echo.Context, device string) {
	cookie := s.deviceCookie()
	cookie.Value, cookie.MaxAge = device, int(auth.DeviceLife/time.Second)
	c.SetCookie(&cookie)
}
