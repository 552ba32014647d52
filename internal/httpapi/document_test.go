package httpapi

import (
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/scoring"
)

func newLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// handler is the API at http://localhost without a listener. Every answer is held
// against the document.
func handler(t testing.TB) http.Handler {
	t.Helper()
	return recorded(t, unrecorded(t))
}

// unrecorded is a handler whose answers are not: for fuzzing, which is for speed.
func unrecorded(t testing.TB) http.Handler {
	t.Helper()
	edge := httpserver.Config{Log: newLog(), PublicURL: func() string { return "http://localhost" }}
	h, err := httpserver.Handler(apiOf(edge), edge)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// apiOf is the API behind this edge, on a desk of its own.
func apiOf(edge httpserver.Config) *echo.Echo {
	e := httpserver.New(edge)
	Register(e, Config{Approvals: newDesk(), Agents: badge{}, Trail: noTrail{}, PublicURL: edge.PublicURL, Metrics: NewMetrics(), Log: edge.Log, Now: time.Now})
	return e
}

// oneConn is a listener with connections made in memory.
type oneConn struct {
	conn   chan net.Conn
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}
func (l *oneConn) Close() error   { close(l.closed); return nil }
func (l *oneConn) Addr() net.Addr { return &net.IPAddr{} }

func TestTheDocumentIsServedWithoutAKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := s.get(t, "/api/v1/openapi.json", "Authorization", "-", "Host", "10.1.2.3")
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s", r.StatusCode, r.Header.Get("Content-Type"))
	}
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Security    []map[string][]string
			RequestBody struct {
				Required bool
				Content  map[string]struct {
					Schema map[string]any
				}
			}
			Parameters []struct {
				Name, In string
				Schema   map[string]any
			}
			Responses map[string]struct {
				Content map[string]any
			}
		}
		Components struct {
			Schemas map[string]struct {
				Properties map[string]map[string]any
			}
		}
	}
	if err := json.Unmarshal(r.body, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || len(doc.Paths) != 17 {
		t.Errorf("version %s, %d paths", doc.OpenAPI, len(doc.Paths))
	}
	for path, operations := range doc.Paths {
		for method, op := range operations {
			if !strings.HasPrefix(path, "/api/v1/a") && path != "/api/v1/session-score" && path != "/api/v1/tools" { // healthz and its like need no key
				if op.OperationID == "" || len(op.Security) != 0 {
					t.Errorf("%s %s: id %q, security %v", method, path, op.OperationID, op.Security)
				}
				continue
			}
			if op.OperationID == "" || len(op.Security) != 1 || op.Responses["401"].Content["application/problem+json"] == nil {
				t.Errorf("%s %s: id %q, security %v, 401 %v", method, path, op.OperationID, op.Security, op.Responses["401"])
			}
			if method == "post" && path != "/api/v1/approvals" && !strings.HasPrefix(op.RequestBody.Content["application/json"].Schema["$ref"].(string), "#/components/schemas/") {
				t.Errorf("%s: body %v", path, op.RequestBody)
			}
			if required := op.RequestBody.Required; required != (method != "get" && !strings.HasSuffix(path, "/cancel")) {
				t.Errorf("%s %s: the body is required: %v", method, path, required)
			}
		}
	}
	submit := doc.Paths["/api/v1/approvals"]["post"]
	if submit.Responses["200"].Content == nil || submit.Responses["201"].Content == nil || submit.Responses["413"].Content == nil {
		t.Errorf("responses of submit: %v", submit.Responses)
	}
	for _, p := range submit.Parameters {
		if p.Name == "wait" && p.Schema["type"] != "integer" {
			t.Errorf("wait is %v", p.Schema)
		}
	}
	if strings.Contains(string(r.body), "$schema") || strings.Contains(string(r.body), "ErrorModel") {
		t.Error("the document has what huma adds by itself")
	}
}

