package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// serversOf are the entries of a file, as a client reads them.
func serversOf(t rapid.TB, text string) map[string]mcpEntry {
	d, err := parseJSON([]byte(text), lenient)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		McpServers map[string]mcpEntry
	}
	if err := decode(&d.root, &file); err != nil {
		t.Fatal(err)
	}
	return file.McpServers
}

func TestMCP(t *testing.T) {
	t.Parallel()
	m := machine(t)
	path, err := ClientFile(m, "claude-desktop")
	if err != nil {
		t.Fatal(err)
	}
	text := sample(t, "claude-desktop.json")
	put(t, path, text, 0o600)
	c, notes, err := PlanMCP(m, path, false)
	if err == nil {
		err = c.Apply()
	}
	if err != nil || len(notes) != 3 {
		t.Fatal(err, notes)
	}
	now := get(t, path)
	got := serversOf(t, now)
	for name, want := range map[string][]string{
		"filesystem": {"mcp", "--name", "filesystem", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem", "/Users/mei/My Documents"},
		"my server":  {"mcp", "--name", "my server", "--", "/opt/it's/server"},
		"remote":     {"mcp", "--name", "remote"},
		"plain":      {"mcp", "--name", "plain", "--url", "https://mcp.example.com/"},
	} {
		e := got[name]
		if e.Command != m.Executable || !slices.Equal(e.Args, want) || e.URL != "" || len(e.Headers) > 0 {
			t.Errorf("%s: %+v", name, e)
		}
		if strings.Contains(strings.Join(e.Args, " "), "secret") {
			t.Errorf("%s has a secret among its arguments: %v", name, e.Args)
		}
	}
	if got["filesystem"].Env["LOG"] != "1" {
		t.Error("the environment of the server is gone")
	}
	if e := got["remote"]; e.Type != "stdio" || e.Env[headersVariable] != "Authorization: Bearer secret-token\nX-Team: a" || e.Env[urlVariable] != "https://mcp.example.com/mcp?x=1" {
		t.Errorf("headers: %+v", e)
	}
	for _, name := range []string{"old", "passworded", "odd"} {
		if got[name].gated() || !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, `"`+name+`" stays ungated`) }) {
			t.Errorf("%s: %+v, notes %v", name, got[name], notes)
		}
	}
	if get(t, backupOf(path)) != text || !strings.Contains(now, `"globalShortcut": "Cmd+Space",`) {
		t.Error("no backup, or more was changed than the servers")
	}

	c, _, err = PlanMCP(m, path, false)
	if err != nil || c.Changed() {
		t.Errorf("twice is not once: %s %v", c.Diff(), err)
	}
	moved := m
	moved.Executable = "/usr/bin/countersign"
	c, _, err = PlanMCP(moved, path, false)
	if err != nil || strings.Contains(c.Text(), "opt/it's \\\"here") || strings.Count(c.Text(), "--name") != 4 {
		t.Errorf("the program moved: %s %v", c.Text(), err)
	}

	// Somebody adds a server; undo takes the gateway away from all others and keeps it.
	put(t, path, strings.Replace(now, `"mcpServers": {`, `"mcpServers": { "new": {"command": "x"},`, 1), 0o600)
	c, _, err = PlanMCP(m, path, true)
	if err == nil {
		err = c.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	back, was := serversOf(t, get(t, path)), serversOf(t, text)
	for name, want := range was {
		a, _ := json.Marshal(back[name])
		if want.Args == nil && want.Command != "" {
			want.Args = []string{}
		}
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Errorf("%s: %s, want %s", name, a, b)
		}
	}
	if back["new"].Command != "x" {
		t.Error("a server that was added since is gone")
	}
}

// TestAnyMCP draws servers; undo gives the very bytes back.
func TestAnyMCP(t *testing.T) {
	t.Parallel()
	m := machine(t)
	word := rapid.StringMatching(`[a-zA-Z -]{1,8}`)
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(m.Home, "")
		if err != nil {
			r.Fatal(err)
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, ".mcp.json")
		entries := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(r, "n") {
			e := map[string]any{"command": word.Draw(r, "command"), "args": rapid.SliceOf(word).Draw(r, "args")}
			if rapid.Bool().Draw(r, "remote") {
				e = map[string]any{"url": "https://" + rapid.StringMatching(`[a-z]{1,5}(\?k=[a-z]+)?`).Draw(r, "host"), "headers": rapid.MapOf(rapid.StringMatching(`[A-Z][a-z]{0,4}`), word).Draw(r, "headers")}
			}
			entries[word.Draw(r, "name")] = e
		}
		s := rapid.SampledFrom([]style{{}, {"\n", "  "}, {"\r\n", "\t"}}).Draw(r, "style")
		text := s.text(map[string]any{"mcpServers": entries, "other": 1}, 0)
		put(r, path, text, 0o600)
		c, _, err := PlanMCP(m, path, false)
		if err == nil {
			err = c.Apply()
		}
		if err != nil {
			r.Fatal(err)
		}
		for name, e := range serversOf(r, get(r, path)) {
			if !e.gated() && !strings.HasPrefix(name, "-") {
				r.Fatalf("%q is ungated: %+v", name, e)
			}
		}
		c, _, err = PlanMCP(m, path, true)
		if err == nil {
			err = c.Apply()
		}
		if got := get(r, path); err != nil || got != text {
			r.Fatalf("undo gives %q, want %q: %v", got, text, err)
		}
	})
}

func TestMCPFiles(t *testing.T) {
	t.Parallel()
	m := machine(t)
	for client, want := range map[string]string{
		"claude-desktop": filepath.Join(m.Home, ".config/Claude/claude_desktop_config.json"),
		"cursor":         filepath.Join(m.Home, ".cursor/mcp.json"),
		"claude-code":    filepath.Join(m.Home, ".claude.json"),
		"/x/.mcp.json":   "/x/.mcp.json",
	} {
		if got, err := ClientFile(m, client); err != nil || got != want {
			t.Errorf("%s: %s %v", client, got, err)
		}
	}
	if _, err := ClientFile(m, "clod"); !IsUsage(err) {
		t.Error(err)
	}
	if _, _, err := PlanMCP(m, filepath.Join(m.Home, "none.json"), false); err == nil {
		t.Error("a file that is not there was made")
	}
	// Claude Code's own file has servers for each project, too.
	put(t, filepath.Join(m.Home, ".claude.json"), `{"numStartups": 3, "projects": {"/srv/a b": {"mcpServers": {"fs": {"type": "stdio", "command": "npx", "args": []}}, "x": 1}}, "mcpServers": {}}`, 0o600)
	c, _, err := PlanMCP(m, filepath.Join(m.Home, ".claude.json"), false)
	if err != nil || !strings.Contains(c.Text(), `"mcp","--name","fs","--","npx"`) {
		t.Errorf("%s %v", c.Text(), err)
	}
}
