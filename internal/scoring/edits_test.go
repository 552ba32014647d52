package scoring

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// TestEditVectors: edits and patches, with the files that are edited and what that asks for.
func TestEditVectors(t *testing.T) {
	t.Parallel()
	policy, err := Compile(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	eachLine(t, "testdata/edits.jsonl", func(line []byte) {
		lines++
		var v struct {
			ID     string
			Action json.RawMessage
			Files  []struct {
				Path           string
				Does           edits.Does
				Added, Removed *int
			}
			Effect     effects.Kind
			Reversible *bool
			AtLeast    level.Level `json:"at_least"`
			Workspace  string
			Level      level.Level
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		tree, err := canon.Parse(v.Action)
		if err != nil {
			t.Fatal(err)
		}
		a, err := NewAction(tree)
		if err != nil {
			t.Fatal(err)
		}
		in := Inputs{}
		if v.Workspace != "" {
			in.Workspace = &workspace.Binding{Folder: v.Workspace, Sandboxed: true}
		}
		as := policy.Examine(a, nil).Given(in).Assess(1)
		if len(as.Files) != len(v.Files) {
			t.Fatalf("%s: %+v, want %+v", v.ID, as.Files, v.Files)
		}
		for i, want := range v.Files {
			got := as.Files[i]
			if got.Path != want.Path || got.Does != want.Does || want.Added != nil && got.Added != *want.Added || want.Removed != nil && got.Removed != *want.Removed {
				t.Errorf("%s: %+v, want %+v", v.ID, got, want)
			}
		}
		if v.Effect != "" && (len(as.Effects) == 0 || as.Effects[0].Kind != v.Effect || *as.Effects[0].Reversible != *v.Reversible) {
			t.Errorf("%s: %+v, want %s", v.ID, as.Effects, v.Effect)
		}
		if as.Level < v.AtLeast || v.Level != 0 && as.Level != v.Level {
			t.Errorf("%s: %s (%s), want %s, at least %s", v.ID, as.Level, as.Explanation, v.Level, v.AtLeast)
		}
	})
	if lines != 12 {
		t.Errorf("%d vectors", lines)
	}
}

// What is masked in a patch stands in no path of the assessment: as it was submitted, and as
// it is assessed again.
func TestMaskedFiles(t *testing.T) {
	t.Parallel()
	policy, err := Compile(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	const secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	a := action(t, `{"function":"apply_patch","arguments":{"input":"*** Begin Patch\n*** Update File: keys/`+secret+`.txt\n*** Move to: `+secret+`\n-a\n+b\n*** End Patch"}}`)
	e := policy.Examine(a, nil)
	as := e.Assess(1)
	if len(as.Files) != 1 || as.Files[0].Path != "keys/"+secret+".txt" {
		t.Fatalf("%+v", as.Files)
	}
	shown, carried, masked := e.Mask(as)
	again := policy.Examine(shown, carried).Assess(1)
	for _, as := range []Assessment{masked, again} {
		text, err := json.Marshal(as)
		if err != nil || strings.Contains(string(text), secret[:12]) {
			t.Errorf("%v: %s", err, text)
		}
		if len(as.Files) != 1 || !strings.HasPrefix(as.Files[0].Path, "keys/[REDACTED:") || !strings.HasPrefix(as.Files[0].To, "[REDACTED:") || as.Files[0].Does != edits.Move || as.Files[0].Added != 1 {
			t.Errorf("%+v", as.Files)
		}
	}
}
