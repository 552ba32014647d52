package httpserver

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/grant"
	"github.com/countersign/countersign/internal/fault"
)

// place is where this server lives, as its public URL says.
type place struct {
	hosts   []string // accepted Host headers, lower case
	origins []string // accepted Origin headers
	path    string   // before each address, empty or "/countersign"
}

// parsePlace reads a public URL. Where it is loopback, all three loopback names
// with its port are the same place.
func parsePlace(public string) (place, error) {
	u, ok := grant.Base(public)
	if !ok {
		return place{}, fault.New(fault.InvalidSetting,
			"the public URL %q can't work; expected http:// or https://, a host and, where there is one, a port and a path of plain letters and digits, and nothing else", public)
	}
	names := []string{strings.ToLower(u.Hostname())}
	if loopback(names[0]) {
		for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
			if name != names[0] {
				names = append(names, name)
			}
		}
	}
	usual := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	port := u.Port()
	if port == "" {
		port = usual
	}
	p := place{path: u.Path}
	for _, name := range names {
		full := net.JoinHostPort(name, port)
		p.hosts = append(p.hosts, full)
		if port != usual {
			p.origins = append(p.origins, u.Scheme+"://"+full)
			continue
		}
		// Browsers leave the usual port out of both headers; other clients may not.
		short := strings.TrimSuffix(full, ":"+port)
		p.hosts = append(p.hosts, short)
		p.origins = append(p.origins, u.Scheme+"://"+short)
	}
	return p, nil
}

func loopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || (ip != nil && ip.IsLoopback())
}

// keyless are the addresses that machines ask by any name they know the server
// by: probes by its address, verifiers through a proxy. They tell nothing that
// depends on who asks.
var keyless = []string{"/healthz", "/readyz", "/metrics", "/.well-known/jwks.json", "/api/v1/.well-known/jwks.json", "/api/v1/openapi.json"}

// Origins lists what an Origin header may say, for the websocket's own check: an
// upgrade is a GET, which the cross-origin protection lets pass. It is nil when
// the public URL is not one.
func Origins(publicURL string) []string {
	here, err := parsePlace(publicURL)
	if err != nil {
		return nil
	}
	return here.origins
}

// admit refuses what came to another host's name (a rebound DNS name would be
// same-origin to the browser) and what the cross-origin protection refused.
func admit(cfg Config) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if !slices.Contains(keyless, r.URL.Path) {
				here, err := parsePlace(cfg.PublicURL())
				if err != nil {
					return err
				}
				if !slices.Contains(here.hosts, strings.ToLower(r.Host)) {
					return fault.New(fault.Misdirected,
						"this server doesn't answer to the host name in the request; use %s", cfg.PublicURL())
				}
			}
			if refused, _ := r.Context().Value(crossSiteKey{}).(bool); refused || foreignOrigin(r, cfg.PublicURL()) {
				return fault.New(fault.CrossSite,
					"the request was sent by another site; send it from a page of %s", cfg.PublicURL())
			}
			return next(c)
		}
	}
}

// foreignOrigin reports whether a request that changes something says that it
// comes from another origin. Go's protection compares hosts only, where a browser
// sends no Sec-Fetch-Site; the scheme counts here.
func foreignOrigin(r *http.Request, publicURL string) bool {
	origin := r.Header.Get("Origin")
	return r.Method == http.MethodPost && origin != "" && !slices.Contains(Origins(publicURL), origin)
}

// isHead reports whether the request came as HEAD.
func isHead(r *http.Request) bool {
	head, _ := r.Context().Value(headKey{}).(bool)
	return head
}
