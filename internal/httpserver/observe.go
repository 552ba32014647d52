package httpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/fault"
)

// request is what the log line gathers on a request's way. It belongs to the
// goroutine that handles the request.
type request struct {
	id     string
	tenant string
	failed *fault.Error
	stack  []byte
}

type requestKey struct{}

func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	if r == nil {
		return &request{} // outside a request there is nobody to tell
	}
	return r
}

// RequestID is the id of the request that ctx belongs to: in the header
// X-Request-Id, in the log line and in a problem's instance. It is empty outside
// a request.
func RequestID(ctx context.Context) string { return requestOf(ctx).id }

// NoteTenant puts the tenant into the request's log line. Call it on the
// handler's goroutine, once the credential or the membership is proved.
func NoteTenant(ctx context.Context, tenant string) { requestOf(ctx).tenant = tenant }

// NoteFault puts why the request was refused into its log line, with the cause
// where it is our bug. Handlers that return the error to echo need not call it.
func NoteFault(ctx context.Context, err error) { requestOf(ctx).failed = fault.As(err) }

// StatusGone is what the log and the metrics say when the client went away
// before there was an answer; nobody receives it.
const StatusGone = 499

// observe gives the request its id, renders the error that comes out of it, and
// writes the one line about it: no body, no query, no header. A route is logged
// by its pattern, because a path can hold a token.
func observe(cfg Config) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			start := time.Now()
			note := &request{id: "req_" + strings.ToLower(rand.Text()[:16])}
			c.SetRequest(c.Request().WithContext(context.WithValue(c.Request().Context(), requestKey{}, note)))
			c.Response().Header().Set(echo.HeaderXRequestID, note.id)

			err := next(c)
			if err != nil {
				c.Error(err)
			}
			method, status, took := c.Request().Method, statusOf(c, err), time.Since(start)
			if isHead(c.Request()) {
				method = http.MethodHead
			}
			cfg.Log.LogAttrs(c.Request().Context(), levelOf(note), "request", attrs(c, note, method, status, took)...)
			if cfg.Observe != nil {
				cfg.Observe(method, c.Path(), status, took)
			}
			return nil
		}
	}
}

func statusOf(c echo.Context, err error) int {
	switch res := c.Response(); {
	case res.Committed:
		return res.Status
	case err != nil || c.Request().Context().Err() != nil:
		return StatusGone
	case strings.EqualFold(c.Request().Header.Get(echo.HeaderUpgrade), "websocket"):
		return http.StatusSwitchingProtocols // the upgrader answered on the connection itself
	default:
		return res.Status
	}
}

func levelOf(note *request) slog.Level {
	if note.failed != nil && note.failed.Kind() == fault.Internal {
		return slog.LevelError
	}
	return slog.LevelInfo
}

func attrs(c echo.Context, note *request, method string, status int, took time.Duration) []slog.Attr {
	all := []slog.Attr{
		slog.String("request", note.id), slog.String("method", method), slog.String("route", c.Path()),
		slog.Int("status", status), slog.Duration("took", took),
	}
	if note.tenant != "" {
		all = append(all, slog.String("tenant", note.tenant))
	}
	if f := note.failed; f != nil {
		all = append(all, slog.String("code", string(f.Code)))
		if f.Cause != nil {
			all = append(all, slog.String("cause", f.Cause.Error()))
		}
	}
	if note.stack != nil {
		all = append(all, slog.String("stack", string(note.stack)))
	}
	return all
}

// recovered turns a panic into our bug: an error with a cause and a stack for
// the log, and the page or problem of any other internal error for the caller.
func recovered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if cause, ok := p.(error); ok && errors.Is(cause, http.ErrAbortHandler) {
				panic(p) // net/http's own way to cut a connection
			}
			requestOf(c.Request().Context()).stack = debug.Stack()
			err = fmt.Errorf("panic: %v", p)
		}()
		return next(c)
	}
}
