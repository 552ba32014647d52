package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

const digestA, digestB = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

// badge knows four keys: three agents of one tenant, of which one may only submit
// and one only assess, and one of another.
type badge struct{}

func (badge) AuthenticateAgent(_ context.Context, key string) (auth.Agent, error) {
	agents := map[string]auth.Agent{
		"csk_acme_one":  {Tenant: "acme", ID: "agt_1", Name: "one", Scopes: auth.Scopes()},
		"csk_acme_two":  {Tenant: "acme", ID: "agt_2", Name: "two", Scopes: []auth.Scope{auth.ScopeSubmit}},
		"csk_acme_dry":  {Tenant: "acme", ID: "agt_4", Name: "dry", Scopes: []auth.Scope{auth.ScopeAssess}},
		"csk_other_one": {Tenant: "other", ID: "agt_3", Name: "one", Scopes: auth.Scopes()},
	}
	a, ok := agents[key]
	if !ok {
		return a, fault.New(fault.Unauthorized, "the API key is not known; send Authorization: Bearer csk_…")
	}
	return a, nil
}

func (badge) Self(_ context.Context, a auth.Agent) (tenants.Agent, error) {
	return tenants.Agent{
		Agent: auth.Agent{Tenant: a.Tenant, ID: a.ID, Name: a.Name}, LastUsedAt: new(time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)),
		Bound:  tenants.Bound{Environment: "staging", Workspace: workspace.Binding{Folder: "/srv/shop"}},
		Canary: &tenants.Canary{Nonce: "n-1", At: time.Date(2026, 3, 4, 4, 0, 0, 0, time.UTC), Failed: "it ran"},
	}, nil
}

func (badge) TryGate(_ context.Context, _ auth.Agent, nonce, failed string) (tenants.Canary, error) {
	if nonce == "" {
		return tenants.Canary{}, fault.Member(fault.InvalidMember, "/nonce", "no nonce")
	}
	return tenants.Canary{Nonce: nonce, At: time.Date(2026, 3, 4, 4, 0, 0, 0, time.UTC), Failed: failed}, nil
}

func (badge) Enrol(_ context.Context, token, host string) (string, auth.Agent, error) {
	switch {
	case token != "cse_acme_good":
		return "", auth.Agent{}, fault.New(fault.Unauthorized, "the token doesn't work")
	case host == "there":
		return "", auth.Agent{}, fault.Member(fault.AlreadyExists, "/host", "there already is an agent hook@there")
	}
	return "csk_acme_new", auth.Agent{Tenant: "acme", Name: "hook@" + host}, nil
}

func (badge) ImportOwnTools(_ context.Context, _ auth.Agent, in tenants.ToolImport) (tenants.ToolsReceived, error) {
	if in.Prefix != "mcp__fs__" || in.Server != "fs" {
		return tenants.ToolsReceived{}, fmt.Errorf("%+v", in)
	}
	return tenants.ToolsReceived{New: 2, Changed: 1, Waiting: 3}, nil
}

// askedBadge is a badge that counts how often it was asked, and knows revocation.
type askedBadge struct {
	badge
	mu      sync.Mutex
	n       int
	revoked string
}

func (b *askedBadge) AuthenticateAgent(ctx context.Context, key string) (auth.Agent, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	if key == b.revoked {
		key = "csk_acme_gone"
	}
	return b.badge.AuthenticateAgent(ctx, key)
}

func (b *askedBadge) times() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

func (b *askedBadge) revoke(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.revoked = key
}

// site is the API served over real HTTP. Every answer is held against the OpenAPI
// document.
type site struct {
	*desk
	url      string
	echo     *echo.Echo
	server   *server
	document *huma.OpenAPI
	ready    error
	log      *safeBuffer
	clock    *clock
}

// clock stands still until a test moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newSite(t testing.TB, with ...func(*Config)) *site {
	t.Helper()
	d := newDesk()
	return newSiteOn(t, d, d, badge{}, with...)
}

