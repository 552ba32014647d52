//go:build agents

package agents

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/install/mockmodel"
)

// held is a call that a person is asked about; its effect is the same line in the file.
func (l *lab) held() mockmodel.Call {
	return mockmodel.Call{Command: "echo x >> " + l.marker + "; git push origin main"}
}

// labOf is an agent whose model plays a script, in a real house.
func labOf(t *testing.T, c coding, wait int, script func(l *lab) func(mockmodel.Turn) []mockmodel.Call) (*house, *lab, string) {
	t.Helper()
	h := open(t)
	l := newLab(t, script)
	return h, l, setUp(t, h, l, c, straight(h), wait)
}

func claudeLab(t *testing.T, wait int, script func(l *lab) func(mockmodel.Turn) []mockmodel.Call) (*house, *lab, string) {
	t.Helper()
	return labOf(t, claude, wait, script)
}

func one(call func(l *lab) mockmodel.Call) func(l *lab) func(mockmodel.Turn) []mockmodel.Call {
	return func(l *lab) func(mockmodel.Turn) []mockmodel.Call { return mockmodel.InOrder(call(l)) }
}

// result is the i-th thing that the agent told the model about its calls.
func (l *lab) result(i int) string {
	if all := l.model.Results(); i < len(all) {
		return all[i]
	}
	return ""
}

