package httpserver_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
)

// site is one running edge with a few routes, and everything it wrote.
type site struct {
	url string

	mu       sync.Mutex
	log      bytes.Buffer
	observed []string
	reached  int // how often a handler ran
}

func (s *site) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

func (s *site) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Split(strings.TrimSpace(s.log.String()), "\n")
}

func (s *site) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reached
}

// newSite serves on a free port of 127.0.0.1; public "" means http://localhost
// with that port.
func newSite(t *testing.T, public string) *site {
	t.Helper()
	s := &site{}
	cfg := httpserver.Config{
		Log:       slog.New(slog.NewJSONHandler(s, nil)),
		PublicURL: func() string { return public },
		ErrorPage: func(c echo.Context, f *fault.Error, status int) error {
			return c.HTML(status, "<p>page: "+f.Detail+"</p>")
		},
		Observe: func(method, route string, status int, _ time.Duration) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.observed = append(s.observed, method+" "+route+" "+http.StatusText(status))
		},
	}
	e := httpserver.New(cfg)
	ok := func(c echo.Context) error {
		s.mu.Lock()
		s.reached++
		s.mu.Unlock()
		httpserver.NoteTenant(c.Request().Context(), "acme")
		return c.String(http.StatusOK, templ.GetNonce(c.Request().Context()))
	}
	for _, path := range []string{"/page/:token", "/api/v1/thing", "/healthz", "/static/app.js"} {
		e.GET(path, ok)
	}
	for path, kind := range map[string]string{"/static/long.css": "text/css", "/static/long.woff2": "font/woff2", "/long/page": "text/html; charset=utf-8", "/api/v1/long": "application/json"} {
		e.GET(path, func(c echo.Context) error { return c.Blob(http.StatusOK, kind, []byte(long)) })
	}
	e.GET("/long/of/:letter", func(c echo.Context) error {
		return c.HTML(http.StatusOK, strings.Repeat(c.Param("letter"), len(long)))
	})
	e.POST("/form", ok)
	e.POST("/api/v1/form", ok)
	for _, at := range []string{"", "/api"} {
		e.GET(at+"/panic", func(echo.Context) error { panic("secret inside") })
		e.GET(at+"/broken", func(echo.Context) error { return errors.New("secret inside") })
		e.GET(at+"/busy", func(echo.Context) error {
			return &fault.Error{Code: fault.RateLimited, Detail: "slow down", RetryAfter: 1500 * time.Millisecond}
		})
	}

	server := httptest.NewUnstartedServer(nil)
	s.url = "http://" + server.Listener.Addr().String()
	if public == "" {
		public = strings.Replace(s.url, "127.0.0.1", "localhost", 1)
	}
	h, err := httpserver.Handler(e, cfg)
	if err != nil {
		t.Fatal(err)
	}
	server.Config = httpserver.NewServer(h, cfg.Log)
	server.Start()
	t.Cleanup(server.Close)
	return s
}

// send makes one request; headers are pairs, and "Host" sets the host.
func (s *site) send(t *testing.T, method, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = strings.ReplaceAll(headers[i+1], "PORT", s.url[strings.LastIndexByte(s.url, ':')+1:])
		}
		if headers[i] == "Origin" {
			req.Header.Set("Origin", strings.ReplaceAll(headers[i+1], "PORT", s.url[strings.LastIndexByte(s.url, ':')+1:]))
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func problemOf(t *testing.T, res *http.Response, body string) httpserver.Problem {
	t.Helper()
	if got := res.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Fatalf("Content-Type = %q, want a problem; body %q", got, body)
	}
	var p httpserver.Problem
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("problem %q: %v", body, err)
	}
	if p.Status != res.StatusCode {
		t.Errorf("problem says %d, response %d", p.Status, res.StatusCode)
	}
	if p.Type == "" || p.Title == "" || p.Detail == "" {
		t.Errorf("problem %q lacks a member", body)
	}
	if want := "urn:countersign:request:" + res.Header.Get("X-Request-Id"); p.Instance != want {
		t.Errorf("instance = %q, want %q", p.Instance, want)
	}
	return p
}

