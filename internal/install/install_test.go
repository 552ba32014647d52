package install

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

// machine is one with an empty home, and a program with a blank and quotes in its path.
func machine(t *testing.T) Machine {
	t.Helper()
	dir := t.TempDir()
	return Machine{
		OS: "linux", Home: dir, Getenv: func(string) string { return "" },
		Executable: "/opt/it's \"here\" (x86)/countersign", LookPath: func(string) (string, error) { return "", exec.ErrNotFound },
	}
}

func agentNamed(t rapid.TB, name string) *Agent {
	a, err := AgentNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func sample(t *testing.T, name string) string {
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// put writes the settings of an agent, and apply carries a plan out.
func put(t rapid.TB, path, text string, mode fs.FileMode) {
	// A process that starts meanwhile would hold the file open for writing, and it couldn't be run.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func apply(t rapid.TB, a *Agent, m Machine, undo bool) Change {
	c, err := a.Plan(m, a.File(m, ""), undo)
	if err == nil {
		err = c.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wrong counts what is not as installed.
func wrong(ours []entry) (n int) {
	for _, o := range ours {
		n += len(o.Wrong)
	}
	return n
}

func get(t rapid.TB, path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// kept says whether every byte of the old text is in the new one, in order.
func kept(old, text string) bool {
	at := 0
	for i := 0; i < len(text) && at < len(old); i++ {
		if text[i] == old[at] {
			at++
		}
	}
	return at == len(old)
}

// settings are files of real shape, each with the agent that reads it.
func settings(t *testing.T) map[string]struct{ agent, text string } {
	large, comments, codex := sample(t, "claude-large.json"), sample(t, "gemini-comments.json"), sample(t, "codex.toml")
	all := map[string]struct{ agent, text string }{
		"large": {"claude-code", large}, "comments": {"gemini", comments}, "codex": {"codex", codex},
		"codex without an end of line": {"codex", `model = "gpt-5.5"`},
		"codex empty":                  {"codex", ""},
		"codex with hooks as a table":  {"codex", "[hooks]\n\n[[hooks.Stop]]\nhooks = [{type = \"command\", command = \"x\"}]\n"},
		"cursor":                       {"cursor", `{"version": 1, "hooks": {"stop": [{"command": "x"}]}}`},
	}
	for name, text := range map[string]string{
		"empty": "", "blank": " \n", "no members": "{}", "one line": `{"a":1,"b":[ 2 ]}`, "one line, blanks": "{ \"a\" : 1 }\n",
		"tabs": "{\n\t\"a\": 1\n}\n", "no end": "{\n  \"a\": 1\n}", "deep indent": "{\n        \"a\": 1\n}\n",
		"empty hooks": "{\n  \"hooks\": {}\n}\n", "empty list": "{\n  \"hooks\": { \"PreToolUse\": [] },\n  \"a\": 1\n}\n",
		"name with escapes": "{\n  \"\\u0061 \\\"b\\\"\": {}\n}\n", "big number": "{\"n\": 12345678901234567890.10}\n",
	} {
		all[name] = struct{ agent, text string }{"claude-code", text}
	}
	for name, c := range maps.Clone(all) {
		if strings.TrimSpace(c.text) != "" {
			all[name+", CRLF"] = struct{ agent, text string }{c.agent, strings.ReplaceAll(c.text, "\n", "\r\n")}
		}
		if c.text != "" && c.agent != "codex" {
			all[name+", BOM"] = struct{ agent, text string }{c.agent, "\xef\xbb\xbf" + c.text}
		}
	}
	return all
}

func TestInstallKeepsTheRest(t *testing.T) {
	t.Parallel()
	for name, c := range settings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, a := machine(t), agentNamed(t, c.agent)
			path := a.File(m, "")
			put(t, path, c.text, 0o640)
			apply(t, a, m, false)
			text := get(t, path)
			if !kept(c.text, text) && strings.TrimSpace(c.text) != "" {
				t.Errorf("not every byte is kept:\n%s", text)
			}
			if strings.Contains(c.text, "\r\n") && strings.Count(text, "\n") != strings.Count(text, "\r\n") {
				t.Errorf("line ends are mixed: %q", text)
			}
			ours, _, err := a.format.hooks([]byte(text))
			if err != nil || len(ours) < 2 || ours[0].Event != a.before || ours[1].Event != a.after || wrong(ours) > 0 {
				t.Errorf("hooks: %+v, %v", ours, err)
			}
			if got := get(t, backupOf(path)); got != c.text {
				t.Errorf("backup: %q", got)
			}
			for _, p := range []string{path, backupOf(path)} {
				if info, err := os.Stat(p); err != nil || info.Mode().Perm() != 0o640 {
					t.Errorf("%s: %v %v", p, info.Mode(), err)
				}
			}

			if again := apply(t, a, m, false); again.Changed() || get(t, path) != text {
				t.Errorf("twice is not once:\n%s", again.Diff())
			}
			if got := get(t, backupOf(path)); got != c.text {
				t.Errorf("the second run wrote over the backup: %q", got)
			}

			moved := m
			moved.Executable = "/usr/local/bin/countersign"
			apply(t, a, moved, false)
			if ours, _, _ := a.format.hooks([]byte(get(t, path))); len(ours) < 2 || strings.Contains(get(t, path), "opt") {
				t.Errorf("the program moved: %+v", ours)
			}
			if got := get(t, backupOf(path)); got != c.text {
				t.Errorf("a run over an older installation wrote over the backup: %q", got)
			}

			apply(t, a, moved, true)
			if got := get(t, path); got != c.text {
				t.Errorf("undo gives %q, want %q", got, c.text)
			}
			if _, err := os.Stat(backupOf(path)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the backup stays after the file is as it was: %v", err)
			}
		})
	}
}

// TestUndoAfterAChange takes only our entries out of a file that changed since.
func TestUndoAfterAChange(t *testing.T) {
	t.Parallel()
	for name, c := range settings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, a := machine(t), agentNamed(t, c.agent)
			path := a.File(m, "")
			if c.text != "" {
				put(t, path, c.text, 0o600)
			}
			apply(t, a, m, false)
			change := func(text string) string {
				if a.Name == "codex" {
					return strings.TrimRight(text, "\r\n") + "\n\n[later]\nx = 1\n"
				}
				bom := strings.HasPrefix(text, "\xef\xbb\xbf")
				text = strings.TrimPrefix(text, "\xef\xbb\xbf")
				if strings.TrimSpace(text) == "" {
					text = "{}"
				}
				at := strings.IndexByte(text, '{') + 1
				comma := ","
				if strings.TrimSpace(text[at:]) == "}" {
					comma = ""
				}
				text = text[:at] + `"later":[1]` + comma + text[at:]
				if bom {
					text = "\xef\xbb\xbf" + text
				}
				return text
			}
			put(t, path, change(get(t, path)), 0o600)
			apply(t, a, m, true)
			got, want := get(t, path), change(c.text)
			if same(t, a, got) != same(t, a, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if ours, _, err := a.format.hooks([]byte(got)); err != nil || len(ours) > 0 {
				t.Errorf("left: %+v %v", ours, err)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ agent, text, says string }{
		"not JSON":              {"claude-code", `{"a":`, "not JSON"},
		"a list":                {"claude-code", `[]`, "not a JSON object"},
		"comments":              {"claude-code", "{\n// c\n}", "loads nothing of the file"},
		"a comma at the end":    {"claude-code", `{"a":1,}`, "loads nothing of the file"},
		"hooks twice":           {"claude-code", `{"hooks":{},"hooks":{}}`, "twice"},
		"hooks are a list":      {"claude-code", `{"hooks":[]}`, "not an object"},
		"an event is an object": {"claude-code", `{"hooks":{"PreToolUse":{}}}`, "not a list"},
		"a wrong entry beside":  {"claude-code", `{"hooks":{"Stop":[{"matcher":5}]}}`, "none of them"},
		"not TOML":              {"codex", "a = \n", "line 1, column"},
		"hooks in one line":     {"codex", "hooks = {PreToolUse = []}\n", "[[hooks.PreToolUse]] blocks"},
		"gemini, comma":         {"gemini", "{\n\"a\": [1,], // c\n}", "comma at the end"},
		"gemini, not JSON":      {"gemini", "{\"a\" 1}", "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, a := machine(t), agentNamed(t, c.agent)
			path := a.File(m, "")
			put(t, path, c.text, 0o600)
			_, err := a.Plan(m, path, false)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("says %v", err)
			}
			entries, _ := os.ReadDir(filepath.Dir(path))
			if get(t, path) != c.text || len(entries) != 1 {
				t.Errorf("something was written: %v", entries)
			}
		})
	}
}

func TestFilesStayWhatTheyAre(t *testing.T) {
	t.Parallel()
	m, a := machine(t), agentNamed(t, "claude-code")
	path, real := a.File(m, ""), filepath.Join(m.Home, "dotfiles", "claude.json")
	put(t, real, "{}\n", 0o600)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(real, path)); err != nil {
		t.Fatal(err)
	}
	apply(t, a, m, false)
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	if !strings.Contains(get(t, real), "PreToolUse") || get(t, backupOf(path)) != "{}\n" {
		t.Error("the file behind the link was not changed, or no backup stands beside the link")
	}

	// Somebody else writes between plan and apply.
	c, err := a.Plan(m, path, true)
	if err != nil {
		t.Fatal(err)
	}
	put(t, real, `{"theirs":1}`, 0o600)
	if err := c.Apply(); err == nil || get(t, real) != `{"theirs":1}` {
		t.Errorf("written over somebody else's change: %v", err)
	}

	// A link to nothing, and a folder, are refused.
	if err := errors.Join(os.Remove(real)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Plan(m, path, false); err == nil {
		t.Error("a link to nothing was taken for a new file")
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Plan(m, path, false); err == nil {
		t.Error("a folder was taken for a file")
	}
}

func TestNewFile(t *testing.T) {
	t.Parallel()
	for _, a := range Agents {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			m := machine(t)
			c := apply(t, a, m, false)
			path := a.File(m, "")
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || c.Backup() != "" {
				t.Errorf("%v %v, backup %q", info, err, c.Backup())
			}
			if apply(t, a, m, false).Changed() {
				t.Error("twice is not once")
			}
			apply(t, a, m, true)
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("undo leaves a file that was not there: %s", get(t, path))
			}
			if apply(t, a, m, true).Changed() {
				t.Error("undo twice changes something")
			}
		})
	}
}

