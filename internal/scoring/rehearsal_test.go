package scoring

import (
	"testing"

	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// What a rehearsed call wrote counts for what a later one runs: all of it where it was let
// through, and its findings only where it was not.
func TestRehearsalRemembers(t *testing.T) {
	t.Parallel()
	const (
		bad   = `{"function":"Write","arguments":{"file_path":"/srv/shop/report.py","content":"import os, shutil\nshutil.rmtree(os.path.expanduser('~/.ssh'))\n"}`
		good  = `{"function":"Write","arguments":{"file_path":"/srv/shop/report.py","content":"print(1)\n"}`
		push  = `{"function":"Bash","arguments":{"command":"echo 'print(1)' > report.py && git push"}`
		runIt = `{"function":"Bash","arguments":{"command":"python3 report.py"}`
	)
	policy := balanced(t)
	for _, c := range []struct {
		name  string
		calls []string // a member more, or its end
		agent string
		held  bool // the last one
	}{
		{"nothing was written", []string{runIt + `}`}, "", false},
		{"a payload", []string{bad + `}`, runIt + `}`}, "", true},
		{"and then something else", []string{bad + `}`, good + `}`, runIt + `}`}, "", false},
		{"and then something else, which was held", []string{bad + `}`, push + `}`, runIt + `}`}, "", true},
		{"in another session", []string{bad + `,"session_id":"a"}`, runIt + `,"session_id":"b"}`}, "", false},
		{"in another session of the same agent", []string{bad + `,"session_id":"a"}`, runIt + `,"session_id":"b"}`}, "coder", true},
	} {
		var r Rehearsal
		var last Assessment
		for _, body := range c.calls {
			in := Inputs{Agent: c.agent, Workspace: &workspace.Binding{Folder: shop, Sandboxed: true}}
			last = r.Next(policy.Examine(action(t, body), nil), in, trust.Evidence{}, 1)
		}
		if held := last.Level > level.Low; held != c.held {
			t.Errorf("%s: %s", c.name, last.Explanation)
		}
	}
}

func balanced(t *testing.T) *Compiled {
	t.Helper()
	policy, err := Compile(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	return policy
}