func TestEveryCodeHasAStatusAndATitle(t *testing.T) {
	t.Parallel()
	kinds := map[fault.Kind][]int{
		fault.Internal: {500}, fault.Invalid: {400, 405, 413, 415, 421, 422, 500}, fault.Unauthenticated: {401},
		fault.Forbidden: {403}, fault.NotFound: {404}, fault.Conflict: {409, 410, 425}, fault.Unavailable: {429, 503},
	}
	for _, code := range fault.Codes() {
		status, title := httpserver.Status(code), httpserver.Title(code)
		known := false
		for _, want := range kinds[code.Kind()] {
			known = known || status == want
		}
		if !known || title == "" {
			t.Errorf("%s: status %d %q does not suit its kind", code, status, title)
		}
		if status == 500 && code != fault.Unexpected && code != fault.InvalidSetting {
			t.Errorf("%s has no row in the table", code)
		}
	}
	if got := httpserver.Status("never-heard-of"); got != 500 {
		t.Errorf("an unknown code is %d, want 500", got)
	}
}

func TestEveryResponseCarriesTheSecurityHeaders(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	for _, path := range []string{"/page/x", "/api/v1/thing", "/nowhere", "/api/nowhere", "/panic", "/api/panic", "/static/app.js", "/healthz"} {
		res, body := s.send(t, "GET", path)
		nonce := ""
		if res.StatusCode == 200 {
			nonce = body // the routes answer with the nonce they would put on a page
		}
		want := map[string]string{
			"X-Content-Type-Options":       "nosniff",
			"X-Frame-Options":              "DENY",
			"Referrer-Policy":              "same-origin",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Strict-Transport-Security":    "", // not behind TLS
			"Cache-Control":                "no-store",
		}
		if strings.HasPrefix(path, "/static/") {
			want["Cache-Control"] = ""
		}
		for name, value := range want {
			if got := res.Header.Get(name); got != value {
				t.Errorf("%s: %s = %q, want %q", path, name, got, value)
			}
		}
		csp := res.Header.Get("Content-Security-Policy")
		for _, part := range []string{
			"default-src 'none'; ", "script-src 'nonce-" + nonce, "style-src 'self'; ", "font-src 'self'; ", "connect-src 'self'; ",
			"manifest-src 'self'; ", "worker-src 'self'; ", "img-src 'self' data:; ", "base-uri 'none'; ", "form-action 'self'; ", "frame-ancestors 'none'; ",
			"require-trusted-types-for 'script'; ", "trusted-types htmx push",
		} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: the policy %q lacks %q", path, csp, part)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "NONCE") {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
	_, one := s.send(t, "GET", "/page/x")
	_, two := s.send(t, "GET", "/page/x")
	if one == two || len(one) < 22 {
		t.Errorf("nonces %q and %q: must differ and have 128 bits", one, two)
	}
}

func TestTransportSecurityBehindTLS(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://console.example")
	res, _ := s.send(t, "GET", "/page/x", "Host", "console.example")
	if res.StatusCode != 200 || res.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
		t.Errorf("status %d, HSTS %q", res.StatusCode, res.Header.Get("Strict-Transport-Security"))
	}
}

