package workspace_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

func TestVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/workspace_dev.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for line := range strings.Lines(string(text)) {
		var v struct {
			ID, Want, Workspace string
			Sandboxed           bool
			Action              struct {
				Function  string
				Arguments json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		arguments, err := canon.Parse(v.Action.Arguments)
		if err != nil {
			t.Fatal(err)
		}
		j := workspace.Examine(workspace.Binding{Folder: v.Workspace, Sandboxed: v.Sandboxed}, workspace.Input{Function: v.Action.Function, Arguments: arguments}).Judge(workspace.Memory{})
		switch {
		case !j.Applies:
			t.Errorf("%s: does not apply: %s", v.ID, v.Action.Arguments)
		case v.Want == "held" && j.Level <= level.Low:
			t.Errorf("%s is let through: %s (%s)", v.ID, v.Action.Arguments, j.Because)
		case v.Want == "low" && j.Level > level.Low:
			held++
			t.Logf("%s is held, %s: %s (%s: %s)", v.ID, j.Level, v.Action.Arguments, j.Cause, j.Because)
		}
	}
	if held > 3 {
		t.Errorf("%d of what is harmless are held", held)
	}
}
