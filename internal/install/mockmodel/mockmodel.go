// Package mockmodel is a model that plays a script, for agents that are tried out: it speaks
// what Claude Code (Anthropic's messages), Codex (OpenAI's responses) and the Gemini CLI
// (generateContent) speak, on loopback, and asks for the tools that the script names.
//
//	agent ── POST /v1/messages ─────────────┐
//	agent ── POST /v1/responses ────────────┼── Turn ── script ── Calls, or "finished"
//	agent ── POST …:streamGenerateContent ──┘
//
// Everything is kept in memory. Nothing leaves the machine, and no key is checked.
package mockmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Call is one tool call that the model asks for.
type Call struct {
	ID    string // what the agent calls it by; made up if empty
	Tool  string // empty: the agent's shell, with Command
	Input map[string]any
	// Command is what the shell should run, whatever the agent calls its shell.
	Command string
	// Script is for tools that take a text instead of an object, such as Codex' code mode.
	Script string
}

// Turn is what the agent sent: the model decides by it what to ask for.
type Turn struct {
	Prompt  string   // what the person, or the agent above, asked for
	Tools   []string // what the agent offers
	Results []string // what the calls of this conversation gave, oldest first
}

// Model is a running model. Close it.
type Model struct {
	URL string // http://127.0.0.1:PORT

	server *http.Server
	script func(Turn) []Call

	mu    sync.Mutex
	turns []Turn
	calls int
}

// InOrder is the script that asks for one call after another and then ends.
func InOrder(calls ...Call) func(Turn) []Call {
	return func(t Turn) []Call {
		if n := len(t.Results); n < len(calls) {
			return calls[n : n+1]
		}
		return nil
	}
}

// Start starts a model on a free port of loopback.
func Start(script func(Turn) []Call) (*Model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the model: %w", err)
	}
	m := &Model{URL: "http://" + l.Addr().String(), script: script}
	m.server = &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = m.server.Serve(l) }()
	return m, nil
}

// Close stops the model and cuts what is being answered.
func (m *Model) Close() { _ = m.server.Close() }

// Turns is what was asked so far, where the agent offered tools.
func (m *Model) Turns() []Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.turns)
}

// Results is what the agent told about its calls, of the longest conversation.
func (m *Model) Results() []string {
	var longest []string
	for _, t := range m.Turns() {
		if len(t.Results) > len(longest) {
			longest = t.Results
		}
	}
	return longest
}

// shells are the names of the agents' shells, and the member that holds the command.
var shells = map[string]string{"Bash": "command", "exec_command": "cmd", "shell_command": "command", "run_shell_command": "command"}

// answer is what the model says to a turn.
func (m *Model) answer(t Turn) []Call {
	if len(t.Tools) == 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns = append(m.turns, t)
	calls := slices.Clone(m.script(t))
	for i := range calls {
		c := &calls[i]
		m.calls++
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%06d", m.calls)
		}
		if c.Tool != "" {
			continue
		}
		for _, offered := range t.Tools {
			if member := shells[offered]; member != "" {
				c.Tool, c.Input = offered, map[string]any{member: c.Command}
			}
		}
	}
	return calls
}

func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	path := r.URL.Path
	switch {
	case err != nil:
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/messages"):
		err = m.anthropic(w, body)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/responses"):
		err = m.openai(w, body)
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		err = m.gemini(w, body, strings.HasSuffix(path, ":streamGenerateContent"))
	default:
		err = errors.New("unknown")
	}
	if err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"not_found_error","message":"the mock model knows no such thing"}}`)
	}
}

// stream writes server-sent events; JSON of strings, maps and lists cannot fail.
type stream struct{ w http.ResponseWriter }

func newStream(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	return stream{w}
}

func (s stream) event(name string, data map[string]any) {
	b, _ := json.Marshal(data)
	if name != "" {
		fmt.Fprintf(s.w, "event: %s\n", name)
	}
	fmt.Fprintf(s.w, "data: %s\n\n", b)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// text is the text of a content that is a string or a list of parts.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(raw, &parts)
	var all []string
	for _, p := range parts {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n")
}

// object is {} for nothing.
func object(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}
