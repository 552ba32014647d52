package install

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/client"
	"github.com/countersign/countersign/client/clienttest"
	"github.com/countersign/countersign/internal/hook"
)

// be makes the test binary another program: our hook, or an agent.
const be = "COUNTERSIGN_TEST_BE"

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "hook":
		os.Exit(hook.Main(os.Args[2:], "test"))
	case len(os.Args) > 1 && os.Args[1] == "app-server":
		pretendCodex(os.Getenv(be))
		os.Exit(0)
	case os.Getenv(be) != "" && len(os.Args) > 1 && os.Args[1] == "--version":
		fmt.Println(os.Getenv(be+"_VERSION"), "(Claude Code)")
		os.Exit(0)
	case os.Getenv(be) != "" && len(os.Args) > 1 && os.Args[1] == "-p":
		if err := pretend(os.Getenv(be)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// pretend is a coding agent in forty lines: it asks its model, asks its hook, and runs what the
// model wants, or runs it whatever the hook says.
func pretend(how string) error {
	ask := func(messages ...any) (command string, err error) {
		body, err := json.Marshal(map[string]any{"model": "m", "tools": []any{map[string]any{"name": "Bash"}}, "messages": messages})
		if err != nil {
			return "", err
		}
		res, err := http.Post(os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", "application/json", bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		var answer struct {
			Content []struct{ Input struct{ Command string } }
		}
		err = json.NewDecoder(res.Body).Decode(&answer)
		if err != nil || len(answer.Content) == 0 {
			return "", errors.Join(err, errors.New("no content"))
		}
		return answer.Content[0].Input.Command, nil
	}
	if how == "does not start" {
		return errors.New("please sign in")
	}
	prompt := map[string]any{"role": "user", "content": "go"}
	command, err := ask(prompt)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(os.Getenv("HOME"), ".claude/settings.json"))
	if err != nil {
		return err
	}
	ours, _, err := Agents[0].format.hooks(b)
	if err != nil {
		return err
	}
	event, _ := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": command}})
	asked := exec.Command("sh", "-c", ours[0].Command)
	asked.Stdin = bytes.NewReader(event)
	out, _ := asked.Output()
	if how == "ignores its hook" || !denies(asked.ProcessState.ExitCode(), out) {
		_ = exec.Command("sh", "-c", command).Run()
	}
	_, err = ask(prompt, map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "content": "no"}}})
	return err
}

