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

// get asks as a browser does, and returns the length that travelled and the text; the gzip reader is
// nil where it was not compressed.
func (s *site) get(t *testing.T, path string) (int, string, *gzip.Reader) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	sent, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.Header.Get("Content-Encoding") == "" {
		return len(sent), string(sent), nil
	}
	reader, err := gzip.NewReader(strings.NewReader(string(sent)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return len(sent), string(text), reader
}

// Pages and static texts are compressed; fonts are already, and short answers gain nothing.
func TestWhatIsCompressed(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	for path, want := range map[string]bool{"/static/long.css": true, "/static/long.woff2": false, "/static/app.js": false, "/long/page": true} {
		_, text, reader := s.get(t, path)
		if compressed := reader != nil; compressed != want {
			t.Errorf("%s: compressed %t", path, compressed)
		}
		if strings.Contains(path, "long") && text != long {
			t.Errorf("%s: %d bytes, want %d", path, len(text), len(long))
		}
	}
}

func TestAnswersOfTheAPIAreNotCompressed(t *testing.T) {
	t.Parallel()
	if _, text, reader := newSite(t, "").get(t, "/api/v1/long"); reader != nil || text != long {
		t.Errorf("%d bytes, compressed %t", len(text), reader != nil)
	}
}

// Pages that compress to the same length differ in what travels.
func TestLengthOfACompressedPageIsBlurred(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	lengths := make(map[int]bool)
	for _, letter := range "abcdefghijklmnopqrst" {
		sent, text, reader := s.get(t, "/long/of/"+string(letter))
		if reader == nil || text != strings.Repeat(string(letter), len(long)) {
			t.Fatalf("%c: compressed %t", letter, reader != nil)
		}
		lengths[sent] = true
	}
	if len(lengths) < 8 {
		t.Errorf("20 pages of one length have %d lengths", len(lengths))
	}
}
