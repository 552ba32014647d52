package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/client/clienttest"
)

var update = flag.Bool("update", false, "write the golden files")

// TestMain runs this binary as the hook where a test starts it as one.
func TestMain(m *testing.M) {
	if os.Getenv("HOOK_TEST_AS_HOOK") != "" {
		os.Exit(Main(os.Args[1:], "test"))
	}
	os.Exit(m.Run())
}

// stream is a standard output that a test can break.
type stream struct {
	bytes.Buffer
	writes int
	fails  error
}

func (s *stream) Write(b []byte) (int, error) {
	s.writes++
	if s.fails != nil {
		n, _ := s.Buffer.Write(b[:len(b)/2])
		return n, s.fails
	}
	return s.Buffer.Write(b)
}
func (s *stream) Close() error { return nil }

// run is one run of the hook.
type run struct {
	agent string
	out   stream
	err   bytes.Buffer
	code  int
}

// machine is a machine with settings, on which hooks run.
type machine struct {
	t    *testing.T
	env  map[string]string
	gone func() bool
	args []string
	ctx  context.Context
}

func newMachine(t *testing.T, url string) *machine {
	t.Helper()
	home := t.TempDir()
	m := &machine{t: t, env: map[string]string{"HOME": home}, gone: func() bool { return false }, args: []string{"--wait", "20s"}, ctx: t.Context()}
	m.settings(fmt.Sprintf(`{"url":%q,"key":%q}`, url, clienttest.Key), 0o600)
	return m
}

