package console

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"golang.org/x/net/html"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/auth/authtest"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/request/requesttest"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/outbound"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/sqlitetest"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/web"
)

// clock is the time of database and console, moved by hand.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// site is a real console on a real SQLite database, behind the real edge.
type site struct {
	t         testing.TB
	handler   http.Handler
	url       string
	public    string
	clock     *clock
	hub       *live.Hub
	store     *store.Store
	tenants   *tenants.Service
	approvals *approvals.Service
	notices   *notices.Service
	rule      string // of the plan that a test made; see plan
	team      string
	console   *Console
	log       *bytes.Buffer
	level     *slog.LevelVar // of the log
	notes     *signedNotes
	agent     auth.Agent
	ticket    string // id of the last invitation
	standing  string // id of the last standing grant
	passwords *auth.Passwords
}

// signedNotes stand for what the server signed.
type signedNotes struct {
	mu     sync.Mutex
	signed map[string]audit.SignedCheckpoint
}

func (n *signedNotes) Newest(tenant string) audit.SignedCheckpoint {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.signed[tenant]
}

func (n *signedNotes) Keys() []string {
	return []string{"countersign+00000001+first", "countersign+00000002+second"}
}

func (n *signedNotes) keep(s audit.SignedCheckpoint) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.signed[s.Tenant] = s
}

