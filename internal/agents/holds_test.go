//go:build agents

package agents

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/client/clienttest"
	"github.com/countersign/countersign/internal/install/mockmodel"
)

// coding is an agent under test.
type coding struct {
	name    string
	prepare func(l *lab)                      // settings that a user has anyway
	run     func(l *lab, more ...string) said // does what the model asks for
	file    string                            // its settings, in the home
}

var claude = coding{
	name: "claude-code", file: ".claude/settings.json",
	prepare: func(l *lab) { l.write(".claude/settings.json", `{"permissions":{"allow":["Bash(echo:*)"]}}`, 0o600) },
	run: func(l *lab, more ...string) said {
		return l.run(90*time.Second, claudeProgram(l.t), append([]string{"-p", "do it", "--allowedTools", "Bash,Write,Edit,Agent,Task"}, more...)...)
	},
}

var codex = coding{
	name: "codex", file: ".codex/config.toml",
	prepare: func(l *lab) {
		l.write(".codex/config.toml", "model_provider = \"mock\"\n\n[model_providers.mock]\nname = \"mock\"\nbase_url = \""+l.model.URL+"/v1\"\nwire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\n", 0o600)
	},
	run: func(l *lab, more ...string) said {
		args := append([]string{"exec", "--skip-git-repo-check", "-C", l.project, "-s", "danger-full-access"}, more...)
		if !strings.Contains(strings.Join(more, " "), "-m ") {
			args = append(args, "-m", "gpt-5.5")
		}
		return l.run(90*time.Second, codexProgram(l.t), append(args, "do it")...)
	},
}

var gemini = coding{
	name: "gemini", file: ".gemini/settings.json",
	prepare: func(l *lab) {
		l.write(".gemini/settings.json", `{
  // signs in with a key
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "privacy": {"usageStatisticsEnabled": false}
}`, 0o600)
	},
	run: func(l *lab, more ...string) said {
		args := append([]string{geminiProgram(l.t), "-m", "gemini-2.5-pro", "--yolo", "--skip-trust", "-p", "do it"}, more...)
		return l.run(120*time.Second, "node", args...)
	},
}

var all = []coding{claude, codex, gemini}

// ready is an agent with its hook installed, whose model asks for one harmless call: the server
// approves it at once.
func ready(t *testing.T, h *house, c coding, url func(h *house) string, wait int) (*lab, string) {
	t.Helper()
	l := newLab(t, func(l *lab) func(mockmodel.Turn) []mockmodel.Call { return mockmodel.InOrder(l.touch()) })
	return l, setUp(t, h, l, c, url(h), wait)
}

// setUp installs the hook into a lab, and gives the agent's key.
func setUp(t *testing.T, h *house, l *lab, c coding, url string, wait int) (key string) {
	t.Helper()
	l.env = append(l.env, "IS_SANDBOX=1")
	for _, name := range []string{"countersign", "countersign-hook"} {
		if err := os.Link(filepath.Join(h.bin, name), filepath.Join(l.bin(), name)); err != nil {
			t.Fatal(err)
		}
	}
	key = h.agent(t, "a"+strings.TrimPrefix(filepath.Base(filepath.Dir(l.home)), "agents"), l.project)
	l.configure(url, key, wait)
	c.prepare(l)
	args := []string{"hook", "install", c.name, "--yes"}
	if c.name == "codex" {
		args = append(args, "--program", codexProgram(t))
	}
	if said := l.run(2*time.Minute, filepath.Join(l.bin(), "countersign"), args...); said.code != 0 {
		t.Fatalf("install: exit %d: %s", said.code, said.out)
	}
	return key
}

// bin is where this lab's own programs are.
func (l *lab) bin() string {
	dir := filepath.Join(filepath.Dir(l.home), "bin")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		l.t.Fatal(err)
	}
	return dir
}

func hookFile(l *lab) string { return filepath.Join(l.bin(), "countersign-hook") }

func straight(h *house) string { return "http://" + h.addr }

// TestHolds is the table of what must hold: with the settings that install wrote, the call does
// not run without an approval of exactly that act, whatever breaks. The call is one that the
// server would approve at once, so only the broken thing keeps it from running.
func TestHolds(t *testing.T) {
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			h := open(t)
			t.Run("without a fault it runs", func(t *testing.T) {
				l, key := ready(t, h, c, straight, 20)
				said := c.run(l)
				if l.ran() != 1 || h.spent(t, key) != 1 {
					t.Errorf("ran %d times, %d spent; results %q; said %.1000s", l.ran(), h.spent(t, key), l.model.Results(), said.out)
				}
			})
			for name, f := range faults() {
				t.Run(name, func(t *testing.T) {
					l, key := ready(t, h, c, func(h *house) string { return proxy(t, h, f) }, 3)
					notRun(t, h, l, c, key)
				})
			}
			for name, breakIt := range breakages(t) {
				t.Run(name, func(t *testing.T) {
					l, key := ready(t, h, c, straight, 3)
					breakIt(l)
					notRun(t, h, l, c, key)
				})
			}
			t.Run("the hook is killed in the middle", func(t *testing.T) {
				hung := proxy(t, h, fault{instead: later(time.Hour)})
				l, key := ready(t, h, c, func(*house) string { return hung }, 60)
				tick := time.NewTicker(50 * time.Millisecond)
				defer tick.Stop()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() {
					for {
						for _, pid := range l.hookPIDs() {
							_ = syscall.Kill(pid, syscall.SIGKILL)
						}
						select {
						case <-tick.C:
						case <-ctx.Done():
							return
						}
					}
				}()
				notRun(t, h, l, c, key)
			})
			t.Run("the clock is off", func(t *testing.T) {
				// To the hook it is the same whether its own clock or the grant's is wrong.
				server := clienttest.New(t)
				server.Life = -time.Hour
				l, key := ready(t, h, c, straight, 3)
				l.configure(server.URL, clienttest.Key, 3)
				notRun(t, h, l, c, key)
			})
			t.Run("the disk is full", func(t *testing.T) {
				l, key := ready(t, h, c, straight, 3)
				dir := filepath.Join(l.home, ".config", "countersign")
				if err := syscall.Mount("none", dir, "tmpfs", 0, "size=16k"); err != nil {
					t.Fatal(err)
				}
				defer func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }()
				l.configure(straight(h), key, 3)
				fill := filepath.Join(dir, "fill")
				_ = os.WriteFile(fill, make([]byte, 1<<20), 0o600)
				said := c.run(l)
				if l.ran() > h.spent(t, key) {
					t.Errorf("ran %d times, %d spent; said %.1000s", l.ran(), h.spent(t, key), said.out)
				}
			})
		})
	}
}

