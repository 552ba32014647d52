package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/handbook"
)

func TestHandbook(t *testing.T) {
	t.Parallel()
	b := newSite(t).signedIn("cleo")
	pages, err := handbook.Pages()
	must(t, err)
	help := b.get("/t/acme/help").want(t, http.StatusOK).body
	for _, p := range pages {
		if link := `href="/t/acme/help/` + p.Name + `"`; strings.Count(help, link) < 2 { // in the list, and for the palette
			t.Errorf("Help has no link to %s", p.Name)
		}
	}
	b.get("/t/acme/help/policy").want(t, http.StatusOK, `<h2 id="doc-versions">`, `href="#doc-versions"`)
	b.get("/t/acme/help/none").want(t, http.StatusNotFound)
	for path, about := range map[string]string{"/t/acme/audit": "audit", "/t/acme/queue": "reading"} {
		b.get(path).want(t, http.StatusOK, `href="/t/acme/help/`+about+`">About this page: `)
	}
}