func TestOnlyTheOwnHostNamesAreAnswered(t *testing.T) {
	t.Parallel()
	local, remote := newSite(t, ""), newSite(t, "https://console.example")
	for _, tt := range []struct {
		site *site
		path string
		host string
		want int
	}{
		{local, "/page/x", "localhost:PORT", 200},
		{local, "/page/x", "LocalHost:PORT", 200},
		{local, "/page/x", "127.0.0.1:PORT", 200},
		{local, "/page/x", "[::1]:PORT", 200},
		{local, "/page/x", "localhost", 421},
		{local, "/page/x", "localhost:1", 421},
		{local, "/page/x", "localhost.:PORT", 421},
		{local, "/page/x", "evil.example", 421},
		{local, "/page/x", "evil.example:PORT", 421},
		{local, "/api/v1/thing", "evil.example:PORT", 421},
		{local, "/static/app.js", "evil.example:PORT", 421},
		{local, "/healthz", "10.0.0.7:8080", 200},
		{local, "/metrics", "10.0.0.7:8080", 404}, // no such route here, but not misdirected
		{local, "/.well-known/jwks.json", "10.0.0.7:8080", 404},
		{local, "/api/v1/openapi.json", "10.0.0.7:8080", 404},
		{local, "/healthz/", "10.0.0.7:8080", 421},
		{remote, "/page/x", "console.example", 200},
		{remote, "/page/x", "console.example:443", 200},
		{remote, "/page/x", "console.example:80", 421},
		{remote, "/page/x", "localhost:PORT", 421},
		{remote, "/page/x", "127.0.0.1:PORT", 421},
		{remote, "/page/x", "sub.console.example", 421},
	} {
		before := tt.site.count()
		res, body := tt.site.send(t, "GET", tt.path, "Host", tt.host)
		if res.StatusCode != tt.want {
			t.Errorf("%s at %s: %d, want %d", tt.path, tt.host, res.StatusCode, tt.want)
		}
		if ran := tt.site.count() - before; ran != 0 && tt.want != 200 {
			t.Errorf("%s at %s reached its handler", tt.path, tt.host)
		}
		if tt.want == 421 && strings.HasPrefix(tt.path, "/api/") {
			if p := problemOf(t, res, body); !strings.Contains(p.Detail, "http://localhost:") {
				t.Errorf("detail %q does not say what would be accepted", p.Detail)
			}
		}
	}
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	for _, tt := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"an agent sends neither header", nil, 200},
		{"our own page", []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://localhost:PORT"}, 200},
		{"another site", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, 403},
		{"another port of this machine", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://localhost:1"}, 403},
		{"our page by another loopback name", []string{"Sec-Fetch-Site", "cross-site", "Origin", "http://127.0.0.1:PORT"}, 200},
		{"an old browser on another site", []string{"Origin", "https://evil.example"}, 403},
		{"an old browser on our page", []string{"Origin", "http://localhost:PORT"}, 200},
		{"an old browser on our page", []string{"Origin", "http://localhost:PORT"}, 200},
		{"an old browser, our host over another scheme", []string{"Origin", "https://localhost:PORT"}, 403},
		{"a sandboxed frame", []string{"Sec-Fetch-Site", "cross-site", "Origin", "null"}, 403},
		{"an old browser in a sandboxed frame", []string{"Origin", "null"}, 403},
	} {
		headers := append([]string{"Host", "localhost:PORT"}, tt.headers...)
		before := s.count()
		res, body := s.send(t, "POST", "/form", headers...)
		if res.StatusCode != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, res.StatusCode, tt.want)
		}
		if tt.want == 200 {
			continue
		}
		if s.count() != before {
			t.Errorf("%s: reached the handler", tt.name)
		}
		if !strings.Contains(body, "page: the request was sent by another site") || res.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: answered %q", tt.name, body)
		}
		res, body = s.send(t, "POST", "/api/v1/form", headers...)
		if p := problemOf(t, res, body); p.Type != "urn:countersign:problem:cross-site" {
			t.Errorf("%s: problem %+v", tt.name, p)
		}
	}
}

func TestRefusalsArePagesForPeopleAndProblemsForPrograms(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	for _, tt := range []struct {
		method, path string
		status       int
		code         string
		allow, after string
	}{
		{"GET", "/nowhere", 404, "not-found", "", ""},
		{"DELETE", "/v1/thing", 405, "method-not-allowed", "OPTIONS, GET, HEAD", ""},
		{"HEAD", "/v1/form", 405, "", "OPTIONS, POST", ""},
		{"GET", "/panic", 500, "internal", "", ""},
		{"GET", "/broken", 500, "internal", "", ""},
		{"GET", "/busy", 429, "rate-limited", "", "2"},
	} {
		res, body := s.send(t, tt.method, "/api"+tt.path)
		if res.StatusCode != tt.status || res.Header.Get("Allow") != tt.allow || res.Header.Get("Retry-After") != tt.after {
			t.Errorf("%s /api%s: %d, Allow %q, Retry-After %q", tt.method, tt.path, res.StatusCode, res.Header.Get("Allow"), res.Header.Get("Retry-After"))
		}
		if strings.Contains(body, "secret") || strings.Contains(body, "goroutine") {
			t.Errorf("%s /api%s shows internals: %s", tt.method, tt.path, body)
		}
		if tt.method == "HEAD" {
			if body != "" {
				t.Errorf("HEAD has a body: %q", body)
			}
			continue
		}
		if p := problemOf(t, res, body); p.Type != "urn:countersign:problem:"+tt.code {
			t.Errorf("%s /api%s: type %q, want code %q", tt.method, tt.path, p.Type, tt.code)
		}
		if strings.HasPrefix(tt.path, "/v1") {
			continue
		}
		res, body = s.send(t, tt.method, tt.path)
		if res.StatusCode != tt.status || !strings.HasPrefix(body, "<p>page: ") || res.Header.Get("Retry-After") != tt.after {
			t.Errorf("%s %s: %d %q", tt.method, tt.path, res.StatusCode, body)
		}
	}
}

func TestHeadAnswersWhereGetDoes(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	res, body := s.send(t, "HEAD", "/page/x")
	if res.StatusCode != 200 || body != "" || res.ContentLength <= 0 {
		t.Errorf("HEAD: %d, body %q, length %d", res.StatusCode, body, res.ContentLength)
	}
	if line := s.lines()[0]; !strings.Contains(line, `"method":"HEAD"`) {
		t.Errorf("log line %s does not say HEAD", line)
	}
}