func (m *machine) settings(content string, mode os.FileMode) {
	m.t.Helper()
	path := filepath.Join(m.env["HOME"], ".config", "countersign", "config.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chmod(path, mode)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) process(r *run, event string) Process {
	return Process{
		Args: append([]string{r.agent}, m.args...), Version: "v1", In: strings.NewReader(event), Out: &r.out, Err: &r.err,
		Getenv: func(name string) string { return m.env[name] }, Gone: m.gone,
	}
}

func (m *machine) run(agent, event string) *run {
	m.t.Helper()
	r := &run{agent: agent}
	r.code = m.process(r, event).Run(m.ctx)
	r.check(m.t)
	return r
}

// check holds what is so of every run, whatever happens: it ends with 0 after one whole
// document, written once, or with 2 and one line.
func (r *run) check(t *testing.T) {
	t.Helper()
	switch {
	case r.code == 0 && (r.out.writes != 1 || !json.Valid(r.out.Bytes()) || len(r.out.Bytes()) < 3 || r.err.Len() > 0):
		t.Errorf("exit 0 with %q after %d writes, and %q", r.out.String(), r.out.writes, r.err.String())
	case r.code == 2 && (!strings.HasPrefix(r.err.String(), "Countersign: ") || strings.Count(r.err.String(), "\n") != 1 || !strings.HasSuffix(r.err.String(), "\n")):
		t.Errorf("exit 2 with %q", r.err.String())
	case r.code == 2 && r.out.fails == nil && r.out.Len() > 0:
		t.Errorf("exit 2 after %q", r.out.String())
	case r.code != 0 && r.code != 2:
		t.Errorf("exit %d", r.code)
	}
	if all := r.out.String() + r.err.String(); strings.Contains(all, clienttest.Key) {
		t.Errorf("it says the key: %s", all)
	}
}

// lets reports whether the agent would run the tool after this, as its program does.
func (r *run) lets() bool {
	var a struct {
		Decision, Permission, PermissionDecision string
		HookSpecificOutput                       struct{ PermissionDecision string }
	}
	if r.code == 2 {
		return r.err.Len() == 0 && r.agent == "codex" // Codex runs it without a reason
	}
	_ = json.Unmarshal(r.out.Bytes(), &a)
	return a.Decision != "deny" && a.Permission != "deny" && a.PermissionDecision != "deny" && a.HookSpecificOutput.PermissionDecision != "deny"
}

// events are one call for each agent.
var events = map[string]string{
	"claude-code": `{"session_id":"s1","cwd":"/srv/shop","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push","id":12345678901},"tool_use_id":"t1"}`,
	"codex":       `{"session_id":"s1","cwd":"/srv/shop","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"},"tool_use_id":"t1"}`,
	"gemini":      `{"session_id":"s1","cwd":"/srv/shop","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"git push"}}`,
	"opencode":    `{"event":"tool.execute.before","tool":"bash","sessionID":"s1","callID":"t1","args":{"command":"git push"},"cwd":"/srv/shop"}`,
	"cursor":      `{"hook_event_name":"preToolUse","conversation_id":"s1","tool_name":"Shell","tool_input":{"command":"git push"},"tool_use_id":"t1","cwd":"/srv/shop"}`,
	"copilot":     `{"cwd":"/srv/shop","sessionId":"s1","toolName":"bash","toolArgs":"{\"command\":\"git push\"}"}`,
}

func judge(v clienttest.Verdict) func(map[string]any) clienttest.Verdict {
	return func(map[string]any) clienttest.Verdict { return v }
}

// Each recorded event is sent as it came and answered; what came after it is reported.
// The golden files say how.
func TestRecorded(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) != len(dialects) {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent := name[:strings.LastIndex(name, "-")]
			s := clienttest.New(t)
			m := newMachine(t, s.URL)
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var golden strings.Builder
			for _, event := range strings.Split(strings.TrimSpace(string(content)), "\n") {
				sent := len(s.Sent())
				_, _, reported := s.State()
				r := m.run(agent, event)
				if now := s.Sent(); len(now) > sent {
					last := now[len(now)-1]
					args, _ := json.Marshal(last["arguments"])
					fmt.Fprintf(&golden, "sent %v %s session %v call %v client %v attach %v expires %v\n",
						last["function"], args, last["session_id"], last["tool_call_id"], last["client"], last["attach"], last["expires_in_seconds"])
				}
				if _, _, now := s.State(); len(now) > len(reported) {
					fmt.Fprintln(&golden, "reported")
				}
				fmt.Fprintf(&golden, "exit %d %s%s", r.code, r.out.String(), r.err.String())
			}
			_, _, reports := s.State()
			var told []string
			for _, r := range reports {
				told = append(told, fmt.Sprintf("report %v %q", r["status"], r["detail"]))
			}
			slices.Sort(told)
			fmt.Fprintln(&golden, strings.Join(told, "\n"))
			want := strings.TrimSuffix(file, ".jsonl") + ".golden"
			if *update {
				if err := os.WriteFile(want, []byte(golden.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if w, err := os.ReadFile(want); err != nil || string(w) != golden.String() {
				t.Errorf("%v; got\n%s", err, golden.String())
			}
		})
	}
}

// The words of each agent for yes, no, another call, and no opinion.
func TestAnswers(t *testing.T) {
	t.Parallel()
	edit := clienttest.Verdict{Status: "pending", Then: "approved", Arguments: map[string]any{"command": "git fetch", "cwd": "/srv/shop", "id": 5}}
	for agent, want := range map[string][4]string{ // approved, denied, edited, LOW with --low pass
		"claude-code": {
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"Countersign: approved"}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Countersign: denied. Use a branch."}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"Countersign: approved","updatedInput":{"command":"git fetch","id":5}}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}`,
		},
		"codex": {
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Countersign: denied. Use a branch."}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"git fetch","id":5}}}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}`,
		},
		"gemini": {
			`{"decision":"allow","reason":"Countersign: approved"}`,
			`{"decision":"deny","reason":"Countersign: denied. Use a branch."}`,
			`{"decision":"allow","hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"git fetch","id":5}},"reason":"Countersign: approved"}`,
			`{"decision":"allow","reason":"Countersign: approved"}`,
		},
		"opencode": {
			`{"decision":"allow","reason":"Countersign: approved"}`,
			`{"decision":"deny","reason":"Countersign: denied. Use a branch."}`,
			`{"args":{"command":"git fetch","id":5},"decision":"allow","reason":"Countersign: approved"}`,
			`{"decision":"allow","reason":"Countersign: approved"}`,
		},
		"cursor": {
			`{"agent_message":"Countersign: approved","permission":"allow","user_message":"Countersign: approved"}`,
			`{"agent_message":"Countersign: denied. Use a branch.","permission":"deny","user_message":"Countersign: denied. Use a branch."}`,
			`{"agent_message":"Countersign: approved","permission":"allow","updated_input":{"command":"git fetch","id":5},"user_message":"Countersign: approved"}`,
			`{"agent_message":"Countersign: approved","permission":"allow","user_message":"Countersign: approved"}`,
		},
		"copilot": {
			`{"permissionDecision":"allow","permissionDecisionReason":"Countersign: approved"}`,
			`{"permissionDecision":"deny","permissionDecisionReason":"Countersign: denied. Use a branch."}`,
			`{"modifiedArgs":{"command":"git fetch","id":5},"permissionDecision":"allow","permissionDecisionReason":"Countersign: approved"}`,
			`{"permissionDecision":"allow","permissionDecisionReason":"Countersign: approved"}`,
		},
	} {
		for i, v := range []clienttest.Verdict{{Status: "pending", Then: "approved"}, {Status: "pending", Then: "denied", Reason: "Use a branch."}, edit, {Status: "approved"}} {
			s := clienttest.New(t)
			s.Judge = judge(v)
			m := newMachine(t, s.URL)
			m.args = append(m.args, "--low", "pass")
			r := m.run(agent, events[agent])
			if got := strings.TrimSpace(r.out.String()); got != want[i] || r.lets() == (i == 1) {
				t.Errorf("%s, %d: %s %s", agent, i, got, r.err.String())
			}
		}
	}
}

