package hook

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/client/clienttest"
)

// fault is one way in which the world is not as it should be.
type fault struct {
	wire   func(http.ResponseWriter, *http.Request, int) bool
	change func(path string, answer map[string]any)
	server func(*clienttest.Server)
	here   func(*machine)
	says   string // "" where it is tried again until the time is over
}

const other = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

func faults() map[string]fault {
	held := func(s *clienttest.Server) {
		s.Judge = judge(clienttest.Verdict{Status: "pending", Then: "approved"})
	}
	on := func(path string, f func(http.ResponseWriter, *http.Request, int) bool) func(http.ResponseWriter, *http.Request, int) bool {
		return func(w http.ResponseWriter, r *http.Request, n int) bool {
			return strings.HasSuffix(r.URL.Path, path) && f(w, r, n)
		}
	}
	hang := func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		return true
	}
	decision := func(name string, value any) func(string, map[string]any) {
		return func(_ string, a map[string]any) {
			if d, ok := a["decision"].(map[string]any); ok {
				d[name] = value
			}
		}
	}
	url := func(u string) func(*machine) { return func(m *machine) { m.env["COUNTERSIGN_URL"] = u } }
	return map[string]fault{
		"server down":    {here: url("http://127.0.0.1:1")},
		"server hung":    {wire: hang},
		"server resets":  {wire: func(http.ResponseWriter, *http.Request, int) bool { panic(http.ErrAbortHandler) }},
		"500":            {wire: respond(500, "application/json", `{"status":"approved"}`)},
		"503":            {wire: respond(503, "text/html", "")},
		"429":            {wire: respond(429, "text/html", "")},
		"204":            {wire: respond(204, "application/json", "")},
		"empty":          {wire: respond(200, "application/json", "")},
		"{}":             {wire: respond(200, "application/json", "{}")},
		"HTML":           {wire: respond(200, "text/html", "<h1>approved</h1>")},
		"half an answer": {wire: respond(200, "application/json", `{"status":"appro`)},
		"cut answer": {wire: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "5000")
			_, _ = io.WriteString(w, `{"status":"approved"`)
			return true
		}},
		"redirect": {wire: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return true
		}, says: "not followed"},
		"answer for another act": {change: func(path string, a map[string]any) {
			if strings.HasSuffix(path, "/approvals") {
				a["digest"] = other
			}
		}, says: "another act"},
		"decision for another act":                 {change: decision("digest", other), says: "another act"},
		"edit that nobody signed":                  {change: decision("effective", map[string]any{"function": "Bash", "arguments": map[string]any{"command": "ls"}}), says: "can't be proven"},
		"grant by another key":                     {server: func(s *clienttest.Server) { s.Forge = true }, says: "signature"},
		"grant that ended, or a clock that is off": {server: func(s *clienttest.Server) { s.Life = -time.Hour }, says: "clock"},
		"consume fails":                            {server: held, wire: on("/consume", respond(500, "", ""))},
		"consume hangs":                            {server: held, wire: on("/consume", hang)},
		"consume says no": {server: held, wire: on("/consume", func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			clienttest.Problem(w, 409, "stricter-now", "The policy changed.")
			return true
		}), says: "The policy changed."},
		"consume replayed": {server: held, change: func(path string, a map[string]any) {
			if strings.HasSuffix(path, "/consume") {
				a["replayed"] = true
			}
		}, says: "another call"},
		"no keys":        {wire: on("jwks.json", respond(404, "text/html", "")), says: "keys"},
		"nobody decides": {server: func(s *clienttest.Server) { s.Judge = judge(clienttest.Verdict{Status: "pending"}) }},
		"the wait says {}": {server: held, wire: func(w http.ResponseWriter, r *http.Request, n int) bool {
			return r.URL.Query().Has("wait") && respond(200, "application/json", "{}")(w, r, n)
		}},
		"wrong key":          {here: func(m *machine) { m.env["COUNTERSIGN_KEY"] = "csk_other" }, says: "unknown, expired or revoked"},
		"no settings":        {here: func(m *machine) { m.env = map[string]string{"HOME": m.t.TempDir()} }, says: "no server or no key is set"},
		"no home":            {here: func(m *machine) { m.env = map[string]string{} }, says: "no server or no key is set"},
		"loose settings":     {here: func(m *machine) { m.settings(`{"url":"http://127.0.0.1:1","key":"k"}`, 0o644) }, says: "chmod 600"},
		"broken settings":    {here: func(m *machine) { m.settings(`{"url":`, 0o600) }, says: "can't be understood"},
		"settings elsewhere": {here: func(m *machine) { m.env["COUNTERSIGN_CONFIG"] = "/nowhere/c.json" }, says: "can't be read"},
		"http to another":    {here: func(m *machine) { m.env["COUNTERSIGN_KEY"] = "csk_acme_x"; url("http://example.com")(m) }, says: "use https"},
		"another server":     {here: url("https://evil.example"), says: "names another server"},
		"another ca":         {here: func(m *machine) { m.settings(`{"url":"https://127.0.0.1:1","key":"k","ca":"/nowhere"}`, 0o600) }, says: "ca of the settings"},
		"pins that are broken": {here: func(m *machine) {
			m.run("claude-code", events["claude-code"])
			files, _ := filepath.Glob(filepath.Join(m.env["HOME"], ".config", "countersign", "pinned-*"))
			if len(files) != 1 || os.WriteFile(files[0], nil, 0o600) != nil {
				m.t.Error(files)
			}
		}, says: "pinned keys"},
	}
}