// notRun runs the agent and wants no effect, and that the model was told.
func notRun(t *testing.T, _ *house, l *lab, c coding, _ string, more ...string) {
	t.Helper()
	said := c.run(l, more...)
	if l.ran() != 0 {
		t.Errorf("it ran %d times; results %q; said %.1000s", l.ran(), l.model.Results(), said.out)
	}
	if len(l.model.Turns()) == 0 {
		t.Errorf("the agent never asked the model, so this proves nothing: %.1000s", said.out)
	}
	if len(l.model.Results()) == 0 {
		t.Logf("the model was not told: %.500s", said.out)
	}
}

// faults are those on the way to the server.
func faults() map[string]fault {
	other := strings.NewReplacer("echo x", "echo y")
	return map[string]fault{
		"hung":            {instead: later(time.Hour)},
		"slow":            {instead: later(10 * time.Second)},
		"500":             {instead: says(500, "application/problem+json", `{"status":500,"title":"x"}`)},
		"204":             {instead: says(204, "", "")},
		"empty":           {instead: says(200, "application/json", "")},
		"an empty object": {instead: says(200, "application/json", "{}")},
		"HTML":            {instead: says(200, "text/html", "<h1>approved</h1>")},
		"not JSON":        {instead: says(200, "application/json", `{"status":"approved"`)},
		"a redirect": {instead: func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "/ok", http.StatusFound)
			return true
		}},
		"a cut answer":     {instead: cut},
		"another act":      {before: func(_ *http.Request, body []byte) []byte { return []byte(other.Replace(string(body))) }},
		"only a status":    {instead: says(201, "application/json", `{"id":"apr_1","status":"approved","execution":{"state":"consumed","status":null,"detail":""}}`)},
		"another's grant":  {after: func(_ *http.Request, a map[string]any) { swap(a) }},
		"no grant":         {after: func(_ *http.Request, a map[string]any) { drop(a) }},
		"consume: 500":     onlyOn(says(500, "application/problem+json", `{"status":500,"title":"x"}`)),
		"consume: hung":    onlyOn(later(time.Hour)),
		"consume: refused": onlyOn(says(409, "application/problem+json", `{"status":409,"code":"already-consumed","title":"x","detail":"spent"}`)),
		"consume: {}":      onlyOn(says(200, "application/json", "{}")),
		"consume: replayed": {before: onlyOn(nil).before, after: func(r *http.Request, a map[string]any) {
			if consuming(r) {
				a["replayed"] = true
			}
		}},
	}
}

// swap puts a grant in that somebody else signed.
func swap(a map[string]any) {
	if d, ok := a["decision"].(map[string]any); ok {
		if g, ok := d["grant"].(string); ok && len(g) > 20 {
			d["grant"] = g[:len(g)-20] + "AAAAAAAAAAAAAAAAAAAA"
		}
	}
}

func drop(a map[string]any) {
	if d, ok := a["decision"].(map[string]any); ok {
		d["grant"] = nil
	}
}

// breakages are those on the agent's machine.
func breakages(t *testing.T) map[string]func(l *lab) {
	config := func(l *lab) string { return filepath.Join(l.home, ".config/countersign/config.json") }
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string]func(l *lab){
		"the server is down":     func(l *lab) { l.configure("http://127.0.0.1:9", "csk_acme_x", 3) },
		"a wrong key":            func(l *lab) { l.configure(straight(open(l.t)), "csk_acme_"+strings.Repeat("A", 43), 3) },
		"no settings":            func(l *lab) { must(os.Remove(config(l))) },
		"settings for everybody": func(l *lab) { must(os.Chmod(config(l), 0o644)) },
		"settings are no JSON":   func(l *lab) { l.write(config(l), `{"url":`, 0o600) },
		"settings are a folder":  func(l *lab) { must(os.Remove(config(l))); must(os.Mkdir(config(l), 0o700)) },
		"the program is gone":    func(l *lab) { must(os.RemoveAll(l.bin())) },
		"the program is empty":   func(l *lab) { must(os.Remove(hookFile(l))); l.write(hookFile(l), "", 0o755) },
		"the program is no longer executable": func(l *lab) {
			must(os.Remove(hookFile(l)))
			l.write(hookFile(l), "#!/bin/sh\nexit 0\n", 0o644)
		},
		"the program crashes": func(l *lab) { must(os.Remove(hookFile(l))); l.write(hookFile(l), "#!/bin/sh\nkill -SEGV $$\n", 0o755) },
	}
}
