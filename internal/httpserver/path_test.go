package httpserver_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
)

// Addresses of ours get the path; texts, other attributes, scripts and other sites stay as they are.
func TestAddressesOfAPage(t *testing.T) {
	t.Parallel()
	page := `<!DOCTYPE html><a title="/t/x" href="/t/x?a=1&amp;b=%20" hidden>href="/t/x" &lt;a href=&#34;/t/x&#34;&gt;</a>` +
		`<p title="a href=&#34;/t/x&#34; src=&#34;/t/x">é</p><script>a = '<a href="/t/x">'</script><textarea><a href="/t/x"></textarea>` +
		`<form action="/"><input name="next" value="/t/x"></form><svg viewBox="0 0 1 1"><use href="/static/icons.svg#i"></use></svg>` +
		`<a href="//other.example/x"></a><a href="https://other.example/x"></a><a href="t/x"></a><a href="#x"></a><!-- <a href="/t/x"> --><img src="/x"/>`
	want := strings.NewReplacer(
		` href="/t/x?a=1&amp;b=%20" hidden>`, ` href="/tools/a/t/x?a=1&amp;b=%20" hidden="">`,
		`action="/"`, `action="/tools/a/"`, `"/static/`, `"/tools/a/static/`, `<img src="/x"/>`, `<img src="/tools/a/x"/>`).Replace(page)
	for path, want := range map[string]string{"": page, "/tools/a": want} {
		e := echo.New()
		e.GET("/", func(c echo.Context) error {
			return c.HTMLBlob(http.StatusOK, httpserver.Addresses(c.Request().Context(), []byte(page)))
		})
		h, err := httpserver.Handler(e, httpserver.Config{Log: slog.New(slog.DiscardHandler), PublicURL: func() string { return "https://x.example" + path }})
		if err != nil {
			t.Fatal(err)
		}
		got := httptest.NewRecorder()
		h.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "https://x.example"+path+"/", nil))
		if got.Body.String() != want {
			t.Errorf("under %q:\n%s\nwant\n%s", path, got.Body, want)
		}
	}
}

// What comes with the path and what comes without it is told apart by the first part.
func TestAPathLikeAnAddressIsRefused(t *testing.T) {
	t.Parallel()
	for path, works := range map[string]bool{"": true, "/": true, "/t": false, "/api/x": false, "/x/api": true, "/tools": true} {
		cfg := httpserver.Config{Log: slog.New(slog.DiscardHandler), PublicURL: func() string { return "https://x.example" + path }}
		e := httpserver.New(cfg)
		e.GET("/t/:tenant", func(echo.Context) error { return nil })
		e.GET("/api/v1/thing", func(echo.Context) error { return nil })
		if _, err := httpserver.Handler(e, cfg); works != (err == nil) || !works && !fault.Is(err, fault.InvalidSetting) {
			t.Errorf("%q: error %v", path, err)
		}
	}
}

func TestWhatIsBelowThePath(t *testing.T) {
	t.Parallel()
	s := newSite(t, "https://x.example/tools/a")
	for path, want := range map[string]int{"/tools/a/page/x": 200, "/page/x": 200, "/tools/a/healthz": 200, "/tools/ab/page/x": 404, "/tools/page/x": 404, "/tools/a/tools/a/page/x": 404, "/tools/apage/x": 404} {
		if res, _ := s.send(t, "GET", path, "Host", "x.example"); res.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, res.StatusCode, want)
		}
	}
}
