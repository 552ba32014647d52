package console

import (
	"net/http"
	"strings"
	"testing"
)

// TestHTMXComesAfterItsListeners: htmx starts by itself, so what listens to it is there before, and
// the last script is a short one.
func TestHTMXComesAfterItsListeners(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.signedIn("ada")
	a := s.submit(medium)
	for _, path := range []string{"/t/acme/queue", "/t/acme/approvals/" + a.ID} {
		rest := ada.get(path).want(t, http.StatusOK).body
		for _, script := range []string{"js/all.js", "vendor/htmx.js", "js/times.js"} {
			_, after, found := strings.Cut(rest, `src="/static/`+script)
			if !found {
				t.Fatalf("%s: %s is missing, or comes too early", path, script)
			}
			rest = after
		}
		if strings.Contains(rest, "<script") {
			t.Errorf("%s loads a script after the last one", path)
		}
	}
}
