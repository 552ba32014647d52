package client_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/client/clienttest"
)

// faulty is one way in which a server is not to be believed.
type faulty struct {
	fault  func(w http.ResponseWriter, r *http.Request, call int) bool
	change func(path string, answer map[string]any)
	setUp  func(s *clienttest.Server)
	says   string // in the reason or the error; "" where it is tried again until the time is over
}

// respond answers a path in place of the server.
func respond(path string, f func(w http.ResponseWriter)) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if !strings.HasSuffix(r.URL.Path, path) {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body)
		f(w)
		return true
	}
}

func text(status int, kind, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func set(path, name string, value any) func(string, map[string]any) {
	return func(at string, answer map[string]any) {
		if strings.HasSuffix(at, path) {
			answer[name] = value
		}
	}
}

func decision(name string, value any) func(string, map[string]any) {
	return func(_ string, answer map[string]any) {
		if d, ok := answer["decision"].(map[string]any); ok {
			d[name] = value
		}
	}
}

// faults are what a server, or somebody in its place, may do. None is a yes.
func faults() map[string]faulty {
	held := func(s *clienttest.Server) {
		s.Judge = judge(clienttest.Verdict{Status: "pending", Then: "approved"})
	}
	f := map[string]faulty{
		"answer for another act":      {change: set("/approvals", "digest", other), says: "another act"},
		"decision for another act":    {change: decision("digest", other), says: "another act"},
		"grant that is none":          {change: decision("grant", "x.y.z"), says: "not a grant"},
		"no grant":                    {change: decision("grant", nil), says: ""},
		"grant by another key":        {setUp: func(s *clienttest.Server) { s.Forge = true }, says: "signature"},
		"grant that ended":            {setUp: func(s *clienttest.Server) { s.Life = -time.Minute }, says: "clock"},
		"unknown status":              {change: set("/approvals", "status", "fine"), says: ""},
		"status of another kind":      {change: set("/approvals", "status", true), says: ""},
		"unknown level":               {change: set("/approvals", "level", "NONE"), says: ""},
		"another edit than signed":    {change: decision("effective", map[string]any{"function": "Bash", "arguments": map[string]any{"command": "ls"}}), says: "another act"},
		"another function":            {change: decision("effective", map[string]any{"function": "Write", "arguments": map[string]any{"command": "git push <origin>", "id": json.Number("1234567890123456789012345678901234567891")}}), says: "more than the arguments"},
		"consume replayed":            {setUp: held, change: set("/consume", "replayed", true), says: "spent by another call"},
		"consume does not say":        {setUp: held, change: set("/consume", "replayed", nil), says: ""},
		"consume says no":             {setUp: held, fault: respond("/consume", func(w http.ResponseWriter) { clienttest.Problem(w, 409, "stricter-now", "The policy changed.") }), says: "The policy changed. (stricter-now)"},
		"consume fails":               {setUp: held, fault: respond("/consume", text(500, "text/html", "<h1>no</h1>")), says: ""},
		"consume hangs":               {setUp: held, fault: hang("/consume"), says: ""},
		"waiting answers for another": {setUp: held, fault: respondOther, says: "another approval"},
		"wrong key":                   {fault: respond("", func(w http.ResponseWriter) { clienttest.Problem(w, 401, "unauthenticated", "The key expired.") }), says: "The key expired."},
		"HTML of a proxy":             {fault: respond("", text(403, "text/html", "<h1>no</h1>")), says: "Forbidden (HTTP 403)"},
		"redirect":                    {fault: redirect, says: "not followed"},
		"keys that are none":          {fault: respond("jwks.json", text(200, "application/json", `{"keys":[]}`)), says: "keys"},
		"hangs":                       {fault: hang(""), says: ""},
		"resets":                      {fault: respond("", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }), says: ""},
		"cut answer":                  {fault: respond("", cut), says: ""},
		"rate limit":                  {fault: respond("", text(429, "text/plain", "")), says: ""},
	}
	for name, r := range map[string]struct {
		status     int
		kind, body string
	}{
		"500": {500, "application/json", `{"status":"approved"}`}, "503": {503, "text/html", ""}, "204": {204, "application/json", ""}, "202": {202, "application/json", `{"status":"approved"}`},
		"empty": {200, "application/json", ""}, "{}": {200, "application/json", "{}"}, "null": {200, "application/json", "null"}, "HTML": {200, "text/html", "<h1>approved</h1>"},
		"JSON as text": {200, "text/plain", `{"status":"approved"}`}, "half": {200, "application/json", `{"status":"appro`}, "two": {200, "application/json", `{}{}`}, "yes": {200, "application/json", `{"status":"approved"}`},
	} {
		f[name] = faulty{fault: respond("/approvals", text(r.status, r.kind, r.body)), says: ""}
		f["waiting, "+name] = faulty{setUp: held, fault: func(w http.ResponseWriter, req *http.Request, _ int) bool {
			if !req.URL.Query().Has("wait") {
				return false
			}
			text(r.status, r.kind, r.body)(w)
			return true
		}}
	}
	return f
}