type lockedWriter struct {
	mu sync.Mutex
	b  *bytes.Buffer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// newSite has the tenant acme with the operators ada and bob, the observer cleo,
// and an agent that belongs to nobody; and the tenant rival with eve.
func newSite(t testing.TB) *site { return newSiteUnder(t, "") }

// newSiteUnder has a public URL with a path.
func newSiteUnder(t testing.TB, path string) *site {
	t.Helper()
	s := emptySite(t, path)
	ctx := t.Context()
	for slug, people := range map[string]map[string]auth.Role{
		"acme":  {"ada": auth.Operator, "bob": auth.Operator, "cleo": auth.Compliance},
		"rival": {"eve": auth.Operator},
	} {
		must(t, s.tenants.CreateTenant(ctx, slug))
		for name, role := range people {
			_, err := s.tenants.CreatePerson(ctx, slug, name+"@example.com", "", "", []auth.Role{role})
			must(t, err)
		}
	}
	var err error
	_, s.agent, err = s.tenants.CreateAgent(ctx, "acme", "support-triage", "")
	must(t, err)
	return s
}

// passwords are those of every site: a hash takes 64 MiB.
var passwords = authtest.Passwords(4)

// doors are those of every test's service.
var doors = newDoors()

func newDoors() *auth.Doors {
	d, err := auth.NewDoors(auth.NewDoorsKey())
	if err != nil {
		panic(err)
	}
	return d
}

// emptySite is at a public URL, or on this machine, maybe under a path.
func emptySite(t testing.TB, public string) *site {
	t.Helper()
	long.NotUnderRace(t, "one reader asks after the other")
	// The sessions of scs live by the real clock, so this one begins there.
	s := &site{t: t, clock: &clock{t: time.Now().UTC()}, hub: live.New(), log: &bytes.Buffer{}, notes: &signedNotes{signed: map[string]audit.SignedCheckpoint{}}}
	s.level = new(slog.LevelVar)
	log := slog.New(slog.NewJSONHandler(&lockedWriter{b: s.log}, &slog.HandlerOptions{Level: s.level}))
	var err error
	s.store, err = store.Open(t.Context(), store.Config{Path: sqlitetest.Create(t, filepath.Join(t.TempDir(), "test.db")), Now: s.clock.now, Log: log, Heads: headstest.New()})
	must(t, err)
	s.passwords = passwords
	key, err := approvals.NewSigningKey()
	must(t, err)
	signer, err := approvals.NewEd25519Signer(key)
	must(t, err)
	server := httptest.NewUnstartedServer(nil)
	s.public = public
	if public == "" || public[0] == '/' {
		s.public = "http://localhost:" + server.Listener.Addr().String()[strings.LastIndexByte(server.Listener.Addr().String(), ':')+1:] + public
	}
	publicURL := func() string { return s.public }
	s.tenants = tenants.NewService(tenants.Config{Store: s.store.Tenants(), Passwords: s.passwords, Doors: doors, Log: log})
	s.approvals = approvals.NewService(approvals.Config{Store: s.store.Approvals(), Live: s.hub, Signer: signer, Issuer: publicURL, Now: time.Now, Log: log})
	assets, err := web.New()
	must(t, err)
	sealer, err := notices.NewSealer(notices.NewSealKey())
	must(t, err)
	loopback, err := outbound.ParseNetworks("127.0.0.0/8,::1")
	must(t, err)
	client := outbound.New(outbound.Config{Allowed: loopback})
	pushKey, err := notices.ReadPushKey(notices.NewPushKey())
	must(t, err)
	s.notices = notices.NewService(notices.Config{
		Store: s.store.Notices(), Senders: []notices.Sender{notices.SlackBot{Client: client}, notices.Chat{Client: client}, notices.Mail{}, notices.Webhook{Client: client}, notices.Push{Client: client, Key: pushKey, Subject: func() string { return "mailto:ops@example.com" }}},
		Sealer: sealer, Base: publicURL, Live: s.hub, Now: s.clock.now, Log: log,
	})
	around := httpserver.Config{Log: log, PublicURL: publicURL, ErrorPage: func(c echo.Context, f *fault.Error, status int) error {
		return s.console.ErrorPage(c, f, status)
	}}
	e := httpserver.New(around)
	s.console = Register(e, edge.Config{
		Approvals: s.approvals, Tenants: s.tenants, Audit: s.store.Audit(), Checkpoints: s.notes, Live: s.hub, Notices: s.notices, Sessions: s.store.Sessions(), Doors: doors,
		Assets: assets, PublicURL: publicURL, Now: s.clock.now, Log: log, Trouble: s.store.Trouble,
	})
	handler, err := httpserver.Handler(e, around)
	must(t, err)
	server.Config.Handler, s.handler = handler, handler
	server.Start()
	s.url = server.URL
	if strings.HasPrefix(public, "/") {
		s.url += public
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.console.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
		_ = s.notices.Close(ctx)
		server.Close()
		_ = s.store.Close()
	})
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// submit hands an action in as the site's agent.
func (s *site) submit(body string) approvals.Approval {
	s.t.Helper()
	tree, err := canon.Parse([]byte(body))
	must(s.t, err)
	action, err := scoring.NewAction(tree)
	must(s.t, err)
	a, _, err := s.approvals.Submit(s.t.Context(), s.agent, approvals.Submission{Action: action})
	must(s.t, err)
	return a
}

// One action of each level that is held, by what the default policy makes of it.
const medium, high, critical = requesttest.Medium, requesttest.High, requesttest.Critical

// browser is one person's browser without script.
type browser struct {
	*site
	client *http.Client
}

func (s *site) browser() *browser {
	jar, err := cookiejar.New(nil)
	must(s.t, err)
	return &browser{s, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// signedIn is a browser in which somebody has used a sign-in link.
func (s *site) signedIn(name string) *browser {
	s.t.Helper()
	tenant := "acme"
	if name == "eve" {
		tenant = "rival"
	}
	token, err := s.tenants.SignInLink(s.t.Context(), tenant, name+"@example.com", tenants.LinkSignIn)
	must(s.t, err)
	b := s.browser()
	if p := b.post("/sign-in", url.Values{"token": {token}}); p.status != http.StatusSeeOther {
		s.t.Fatalf("sign-in: %d\n%s", p.status, p.body)
	}
	return b
}

// answer is what a browser got.
type answer struct {
	status int
	header http.Header
	body   string
}

// main is the beginning of what is inside the page, for messages.
func (a answer) main() string {
	_, rest, ok := strings.Cut(a.body, "<main")
	if !ok {
		rest = a.body
	}
	return rest[:min(len(rest), 3000)]
}

func (a answer) location() string { return a.header.Get("Location") }

func (b *browser) do(r *http.Request) answer {
	b.t.Helper()
	res, err := b.client.Do(r)
	must(b.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	must(b.t, err)
	a := answer{res.StatusCode, res.Header, string(body)}
	for _, said := range a.unclocked(b.t) {
		b.t.Errorf("%s %s says %q outside of a <time>, so its reader doesn't see it by their own clock", r.Method, r.URL.Path, said)
	}
	return a
}

var clockTime = regexp.MustCompile(`(?:^|[^0-9A-Za-z:-])\d\d:\d\d(?::\d\d| UTC)\b`)

// typedTime is a time as filters take it, which is in UTC.
var typedTime = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( UTC)?`)

// unclocked are the texts of a page that say a time and leave it in UTC. What agents sent,
// files, and what was typed stay as they are.
func (a answer) unclocked(t testing.TB) (all []string) {
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || !clockTime.MatchString(a.body) {
		return nil
	}
	doc, err := html.Parse(strings.NewReader(a.body))
	must(t, err)
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.ElementNode && slices.Contains([]string{"time", "pre", "code", "script", "style", "textarea", "option", "template"}, n.Data):
			return
		case slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "aria-hidden" || a.Val == "specimen" }):
			return
		case n.Type == html.TextNode && clockTime.MatchString(typedTime.ReplaceAllString(n.Data, "")):
			all = append(all, strings.TrimSpace(n.Data))
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	return all
}

func (b *browser) get(path string) answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.url+path, nil)
	must(b.t, err)
	return b.do(r)
}

func (b *browser) post(path string, form url.Values) answer {
	b.t.Helper()
	return b.do(b.form(path, form))
}

// postFromScript posts as web/js/send.js does.
func (b *browser) postFromScript(path string, form url.Values) answer {
	b.t.Helper()
	r := b.form(path, form)
	r.Header.Set("Countersign-Page", "stays")
	return b.do(r)
}

func (b *browser) form(path string, form url.Values) *http.Request {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.url+path, strings.NewReader(form.Encode()))
	must(b.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", r.URL.Scheme+"://"+r.URL.Host)
	return r
}

var (
	inputTag  = regexp.MustCompile(`<input[^>]*>`)
	nameAttr  = regexp.MustCompile(`\bname="([^"]*)"`)
	valueAttr = regexp.MustCompile(`\bvalue="([^"]*)"`)
)

// form reads the hidden fields and boxes of the form that holds all of these
// texts, ticked as somebody would who accepts everything.
func (a answer) form(t testing.TB, holding ...string) url.Values {
	t.Helper()
next:
	for _, part := range strings.Split(a.body, "<form")[1:] {
		part, _, _ = strings.Cut(part, "</form>")
		for _, h := range holding {
			if !strings.Contains(part, h) {
				continue next
			}
		}
		v := url.Values{}
		for _, tag := range inputTag.FindAllString(part, -1) {
			name := nameAttr.FindStringSubmatch(tag)
			if name == nil || strings.Contains(tag, `type="radio"`) {
				continue
			}
			value := []string{"", ""}
			if m := valueAttr.FindStringSubmatch(tag); m != nil {
				value = m
			}
			v.Add(name[1], value[1])
		}
		return v
	}
	t.Fatalf("no form holds %q in\n%s", holding, a.main())
	return nil
}

func (a answer) want(t testing.TB, status int, texts ...string) answer {
	t.Helper()
	if a.status != status {
		t.Errorf("status %d, want %d\n%s", a.status, status, a.main())
	}
	for _, text := range texts {
		// An apostrophe in a text of ours is escaped on the page.
		if !strings.Contains(a.body, text) && !strings.Contains(a.body, strings.ReplaceAll(text, "'", "&#39;")) {
			t.Errorf("%q is missing in\n%s", text, a.main())
		}
	}
	return a
}

func (a answer) without(t testing.TB, texts ...string) answer {
	t.Helper()
	for _, text := range texts {
		if holds(a.body, text) {
			t.Errorf("%q must not be in\n%s", text, a.main())
		}
	}
	return a
}

// holds reports whether a text is in a body. A number is one by itself, not the end of
// another: a clock that says 10:00:00.735 does not hold 0.735.
func holds(body, text string) bool {
	if text == "" || text[0] < '0' || text[0] > '9' {
		return strings.Contains(body, text)
	}
	return regexp.MustCompile(`(^|[^0-9])` + regexp.QuoteMeta(text)).MatchString(body)
}

// invitation makes a ticket as an admin of acme would, and returns its token.
func (s *site) invitation(email string, roles ...auth.Role) string {
	s.t.Helper()
	m, err := s.tenants.Member(s.t.Context(), "acme", s.personID("adam"))
	must(s.t, err)
	if len(roles) == 0 {
		roles = []auth.Role{auth.Operator}
	}
	token, k, err := s.tenants.Invite(s.t.Context(), m, auth.NewID("tkt"), email, roles)
	must(s.t, err)
	s.ticket = k.ID
	s.accepted()
	return token
}

// accepted is everything that waits, by an admin whom nobody here invited.
func (s *site) accepted() {
	s.t.Helper()
	zoe, err := s.tenants.CreatePerson(s.t.Context(), "acme", "zoe@example.com", "", "", []auth.Role{auth.Admin})
	must(s.t, err)
	m, err := s.tenants.Member(s.t.Context(), "acme", zoe.ID)
	must(s.t, err)
	l, err := s.tenants.Waiting(s.t.Context(), m)
	must(s.t, err)
	for _, p := range l.People {
		must(s.t, s.tenants.AcceptPeople(s.t.Context(), m, p.ID))
	}
	_, err = s.tenants.Grant(s.t.Context(), "acme", "zoe@example.com", []auth.Role{auth.Compliance})
	must(s.t, err)
}

// revoke takes every role away.
func (s *site) revoke(name string) {
	s.t.Helper()
	must(s.t, s.store.Tenants().Write(s.t.Context(), "acme", func(w tenants.Writer) error {
		if err := w.Grant(s.personID(name), nil); err != nil {
			return err
		}
		return w.Append(audit.Event{Kind: audit.RolesGranted, Actor: audit.Actor{Kind: "system"}, Data: canon.Object(
			canon.Member{Name: "person", Value: canon.String(s.personID(name))}, canon.Member{Name: "roles", Value: canon.Array()})})
	}))
}