// TestClaudeWhateverTheFlags: what a user allows does not open the gate.
func TestClaudeWhateverTheFlags(t *testing.T) {
	for name, args := range map[string][]string{
		"skip permissions":           {"--dangerously-skip-permissions"},
		"bypass permissions":         {"--permission-mode", "bypassPermissions"},
		"other settings":             {"--settings", `{"permissions":{"allow":["Bash"]},"hooks":{}}`},
		"settings with another hook": {"--settings", `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"true"}]}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			hung := proxy(t, h, fault{instead: says(500, "text/plain", "x")})
			l, key := ready(t, h, claude, func(*house) string { return hung }, 2)
			notRun(t, h, l, claude, key, args...)
		})
	}
}

// TestClaudeOwnTimeOut: Claude Code ends the hook itself, and does not run the call.
func TestClaudeOwnTimeOut(t *testing.T) {
	h := open(t)
	hung := proxy(t, h, fault{instead: later(time.Hour)})
	l, key := ready(t, h, claude, func(*house) string { return hung }, 60)
	l.impatient()
	notRun(t, h, l, claude, key)
}

// impatient has Claude Code end the hook after two seconds.
func (l *lab) impatient() {
	l.t.Helper()
	path := filepath.Join(l.home, claude.file)
	b, err := os.ReadFile(path)
	if err != nil {
		l.t.Fatal(err)
	}
	l.write(path, strings.ReplaceAll(string(b), "3600", "2"), 0o600)
}

// TestClaudeSubagent: what a subagent does is asked about, too, and the server knows who asked.
func TestClaudeSubagent(t *testing.T) {
	script := func(l *lab) func(mockmodel.Turn) []mockmodel.Call {
		return func(turn mockmodel.Turn) []mockmodel.Call {
			if strings.Contains(turn.Prompt, "the subtask") {
				return mockmodel.InOrder(l.held())(turn)
			}
			tool := "Agent"
			for _, offered := range turn.Tools {
				if offered == "Task" {
					tool = offered
				}
			}
			return mockmodel.InOrder(mockmodel.Call{Tool: tool, Input: map[string]any{"description": "a subtask", "prompt": "the subtask", "subagent_type": "general-purpose"}})(turn)
		}
	}
	h, l, key := claudeLab(t, 60, script)
	mei := h.operator(t)
	done := make(chan said, 1)
	go func() { done <- claude.run(l) }()
	a := h.pending(t, key)
	if l.ran() != 0 {
		t.Error("it ran while it was held")
	}
	mei.decide(a, "deny", "not from a subagent")
	said := <-done
	if l.ran() != 0 {
		t.Errorf("it ran: %.500s", said.out)
	}
	if n := len(h.approvals(t, key)); n < 2 {
		t.Errorf("%d approvals: was the subagent itself asked about?", n)
	}
}

// TestClaudeUsable: the gate is not in the way of what is harmless, and a server that is away costs
// nothing.
func TestClaudeUsable(t *testing.T) {
	t.Run("edits inside the workspace are not held", func(t *testing.T) {
		var file string
		h, l, key := claudeLab(t, 10, func(l *lab) func(mockmodel.Turn) []mockmodel.Call {
			file = filepath.Join(l.project, "a.txt")
			return mockmodel.InOrder(
				mockmodel.Call{Tool: "Write", Input: map[string]any{"file_path": file, "content": "one\n"}},
				mockmodel.Call{Tool: "Edit", Input: map[string]any{"file_path": file, "old_string": "one", "new_string": "two"}},
				mockmodel.Call{Tool: "Read", Input: map[string]any{"file_path": file}},
				mockmodel.Call{Command: "cd " + l.project + " && ls -la && wc -l a.txt"},
			)
		})
		said := claude.run(l)
		b, _ := os.ReadFile(file)
		if string(b) != "two\n" || len(l.model.Results()) != 4 || h.spent(t, key) != 4 {
			t.Errorf("file %q, results %q, %d spent; %.500s", b, l.model.Results(), h.spent(t, key), said.out)
		}
		for _, a := range h.approvals(t, key) {
			if a.Execution == nil || a.Execution.State != "reported" || a.Execution.Status != "succeeded" {
				t.Errorf("%s was not reported: %+v", a.Function, a.Execution)
			}
		}
	})
	t.Run("a server killed while a call is held costs nothing", func(t *testing.T) {
		h, l, key := claudeLab(t, 90, one((*lab).held))
		done := make(chan said, 1)
		go func() { done <- claude.run(l) }()
		a := h.pending(t, key)
		h.kill()
		if err := h.start(); err != nil {
			t.Fatal(err)
		}
		if l.ran() != 0 {
			t.Error("it ran while the server was away")
		}
		h.operator(t).decide(a, "approve", "")
		<-done
		if l.ran() != 1 || h.spent(t, key) != 1 || len(h.approvals(t, key)) != 1 {
			t.Errorf("ran %d times, %d spent of %d; the model read %q", l.ran(), h.spent(t, key), len(h.approvals(t, key)), l.model.Results())
		}
	})
	t.Run("the server restarts before the call", func(t *testing.T) {
		h, l, key := claudeLab(t, 60, one((*lab).touch))
		h.kill()
		done := make(chan said, 1)
		go func() { done <- claude.run(l) }()
		for range until(t, 30*time.Second, "no hook ran") {
			if len(l.hookPIDs()) > 0 {
				break
			}
		}
		if err := h.start(); err != nil {
			t.Fatal(err)
		}
		<-done
		if l.ran() != 1 || h.spent(t, key) != 1 {
			t.Errorf("ran %d times, %d spent; the model read %q", l.ran(), h.spent(t, key), l.model.Results())
		}
	})
}

// TestClaudeLeaves: nobody is asked for an agent that is gone, and nothing is spent for it.
func TestClaudeLeaves(t *testing.T) {
	h, l, key := claudeLab(t, 120, one((*lab).held))
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cmd, _ := l.start(ctx, claudeProgram(t), "-p", "do it", "--allowedTools", "Bash")
	h.pending(t, key)
	if err := syscall.Kill(cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for range until(t, 20*time.Second, "the request still waits, for nobody") {
		if h.approvals(t, key)[0].Status != "pending" {
			break
		}
	}
	for range until(t, 20*time.Second, "the hook outlives its agent") {
		if len(l.hookPIDs()) == 0 {
			break
		}
	}
	if l.ran() != 0 || h.spent(t, key) != 0 {
		t.Errorf("ran %d times, %d spent", l.ran(), h.spent(t, key))
	}
}

// TestClaudeRetry: a yes that came after the agent and its hook were killed serves the identical
// call once, when the session goes on. (Where only the agent is gone, the hook takes the request
// back: TestClaudeLeaves.)
func TestClaudeRetry(t *testing.T) {
	h, l, key := claudeLab(t, 120, one((*lab).held))
	const session = "11111111-2222-4333-8444-555555555555"
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cmd, _ := l.start(ctx, claudeProgram(t), "-p", "do it", "--allowedTools", "Bash", "--session-id", session)
	a := h.pending(t, key)
	killMarked(l.mark)
	_ = cmd.Wait()
	h.operator(t).decide(a, "approve", "")
	if l.ran() != 0 || h.spent(t, key) != 0 {
		t.Fatalf("ran %d times, %d spent", l.ran(), h.spent(t, key))
	}
	l.configure(straight(h), key, 4) // the second retry asks anew, and nobody answers
	for retry := range 2 {
		asked := false
		again, err := mockmodel.Start(func(mockmodel.Turn) []mockmodel.Call {
			if asked {
				return nil
			}
			asked = true
			return []mockmodel.Call{l.held()}
		})
		if err != nil {
			t.Fatal(err)
		}
		l.env = append(l.env, "ANTHROPIC_BASE_URL="+again.URL)
		said := claude.run(l, "--resume", session)
		again.Close()
		if !asked || l.ran() != 1 || h.spent(t, key) != 1 {
			t.Errorf("retry %d: ran %d times, %d spent; %.500s; read %q", retry+1, l.ran(), h.spent(t, key), said.out, again.Results())
		}
	}
}

// TestClaudeSwitches: what else takes the hook out of Claude Code, and what the doctor says then.
// The call is one that a person would be asked about, so it runs only where the hook is out.
func TestClaudeSwitches(t *testing.T) {
	const yes = `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}'"}]}]}}`
	for name, c := range map[string]struct {
		file, text string   // put in front of the user's members, or into a file of the project
		args       []string // of Claude Code alone
		runs       bool
		gate       string // what the doctor says; it can't see flags
		live       bool   // only the live run shows it
	}{
		"nothing":                                   {gate: "closed", live: true},
		"disableAllHooks of the user":               {text: `"disableAllHooks": true, `, runs: true, gate: "open"},
		"disableAllHooks of the project":            {file: "settings.json", text: `{"disableAllHooks": true}`, runs: true, gate: "open"},
		"disableAllHooks of the local settings":     {file: "settings.local.json", text: `{"disableAllHooks": true}`, runs: true, gate: "open"},
		"a comment in the file":                     {text: "// c\n", runs: true, gate: "open"},
		"a wrong entry in the project's file":       {file: "settings.json", text: `{"hooks": {"Stop": [{"matcher": 5}]}}`, gate: "open"},
		"a member of a wrong type":                  {text: `"model": 7, `, runs: true, gate: "open", live: true},
		"an empty list of hooks in the project":     {file: "settings.json", text: `{"hooks": {"PreToolUse": []}}`, gate: "closed"},
		"another hook of the project that says yes": {file: "settings.json", text: yes, gate: "unknown"},
		"a flag that disables all hooks":            {args: []string{"--settings", `{"disableAllHooks":true}`}, runs: true},
		"--bare":                                    {args: []string{"--bare"}, runs: true},
		"--setting-sources without the user":        {args: []string{"--setting-sources", "project"}, runs: true},
	} {
		t.Run(name, func(t *testing.T) {
			_, l, _ := claudeLab(t, 2, one((*lab).held))
			if c.file != "" {
				l.write(filepath.Join(l.project, ".claude", c.file), c.text, 0o600)
			} else if c.text != "" {
				path := filepath.Join(l.home, claude.file)
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				l.write(path, strings.Replace(string(b), "{", "{"+c.text, 1), 0o600)
			}
			claude.run(l, c.args...)
			if (l.ran() == 1) != c.runs {
				t.Errorf("ran %d times, want that it runs: %v; this fact changed; the model read %q", l.ran(), c.runs, l.model.Results())
			}
			if c.gate == "" {
				return
			}
			var more []string
			if c.live {
				more = []string{"--live"}
			}
			if r := l.doctor("claude-code", claudeProgram(t), more...); r.Gate != c.gate {
				t.Errorf("the doctor calls it %s, want %s: %+v", r.Gate, c.gate, r.Checks)
			}
		})
	}
}

// report is what the doctor says.
type report struct {
	Agent, Version, Gate string
	Checks               []struct {
		Name, Detail, Fix string
		OK                bool
	}
}

// doctor runs the doctor as a person would, in the project.
func (l *lab) doctor(agent, program string, more ...string) (r report) {
	l.t.Helper()
	said := l.run(3*time.Minute, filepath.Join(l.bin(), "countersign"), append([]string{"hook", "doctor", agent, "--json", "--program", program}, more...)...)
	line := said.out[strings.Index(said.out, "{"):]
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		l.t.Fatalf("%v: %s", err, said.out)
	}
	if (said.code == 0) != (r.Gate == "closed") || said.code > 1 {
		l.t.Errorf("exit %d with a gate that is %s", said.code, r.Gate)
	}
	return r
}
