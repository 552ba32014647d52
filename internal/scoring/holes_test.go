package scoring

import (
	"os"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// TestWhatOneReadingHoldsAllHold: a call is understood once, so what is held without a
// workspace is held in one, and the other way round.
func TestWhatOneReadingHoldsAllHold(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/holes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var holes struct{ Held, High []string }
	if err := yaml.Unmarshal(text, &holes); err != nil {
		t.Fatal(err)
	}
	policy, err := Compile(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	if len(holes.Held) < 40 {
		t.Errorf("only %d commands", len(holes.Held))
	}
	check := func(command string, least level.Level) {
		call := canon.Object(canon.Member{Name: "function", Value: canon.String("bash")}, canon.Member{Name: "arguments", Value: canon.Object(canon.Member{Name: "command", Value: canon.String(command)})})
		a, err := NewAction(call)
		if err != nil {
			t.Fatal(err)
		}
		for where, in := range map[string]Inputs{
			"without a workspace": {},
			"in a workspace":      {Workspace: &workspace.Binding{Folder: shop}},
			"in a sandbox":        {Workspace: &workspace.Binding{Folder: shop, Sandboxed: true}},
		} {
			if got := policy.Examine(a, nil).Given(in).Assess(1); got.Level < least {
				t.Errorf("%s is %s %s: %s", command, got.Level, where, got.Explanation)
			}
		}
	}
	for _, c := range holes.Held {
		check(c, level.Medium)
	}
	for _, c := range holes.High {
		check(c, level.High)
	}
}
