package httpapi

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/fault"
)

func TestProbesNeedNoKeyAndTakeAnyHost(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for path, want := range map[string]string{
		"/healthz": `{"status":"ok"}`, "/readyz": `{"status":"ready"}`,
		"/.well-known/jwks.json": `{"keys":[]}`, "/api/v1/.well-known/jwks.json": `{"keys":[]}`,
	} {
		r := s.get(t, path, "Authorization", "-", "Host", "10.1.2.3:99")
		if got := strings.TrimSpace(string(r.body)); r.StatusCode != 200 || got != want {
			t.Errorf("%s: %d %s", path, r.StatusCode, got)
		}
		if kept := r.Header.Get("Cache-Control"); strings.Contains(path, "jwks") != (kept == "public, max-age=900") {
			t.Errorf("%s: Cache-Control %q; keys may be kept for a quarter of an hour, and nothing else", path, kept)
		}
		if r := s.call(t, "HEAD", path, nil, "Authorization", "-"); r.StatusCode != 200 {
			t.Errorf("HEAD %s: %d", path, r.StatusCode)
		}
		s.post(t, path, "{}").refused(t, 405, fault.MethodNotAllowed, "", "Allow header")
	}
	s.ready = errors.New("secret database down")
	r := s.get(t, "/readyz", "Authorization", "-")
	r.refused(t, 503, fault.NotReady, "", "the log says why")
	if r.Header.Get("Retry-After") != "1" || strings.Contains(string(r.body), "secret") {
		t.Errorf("Retry-After %q, body %s", r.Header.Get("Retry-After"), r.body)
	}
	if r := s.get(t, "/healthz"); r.StatusCode != 200 {
		t.Errorf("the process is not healthy because the database is down: %d", r.StatusCode)
	}
}

func TestMetricsCountByPatternForFewReaders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.get(t, "/api/v1/approvals/"+absent)
	s.get(t, "/api/v1/approvals/"+absent)
	s.get(t, "/hush-path?hush")
	s.call(t, "HUSH", "/healthz", nil)
	r := s.get(t, "/metrics", "Authorization", "-")
	if r.StatusCode != 200 || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("%d %s", r.StatusCode, r.Header.Get("Content-Type"))
	}
	for _, want := range []string{
		"# TYPE countersign_http_requests_total counter\n",
		`countersign_http_requests_total{code="404",method="GET",route="/api/v1/approvals/:id"} 2` + "\n",
		`countersign_http_request_duration_seconds_bucket{method="GET",route="/api/v1/approvals/:id",le="+Inf"} 2` + "\n",
		`countersign_http_request_duration_seconds_count{method="GET",route="/api/v1/approvals/:id"} 2` + "\n",
		`code="404",method="GET",route="none"`,
		`code="405",method="OTHER"`,
		`countersign_http_requests_limited_total{limit="agent"} 0` + "\n",
		"# TYPE countersign_scoring_duration_seconds histogram\n", "# TYPE go_goroutines gauge\n", "# TYPE process_start_time_seconds gauge\n",
	} {
		if !strings.Contains(string(r.body), want) {
			t.Errorf("no %q in\n%s", want, r.body)
		}
	}
	if strings.Contains(strings.ToLower(string(r.body)), "hush") {
		t.Errorf("what a stranger wrote became a label:\n%s", r.body)
	}

	for _, tt := range []struct {
		name, peer, header, value string
		want                      int
	}{
		{"this machine", "127.0.0.1:1", "", "", 200},
		{"this machine, IPv6", "[::1]:1", "", "", 200},
		{"a stranger", "203.0.113.9:1", "", "", 401},
		{"a stranger who says he is not", "203.0.113.9:1", "X-Forwarded-For", "127.0.0.1", 401},
		{"a stranger behind our proxy", "127.0.0.1:1", "X-Forwarded-For", "203.0.113.9", 401},
		{"a stranger behind our other proxy", "127.0.0.1:1", "Forwarded", "for=203.0.113.9", 401},
		{"the token", "203.0.113.9:1", "Authorization", "Bearer metrics-token", 200},
		{"another token", "203.0.113.9:1", "Authorization", "Bearer metrics-tokem", 401},
		{"no token", "203.0.113.9:1", "Authorization", "Bearer ", 401},
	} {
		req := httptest.NewRequest("GET", "/metrics", nil)
		req.RemoteAddr = tt.peer
		if tt.header != "" {
			req.Header.Set(tt.header, tt.value)
		}
		res := httptest.NewRecorder()
		s.echo.ServeHTTP(res, req)
		if res.Code != tt.want || (tt.want != 200 && strings.Contains(res.Body.String(), "countersign_http")) {
			t.Errorf("%s: %d, want %d", tt.name, res.Code, tt.want)
		}
	}
	empty := httptest.NewRequest("GET", "/metrics", nil)
	empty.Header.Set("Authorization", "Bearer ")
	if (&server{}).hasMetricsToken(empty) {
		t.Error("without a token in the settings anybody has it")
	}
}
