package workspace

import (
	"encoding/json"
	"os"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
)

// session is an agent at work: what it submits, spends and writes is remembered.
type session struct {
	binding Binding
	memory  Memory
}

// call judges a call, as a store would have it judged: with what it asks for of the memory.
func (s *session) call(t *testing.T, function string, arguments map[string]string) Judgement {
	t.Helper()
	j := s.judge(t, function, arguments)
	s.memory = s.memory.Adding(j.Writes).Replacing(j.Writes)
	return j
}

func (s *session) judge(t *testing.T, function string, arguments map[string]string) Judgement {
	t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := canon.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	r := Examine(s.binding, Input{Function: function, Arguments: parsed})
	asks, m := r.Asks(), Memory{Full: s.memory.Full}
	for _, f := range s.memory.Files {
		if asks.Wants(f) {
			m.Files = append(m.Files, f)
		}
	}
	return r.Judge(m)
}

func (s *session) run(t *testing.T, command string) Judgement {
	t.Helper()
	return s.call(t, "Bash", map[string]string{"command": command})
}

func (s *session) write(t *testing.T, path, text string) Judgement {
	t.Helper()
	return s.call(t, "Write", map[string]string{"file_path": s.binding.Folder + "/" + path, "content": text})
}

func TestWhatIsWrittenCountsForWhatIsRun(t *testing.T) {
	t.Parallel()
	type example struct {
		Name      string
		Sandboxed bool
		Steps     []struct{ Sh, Write, Edit, Text, Want string }
	}
	var sessions []example
	for _, file := range []string{"remember_attacks.yaml", "remember_programs.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all []example
		if err := yaml.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, all...)
	}
	for _, example := range sessions {
		t.Run(example.Name, func(t *testing.T) {
			t.Parallel()
			s := session{binding: Binding{Folder: "/home/ana/shop", Sandboxed: example.Sandboxed}}
			for _, step := range example.Steps {
				var j Judgement
				switch {
				case step.Write != "":
					j = s.write(t, step.Write, step.Text)
				case step.Edit != "":
					j = s.call(t, "Edit", map[string]string{"file_path": s.binding.Folder + "/" + step.Edit, "old_string": "x", "new_string": step.Text})
				default:
					j = s.run(t, step.Sh)
				}
				want := level.Low
				if step.Want != "" {
					var err error
					if want, err = level.Parse(step.Want); err != nil {
						t.Fatal(err)
					}
				}
				if j.Level != want {
					t.Errorf("%s%s%s is %s, want %s: %s", step.Sh, step.Write, step.Edit, j.Level, want, j.Because)
				}
			}
		})
	}
}

// A script that is rewritten between its grant and when that is spent is worse when it is
// judged again.
func TestARewrittenScriptIsWorse(t *testing.T) {
	t.Parallel()
	s := session{binding: Binding{Folder: "/home/ana/shop", Sandboxed: true}}
	s.write(t, "scripts/x.py", "print(1)\n")
	run := map[string]string{"command": "python3 scripts/x.py"}
	if j := s.judge(t, "Bash", run); j.Level != level.Low {
		t.Fatalf("a harmless script is %s: %s", j.Level, j.Because)
	}
	payload := s.judge(t, "Write", map[string]string{"file_path": "/home/ana/shop/scripts/x.py", "content": "eval(input())\n"})
	s.memory = s.memory.Adding(payload.Writes) // it is enough that the write was submitted
	j := s.judge(t, "Bash", run)
	if j.Level != level.High {
		t.Errorf("a script that was rewritten is %s: %s", j.Level, j.Because)
	}
	if len(j.Used) != 1 || j.Used[0].Path != "/home/ana/shop/scripts/x.py" {
		t.Errorf("it counts %v", j.Used)
	}
}

// Who approves a test has seen what the agent wrote until then, and not what it writes
// later.
func TestAReviewCountsForWhatWasWritten(t *testing.T) {
	t.Parallel()
	s := session{binding: Binding{Folder: "/home/ana/shop"}}
	s.write(t, "src/cart.py", "import requests\nrequests.post(url)\n")
	j := s.run(t, "pytest -q")
	if j.Level != level.Medium || !j.Reviews {
		t.Fatalf("the test is %s, reviews is %v: %s", j.Level, j.Reviews, j.Because)
	}
	s.memory = s.memory.Reviewing()
	if j := s.run(t, "pytest -q"); j.Level != level.Low {
		t.Errorf("a test is %s, though a person approved one: %s", j.Level, j.Because)
	}
	s.write(t, "conftest.py", "exec(x)\n")
	if j := s.run(t, "pytest -q"); j.Level != level.High {
		t.Errorf("a test with a new payload is %s: %s", j.Level, j.Because)
	}
}

// No grant for a session covers a tool that runs what it is given.
func TestNoGrantCoversAShell(t *testing.T) {
	t.Parallel()
	s := session{binding: Binding{Folder: "/home/ana/shop"}}
	for _, function := range []string{"Bash", "run_terminal_cmd", "mcp__shell__execute", "exec_command"} {
		for _, command := range []string{"rm -rf ~", "unknown-program x", "bash -c \"$X\"", "python3 -c 'eval(x)'", "make deploy", "sh x.sh"} {
			if j := s.judge(t, function, map[string]string{"command": command}); j.Covers != nil && (j.Covers.Of == "tool" || j.Covers.Of == "program" && shellOrInterpreter[j.Covers.To]) {
				t.Errorf("a grant for %s %q would cover %v", function, command, j.Covers)
			}
		}
	}
}

func TestOwnCodeThatWasNotKeptIsHeld(t *testing.T) {
	t.Parallel()
	s := session{binding: Binding{Folder: "/home/ana/shop", Sandboxed: true}, memory: Memory{Full: true}}
	if j := s.run(t, "python3 late.py"); j.Level != level.Medium {
		t.Errorf("code of which nobody knows what it holds is %s: %s", j.Level, j.Because)
	}
}