// patient is a home with Claude Code and our hook installed, and a server that hears canaries.
type patient struct {
	*Doctor
	server *clienttest.Server
	file   string
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	home := t.TempDir()
	for _, dir := range []string{"bin", "project", ".config/countersign"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"countersign", "claude"} {
		if err := errors.Join(os.Symlink(self, filepath.Join(home, "bin", name))); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	for _, v := range []string{"COUNTERSIGN_URL", "COUNTERSIGN_KEY", "COUNTERSIGN_CONFIG", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"} {
		t.Setenv(v, "")
	}
	t.Setenv(be, "obeys")
	t.Setenv(be+"_VERSION", "2.1.332")
	m := Machine{OS: "linux", Home: home, Getenv: os.Getenv, Executable: filepath.Join(home, "bin", "countersign"), LookPath: exec.LookPath}
	a := agentNamed(t, "claude-code")
	managed := *a
	managed.managed = func(Machine) string { return filepath.Join(home, "etc", "managed-settings.json") }
	p := &patient{server: clienttest.New(t), file: a.File(m, "")}
	p.Doctor = &Doctor{Machine: m, Agent: &managed, Program: filepath.Join(home, "bin", "claude"), Folder: filepath.Join(home, "project"), Now: time.Now}
	apply(t, a, m, false)
	put(t, filepath.Join(home, ".config/countersign/config.json"), fmt.Sprintf(`{"url":%q,"key":%q,"wait_seconds":5}`, p.server.URL, clienttest.Key), 0o600)
	return p
}

// failing are the names of the checks that are not ok.
func failing(r Report) string {
	var names []string
	for _, c := range r.Checks {
		if !c.OK {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}

func TestDoctor(t *testing.T) {
	swap := func(old, new string) func(*testing.T, *patient) {
		return func(t *testing.T, p *patient) {
			text := get(t, p.file)
			if !strings.Contains(text, old) {
				t.Fatalf("%q is not in %s", old, text)
			}
			put(t, p.file, strings.Replace(text, old, new, 1), 0o600)
		}
	}
	add := func(path, text string) func(*testing.T, *patient) {
		return func(t *testing.T, p *patient) { put(t, filepath.Join(p.Machine.Home, path), text, 0o600) }
	}
	config := ".config/countersign/config.json"
	for name, c := range map[string]struct {
		harm    func(*testing.T, *patient)
		gate    string
		failing string
	}{
		"healthy":                {func(*testing.T, *patient) {}, "closed", ""},
		"not installed":          {func(t *testing.T, p *patient) { apply(t, agentNamed(t, "claude-code"), p.Machine, true) }, "open", "installed, canary"},
		"an old version":         {func(t *testing.T, _ *patient) { t.Setenv(be+"_VERSION", "2.1.294") }, "open", "version"},
		"the first good version": {func(t *testing.T, _ *patient) { t.Setenv(be+"_VERSION", "2.1.295") }, "closed", ""},
		"no program":             {func(_ *testing.T, p *patient) { p.Program = "/nowhere/claude" }, "unknown", "program"},
		"no onFailure":           {swap(`"timeout": 3600,`+"\n"+`            "onFailure": "block"`, `"timeout": 3600`), "open", "installed, entry, canary"},
		"onFailure goes on":      {swap(`"block"`, `"continue"`), "open", "installed, entry, canary"},
		"a short time-out":       {swap(`3600`, `10`), "open", "installed, entry, canary"},
		"a matcher":              {swap(`"*"`, `"Bash"`), "open", "installed, entry, canary"},
		"a condition":            {swap(`"type": "command"`, `"type": "command", "if": "Bash(git *)"`), "open", "installed, entry, canary"},
		"not waited for":         {swap(`"type": "command"`, `"type": "command", "async": true`), "open", "installed, entry, canary"},
		"no wrapper":             {swap(`|| { echo`, `|| true || { echo`), "open", "installed, entry, canary"},
		"written by hand": {func(t *testing.T, p *patient) {
			put(t, p.file, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"countersign hook claude-code"}]}]}}`, 0o600)
		}, "open", "installed, entry, canary"},
		"a comment":     {swap("{", "{ // c"), "open", "settings user, installed, canary"},
		"all hooks off": {swap("{", `{"disableAllHooks": true,`), "open", "disableAllHooks"},
		"another server by the project's environment": {add("project/.claude/settings.json", `{"env": {"COUNTERSIGN_CONFIG": "/tmp/x.json"}}`), "open", "environment"},
		"an environment that says nothing of it":      {add("project/.claude/settings.json", `{"env": {"EDITOR": "vi"}}`), "closed", ""},
		"all hooks off in the project":                {add("project/.claude/settings.json", `{"disableAllHooks": true}`), "open", "disableAllHooks"},
		"off, and on in the local settings": {func(t *testing.T, p *patient) {
			add("project/.claude/settings.json", `{"disableAllHooks": true}`)(t, p)
			add("project/.claude/settings.local.json", `{"disableAllHooks": false}`)(t, p)
		}, "closed", ""},
		"the administrator's hooks only": {add("etc/managed-settings.json", `{"allowManagedHooksOnly": true}`), "open", "allowManagedHooksOnly, installed, canary"},
		"a drop-in of the administrator": {add("etc/managed-settings.d/10-x.json", `{"disableAllHooks": true}`), "open", "disableAllHooks"},
		"the administrator has it, and users switch theirs off": {func(t *testing.T, p *patient) {
			_, text, err := p.Agent.Managed(p.Machine)
			if err != nil {
				t.Fatal(err)
			}
			add("etc/managed-settings.json", text)(t, p)
			add("project/.claude/settings.json", `{"disableAllHooks": true}`)(t, p)
		}, "closed", ""},
		"another hook":                  {add("project/.claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"theirs"}]}]}}`), "unknown", "other hooks"},
		"others may write the file":     {func(t *testing.T, p *patient) { put(t, p.file, get(t, p.file), 0o666) }, "unknown", "mode user"},
		"the hook's program is gone":    {func(t *testing.T, p *patient) { _ = os.Remove(p.Machine.Executable) }, "unknown", "hook program, canary heard"},
		"no settings":                   {func(t *testing.T, p *patient) { _ = os.Remove(filepath.Join(p.Machine.Home, config)) }, "unknown", "server settings, canary"},
		"settings that others may read": {func(t *testing.T, p *patient) { _ = os.Chmod(filepath.Join(p.Machine.Home, config), 0o644) }, "unknown", "server settings, canary"},
		"no server":                     {add(config, `{"url":"http://127.0.0.1:9","key":"csk_x"}`), "unknown", "server, canary"},
		"a wrong key": {func(t *testing.T, p *patient) {
			add(config, fmt.Sprintf(`{"url":%q,"key":"csk_other"}`, p.server.URL))(t, p)
		}, "unknown", "key, canary"},
		"the hook waits longer than the agent": {func(t *testing.T, p *patient) {
			add(config, fmt.Sprintf(`{"url":%q,"key":%q,"wait_seconds":3600}`, p.server.URL, clienttest.Key))(t, p)
		}, "unknown", "wait"},
		"the clock is off": {func(_ *testing.T, p *patient) { p.Now = func() time.Time { return time.Now().Add(2 * time.Minute) } }, "unknown", "clock"},
		"a hook that says yes to all": {func(t *testing.T, p *patient) {
			_ = os.Remove(p.Machine.Executable)
			put(t, p.Machine.Executable, "#!/bin/sh\necho '{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}'\n", 0o700)
		}, "open", "canary denied, canary heard"},
		"a hook that says no to all, and a canary of before": {func(t *testing.T, p *patient) {
			c, err := client.New(client.Settings{URL: p.server.URL, Key: clienttest.Key})
			if err == nil {
				err = c.Canary(t.Context(), "before", "")
			}
			if err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(p.Machine.Executable)
			put(t, p.Machine.Executable, "#!/bin/sh\nexit 2\n", 0o700)
		}, "unknown", "canary heard"},
		"a hook that says no to all": {func(t *testing.T, p *patient) {
			_ = os.Remove(p.Machine.Executable)
			put(t, p.Machine.Executable, "#!/bin/sh\nexit 2\n", 0o700)
		}, "unknown", "canary heard"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPatient(t)
			c.harm(t, p)
			r := p.Examine(t.Context())
			if r.Gate != c.gate || failing(r) != c.failing {
				t.Errorf("%s, failing: %s; want %s, failing: %s\n%+v", r.Gate, failing(r), c.gate, c.failing, r.Checks)
			}
			for _, check := range r.Checks {
				if check.OK == (check.Fix != "") && check.Name != "program" {
					t.Errorf("%s is ok %v with the fix %q", check.Name, check.OK, check.Fix)
				}
			}
		})
	}
}

