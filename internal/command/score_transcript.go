package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// transcriptLine is what is read of a line that Claude Code writes about a session.
type transcriptLine struct {
	Cwd       string          `json:"cwd"`
	SessionID string          `json:"sessionId"`
	Message   json.RawMessage `json:"message"`
}

// toolUse is a block of a message in which the model calls a tool.
type toolUse struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// transcript reads the calls of a transcript. A line that is broken answers with its problem
// and is named on standard error; lines in which no tool is called are passed over.
func (s *scorer) transcript(file string, in io.Reader) error {
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	n, seen := 0, map[string]bool{}
	for raw, err := range lines(in, math.MaxInt) { // results and pictures make long lines
		if err == nil {
			err = s.ctx.Err()
		}
		if err != nil {
			return err
		}
		n++
		if raw = bytes.TrimSpace(raw); len(raw) == 0 {
			continue
		}
		line, calls, err := toolCalls(raw)
		if err != nil {
			if err := s.broken(n, err); err != nil {
				return err
			}
			continue
		}
		if err := s.begin(line.Cwd); err != nil {
			return err
		}
		for _, call := range calls {
			if call.ID != "" && seen[call.ID] {
				continue // a session that is taken up again begins with its old lines
			}
			seen[call.ID] = true
			sub, err := line.submission(call)
			if err == nil {
				err = s.answer(sub, nil)
			} else {
				err = s.broken(n, err)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// begin takes the folder of the first line for the workspace where none was named.
func (s *scorer) begin(cwd string) error {
	if s.bound != nil || cwd == "" {
		return nil
	}
	b, err := workspace.NewBinding(cwd, s.sandboxed)
	if err != nil {
		return fmt.Errorf("the session's folder can't be its workspace; name one with --workspace DIR: %w", err)
	}
	s.bound = &b
	fmt.Fprintf(s.err, "The workspace is %s, the folder of the first line.\n", b.Folder)
	return nil
}

// broken says which line could not be read, in its place and on standard error.
func (s *scorer) broken(n int, err error) error {
	f := fault.As(err)
	said := fault.Member(f.Code, f.Member, "line %d: %s", n, f.Detail)
	fmt.Fprintln(s.err, said.Detail)
	return s.answer(submission{}, said)
}

// toolCalls are the tools that are called in a line, in order.
func toolCalls(raw []byte) (line transcriptLine, calls []toolUse, err error) {
	if err := json.Unmarshal(raw, &line); err != nil {
		return line, nil, fault.New(fault.MalformedJSON, "this is no line of a transcript: %s", err)
	}
	var message struct{ Content []json.RawMessage }
	if json.Unmarshal(line.Message, &message) != nil {
		return line, nil, nil // a line without a message, or one that is a person's text
	}
	for _, block := range message.Content {
		var kind struct{ Type string }
		if json.Unmarshal(block, &kind) != nil || kind.Type != "tool_use" {
			continue
		}
		var call toolUse
		if err := json.Unmarshal(block, &call); err != nil {
			return line, nil, fault.New(fault.MalformedJSON, "this is no call of a tool: %s", err)
		}
		calls = append(calls, call)
	}
	return line, calls, nil
}

// submission is a call as an agent's hook would submit it: the tool by its name, its input as
// the arguments, and beside a command the folder in which the shell stands, which the line
// says and the input does not.
func (l transcriptLine) submission(call toolUse) (submission, error) {
	arguments := canon.Value{}
	if len(call.Input) > 0 {
		var err error
		if arguments, err = canon.Parse(call.Input); err != nil {
			return submission{}, err
		}
	}
	if l.Cwd != "" && isCommand(arguments) {
		members := []canon.Member{{Name: "cwd", Value: canon.String(l.Cwd)}}
		for name, v := range arguments.Members() {
			members = append(members, canon.Member{Name: name, Value: v})
		}
		arguments = canon.Object(members...)
	}
	action, err := scoring.NewAction(canon.Object(
		canon.Member{Name: "function", Value: canon.String(call.Name)},
		canon.Member{Name: "arguments", Value: arguments},
		canon.Member{Name: "session_id", Value: canon.String(l.SessionID)},
		canon.Member{Name: "tool_call_id", Value: canon.String(call.ID)},
	))
	return submission{action: action, number: 1}, err
}

// isCommand reports whether arguments are those of a shell that says nothing about where.
func isCommand(arguments canon.Value) bool {
	given := func(names ...string) bool {
		for _, name := range names {
			if !arguments.Get(name).IsAbsent() {
				return true
			}
		}
		return false
	}
	return arguments.Kind() == canon.KindObject && given("command", "cmd") && !given("cwd", "workdir", "directory")
}
