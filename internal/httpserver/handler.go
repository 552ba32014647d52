package httpserver

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/fault"
)

// Handler puts the cross-origin protection and the compression around e. Call it once the public URL
// is known: its origins are read here. The error says that the public URL is
// not one.
func Handler(e *echo.Echo, cfg Config) (http.Handler, error) {
	here, err := parsePlace(cfg.PublicURL())
	if err != nil {
		return nil, err
	}
	if first, _, _ := strings.Cut(strings.TrimPrefix(here.path, "/"), "/"); first != "" {
		for _, r := range e.Routes() {
			if own, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/"); own == first {
				return nil, fault.New(fault.InvalidSetting, "the path of the public URL %q begins like the addresses of this server below /%s; choose another one, for example /countersign", cfg.PublicURL(), own)
			}
		}
	}
	guard := http.NewCrossOriginProtection()
	for _, origin := range here.origins {
		if err := guard.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	// A refused request still goes through echo, only not to its handler: there it
	// gets its id, its headers, its log line and the page or problem (admit).
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), crossSiteKey{}, true)))
	}))
	return compressed(mounted(here.path, headAsGet(guard.Handler(e))))
}

// crossSiteKey marks the context of a request that the protection refused.
type crossSiteKey struct{}

// headKey marks the context of a request that came as HEAD.
type headKey struct{}

// headAsGet lets every GET route answer HEAD. net/http remembers what was really
// asked and leaves the body out.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			r = r.WithContext(context.WithValue(r.Context(), headKey{}, true)) // a copy: net/http keeps the original
			r.Method = http.MethodGet
		}
		next.ServeHTTP(w, r)
	})
}