// Whatever breaks, no agent runs its tool.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, f := range faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := clienttest.New(t)
			m := newMachine(t, s.URL)
			if f.server != nil {
				f.server(s)
			}
			if f.here != nil {
				f.here(m)
			}
			s.Fault, s.Change = f.wire, f.change
			asked := []string{"claude-code"}
			if f.says == "" {
				m.args = []string{"--wait", "300ms"}
			} else {
				asked = []string{"claude-code", "codex", "gemini", "opencode", "cursor", "copilot"}
			}
			for _, agent := range asked {
				r := m.run(agent, events[agent])
				if r.lets() || !strings.Contains(r.out.String()+r.err.String(), f.says) {
					t.Errorf("%s: exit %d %s %s", agent, r.code, r.out.String(), r.err.String())
				}
			}
		})
	}
}

// A server that is away for a while costs time and nothing else.
func TestRestarting(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	s.Judge = judge(clienttest.Verdict{Status: "pending", Then: "approved"})
	s.Fault = func(w http.ResponseWriter, r *http.Request, n int) bool {
		switch n % 4 {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			return respond(502, "text/html", "<h1>Bad gateway</h1>")(w, r, n)
		}
		return false
	}
	r := newMachine(t, s.URL).run("claude-code", events["claude-code"])
	if spent, _, _ := s.State(); r.code != 0 || !r.lets() || spent != 1 {
		t.Errorf("exit %d %s %s, %d spent", r.code, r.out.String(), r.err.String(), spent)
	}
}

// An answer that cannot be handed over is no answer.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	m := newMachine(t, s.URL)
	r := &run{agent: "claude-code", out: stream{fails: errors.New("no space left")}}
	if r.code = m.process(r, events["claude-code"]).Run(t.Context()); r.code != 2 || !strings.Contains(r.err.String(), "can't be written") || r.out.writes != 1 {
		t.Errorf("exit %d after %d writes: %s", r.code, r.out.writes, r.err.String())
	}
	// The keys cannot be pinned: what is approved is not believed.
	m = newMachine(t, s.URL)
	m.settings("{}", 0o600)
	m.env["COUNTERSIGN_CONFIG"], m.env["COUNTERSIGN_URL"], m.env["COUNTERSIGN_KEY"] = "/dev/full/none.json", s.URL, clienttest.Key
	if r := m.run("claude-code", events["claude-code"]); r.lets() {
		t.Errorf("exit %d %s", r.code, r.out.String())
	}
}

