package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
)

// contract is the served document as an independent reader of OpenAPI 3.1
// understands it.
type contract struct {
	doc    *openapi3.T
	router routers.Router
	// seen counts what was held against the document: "GET /path 200".
	mu   sync.Mutex
	seen map[string]int
}

// theContract is read from the server once, and shared by every test: it is the
// same document everywhere.
var theContract = sync.OnceValues(func() (*contract, error) {
	openapi3filter.RegisterBodyDecoder("application/jwk-set+json", openapi3filter.JSONBodyDecoder)
	edge := httpserver.Config{Log: newLog(), PublicURL: func() string { return "http://localhost" }}
	served := httptest.NewRecorder()
	apiOf(edge).ServeHTTP(served, httptest.NewRequest("GET", "http://localhost/api/v1/openapi.json", nil))
	doc, err := openapi3.NewLoader().LoadFromData(served.Body.Bytes())
	if err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(doc)
	return &contract{doc: doc, router: router, seen: map[string]int{}}, err
})

// answered is one request with its answer, as the server saw both.
type answered struct {
	http.ResponseWriter
	request *http.Request
	sent    bytes.Buffer // the request's body, as far as it was read
	status  int
	body    bytes.Buffer
}

func (a *answered) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answered) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	a.body.Write(p)
	return a.ResponseWriter.Write(p)
}

// Unwrap lets the handlers set deadlines.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// recorded holds everything that next answers against the document.
func recorded(t testing.TB, next http.Handler) http.Handler {
	t.Helper()
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answered{ResponseWriter: w, request: r.Clone(r.Context())}
		// The server's own request keeps its body: by that it knows what was left unread.
		copied := *r
		copied.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, &a.sent), r.Body}
		next.ServeHTTP(a, &copied)
		if a.status == 0 { // nobody was left to be answered
			return
		}
		if err := c.holds(a); err != nil {
			t.Errorf("%s %s: %d %s: %.1000s\nis not in the document: %v", a.request.Method, a.request.URL, a.status, w.Header().Get("Content-Type"), a.body.Bytes(), err)
		}
	})
}

// holds says what of an exchange the document does not describe.
func (c *contract) holds(a *answered) error {
	asked := a.request.Clone(a.request.Context())
	asked.Host, asked.URL.Host, asked.URL.Scheme = "localhost", "", ""
	if asked.Method == http.MethodHead {
		asked.Method = http.MethodGet
	}
	route, params, err := c.router.FindRoute(asked)
	if err != nil {
		return c.elsewhere(a)
	}
	c.mu.Lock()
	c.seen[fmt.Sprintf("%s %s %d", asked.Method, route.Path, a.status)]++
	c.mu.Unlock()
	options := &openapi3filter.Options{
		IncludeResponseStatus: true, MultiError: true, SkipSettingDefaults: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		// A parameter without a value counts as not given, which OpenAPI cannot say;
		// and the validator has no integers beyond 64 bits, as a wait may be.
		ExcludeRequestQueryParams: slices.ContainsFunc(strings.Split(asked.URL.RawQuery, "&"), func(s string) bool {
			return strings.HasSuffix(s, "=") || strings.Contains(s, "wait=99999999999999999999")
		}),
	}
	asked.Body = io.NopCloser(&a.sent)
	request := &openapi3filter.RequestValidationInput{Request: asked, PathParams: params, Route: route, Options: options}
	var problems []error
	if a.status < 300 { // what was accepted must be what the document describes
		problems = append(problems, openapi3filter.ValidateRequest(asked.Context(), request))
	}
	problems = append(problems, openapi3filter.ValidateResponse(asked.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: request, Status: a.status, Header: a.Header(), Body: io.NopCloser(bytes.NewReader(a.body.Bytes())), Options: options,
	}))
	if a.status >= 400 {
		problems = append(problems, c.wellFormed(a))
	}
	return errors.Join(problems...)
}

// elsewhere holds what is answered where the document has no operation: a
// problem that says so, and for a method that is not taken the ones that are.
func (c *contract) elsewhere(a *answered) error {
	var p httpserver.Problem
	if err := errors.Join(json.Unmarshal(a.body.Bytes(), &p), c.wellFormed(a)); err != nil {
		return err
	}
	switch p.Type {
	case httpserver.ProblemType(fault.MethodNotAllowed):
		if a.Header().Get("Allow") == "" {
			return errors.New("a 405 without Allow")
		}
	case httpserver.ProblemType(fault.Missing), httpserver.ProblemType(fault.Misdirected), httpserver.ProblemType(fault.CrossSite):
	default:
		return errors.New("the address is not in the document, and yet this is answered")
	}
	return nil
}

// wellFormed holds what is true of every problem.
func (c *contract) wellFormed(a *answered) error {
	if got := a.Header().Get("Content-Type"); got != "application/problem+json" {
		return fmt.Errorf("a refusal is %s", got)
	}
	var value any
	if err := json.Unmarshal(a.body.Bytes(), &value); err != nil {
		return err
	}
	if err := c.doc.Components.Schemas["Problem"].Value.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
		return err
	}
	var p httpserver.Problem
	if err := json.Unmarshal(a.body.Bytes(), &p); err != nil {
		return err
	}
	code, ours := strings.CutPrefix(p.Type, httpserver.ProblemType(""))
	if !ours || p.Status != a.status || httpserver.Status(fault.Code(code)) != a.status || p.Title != httpserver.Title(fault.Code(code)) {
		return fmt.Errorf("type %s, title %q and status %d do not belong together in an answer with %d", p.Type, p.Title, p.Status, a.status)
	}
	return nil
}
