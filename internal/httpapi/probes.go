package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
)

// What machines ask without an agent key.

// jwks serves the public keys. A new one is here long before it signs, so
// whoever verifies grants may keep them for a while.
func (s *server) jwks(c echo.Context) error {
	c.Response().Header().Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(approvals.KeysMaxAge.Seconds())))
	return c.Blob(http.StatusOK, "application/jwk-set+json", s.JWKS())
}

// healthz says that the process answers, and nothing about what it depends on.
func (s *server) healthz(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "ok"})
}

// readyTimeout is how long the database and the signer have to answer a probe.
const readyTimeout = 2 * time.Second

// readyz says whether requests can be served.
func (s *server) readyz(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), readyTimeout)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		return &fault.Error{
			Code: fault.NotReady, Detail: "the database or the signer doesn't answer; the log says why",
			RetryAfter: time.Second, Cause: err,
		}
	}
	return c.JSON(http.StatusOK, map[string]string{"status": "ready"})
}

// metrics serves the metrics to loopback peers and to whoever has the token.
func (s *server) metrics(c echo.Context) error {
	if r := c.Request(); !fromLoopback(r) && !s.hasMetricsToken(r) {
		return fault.New(fault.Unauthorized, "metrics are for loopback peers, or send Authorization: Bearer with the value of COUNTERSIGN_METRICS_TOKEN")
	}
	s.scrape.ServeHTTP(c.Response(), c.Request())
	return nil
}

// fromLoopback reports whether the peer is this machine. What a proxy on this
// machine passes on is not.
func fromLoopback(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

func (s *server) hasMetricsToken(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || s.MetricsToken == "" {
		return false
	}
	// Hashes have one length, so the comparison tells nothing about the token's.
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.MetricsToken))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
