package command

import (
	"encoding/json"
	"strings"
	"testing"
)

// A transcript as Claude Code writes it: calls stand in messages of the model, among lines
// of other kinds.
const transcript = `{"type":"summary","summary":"Rounding","leafUuid":"a"}
{"type":"user","cwd":"/home/ana/shop","sessionId":"s1","message":{"role":"user","content":"Round once."}}
{"type":"assistant","cwd":"/home/ana/shop/web","sessionId":"s1","message":{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"git status"}},{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/home/ana/shop/a.ts"}}]}}
{"type":"user","cwd":"/home/ana/shop/web","sessionId":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"clean"}]}}

{"type":"assistant","cwd":"/home/ana/sh
{"type":"assistant","cwd":"/home/ana/shop/web","sessionId":"s1","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"git status"}}]}}
{"type":"assistant","cwd":"/home/ana/shop/web","sessionId":"s1","message":{"role":"assistant","content":[{"type":"tool_use","id":"t3","name":"Bash","input":{"command":"ls","workdir":"/home/ana/shop"}}]}}
{"type":"assistant","cwd":"/home/ana/shop","sessionId":"s1","message":{"role":"assistant","content":[{"type":"tool_use","id":"t4","name":"","input":{}}]}}
`

// Each call is assessed once and in order; a broken line is named, and the rest is read.
func TestScoreReadsATranscript(t *testing.T) {
	t.Parallel()
	code, out, errs := command(t, transcript, "score", "--transcript", "-", "--sandboxed")
	answers := strings.Split(strings.TrimSpace(out), "\n")
	if code != 1 || len(answers) != 5 {
		t.Fatalf("exit code %d, %d answers\n%s\n%s", code, len(answers), out, errs)
	}
	for i, answer := range answers {
		var a struct {
			Workspace *struct {
				Folder    string
				Sandboxed bool
			}
			Error *struct{ Detail string }
		}
		if err := json.Unmarshal([]byte(answer), &a); err != nil {
			t.Fatal(err)
		}
		switch i {
		case 2:
			if a.Error == nil || !strings.HasPrefix(a.Error.Detail, "line 6: ") {
				t.Errorf("got %s", answer)
			}
		case 4:
			if a.Error == nil || !strings.HasPrefix(a.Error.Detail, "line 9: ") {
				t.Errorf("got %s", answer)
			}
		default:
			if a.Workspace == nil || a.Workspace.Folder != "/home/ana/shop" || !a.Workspace.Sandboxed {
				t.Errorf("got %s", answer)
			}
		}
	}
	for _, want := range []string{
		"The workspace is /home/ana/shop, the folder of the first line.\n", "line 6: this is no line of a transcript: ", "line 9: ", "3 calls in 1 session: ",
		"2 lines couldn't be read",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("standard error has no %q:\n%s", want, errs)
		}
	}
}

// A folder that cannot be a workspace ends the command: no call would mean anything.
func TestScoreRefusesATranscriptFromHome(t *testing.T) {
	t.Parallel()
	line := `{"cwd":"/home/ana","sessionId":"s1","message":{"content":[]}}`
	code, out, errs := command(t, line, "score", "--transcript", "-")
	if code != 1 || out != "" || !strings.Contains(errs, "--workspace DIR") || !strings.Contains(errs, "home folder") {
		t.Errorf("exit code %d\n%s\n%s", code, out, errs)
	}
	if code, _, errs := command(t, line, "score", "--transcript", "-", "--workspace", "/home/ana/shop"); code != 0 {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// What an agent's hook would submit: the line's folder stands beside a command that names
// none, and beside nothing else.
func TestTranscriptCallIsSubmittedAsAHookWould(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ input, want string }{
		{`{"command":"ls"}`, `{"command":"ls","cwd":"/srv/shop/web"}`},
		{`{"command":"ls","cwd":"/tmp"}`, `{"command":"ls","cwd":"/tmp"}`},
		{`{"command":["ls"],"workdir":"/tmp"}`, `{"command":["ls"],"workdir":"/tmp"}`},
		{`{"command":"ls","directory":"api"}`, `{"command":"ls","directory":"api"}`},
		{`{"cmd":"ls"}`, `{"cmd":"ls","cwd":"/srv/shop/web"}`},
		{`{"file_path":"a.ts"}`, `{"file_path":"a.ts"}`},
	} {
		l := transcriptLine{Cwd: "/srv/shop/web", SessionID: "s1"}
		sub, err := l.submission(toolUse{ID: "t1", Name: "Bash", Input: json.RawMessage(c.input)})
		want := `{"arguments":` + c.want + `,"function":"Bash","session_id":"s1","tool_call_id":"t1"}`
		if err != nil || string(sub.action.Canonical()) != want {
			t.Errorf("got %v, %s; want %s", err, sub.action.Canonical(), want)
		}
	}
}