// TestHookBesideAnothers keeps a hook that somebody put into our own group.
func TestHookBesideAnothers(t *testing.T) {
	t.Parallel()
	m, a := machine(t), agentNamed(t, "claude-code")
	path := a.File(m, "")
	apply(t, a, m, false)
	put(t, path, strings.Replace(get(t, path), `"hooks": [`+"\n", `"hooks": [ {"type":"command","command":"theirs"},`+"\n", 1), 0o600)
	c := apply(t, a, m, false)
	ours, others, err := a.format.hooks([]byte(get(t, path)))
	if err != nil || !c.Changed() || len(ours) != 3 || len(others) != 1 || wrong(ours) > 0 {
		t.Errorf("%+v %+v %v", ours, others, err)
	}
	apply(t, a, m, true)
	if text := get(t, path); !strings.Contains(text, "theirs") || strings.Contains(text, "Countersign") {
		t.Errorf("after undo: %s", text)
	}
}

// TestWrapper runs the command line as agents do, with programs that fail in every way.
func TestWrapper(t *testing.T) {
	t.Parallel()
	a := agentNamed(t, "claude-code")
	for _, shell := range []string{"sh", "bash", "zsh"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		for name, c := range map[string]struct {
			program string
			mode    fs.FileMode
			small   bool
			code    int
			out     string
		}{
			"decides":        {"#!/bin/sh\ncat; echo \" $*\"\n", 0o755, false, 0, "event hook claude-code\n"},
			"small":          {"#!/bin/sh\ncat; echo \" $*\"\n", 0o755, true, 0, "event claude-code\n"},
			"exits with 1":   {"#!/bin/sh\nexit 1\n", 0o755, false, 2, ""},
			"exits with 2":   {"#!/bin/sh\necho no >&2; exit 2\n", 0o755, false, 2, ""},
			"is killed":      {"#!/bin/sh\nkill -9 $$\n", 0o755, false, 2, ""},
			"is empty":       {"", 0o755, false, 2, ""},
			"is zeros":       {strings.Repeat("\x00", 4096), 0o755, false, 2, ""},
			"is cut off":     {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 500), 0o755, false, 2, ""},
			"may not be run": {"#!/bin/sh\nexit 0\n", 0o644, false, 2, ""},
			"is gone":        {"", 0, false, 2, ""},
		} {
			t.Run(shell+" "+name, func(t *testing.T) {
				t.Parallel()
				m := machine(t)
				dir := filepath.Join(m.Home, `it's "my" $HOME (dir) \ & ;`)
				m.Executable = filepath.Join(dir, "countersign")
				path := m.Executable
				if c.small {
					path += "-hook"
				}
				if c.mode != 0 {
					put(t, path, c.program, c.mode)
				}
				command, err := a.Command(m)
				if err != nil {
					t.Fatal(err)
				}
				if programOf(command) != path {
					t.Errorf("the program of %s is %q", command, programOf(command))
				}
				var out, errs bytes.Buffer
				cmd := exec.Command(shell, "-c", command)
				cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("event"), &out, &errs
				_ = cmd.Run()
				if cmd.ProcessState.ExitCode() != c.code || out.String() != c.out {
					t.Errorf("exit %d, stdout %q, stderr %q", cmd.ProcessState.ExitCode(), out.String(), errs.String())
				}
				if c.code == 2 && !strings.Contains(errs.String(), noAnswer) { // Codex needs a reason
					t.Errorf("stderr %q", errs.String())
				}
			})
		}
	}
}