// TestTheDocumentKnowsEveryMember holds the lists that the document repeats
// against the code that decides.
func TestTheDocumentKnowsEveryMember(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	schemas := s.document.Components.Schemas.Map()

	// scoring.NewAction prints the members it accepts when it refuses one.
	r := s.post(t, "/api/v1/approvals", `{"?":1}`)
	for name := range schemas["SubmitBody"].Properties {
		if !strings.Contains(string(r.body), name) {
			t.Errorf("the document accepts %q, the gate does not: %s", name, r.body)
		}
	}
	_, accepted, _ := strings.Cut(string(r.body), "expected ")
	accepted, _, _ = strings.Cut(accepted, `"`)
	for name := range strings.SplitSeq(accepted, ", ") {
		if schemas["SubmitBody"].Properties[name] == nil {
			t.Errorf("the gate accepts %q, the document does not", name)
		}
	}

	var statuses, challenges []any
	for _, status := range approvals.Statuses() {
		statuses = append(statuses, string(status))
	}
	for _, kind := range scoring.Challenges() {
		challenges = append(challenges, string(kind))
	}
	for name, lists := range map[string][2][]any{
		"statuses":   {schemas["Approval"].Properties["status"].Enum, statuses},
		"challenges": {schemas["Challenge"].Properties["kind"].Enum, challenges},
	} {
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("the document's %s are %v, the code's %v", name, lists[0], lists[1])
		}
	}
	for _, p := range s.document.Paths["/api/v1/approvals"].Get.Parameters {
		if p.Name == "status" && !slices.Equal(p.Schema.Enum, statuses) {
			t.Errorf("the filter's statuses are %v, want %v", p.Schema.Enum, statuses)
		}
	}
}

// TestTheDocumentIsValid by the judgement of somebody else.
func TestTheDocumentIsValid(t *testing.T) {
	t.Parallel()
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestTheDocumentNamesEveryProblem: each problem type that an agent can meet
// stands under its status, and none that only people meet.
func TestTheDocumentNamesEveryProblem(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	named := map[string]string{} // type → statuses
	for _, item := range s.document.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post} {
			if op == nil {
				continue
			}
			for status, r := range op.Responses {
				if c := r.Content["application/problem+json"]; c != nil {
					for _, of := range c.Schema.AllOf[1].Properties["type"].Enum {
						named[of.(string)] = status
					}
				}
			}
		}
	}
	agents := []fault.Code{
		fault.MalformedJSON, fault.InvalidMember, fault.SecretInName, fault.InvalidParameter, fault.IdempotencyReused, fault.BodyTooLarge, fault.UnsupportedMedia,
		fault.Misdirected, fault.Unauthorized, fault.Denied, fault.CrossSite, fault.AgentsStopped, fault.Missing, fault.AlreadyExists, fault.AlreadyDecided, fault.Changed,
		fault.StricterNow, fault.InProgress, fault.NotApproved, fault.AlreadyConsumed, fault.DigestMismatch, fault.GrantExpired, fault.GrantVoid, fault.GrantUnproven,
		fault.NotConsumed, fault.AlreadyReported, fault.Expired, fault.RateLimited, fault.NotReady, fault.ClockBack, fault.ClockAhead, fault.Unexpected,
	}
	for _, code := range fault.Codes() {
		status, there := named[httpserver.ProblemType(code)]
		if there != slices.Contains(agents, code) {
			t.Errorf("%s is in the document: %v", code, there)
		}
		if there && status != strconv.Itoa(httpserver.Status(code)) {
			t.Errorf("%s stands under %s, want %d", code, status, httpserver.Status(code))
		}
	}
}

// Under a path the document says where its addresses begin, and an answer where its approval is.
func TestTheAPIUnderAPath(t *testing.T) {
	t.Parallel()
	edge := httpserver.Config{Log: newLog(), PublicURL: func() string { return "https://x.example/tools/a" }}
	h, err := httpserver.Handler(apiOf(edge), edge)
	if err != nil {
		t.Fatal(err)
	}
	got := httptest.NewRecorder()
	h.ServeHTTP(got, httptest.NewRequest("GET", "https://x.example/tools/a/api/v1/openapi.json", nil))
	if want := `"servers":[{"url":"https://x.example/tools/a"}]`; !strings.Contains(got.Body.String(), want) {
		t.Errorf("%d: the document lacks %s", got.Code, want)
	}
	got = httptest.NewRecorder()
	r := httptest.NewRequest("POST", "https://x.example/tools/a/api/v1/approvals", strings.NewReader(`{"function":"f","arguments":{}}`))
	r.Header.Set("Authorization", "Bearer csk_acme_one")
	r.Header.Set("Content-Type", "application/json")
	h.ServeHTTP(got, r)
	if at := got.Header().Get("Location"); got.Code != 201 || !strings.HasPrefix(at, "/tools/a/api/v1/approvals/apr_") {
		t.Errorf("%d: the approval is at %q", got.Code, at)
	}
}
