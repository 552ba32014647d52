package httpserver_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

// long is the answer of the addresses with that word.
var long = strings.Repeat("all of it the same. ", 200)

// Only static texts are compressed: the length of a compressed page tells what is on it.
func TestOnlyStaticTextsAreCompressed(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	for path, want := range map[string]bool{"/static/long.css": true, "/static/long.woff2": false, "/static/app.js": false, "/long/page": false, "/api/v1/long": false} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", "gzip")
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		body := io.Reader(res.Body)
		if compressed := res.Header.Get("Content-Encoding") == "gzip"; compressed != want {
			t.Errorf("%s: compressed %t", path, compressed)
		} else if compressed {
			if body, err = gzip.NewReader(res.Body); err != nil {
				t.Fatal(err)
			}
		}
		b, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(path, "long") && string(b) != long {
			t.Errorf("%s: %d bytes, want %d", path, len(b), len(long))
		}
		_ = res.Body.Close()
	}
}
