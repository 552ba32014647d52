//go:build agents

package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/install/mockmodel"
)

// TestPeopleAnswer: what a person decides reaches the model, of each agent.
func TestPeopleAnswer(t *testing.T) {
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			t.Run("a denial's reason reaches the model", func(t *testing.T) {
				h, l, key := labOf(t, c, 60, one((*lab).held))
				mei := h.operator(t)
				done := make(chan said, 1)
				go func() { done <- c.run(l) }()
				mei.decide(h.pending(t, key), "deny", "Not during the freeze, use a branch")
				<-done
				if l.ran() != 0 || !strings.Contains(l.result(0), "Not during the freeze, use a branch") {
					t.Errorf("ran %d times; the model read %q", l.ran(), l.model.Results())
				}
			})
			t.Run("an approved call runs", func(t *testing.T) {
				h, l, key := labOf(t, c, 60, one((*lab).held))
				mei := h.operator(t)
				done := make(chan said, 1)
				go func() { done <- c.run(l) }()
				a := h.pending(t, key)
				if l.ran() != 0 {
					t.Error("it ran while it was held")
				}
				mei.decide(a, "approve", "")
				<-done
				if l.ran() != 1 || h.spent(t, key) != 1 {
					t.Errorf("ran %d times, %d spent; the model read %q", l.ran(), h.spent(t, key), l.model.Results())
				}
			})
			t.Run("an edit runs in place of what was asked", func(t *testing.T) {
				h, l, key := labOf(t, c, 60, one((*lab).held))
				mei := h.operator(t)
				done := make(chan said, 1)
				go func() { done <- c.run(l) }()
				mei.edit(h.pending(t, key), "; git push origin main", "; echo edited by hand")
				<-done
				if l.ran() != 1 || !strings.Contains(l.result(0), "edited by hand") {
					t.Errorf("ran %d times; the model read %q", l.ran(), l.model.Results())
				}
			})
		})
	}
}

// TestCodexEdits: a patch inside the workspace is not held, and is reported.
func TestCodexEdits(t *testing.T) {
	h, l, key := labOf(t, codex, 10, func(*lab) func(mockmodel.Turn) []mockmodel.Call {
		return mockmodel.InOrder(mockmodel.Call{Tool: "apply_patch", Script: "*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch\n"})
	})
	said := codex.run(l)
	if b, err := os.ReadFile(filepath.Join(l.project, "a.txt")); err != nil || string(b) != "one\n" || h.spent(t, key) != 1 {
		t.Errorf("%q %v, %d spent; read %q; %.800s", b, err, h.spent(t, key), l.model.Results(), said.out)
	}
}

// TestCodexCodeMode: models that write a script get no shell; each call of the script is asked
// about all the same.
func TestCodexCodeMode(t *testing.T) {
	script := func(l *lab) func(mockmodel.Turn) []mockmodel.Call {
		return mockmodel.InOrder(mockmodel.Call{Tool: "exec", Script: `const r = await tools.exec_command({cmd: "echo x >> ` + l.marker + `"}); text(JSON.stringify(r));`})
	}
	t.Run("a harmless call runs", func(t *testing.T) {
		h, l, key := labOf(t, codex, 20, script)
		said := codex.run(l, "-m", "gpt-6.2-sol")
		if l.ran() != 1 || h.spent(t, key) != 1 {
			t.Errorf("ran %d times, %d spent; tools %v; read %q; %.800s", l.ran(), h.spent(t, key), l.model.Turns()[0].Tools, l.model.Results(), said.out)
		}
	})
	t.Run("a server that fails keeps it from running", func(t *testing.T) {
		h := open(t)
		l := newLab(t, script)
		setUp(t, h, l, codex, proxy(t, h, fault{instead: says(500, "text/plain", "x")}), 2)
		notRun(t, h, l, codex, "", "-m", "gpt-6.2-sol")
	})
}

