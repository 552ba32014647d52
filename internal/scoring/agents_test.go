package scoring

import (
	"encoding/json"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// TestCallsOfAgents: calls as the hooks of coding agents send them, each with its level in a
// workspace, in a sandboxed one and without any, where that is said. "held" is any level
// above LOW.
func TestCallsOfAgents(t *testing.T) {
	t.Parallel()
	policy, err := Compile(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	eachLine(t, "testdata/agents.jsonl", func(line []byte) {
		var v struct {
			Agent                       string
			Call                        json.RawMessage
			Unbound, Workspace, Sandbox string
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		calls++
		tree, err := canon.Parse(v.Call)
		if err != nil {
			t.Fatal(err)
		}
		action, err := NewAction(tree)
		if err != nil {
			t.Fatal(err)
		}
		check := func(where, want string, in Inputs) {
			got := policy.Examine(action, nil).Given(in).Assess(1)
			if held := want == "held"; want != "" && (held && got.Level <= level.Low || !held && got.Level.String() != want) {
				t.Errorf("%s, %s: %s is %s, want %s: %s", v.Agent, where, v.Call, got.Level, want, got.Explanation)
			}
		}
		check("unbound", v.Unbound, Inputs{})
		check("in a workspace", v.Workspace, Inputs{Workspace: &workspace.Binding{Folder: "/srv/shop"}})
		check("in a sandbox", v.Sandbox, Inputs{Workspace: &workspace.Binding{Folder: "/srv/shop", Sandboxed: true}})
	})
	if calls < 60 {
		t.Errorf("only %d calls", calls)
	}
}
