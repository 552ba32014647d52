//go:build agents

package agents

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// fault is what goes wrong between the hook and the server. The zero fault is none.
type fault struct {
	// before changes a request on its way to the server.
	before func(r *http.Request, body []byte) []byte
	// instead answers in the server's place; false passes the request on.
	instead func(w http.ResponseWriter, r *http.Request) bool
	// after changes an answer of the server.
	after func(r *http.Request, answer map[string]any)
}

// proxy stands in front of the house until the test ends.
func proxy(t *testing.T, h *house, f fault) string {
	t.Helper()
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if f.instead != nil && f.instead(w, r) {
			return
		}
		if f.before != nil {
			body = f.before(r, body)
		}
		req, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+h.addr+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		req.Header = r.Header
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer res.Body.Close()
		out, err := io.ReadAll(res.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		var answer map[string]any
		if f.after != nil && json.Unmarshal(out, &answer) == nil {
			f.after(r, answer)
			out, _ = json.Marshal(answer)
		}
		for name, values := range res.Header {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(res.StatusCode)
		_, _ = w.Write(out)
	}))
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p.URL
}

// says answers everything the same way.
func says(status int, contentType, body string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

// later answers nothing for so long.
func later(d time.Duration) func(http.ResponseWriter, *http.Request) bool {
	return func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-time.After(d):
		case <-r.Context().Done():
		}
		return false
	}
}

// cut sends half of what the server would say.
func cut(w http.ResponseWriter, _ *http.Request) bool {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "4000")
	w.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(w, `{"id":"apr_1","status":"approved","execution":{"state":"consumed"`)
	panic(http.ErrAbortHandler)
}

func consuming(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/consume") }

// onlyOn uses an answer for spending alone; submitting approves, and leaves the spending to it.
func onlyOn(f func(http.ResponseWriter, *http.Request) bool) fault {
	return fault{
		before: func(r *http.Request, body []byte) []byte {
			q := r.URL.Query()
			q.Del("consume")
			r.URL.RawQuery = q.Encode()
			return body
		},
		instead: func(w http.ResponseWriter, r *http.Request) bool { return consuming(r) && f(w, r) },
	}
}