func TestCommandRefuses(t *testing.T) {
	t.Parallel()
	for path, agent := range map[string]string{
		"/tmp/go-build123/b001/exe/server": "claude-code", "relative/countersign": "claude-code", "/a\nb/countersign": "codex", "/a$HOME/countersign": "gemini",
	} {
		m := machine(t)
		m.Executable = path
		if c, err := agentNamed(t, agent).Command(m); err == nil {
			t.Errorf("%q gives %s", path, c)
		}
	}
	m := machine(t)
	m.OS, m.Executable = "windows", `/C:\Program Files\Countersign\countersign.exe`
	if c, err := agentNamed(t, "claude-code").Command(m); err != nil || !strings.Contains(c, `exec '/C:/Program Files/Countersign/countersign.exe' hook claude-code`) {
		t.Errorf("%s %v", c, err)
	}
}

func TestManaged(t *testing.T) {
	t.Parallel()
	m := machine(t)
	path, text, err := agentNamed(t, "claude-code").Managed(m)
	if err != nil || path != "/etc/claude-code/managed-settings.json" || !strings.Contains(text, `"allowManagedHooksOnly": true`) {
		t.Errorf("%s %s %v", path, text, err)
	}
	path, text, err = agentNamed(t, "codex").Managed(m)
	if err != nil || path != "/etc/codex/requirements.toml" || !strings.HasPrefix(text, "allow_managed_hooks_only = true\n") {
		t.Errorf("%s %s %v", path, text, err)
	}
	for _, a := range Agents {
		if a.managed == nil {
			if _, _, err := a.Managed(m); !IsUsage(err) {
				t.Errorf("%s: %v", a.Name, err)
			}
			continue
		}
		_, text, err := a.Managed(m)
		if err != nil {
			t.Fatal(err)
		}
		if ours, _, err := a.format.hooks([]byte(text)); err != nil || len(ours) < 2 || wrong(ours) > 0 {
			t.Errorf("%s: %+v %v", a.Name, ours, err)
		}
	}
}