// Where nobody can read the reason of an exit 2, the agent's own word for no is said.
func TestNobodyReadsTheReason(t *testing.T) {
	t.Parallel()
	for agent := range events {
		m := newMachine(t, "http://127.0.0.1:1")
		m.args = []string{"--wait", "200ms"}
		r := &run{agent: agent}
		p := m.process(r, events[agent])
		p.Err = unread{}
		if r.code = p.Run(t.Context()); r.code != 0 || r.lets() {
			t.Errorf("%s: exit %d %s", agent, r.code, r.out.String())
		}
	}
}

// A bug is exit 2.
func TestPanic(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	m := newMachine(t, s.URL)
	m.gone = func() bool { panic("a bug") }
	if r := m.run("claude-code", events["claude-code"]); r.code != 2 || !strings.Contains(r.err.String(), "a bug in the hook") {
		t.Errorf("exit %d %s", r.code, r.err.String())
	}
}

// When the agent is gone nothing is spent, and nobody is asked any more.
func TestAgentIsGone(t *testing.T) {
	t.Parallel()
	t.Run("before it asks", func(t *testing.T) {
		t.Parallel()
		s := clienttest.New(t)
		m := newMachine(t, s.URL)
		m.gone = func() bool { return true }
		if r := m.run("claude-code", events["claude-code"]); r.code != 2 || len(s.Paths()) != 0 {
			t.Errorf("exit %d, %v", r.code, s.Paths())
		}
	})
	t.Run("while it waits", func(t *testing.T) {
		t.Parallel()
		s := clienttest.New(t)
		s.Judge = judge(clienttest.Verdict{Status: "pending"})
		m := newMachine(t, s.URL)
		m.gone = func() bool { return len(s.Sent()) > 0 }
		r := m.run("claude-code", events["claude-code"])
		if spent, cancelled, _ := s.State(); r.code != 2 || !strings.Contains(r.err.String(), "gone") || spent != 0 || cancelled != 1 {
			t.Errorf("exit %d %s, %d spent, %d cancelled", r.code, r.err.String(), spent, cancelled)
		}
	})
	t.Run("right before it spends", func(t *testing.T) {
		t.Parallel()
		s := clienttest.New(t)
		s.Judge = judge(clienttest.Verdict{Status: "pending", Then: "approved"})
		m := newMachine(t, s.URL)
		m.gone = func() bool { return strings.Contains(strings.Join(s.Paths(), " "), "GET /api/v1/approvals/") }
		r := m.run("claude-code", events["claude-code"])
		if spent, _, _ := s.State(); r.code != 2 || spent != 0 {
			t.Errorf("exit %d %s, %d spent", r.code, r.out.String(), spent)
		}
	})
	t.Run("a signal alone", func(t *testing.T) {
		t.Parallel()
		s := clienttest.New(t)
		s.Judge = judge(clienttest.Verdict{Status: "pending"})
		m := newMachine(t, s.URL)
		ctx, cancel := context.WithCancelCause(t.Context())
		m.ctx = ctx
		m.gone = func() bool {
			if len(s.Sent()) > 0 {
				cancel(errors.New("ended by a signal"))
			}
			return false
		}
		r := m.run("claude-code", events["claude-code"])
		if _, cancelled, _ := s.State(); r.code != 2 || !strings.Contains(r.err.String(), "signal") || cancelled != 0 {
			t.Errorf("exit %d %s, %d cancelled: the agent's retry would ask again", r.code, r.err.String(), cancelled)
		}
	})
}

// A server in front of which something answers for it has its key asked for nowhere
// else.
func TestKeyGoesNowhereElse(t *testing.T) {
	t.Parallel()
	heard := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { heard = true }))
	t.Cleanup(elsewhere.Close)
	s := clienttest.New(t)
	s.Judge = judge(clienttest.Verdict{Status: "pending"})
	s.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if r.Method == http.MethodGet {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusPermanentRedirect)
		}
		return r.Method == http.MethodGet
	}
	if r := newMachine(t, s.URL).run("claude-code", events["claude-code"]); r.lets() || heard {
		t.Errorf("exit %d, heard %v", r.code, heard)
	}
}
