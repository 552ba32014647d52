package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
)

// problem is httpserver's problem document in the form that huma sends.
type problem struct {
	httpserver.Problem
	header http.Header
}

// Error makes it an error; nobody reads the text.
func (p *problem) Error() string { return p.Type }

// GetStatus is how huma learns the status.
func (p *problem) GetStatus() int { return p.Status }

// GetHeaders is how huma learns the headers.
func (p *problem) GetHeaders() http.Header { return p.header }

// ContentType is how huma learns the media type.
func (p *problem) ContentType(string) string { return "application/problem+json" }

// MarshalJSON writes the document alone.
func (p *problem) MarshalJSON() ([]byte, error) { return json.Marshal(p.Problem) }

// refusal is the answer to err, noted for the request's log line.
func refusal(ctx context.Context, err error) *problem {
	f := fault.As(err)
	p := &problem{Problem: httpserver.NewProblem(ctx, f), header: http.Header{}}
	httpserver.SetFaultHeaders(p.header, f)
	if ctx.Err() != nil && f.Kind() == fault.Internal {
		p.Status = httpserver.StatusGone // the client went away: only the log and the metrics read this
	}
	if !errors.Is(err, context.Canceled) {
		httpserver.NoteFault(ctx, f)
	}
	return p
}

// answer makes a handler's errors refusals.
func answer[I, O any](handle func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)
		if err != nil {
			return nil, refusal(ctx, err)
		}
		return out, nil
	}
}

// refuse answers with err before any handler.
func (s *server) refuse(ctx huma.Context, err error) {
	p := refusal(ctx.Context(), err)
	for name := range p.header {
		ctx.SetHeader(name, p.header.Get(name))
	}
	_ = huma.WriteErr(s.api, ctx, p.Status, "", p) // a client that does not read its answer gets none
}

// huma's own error texts would echo the request's body and print internal
// errors, and they can be replaced for the whole process only. adopted makes
// that happen once, before the first route exists.
var adopted sync.Once

func adoptProblems() {
	adopted.Do(func() {
		huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
			return humaError(context.Background(), status, msg, errs)
		}
		huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
			return humaError(ctx.Context(), status, msg, errs)
		}
	})
}

// humaError translates the few errors that huma makes itself. With bodies and
// parameters being ours, only reading the body is left.
func humaError(ctx context.Context, status int, msg string, errs []error) *problem {
	var ready *problem
	if errors.As(errors.Join(errs...), &ready) {
		return ready
	}
	switch {
	case status == http.StatusRequestEntityTooLarge:
		return refusal(ctx, fault.New(fault.BodyTooLarge, "the body has more than %d bytes, the most that is accepted", canon.MaxBytes))
	case status == http.StatusRequestTimeout:
		return refusal(ctx, fault.New(fault.MalformedJSON, "the body didn't arrive in time; send it all at once"))
	case status == http.StatusBadRequest: // "request body is required"
		return refusal(ctx, fault.New(fault.MalformedJSON, "the body is empty; send a JSON object"))
	case status == http.StatusInternalServerError && msg == "cannot read request body":
		return refusal(ctx, &fault.Error{Code: fault.MalformedJSON, Detail: "the body broke off; send as many bytes as the request announces", Cause: errors.Join(errs...)})
	default:
		return refusal(ctx, fmt.Errorf("huma: %d %s: %w", status, msg, errors.Join(errs...)))
	}
}

// jsonFormat writes the whole document at once. A client that went away in the
// meantime is no error of ours.
var jsonFormat = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return err
		}
		_, _ = w.Write(b.Bytes())
		return nil
	},
	Unmarshal: json.Unmarshal,
}