// --low pass is for what the policy let through, and never for a call that a person
// decided or changed; without it a yes is said.
func TestLow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		verdict clienttest.Verdict
		args    []string
		pass    bool
	}{
		"low":           {clienttest.Verdict{Status: "approved"}, []string{"--low", "pass"}, true},
		"low, allow":    {clienttest.Verdict{Status: "approved"}, []string{"--low=allow"}, false},
		"low, default":  {clienttest.Verdict{Status: "approved"}, nil, false},
		"medium":        {clienttest.Verdict{Status: "approved", Level: "MEDIUM"}, []string{"--low", "pass"}, false},
		"by a person":   {clienttest.Verdict{Status: "pending", Then: "approved", Level: "LOW"}, []string{"--low", "pass"}, false},
		"taken secrets": {clienttest.Verdict{Status: "approved", Rewrites: map[string]any{"command": "git [REDACTED:x]", "cwd": "/srv/shop", "id": 12345678901}}, []string{"--low", "pass"}, false},
	} {
		s := clienttest.New(t)
		s.Judge = judge(c.verdict)
		m := newMachine(t, s.URL)
		m.args = c.args
		r := m.run("claude-code", events["claude-code"])
		if pass := !strings.Contains(r.out.String(), `"allow"`); r.code != 0 || pass != c.pass {
			t.Errorf("%s: %s %s", name, r.out.String(), r.err.String())
		}
	}
}

// What an agent cannot carry out as approved is not run.
func TestEditsThatCannotBeCarriedOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent, event string
		arguments    map[string]any
		says         string
	}{
		"another folder":               {"claude-code", events["claude-code"], map[string]any{"command": "git fetch", "cwd": "/etc"}, "changed the folder"},
		"another folder of its own":    {"gemini", strings.Replace(events["gemini"], `"command":"git push"`, `"command":"git push","dir_path":"a"`, 1), map[string]any{"command": "git push", "dir_path": "b"}, "changed the folder"},
		"an argument less":             {"gemini", strings.Replace(events["gemini"], `"command":"git push"`, `"command":"git push","is_background":true`, 1), map[string]any{"command": "git push", "cwd": "/srv/shop"}, "took an argument away"},
		"an event without an edit":     {"cursor", `{"hook_event_name":"beforeShellExecution","conversation_id":"s1","command":"git push","cwd":"/srv/shop"}`, map[string]any{"command": "git fetch", "cwd": "/srv/shop"}, "can't do that"},
		"a number that JS would round": {"claude-code", events["claude-code"], map[string]any{"command": "git fetch", "cwd": "/srv/shop", "n": json.Number("900719925474099300000000000000000000001")}, "would round"},
	} {
		s := clienttest.New(t)
		s.Judge = judge(clienttest.Verdict{Status: "pending", Then: "approved", Arguments: c.arguments})
		r := newMachine(t, s.URL).run(c.agent, c.event)
		if r.lets() || !strings.Contains(r.out.String()+r.err.String(), c.says) {
			t.Errorf("%s: exit %d %s %s", name, r.code, r.out.String(), r.err.String())
		}
	}
}

