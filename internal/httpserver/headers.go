package httpserver

import (
	"crypto/rand"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

// csp is the policy of every page; NONCE is new for every response. connect-src
// 'self' covers the page's own websocket. The policy push of Trusted Types names the
// service worker and nothing else.
const csp = "default-src 'none'; script-src 'nonce-NONCE'; style-src 'self'; font-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; worker-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types htmx push"

// secure sets the headers of every response, refusals included, before anything
// can write one, and puts the page's nonce where templ.GetNonce finds it.
func secure(cfg Config) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			nonce := rand.Text() // 130 bits
			h := c.Response().Header()
			h.Set("Content-Security-Policy", strings.Replace(csp, "NONCE", nonce, 1))
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("X-Frame-Options", "DENY")
			// Tokens stand in the address of one-time links, so no address leaves this
			// origin. no-referrer would also turn the Origin of our own forms to null.
			h.Set("Referrer-Policy", "same-origin")
			h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()")
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
			h.Set("Cross-Origin-Resource-Policy", "same-origin")
			if strings.HasPrefix(cfg.PublicURL(), "https://") {
				h.Set("Strict-Transport-Security", "max-age=31536000")
			}
			r := c.Request()
			if !strings.HasPrefix(r.URL.Path, "/static/") {
				h.Set("Cache-Control", "no-store")
			}
			c.SetRequest(r.WithContext(templ.WithNonce(r.Context(), nonce)))
			return next(c)
		}
	}
}
