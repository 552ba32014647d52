package httpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Problem is the problem document of RFC 9457 with the member "errors".
type Problem struct {
	Type     string          `json:"type" doc:"urn:countersign:problem: and the stable code of the problem; what a program matches on." example:"urn:countersign:problem:invalid-member"`
	Title    string          `json:"title" doc:"The same for every problem of this type."`
	Status   int             `json:"status" doc:"The status of the response."`
	Detail   string          `json:"detail" doc:"What was wrong this time, and what would be accepted."`
	Instance string          `json:"instance,omitempty" doc:"urn:countersign:request: and the id of the request, as in X-Request-Id."`
	Errors   []ProblemMember `json:"errors,omitempty" nullable:"false" doc:"What the detail is about, where that is one member or parameter."`
}

// ProblemMember names one member of the body or one parameter.
type ProblemMember struct {
	Pointer   string `json:"pointer,omitempty" doc:"JSON pointer into the body." example:"/arguments"`
	Parameter string `json:"parameter,omitempty" doc:"Name of the query parameter, path parameter or header." example:"limit"`
	Detail    string `json:"detail"`
}

// ProblemType is the type member of every problem of a code.
func ProblemType(code fault.Code) string { return "urn:countersign:problem:" + string(code) }

// NewProblem is what a stranger may read of a fault, and its status.
func NewProblem(ctx context.Context, f *fault.Error) Problem {
	p := Problem{Type: ProblemType(f.Code), Title: Title(f.Code), Status: Status(f.Code)}
	if f.Kind() == fault.Internal { // whatever the detail says, it was not written for strangers
		p.Type, p.Detail = ProblemType(fault.Unexpected), "something went wrong on our side; the request id helps to find it in the log"
	} else {
		p.Detail = scoring.MaskText(f.Detail)
	}
	if id := RequestID(ctx); id != "" {
		p.Instance = "urn:countersign:request:" + id
	}
	switch member := short(scoring.MaskText(f.Member)); {
	case strings.HasPrefix(member, "/"):
		p.Errors = []ProblemMember{{Pointer: member, Detail: p.Detail}}
	case member != "":
		p.Errors = []ProblemMember{{Parameter: member, Detail: p.Detail}}
	}
	return p
}

// maxMember bounds how much of a name that a stranger chose is repeated, in bytes.
const maxMember = 256

// short leaves out what is too long: of a pointer the last steps, so that it
// names the nearest value around the one at fault and never another one.
func short(member string) string {
	for len(member) > maxMember {
		member = member[:max(0, strings.LastIndexByte(member[:maxMember+1], '/'))]
	}
	return member
}

// SetFaultHeaders adds what a refusal says besides its body: Retry-After in whole
// seconds for 429 and 503 and wherever the fault says how long, and the scheme of the API's credential for 401.
func SetFaultHeaders(h http.Header, f *fault.Error) {
	if f.Kind() == fault.Unavailable || f.RetryAfter > 0 {
		seconds := max(1, int64((f.RetryAfter+time.Second-1)/time.Second))
		h.Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	if f.Code == fault.Unauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
}

// WriteProblem answers with the problem document of err and notes it for the log.
func WriteProblem(c echo.Context, err error) error {
	f := fault.As(err)
	ctx := c.Request().Context()
	NoteFault(ctx, f)
	SetFaultHeaders(c.Response().Header(), f)
	p := NewProblem(ctx, f)
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return c.Blob(p.Status, "application/problem+json", body)
}

// render is where every error that reaches echo ends: a problem for programs, a
// page for people.
func render(cfg Config, c echo.Context, err error) {
	f := faultOf(err)
	r := c.Request()
	NoteFault(r.Context(), f)
	if c.Response().Committed {
		return // the answer is on its way; the log line still says why it broke off
	}
	if r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		requestOf(r.Context()).failed = nil // the client went away: nobody to tell, nothing to look into
		return
	}
	if h := c.Response().Header(); f.Code == fault.MethodNotAllowed && strings.Contains(h.Get("Allow"), http.MethodGet) {
		h.Set("Allow", h.Get("Allow")+", "+http.MethodHead)
	}
	if forProgram(r.URL.Path) || cfg.ErrorPage == nil {
		_ = WriteProblem(c, f) // a client that does not read its answer gets none
		return
	}
	SetFaultHeaders(c.Response().Header(), f)
	if pageErr := cfg.ErrorPage(c, f, Status(f.Code)); pageErr != nil && !c.Response().Committed {
		_ = WriteProblem(c, f)
	}
}

func forProgram(path string) bool {
	switch path {
	case "/healthz", "/readyz", "/metrics":
		return true
	}
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/.well-known/")
}

// faultOf also understands the errors that echo makes itself.
func faultOf(err error) *fault.Error {
	var own *echo.HTTPError
	var f *fault.Error
	if errors.As(err, &f) || !errors.As(err, &own) {
		return fault.As(err)
	}
	switch own.Code {
	case http.StatusNotFound:
		return fault.New(fault.Missing, "there is nothing at this address")
	case http.StatusMethodNotAllowed:
		return fault.New(fault.MethodNotAllowed, "this address doesn't take that method; the Allow header lists what it takes")
	case http.StatusRequestEntityTooLarge:
		return fault.New(fault.BodyTooLarge, "the body is too large")
	default:
		return fault.As(err)
	}
}