func hang(path string) func(http.ResponseWriter, *http.Request, int) bool {
	return func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if strings.HasSuffix(r.URL.Path, path) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			return true
		}
		return false
	}
}

func cut(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "4000")
	_, _ = io.WriteString(w, `{"status":"approved"`)
}

func redirect(w http.ResponseWriter, r *http.Request, _ int) bool {
	http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	return true
}

// respondOther answers what is waited for with another approval that is approved.
func respondOther(w http.ResponseWriter, r *http.Request, _ int) bool {
	if !r.URL.Query().Has("wait") {
		return false
	}
	text(200, "application/json", `{"id":"apr_00000000000000000000000000000000","status":"approved","level":"LOW","digest":"`+other+`","decision":{"digest":"`+other+`","grant":"x"}}`)(w)
	return true
}

func TestFaultsAreNeverAYes(t *testing.T) {
	t.Parallel()
	for name, c := range faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := clienttest.New(t)
			if c.setUp != nil {
				c.setUp(s)
			}
			s.Fault, s.Change = c.fault, c.change
			patience := long
			if c.says == "" {
				patience = 300 * time.Millisecond
			}
			o, err := gate(t, s.URL, patience).Ask(t.Context(), act())
			said := o.Reason
			if err != nil {
				said = err.Error()
			}
			if o.Run || o.Act != nil || said == "" || !strings.Contains(said, c.says) {
				t.Errorf("run %v, act %s: %q", o.Run, o.Act, said)
			}
			if strings.Contains(said, clienttest.Key) || strings.Contains(said, "\n") {
				t.Errorf("it says %q", said)
			}
		})
	}
}

// What gets better in time is a yes after all.
func TestItTriesAgain(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(w http.ResponseWriter, r *http.Request, call int) bool{
		"away": func(http.ResponseWriter, *http.Request, int) bool { panic(http.ErrAbortHandler) },
		"500":  func(w http.ResponseWriter, _ *http.Request, _ int) bool { text(500, "text/html", "")(w); return true },
		"HTML": func(w http.ResponseWriter, _ *http.Request, _ int) bool { text(200, "text/html", "")(w); return true },
		"limit": func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Retry-After", "1")
			text(429, "text/html", "")(w)
			return true
		},
		"same": func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			clienttest.Problem(w, 409, "in-progress", "It still runs.")
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := clienttest.New(t)
			s.Judge = judge(clienttest.Verdict{Status: "pending", Then: "approved"})
			s.Fault = func(w http.ResponseWriter, r *http.Request, call int) bool { return call%2 == 1 && f(w, r, call) }
			begin := time.Now()
			o, err := gate(t, s.URL, long).Ask(t.Context(), act())
			if err != nil || !o.Run {
				t.Errorf("%q, %v", o.Reason, err)
			}
			if name == "limit" && time.Since(begin) < time.Second {
				t.Error("Retry-After was not waited for")
			}
		})
	}
}

// swallow lets the server do what it is asked and loses its first answer on the way.
func swallow(t *testing.T, s *clienttest.Server, path string) string {
	t.Helper()
	lost := false
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !lost && strings.HasSuffix(r.URL.Path, path) {
			lost = true
			s.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// An answer that got lost is asked for again and counts: the same process made both.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for path, v := range map[string]clienttest.Verdict{
		"/approvals": {Status: "approved"},
		"/consume":   {Status: "pending", Then: "approved"},
	} {
		s := clienttest.New(t)
		s.Judge = judge(v)
		if o, err := gate(t, swallow(t, s, path), long).Ask(t.Context(), act()); err != nil || !o.Run {
			t.Errorf("%s: %q, %v", path, o.Reason, err)
		}
		if spent, _, _ := s.State(); spent != 1 {
			t.Errorf("%s: %d grants were spent", path, spent)
		}
	}
}

// What somebody else spent while an answer was lost is not ours: the call gets its own.
func TestLostAnswerAndSomebodyElse(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	submitted := 0
	s.Fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/approvals") {
			if submitted++; submitted == 2 {
				s.Steal()
			}
		}
		return false
	}
	o, err := gate(t, swallow(t, s, "/approvals"), long).Ask(t.Context(), act())
	if spent, _, _ := s.State(); err != nil || !o.Run || spent != 2 || submitted != 3 {
		t.Errorf("run %v, %q, %v: %d spent after %d submissions", o.Run, o.Reason, err, spent, submitted)
	}
}
