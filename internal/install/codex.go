package install

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// codexServer is “codex app-server”, asked over its standard input: it lists the hooks that
// Codex sees, and notes that one is trusted. Codex calls it experimental, so what it did is
// believed only when the list says so.
type codexServer struct {
	in   io.WriteCloser
	out  *bufio.Scanner
	next int
	stop func()
}

// codexListed is a hook as Codex lists it.
type codexListed struct {
	Key, EventName, Command, SourcePath string
	CurrentHash, TrustStatus            string
	Enabled                             bool
	TimeoutSec                          int
}

// startCodex starts the app-server in a folder; it ends with ctx, or after a minute.
func startCodex(ctx context.Context, program, folder string) (*codexServer, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	cmd := exec.CommandContext(ctx, program, "app-server")
	cmd.Dir = folder
	cmd.WaitDelay = 2 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("start %s app-server: %w", program, err)
	}
	s := &codexServer{in: in, out: bufio.NewScanner(out), stop: func() {
		_ = in.Close()
		cancel()
		_ = cmd.Wait()
	}}
	s.out.Buffer(nil, 16<<20)
	if err := s.call("initialize", map[string]any{"clientInfo": map[string]any{"name": "countersign", "version": "1"}}, nil); err != nil {
		s.stop()
		return nil, err
	}
	return s, s.send(map[string]any{"method": "initialized"})
}

func (s *codexServer) send(message map[string]any) error {
	b, err := json.Marshal(message)
	if err == nil {
		_, err = s.in.Write(append(b, '\n'))
	}
	return err
}

// call asks for one thing and waits for its answer.
func (s *codexServer) call(method string, params, result any) error {
	s.next++
	if err := s.send(map[string]any{"id": s.next, "method": method, "params": params}); err != nil {
		return fmt.Errorf("codex app-server, %s: %w", method, err)
	}
	for s.out.Scan() {
		var answer struct {
			ID     int
			Method string
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if json.Unmarshal(s.out.Bytes(), &answer) != nil || answer.Method != "" || answer.ID != s.next {
			continue // a notification
		}
		if answer.Error != nil {
			return fmt.Errorf("codex app-server, %s: %s", method, answer.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(answer.Result, result)
	}
	return fmt.Errorf("codex app-server, %s: it ended without an answer", method)
}

// hooks lists our hooks of a settings file as Codex sees them from a folder.
func (s *codexServer) hooks(folder, file string) ([]codexListed, error) {
	var result struct {
		Data []struct {
			Hooks  []codexListed
			Errors []struct{ Message string }
		}
	}
	if err := s.call("hooks/list", map[string]any{"cwds": []string{folder}}, &result); err != nil {
		return nil, err
	}
	var ours []codexListed
	for _, d := range result.Data {
		for _, e := range d.Errors {
			return nil, errors.New("Codex says about its hooks: " + e.Message)
		}
		for _, h := range d.Hooks {
			if isOurs(h.Command) && (file == "" || sameFile(h.SourcePath, file)) {
				ours = append(ours, h)
			}
		}
	}
	return ours, nil
}

func sameFile(a, b string) bool {
	x, errX := filepath.EvalSymlinks(a)
	y, errY := filepath.EvalSymlinks(b)
	return a == b || errX == nil && errY == nil && x == y
}

// untrusted says which of our hooks Codex would not run, or nil if it runs both.
func untrusted(hooks []codexListed) error {
	runs := map[string]bool{}
	for _, h := range hooks {
		if h.Enabled && (h.TrustStatus == "trusted" || h.TrustStatus == "managed") {
			runs[h.EventName] = true
		}
	}
	var not []string
	for _, event := range []string{"preToolUse", "postToolUse"} {
		if !runs[event] {
			not = append(not, event)
		}
	}
	if len(not) > 0 {
		return fmt.Errorf("codex does not trust our hook (%s) and silently does not run it", strings.Join(not, ", "))
	}
	return nil
}

// trustCodex makes Codex trust the hooks that were just written to file, and looks whether it does.
func trustCodex(ctx context.Context, program, folder, file string) error {
	s, err := startCodex(ctx, program, folder)
	if err != nil {
		return err
	}
	defer s.stop()
	hooks, err := s.hooks(folder, file)
	if err != nil {
		return err
	}
	if untrusted(hooks) == nil {
		return nil
	}
	state := map[string]any{}
	for _, h := range hooks {
		state[h.Key] = map[string]any{"trusted_hash": h.CurrentHash}
	}
	if len(state) == 0 {
		return fmt.Errorf("codex does not see the hook in %s", file)
	}
	edit := map[string]any{"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
	if err := s.call("config/batchWrite", map[string]any{"edits": []any{edit}}, nil); err != nil {
		return err
	}
	if hooks, err = s.hooks(folder, file); err != nil {
		return err
	}
	return untrusted(hooks)
}

// pressCodex is what a person does where Codex could not be asked.
const pressCodex = "Start codex once and answer its question about new hooks with “trust”, or type /hooks, choose each hook of Countersign and press t. An untrusted hook is silently not run: “countersign hook doctor codex” says whether it is trusted."