// A folder that a tool ignores is not believed, and one that it reads is resolved.
func TestFolders(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	m := newMachine(t, s.URL)
	event := func(agent, args string) string {
		return strings.Replace(strings.Replace(events[agent], `{"command":"git push"}`, args, 1), `{"command":"git push","id":12345678901}`, args, 1)
	}
	for _, c := range []struct{ agent, args, sent string }{
		{"claude-code", `{"command":"ls"}`, `{"command":"ls","cwd":"/srv/shop"}`},
		{"claude-code", `{"command":"ls","cwd":"/etc"}`, `{"command":"ls","cwd":"/etc"}`}, // it refuses that itself
		{"gemini", `{"command":"ls","dir_path":"/etc"}`, `{"command":"ls","dir_path":"/etc"}`},
		{"gemini", `{"command":"ls","dir_path":"../../etc"}`, `{"command":"ls","dir_path":"/etc"}`},
		{"gemini", `{"command":"ls","dir_path":""}`, `{"command":"ls","cwd":"/srv/shop","dir_path":""}`},
		{"gemini", `{"command":"ls","cwd":"/srv/shop","dir_path":"/etc"}`, ""},
		{"gemini", `{"command":"ls","Working_Directory":"/srv/shop"}`, ""},
		{"gemini", `{"command":"ls","dir_path":5}`, ""},
		{"opencode", `{"command":"ls","workdir":"sub"}`, `{"command":"ls","workdir":"/srv/shop/sub"}`},
		{"opencode", `{"command":"ls","cwd":"/srv/shop"}`, ""},
		{"codex", `{"command":"ls"}`, `{"command":"ls","cwd":"/srv/shop"}`},
	} {
		before := len(s.Sent())
		r := m.run(c.agent, event(c.agent, c.args))
		sent := s.Sent()[before:]
		if c.sent == "" {
			if r.code != 2 || len(sent) != 0 {
				t.Errorf("%s %s: exit %d, %v", c.agent, c.args, r.code, sent)
			}
			continue
		}
		if args, _ := json.Marshal(sent[0]["arguments"]); r.code != 0 || string(args) != c.sent {
			t.Errorf("%s %s: exit %d, %s", c.agent, c.args, r.code, args)
		}
	}
}

// What a number has is what is sent.
func TestNumbersStayExact(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	r := newMachine(t, s.URL).run("claude-code", `{"hook_event_name":"PreToolUse","tool_name":"f","tool_input":{"a":1234567890123456789012345678901234567891,"b":0.1,"c":1e3,"d":-9007199254740993,"e":9007199254740991}}`)
	args, _ := json.Marshal(s.Sent()[0]["arguments"])
	if r.code != 0 || string(args) != `{"a":1234567890123456789012345678901234567891,"b":0.1,"c":1000,"d":-9007199254740993,"e":9007199254740991}` {
		t.Errorf("%d, %s", r.code, args)
	}
}

// Events that cannot be read with one meaning are not answered with a decision.
func TestEventsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	m := newMachine(t, s.URL)
	good := events["claude-code"]
	for name, event := range map[string]string{
		"nothing": "", "no JSON": "hello", "half": good[:60], "null": "null", "a list": "[]", "no name": `{"tool_name":"Bash"}`, "a name of another kind": `{"hook_event_name":5}`,
		"another event": strings.Replace(good, "PreToolUse", "UserPromptSubmit", 1), "an unknown event": strings.Replace(good, "PreToolUse", "pretooluse", 1),
		"no tool": strings.Replace(good, `"Bash"`, `""`, 1), "a tool of another kind": strings.Replace(good, `"Bash"`, `["Bash"]`, 1),
		"arguments that are a list": strings.Replace(good, `{"command":"git push","id":12345678901}`, `[1]`, 1),
		"twice":                     strings.Replace(good, `"tool_name":`, `"tool_name":"Read","tool_name":`, 1), "twice inside": strings.Replace(good, `"command":`, `"command":"ls","command":`, 1),
		"no UTF-8": strings.Replace(good, "git push", "git \xff", 1), "half a surrogate": strings.Replace(good, "git push", `git \ud800`, 1), "NUL": strings.Replace(good, "git push", `git \u0000`, 1),
		"too large": strings.Replace(good, "git push", strings.Repeat("x", 300<<10), 1), "much too large": strings.Repeat(" ", maxEventBytes+1), "two": good + good,
		"a number that none holds": strings.Replace(good, "12345678901", "1e999", 1),
	} {
		r := m.run("claude-code", event)
		if r.code != 2 || len(s.Paths()) != 0 {
			t.Errorf("%s: exit %d %s, %v", name, r.code, r.out.String(), s.Paths())
		}
	}
	r := &run{agent: "claude-code"}
	p := m.process(r, "")
	p.In = io.MultiReader(strings.NewReader(good[:20]), failing{})
	if r.code = p.Run(t.Context()); r.code != 2 || !strings.Contains(r.err.String(), "can't be read") {
		t.Errorf("exit %d, %s", r.code, r.err.String())
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("broken") }