func TestDoctorLive(t *testing.T) {
	for how, want := range map[string]struct {
		gate, failing string
		canaries      int
	}{
		"obeys": {"closed", "", 2}, "ignores its hook": {"open", "live", 3}, "does not start": {"unknown", "live", 1},
	} {
		t.Run(how, func(t *testing.T) {
			p := newPatient(t)
			t.Setenv(be, how)
			p.Live = true
			if r := p.Examine(t.Context()); r.Gate != want.gate || failing(r) != want.failing {
				t.Errorf("%s, failing: %s\n%+v", r.Gate, failing(r), r.Checks)
			}
			if n := len(p.server.Canaries()); n != want.canaries { // the third one tells that it failed
				t.Errorf("the server heard of %d canaries, want %d", n, want.canaries)
			}
			left, _ := filepath.Glob(filepath.Join(p.Machine.Home, ".countersign-doctor-*"))
			if len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestDoctorUntried: what nobody tried is never called closed.
func TestDoctorUntried(t *testing.T) {
	for _, name := range []string{"opencode", "cursor", "copilot", "gemini"} {
		p := newPatient(t)
		p.Agent = agentNamed(t, name)
		p.Agent.managed = nil
		apply(t, p.Agent, p.Machine, false)
		r := p.Examine(t.Context())
		want := "unknown"
		if p.Agent.Untried == "" {
			want = "closed"
		}
		if r.Gate != want || strings.Contains(failing(r), "canary") {
			t.Errorf("%s: %s, failing: %s\n%+v", name, r.Gate, failing(r), r.Checks)
		}
	}
}

// pretendCodex is Codex' app-server: it trusts what it is told to, or doesn't, or sees no hooks.
func pretendCodex(how string) {
	trusted := how == "trusted already" || how == "off"
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var ask struct {
			ID     int
			Method string
		}
		if json.Unmarshal(in.Bytes(), &ask) != nil || ask.ID == 0 {
			continue
		}
		_ = out.Encode(map[string]any{"method": "a/notification"})
		var result any
		switch ask.Method {
		case "hooks/list":
			file := filepath.Join(os.Getenv("HOME"), ".codex/config.toml")
			b, _ := os.ReadFile(file)
			ours, _, _ := tomlHooks{}.hooks(b)
			hooks := []any{}
			for _, o := range ours {
				event := strings.ToLower(o.Event[:1]) + o.Event[1:]
				status := map[bool]string{true: "trusted", false: "untrusted"}[trusted]
				hooks = append(hooks, map[string]any{"key": file + ":" + snake(o.Event) + ":0:0", "eventName": event, "command": o.Command, "sourcePath": file, "currentHash": "sha256:1", "trustStatus": status, "enabled": how != "off"})
			}
			if how == "blind" {
				hooks = []any{}
			}
			result = map[string]any{"data": []any{map[string]any{"hooks": hooks}}}
		case "config/batchWrite":
			trusted = how == "trusts" && strings.Contains(in.Text(), `"hooks.state"`) && strings.Contains(in.Text(), "sha256:1")
		}
		_ = out.Encode(map[string]any{"id": ask.ID, "result": result})
	}
}

// TestCodexTrust: a hook that Codex does not trust would silently not be run, so it is an error,
// and nothing is written.
func TestCodexTrust(t *testing.T) {
	for how, trusts := range map[string]bool{"trusts": true, "trusted already": true, "lies": false, "blind": false, "off": false} {
		t.Run(how, func(t *testing.T) {
			p := newPatient(t)
			t.Setenv(be, how)
			a := agentNamed(t, "codex")
			path := a.File(p.Machine, "")
			put(t, path, "model = \"gpt-5.5\"\n", 0o640)
			c, err := a.Plan(p.Machine, path, false)
			if err != nil {
				t.Fatal(err)
			}
			_, err = a.Install(t.Context(), p.Machine, c, p.Program, "")
			entries, _ := os.ReadDir(filepath.Dir(path))
			if trusts && (err != nil || !strings.Contains(get(t, path), "PreToolUse")) {
				t.Errorf("%v: %s", err, get(t, path))
			}
			if !trusts && (err == nil || get(t, path) != "model = \"gpt-5.5\"\n" || len(entries) != 1) {
				t.Errorf("%v: %s %v", err, get(t, path), entries)
			}
			// The doctor asks Codex, too.
			apply(t, a, p.Machine, false)
			p.Agent = agentNamed(t, "codex")
			t.Setenv(be+"_VERSION", "0.171.0")
			p.Machine.LookPath = func(string) (string, error) { return p.Program, nil }
			r := p.Examine(t.Context())
			if (r.Gate == "closed") != (how == "trusted already") || !strings.Contains(failing(r)+", ", map[bool]string{true: "", false: "trust, "}[r.Gate == "closed"]) {
				t.Errorf("%s, failing: %s", r.Gate, failing(r))
			}
		})
	}
	t.Run("no codex", func(t *testing.T) {
		p := newPatient(t)
		a := agentNamed(t, "codex")
		p.Machine.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
		c, err := a.Plan(p.Machine, a.File(p.Machine, ""), false)
		if err != nil {
			t.Fatal(err)
		}
		next, err := a.Install(t.Context(), p.Machine, c, "", "")
		if err != nil || !strings.Contains(strings.Join(next, " "), "/hooks") {
			t.Errorf("%v %v", next, err)
		}
	})
}

// TestDoctorGeminiProject: a hook in the project's settings alone counts only if Gemini trusts the
// folder, which no settings say.
func TestDoctorGeminiProject(t *testing.T) {
	p := newPatient(t)
	p.Agent = agentNamed(t, "gemini")
	c, err := p.Agent.Plan(p.Machine, p.Agent.File(p.Machine, p.Folder), false)
	if err == nil {
		err = c.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Examine(t.Context()); r.Gate != "unknown" || failing(r) != "trust" {
		t.Errorf("%s, failing: %s", r.Gate, failing(r))
	}
}
