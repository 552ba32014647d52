// Package httpserver is the edge that both faces of the server share, the API
// for agents and the console for people: how a request gets its id and its one
// line in the log, which hosts and origins are answered, which headers every
// response carries, and how a fault becomes a problem document or a page.
//
// From the outside in, a request passes
//
//	the path of the public URL, HEAD as GET, cross-origin protection      (Handler)
//	request id, log line and rendering of errors                          (observe)
//	security headers and the page's nonce                                 (secure)
//	recovery from a panic                                                 (recovered)
//	the exact Host list and the verdict of the cross-origin protection    (admit)
//	the handler
//
// so that whatever refuses a request, the refusal has an id, is logged and looks
// like every other one.
package httpserver

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/fault"
)

// Config is what the edge needs. Log and PublicURL must be set.
type Config struct {
	Log *slog.Logger
	// PublicURL is the address people and agents use, "http://localhost:8080" or
	// "https://tools.example.com/countersign", without a slash at the end. It is a function because the port may be known
	// only after listening; it is asked on every request.
	PublicURL func() string
	// ErrorPage renders a refusal for a person, with this status. Where it is nil
	// or fails, and everywhere under /api/, the refusal is a problem document.
	ErrorPage func(c echo.Context, f *fault.Error, status int) error
	// Proxies are the peers whose X-Forwarded-For is believed; none by default.
	Proxies []*net.IPNet
	// Observe is told about every finished request, for the metrics. route is the
	// pattern ("" when nothing matched), never the path.
	Observe func(method, route string, status int, took time.Duration)
}

// New returns an echo with the shared middleware and no routes. Serve it through
// Handler, not by itself.
func New(cfg Config) *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Logger.SetOutput(io.Discard) // it would write beside Log, on stdout
	// Without an extractor echo believes anybody's X-Forwarded-For.
	e.IPExtractor = addressOf(cfg.Proxies)
	e.HTTPErrorHandler = func(err error, c echo.Context) { render(cfg, c, err) }
	e.Use(observe(cfg), secure(cfg), recovered, admit(cfg))
	return e
}

// Limits of one connection. The longest answer is a wait of 60 seconds; the
// largest request is a body of 256 KiB, which fits into readTimeout at 20 KB/s.
// net/http lifts the read deadline once the body was read, so a wait may be
// longer than readTimeout (wait_test.go).
const (
	headerTimeout  = 5 * time.Second
	readTimeout    = 15 * time.Second
	writeTimeout   = 90 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 32 << 10
)

// NewServer returns the http.Server for a handler made by Handler, with every
// limit set. Listening and shutting down are the caller's.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