func TestOneLogLinePerRequestAndNoSecretInIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	res, _ := s.send(t, "GET", "/page/hush-path?token=hush-query", "Authorization", "Bearer hush-key", "X-Request-Id", "hush-forged", "Cookie", "a=hush")
	if lines := s.lines(); len(lines) != 1 {
		t.Fatalf("%d lines, want one: %q", len(lines), lines)
	}
	line := s.lines()[0]
	id := res.Header.Get("X-Request-Id")
	for _, want := range []string{
		`"request":"` + id + `"`, `"method":"GET"`, `"route":"/page/:token"`, `"status":200`, `"took":`, `"tenant":"acme"`,
	} {
		if !strings.Contains(line, want) {
			t.Errorf("the line %s lacks %s", line, want)
		}
	}
	if strings.Contains(line, "hush") || !strings.HasPrefix(id, "req_") || len(id) != len("req_")+16 {
		t.Errorf("the line %s, id %q", line, id)
	}
	if want := "GET /page/:token OK"; len(s.observed) != 1 || s.observed[0] != want {
		t.Errorf("observed %q, want %q", s.observed, want)
	}
}

func TestOurBugsAreLoggedOnceWithTheirCause(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.send(t, "GET", "/panic")
	s.send(t, "GET", "/api/broken")
	s.send(t, "GET", "/api/busy")
	lines := s.lines()
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3: %q", len(lines), lines)
	}
	for i, want := range [][]string{
		{`"level":"ERROR"`, `"cause":"panic: secret inside"`, `"stack":"`, `"code":"internal"`, `"status":500`},
		{`"level":"ERROR"`, `"cause":"secret inside"`, `"code":"internal"`, `"status":500`},
		{`"level":"INFO"`, `"code":"rate-limited"`, `"status":429`},
	} {
		for _, part := range want {
			if !strings.Contains(lines[i], part) {
				t.Errorf("line %s lacks %s", lines[i], part)
			}
		}
	}
}

func TestAPublicURLThatCannotWorkIsRefused(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "localhost:8080", "ftp://x", "http://", "https://x/a/../b", "https://x/a b", "https://x/%61", "https://x/a//b", "https://x/\"><b>", "https://x?q", "https://x?", "https://x#f", "https://u:p@x", "http://x:port", "http://[::1"} {
		cfg := httpserver.Config{Log: slog.New(slog.DiscardHandler), PublicURL: func() string { return bad }}
		if _, err := httpserver.Handler(httpserver.New(cfg), cfg); !fault.Is(err, fault.InvalidSetting) {
			t.Errorf("%q: error %v, want %s", bad, err, fault.InvalidSetting)
		}
		if got := httpserver.Origins(bad); got != nil {
			t.Errorf("%q has the origins %q", bad, got)
		}
	}
}

func TestOriginsOfAPublicURL(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{
		"http://localhost:8080":   "http://localhost:8080 http://127.0.0.1:8080 http://[::1]:8080",
		"http://[::1]:8080":       "http://[::1]:8080 http://localhost:8080 http://127.0.0.1:8080",
		"http://localhost":        "http://localhost http://127.0.0.1 http://[::1]",
		"https://Console.Example": "https://console.example",
		"https://a.example:8443/": "https://a.example:8443",
		"https://a.example:443":   "https://a.example",
		"https://a.example/b/c":   "https://a.example",
	} {
		if got := strings.Join(httpserver.Origins(public), " "); got != want {
			t.Errorf("%s: %q, want %q", public, got, want)
		}
	}
}

func TestALongMemberIsNamedByWhatIsAroundIt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 300)
	for member, want := range map[string]string{
		"":                          "",
		"/arguments/id":             "/arguments/id",
		"limit":                     "limit",
		long:                        "",
		"/" + long:                  "",
		"/arguments/" + long:        "/arguments",
		"/arguments/" + long + "/x": "/arguments",
		strings.Repeat("/a", 200):   strings.Repeat("/a", 128),
	} {
		p := httpserver.NewProblem(t.Context(), fault.Member(fault.InvalidMember, member, "wrong"))
		got := ""
		if len(p.Errors) > 0 {
			got = p.Errors[0].Pointer + p.Errors[0].Parameter
		}
		if got != want {
			t.Errorf("%.40q (%d bytes): named %q, want %q", member, len(member), got, want)
		}
	}
}