// newSiteOn serves these ports; d may be nil. with may change the settings.
func newSiteOn(t testing.TB, d *desk, port Approvals, agents Agents, with ...func(*Config)) *site {
	t.Helper()
	s := &site{desk: d, log: &safeBuffer{}, clock: &clock{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}}
	metrics := NewMetrics()
	edge := httpserver.Config{
		Log: slog.New(slog.NewTextHandler(s.log, nil)), PublicURL: func() string { return s.url }, Observe: metrics.Observe,
	}
	s.echo = httpserver.New(edge)
	cfg := Config{
		Approvals: port, Agents: agents, Trail: noTrail{}, JWKS: func() []byte { return []byte(`{"keys":[]}`) }, PublicURL: edge.PublicURL, Log: edge.Log, Version: "v1.2.3",
		Ready: func(context.Context) error { return s.ready }, Metrics: metrics, MetricsToken: "metrics-token", Now: s.clock.Now,
	}
	for _, change := range with {
		change(&cfg)
	}
	s.server = register(s.echo, cfg)
	s.document = s.server.api.OpenAPI()
	server := httptest.NewUnstartedServer(nil)
	s.url = "http://" + server.Listener.Addr().String()
	h, err := httpserver.Handler(s.echo, edge)
	if err != nil {
		t.Fatal(err)
	}
	server.Config = httpserver.NewServer(recorded(t, h), edge.Log)
	server.Start()
	t.Cleanup(server.Close)
	return s
}

// reply is one answer, read to its end.
type reply struct {
	*http.Response
	body []byte
}

// call sends one request as agent one; headers are pairs that add to or replace
// what is sent anyway, a value "-" removes.
func (s *site) call(t testing.TB, method, path string, body io.Reader, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer csk_acme_one")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		switch name, value := headers[i], headers[i+1]; {
		case value == "-":
			req.Header.Del(name)
		case name == "Host":
			req.Host = value
		case name == "Again":
			req.Header.Add("Idempotency-Key", value)
		default:
			req.Header.Set(name, value)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res, got}
}

func (s *site) post(t testing.TB, path, body string, headers ...string) reply {
	t.Helper()
	return s.call(t, "POST", path, strings.NewReader(body), headers...)
}

func (s *site) get(t testing.TB, path string, headers ...string) reply {
	t.Helper()
	return s.call(t, "GET", path, nil, headers...)
}

// refused checks a refusal: its status and code, and that it names the member
// and what would be accepted.
func (r reply) refused(t testing.TB, status int, code fault.Code, member, accepted string) {
	t.Helper()
	if r.StatusCode != status || r.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%d %s %s, want %d and a problem", r.StatusCode, r.Header.Get("Content-Type"), r.body, status)
		return
	}
	var p httpserver.Problem
	if err := json.Unmarshal(r.body, &p); err != nil {
		t.Errorf("%s: %v", r.body, err)
		return
	}
	if p.Status != status || p.Type != "urn:countersign:problem:"+string(code) || p.Title != httpserver.Title(code) {
		t.Errorf("problem %s, want code %s", r.body, code)
	}
	if p.Instance != "urn:countersign:request:"+r.Header.Get("X-Request-Id") {
		t.Errorf("instance %q, X-Request-Id %q", p.Instance, r.Header.Get("X-Request-Id"))
	}
	if !strings.Contains(p.Detail, accepted) {
		t.Errorf("detail %q does not say what would be accepted: %q", p.Detail, accepted)
	}
	named := ""
	if len(p.Errors) > 0 {
		named = p.Errors[0].Pointer + p.Errors[0].Parameter
	}
	if named != member {
		t.Errorf("the problem names %q, want %q: %s", named, member, r.body)
	}
}

// approvalOf reads an approval from an answer that must have this status.
func (r reply) approvalOf(t testing.TB, status int) map[string]any {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("%d %s, want %d", r.StatusCode, r.body, status)
	}
	var a map[string]any
	if err := json.Unmarshal(r.body, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// action is a body of exactly n bytes that is ordinary but for its size.
func action(n int, filler string) string {
	head, tail := `{"function":"send_mail","arguments":{"text":"`, `"}}`
	room := n - len(head) - len(tail)
	text := strings.Repeat(filler, room/len(filler))
	return head + text + strings.Repeat(" ", room-len(text)) + tail
}
