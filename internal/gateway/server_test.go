package gateway_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/client/clienttest"
	"github.com/countersign/countersign/internal/gateway"
)

// settings writes a settings file and returns its folder.
func settings(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "countersign")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return dir
}

// patience is how long a held call waits here: long for a machine that has much to do.
const patience = 1500 * time.Millisecond

// file is the gate of a settings folder.
func file(dir string, wait time.Duration) *gateway.Server {
	return &gateway.Server{Wait: wait, Getenv: func(name string) string {
		return map[string]string{"COUNTERSIGN_CONFIG": filepath.Join(dir, "config.json")}[name]
	}}
}

func good(url string) string { return `{"url":"` + url + `","key":"` + clienttest.Key + `"}` }

// Whatever is wrong, the tools are listed, nothing runs, and the model is told what to do.
func TestFaultsRunNothing(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	away := httptest.NewServer(nil)
	away.Close()
	answers := func(status int, kind, body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(server.Close)
		return good(server.URL)
	}
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else nobody sees that the caller left
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	later, repair := "again later", "Ask the user to repair this"
	for name, c := range map[string]struct {
		settings string
		mode     os.FileMode
		want     string
	}{
		"no settings":       {"", 0o600, repair},
		"settings not JSON": {"{", 0o600, repair},
		"settings readable": {good(s.URL), 0o644, "chmod 600"},
		"http to the world": {good("http://console.example"), 0o600, repair},
		"server away":       {good(away.URL), 0o600, later},
		"server hangs":      {good(slow.URL), 0o600, later},
		"500":               {answers(500, "text/plain", "oh"), 0o600, later},
		"garbage":           {answers(200, "application/json", "{]"), 0o600, later},
		"HTML":              {answers(200, "text/html", "<p>approved"), 0o600, later},
		"empty":             {answers(200, "application/json", ""), 0o600, later},
		"a yes to anything": {answers(200, "application/json", `{"status":"approved","execution":{"state":"consumed"}}`), 0o600, later},
		"wrong key":         {`{"url":"` + s.URL + `","key":"csk_other"}`, 0o600, "key is unknown"},
		"redirect":          {answers(302, "text/html", ""), 0o600, "redirects"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := through(t, legacy, file(settings(t, c.settings, c.mode), patience))
			if tools, err := l.ListTools(t.Context(), nil); err != nil || len(tools.Tools) != 4 {
				t.Errorf("tools %v, %v", tools, err)
			}
			res, err := l.call(t, "echo", `{}`)
			if err != nil || !res.IsError || !strings.Contains(text(res), c.want) {
				t.Errorf("said %q, %v; want %q in it", text(res), err, c.want)
			}
			if strings.Contains(text(res), "csk_") {
				t.Errorf("the key is in %q", text(res))
			}
			if ran := l.up.ran(); len(ran) > 0 {
				t.Errorf("the server ran %v", ran)
			}
		})
	}
}

// Settings that are repaired count at once.
func TestRepairedSettings(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	dir := settings(t, "{", 0o600)
	l := through(t, legacy, file(dir, patience))
	if res, err := l.call(t, "echo", `{}`); err != nil || !res.IsError {
		t.Errorf("%s, %v", text(res), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(good(s.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	if res, err := l.call(t, "echo", `{}`); err != nil || res.IsError {
		t.Errorf("%s, %v", text(res), err)
	}
}

// The identical call finds its request again: in the same process, and in another that
// knows nothing but the folder. A yes serves one run.
func TestTheIdenticalCallAttaches(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	var requests atomic.Int32
	var decided atomic.Bool
	s.Judge = func(map[string]any) clienttest.Verdict {
		requests.Add(1)
		return clienttest.Verdict{Status: "pending", Then: "approved"}
	}
	s.Fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if !decided.Load() {
			r.URL.RawQuery = "" // the answer comes at once, and it is "pending"
		}
		return false
	}
	dir := settings(t, good(s.URL), 0o600)
	first, second := through(t, legacy, file(dir, patience)), through(t, modern, file(dir, patience))
	const arguments = `{"id":123456789012345678901234567890}`
	said := map[string]bool{}
	for _, l := range []*link{first, first, second} {
		res, err := l.call(t, "echo", arguments)
		if err != nil {
			t.Fatal(err)
		}
		said[text(res)] = true
	}
	if len(said) != 1 || requests.Load() != 1 {
		t.Fatalf("said %q about %d requests", slices.Collect(maps.Keys(said)), requests.Load())
	}
	decided.Store(true)
	if res, err := second.call(t, "echo", arguments); err != nil || text(res) != arguments {
		t.Errorf("%s, %v", text(res), err)
	}
	decided.Store(false)
	if res, err := second.call(t, "echo", arguments); err != nil || !res.IsError || requests.Load() != 2 {
		t.Errorf("a yes served twice, or nobody was asked: %s, %v, %d requests", text(res), err, requests.Load())
	}
	// Other arguments are another call.
	if _, err := second.call(t, "echo", `{}`); err != nil || requests.Load() != 3 {
		t.Errorf("%v, %d requests", err, requests.Load())
	}
	if got := slices.Concat(first.up.ran(), second.up.ran()); !slices.Equal(got, []string{"echo" + arguments}) {
		t.Errorf("the servers ran %v", got)
	}
}

// A no that was said while nobody waited is the answer to the identical call, once; then
// people can be asked again.
func TestANoIsDelivered(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	var requests, waited atomic.Int32
	s.Judge = func(map[string]any) clienttest.Verdict {
		requests.Add(1)
		return clienttest.Verdict{Status: "pending", Then: "denied", Reason: "Not during the freeze."}
	}
	s.Change = func(path string, answer map[string]any) {
		if strings.HasPrefix(path, "GET /api/v1/approvals/") && waited.Add(1) == 1 {
			answer["status"], answer["decision"] = "pending", nil // it was decided a moment later
		}
	}
	s.Fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if r.URL.Query().Has("wait") && requests.Load() == 1 && waited.Load() > 0 {
			<-r.Context().Done()
			return true
		}
		return false
	}
	dir := settings(t, good(s.URL), 0o600)
	first := through(t, legacy, file(dir, patience))
	if res, err := first.call(t, "echo", `{}`); err != nil || !strings.Contains(text(res), "again with exactly the same arguments") {
		t.Fatalf("%s, %v", text(res), err)
	}
	second := through(t, legacy, file(dir, patience))
	if res, err := second.call(t, "echo", `{}`); err != nil || text(res) != "Not run: denied. Not during the freeze." || requests.Load() != 1 {
		t.Errorf("%s, %v, %d requests", text(res), err, requests.Load())
	}
	if _, err := second.call(t, "echo", `{}`); err != nil || requests.Load() != 2 {
		t.Errorf("%v, %d requests", err, requests.Load())
	}
	if ran := append(first.up.ran(), second.up.ran()...); len(ran) > 0 {
		t.Errorf("the servers ran %v", ran)
	}
}