func TestArguments(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	for _, args := range [][]string{{}, {""}, {"claude"}, {"claude-code", "codex"}, {"claude-code", "--no"}, {"claude-code", "--low", "deny"}, {"claude-code", "--wait", "x"}, {"claude-code", "--wait", "-1s"}, {"--help"}} {
		r := &run{}
		p := newMachine(t, s.URL).process(r, events["claude-code"])
		p.Args = args
		if r.code = p.Run(t.Context()); r.code != 2 || r.out.Len() > 0 || len(s.Paths()) > 0 {
			t.Errorf("%v: exit %d", args, r.code)
		}
		r.check(t)
	}
}

// The canary is refused whatever the server says, and the server hears of it.
func TestCanary(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{Canary, "mcp__countersign__" + Canary} {
		for name, fault := range map[string]func(http.ResponseWriter, *http.Request, int) bool{"": nil, "says yes": respond(200, "application/json", `{"status":"approved"}`), "500": respond(500, "", "")} {
			s := clienttest.New(t)
			s.Fault = fault
			m := newMachine(t, s.URL)
			m.args = []string{"--wait", "300ms"}
			r := m.run("claude-code", `{"hook_event_name":"PreToolUse","tool_name":"`+tool+`","tool_input":{"nonce":"n-1"}}`)
			if r.lets() {
				t.Errorf("%s, %s: exit %d %s", tool, name, r.code, r.out.String())
			}
			if fault == nil && (len(s.Canaries()) != 1 || s.Canaries()[0] != "n-1" || r.code != 0) {
				t.Errorf("%v, exit %d %s", s.Canaries(), r.code, r.err.String())
			}
		}
	}
}

// An agent that offers only its own tools has its canary in the shell. What only looks like one
// is judged as everything else.
func TestCanaryInTheShell(t *testing.T) {
	t.Parallel()
	for agent, event := range map[string]string{
		"claude-code": `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"%s"}}`,
		"codex":       `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"%s"}}`,
		"gemini":      `{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"%s"}}`,
	} {
		s := clienttest.New(t)
		m := newMachine(t, s.URL)
		if r := m.run(agent, fmt.Sprintf(event, "countersign canary n-1; : > /tmp/x")); r.lets() || len(s.Canaries()) != 1 || s.Canaries()[0] != "n-1" {
			t.Errorf("%s: exit %d %s, canaries %v", agent, r.code, r.out.String(), s.Canaries())
		}
		if r := m.run(agent, fmt.Sprintf(event, "echo countersign canary n-1")); !r.lets() || len(s.Canaries()) != 1 {
			t.Errorf("%s: exit %d %s, canaries %v", agent, r.code, r.out.String(), s.Canaries())
		}
		if r := m.run(agent, strings.NewReplacer("Bash", "other", "run_shell_command", "other").Replace(fmt.Sprintf(event, "countersign canary n-1"))); !r.lets() {
			t.Errorf("%s: a tool that is no shell: exit %d %s", agent, r.code, r.err.String())
		}
	}
}

// An event after a call never stands in its way, and needs no server where nothing is
// known of the call.
func TestAfterwards(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	m := newMachine(t, s.URL)
	after := `{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":"` + strings.Repeat("x", 300<<10) + `","tool_use_id":"t1"}`
	r := m.run("claude-code", after)
	if r.code != 0 || len(s.Paths()) != 0 {
		t.Errorf("unknown: exit %d, %v", r.code, s.Paths())
	}
	m.run("claude-code", events["claude-code"])
	if r = m.run("claude-code", after); r.code != 0 || !strings.HasSuffix(s.Paths()[len(s.Paths())-1], "/result") {
		t.Errorf("known: exit %d, %v", r.code, s.Paths())
	}
	if r = m.run("claude-code", after); r.code != 0 || strings.Count(strings.Join(s.Paths(), " "), "/result") != 1 {
		t.Errorf("again: exit %d, %v", r.code, s.Paths())
	}
	m.run("claude-code", events["claude-code"])
	m.settings("no", 0o644)
	if r = m.run("claude-code", after); r.code != 0 {
		t.Errorf("without settings: exit %d, %s", r.code, r.err.String())
	}
}

func respond(status int, kind, body string) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}