// TestCodexUntrusted: a hook that was changed since is not run by Codex, so the doctor calls the
// gate open, and installing again closes it.
func TestCodexUntrusted(t *testing.T) {
	_, l, _ := labOf(t, codex, 2, one((*lab).held))
	if r := l.doctor("codex", codexProgram(t), "--live"); r.Gate != "closed" {
		t.Errorf("after installing: %+v", r)
	}
	path := filepath.Join(l.home, codex.file)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	state := strings.Index(string(b), "[hooks.state")
	l.write(path, string(b)[:state], 0o600)
	if r := l.doctor("codex", codexProgram(t), "--live"); r.Gate != "open" {
		t.Errorf("untrusted: %+v", r)
	}
	codex.run(l)
	if l.ran() != 1 {
		t.Errorf("an untrusted hook was run: this fact changed; read %q", l.model.Results())
	}
}

// TestCodexManaged: the administrator's file needs no trust, and the doctor knows it. It is
// written in a mount of our own.
func TestCodexManaged(t *testing.T) {
	_, l, _ := labOf(t, codex, 2, one((*lab).held))
	codex.prepare(l) // the user has no hook
	said := l.run(time.Minute, filepath.Join(l.bin(), "countersign"), "hook", "install", "codex", "--managed", "--print")
	_, text, ok := strings.Cut(said.out, "machine:\n")
	if !ok || said.code != 0 {
		t.Fatalf("exit %d: %s", said.code, said.out)
	}
	l.etc("codex", "requirements.toml", text)
	codex.run(l)
	if l.ran() != 0 || len(l.model.Results()) == 0 {
		t.Errorf("ran %d times; read %q", l.ran(), l.model.Results())
	}
	if r := l.doctor("codex", codexProgram(t), "--live"); r.Gate != "closed" {
		t.Errorf("%+v", r)
	}
}

// TestClaudeManaged: with the administrator's file, no switch of the user takes the hook out.
func TestClaudeManaged(t *testing.T) {
	for name, args := range map[string][]string{
		"nothing": nil, "--setting-sources": {"--setting-sources", "project"}, "a flag": {"--settings", `{"disableAllHooks":true}`}, "--bare": {"--bare"},
	} {
		t.Run(name, func(t *testing.T) {
			_, l, _ := labOf(t, claude, 2, one((*lab).held))
			l.write(claude.file, `{"disableAllHooks": true}`, 0o600)
			said := l.run(time.Minute, filepath.Join(l.bin(), "countersign"), "hook", "install", "claude-code", "--managed")
			_, text, ok := strings.Cut(said.out, "machine:\n")
			if !ok || said.code != 0 {
				t.Fatalf("exit %d: %s", said.code, said.out)
			}
			l.etc("claude-code", "managed-settings.json", text)
			claude.run(l, args...)
			if l.ran() != 0 || len(l.model.Results()) == 0 {
				t.Errorf("ran %d times; read %q", l.ran(), l.model.Results())
			}
			if r := l.doctor("claude-code", claudeProgram(t), "--live"); r.Gate != "closed" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestGeminiEdits: files inside the workspace are written without a person.
func TestGeminiEdits(t *testing.T) {
	h, l, key := labOf(t, gemini, 10, func(l *lab) func(mockmodel.Turn) []mockmodel.Call {
		return mockmodel.InOrder(mockmodel.Call{Tool: "write_file", Input: map[string]any{"file_path": filepath.Join(l.project, "a.txt"), "content": "one\n"}})
	})
	said := gemini.run(l)
	if b, err := os.ReadFile(filepath.Join(l.project, "a.txt")); err != nil || string(b) != "one\n" || h.spent(t, key) != 1 {
		t.Errorf("%q %v, %d spent; read %q; %.800s", b, err, h.spent(t, key), l.model.Results(), said.out)
	}
	if r := l.doctor("gemini", geminiLauncher(l), "--live"); r.Gate != "closed" {
		t.Errorf("%+v", r)
	}
}

// geminiLauncher is the program that npm would put on the PATH.
func geminiLauncher(l *lab) string {
	return l.write(filepath.Join(l.bin(), "gemini"), "#!/bin/sh\nexec node '"+geminiProgram(l.t)+"' \"$@\"\n", 0o755)
}
