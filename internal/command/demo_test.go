package command

import (
	"encoding/json"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// TestDemoScriptsShowEveryLevel holds the demo to what it promises: at least 40
// distinct actions, every level and blocked ones among them, and one of each that
// needs a person among those that come at once.
func TestDemoScriptsShowEveryLevel(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	policy, err := scoring.Compile(scoring.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	digests := map[string]bool{}
	seen, atOnce := map[level.Level]bool{}, map[level.Level]bool{}
	blocked, blockedAtOnce := 0, false
	for _, s := range demoScripts() {
		var rehearsal scoring.Rehearsal
		inputs := scoring.Inputs{Agent: s.name, Workspace: s.binding().Folder()}
		held := map[string]bool{}
		for i, a := range s.actions {
			body, err := json.Marshal(a.body(0, s.session))
			if err != nil {
				t.Fatal(err)
			}
			tree, err := canon.Parse(body)
			if err != nil {
				t.Fatalf("%s %s: %v", s.name, a.function, err)
			}
			action, err := scoring.NewAction(tree)
			if err != nil {
				t.Fatalf("%s %s: %v", s.name, a.function, err)
			}
			as := rehearsal.Next(policy.Examine(action, nil), inputs, trust.Evidence{}, 1)
			digests[action.Digest()] = true
			if as.Treatment.Blocked() {
				blocked++
				blockedAtOnce = blockedAtOnce || i < s.atOnce
				continue
			}
			seen[as.Level] = true
			if i < s.atOnce {
				atOnce[as.Level] = true
			}
			if as.Level > level.Low && as.Workspace != nil {
				held[as.Workspace.Cause] = true
			}
		}
		if s.folder != "" && (len(held) != 2 || !held["push"] || !held["settings"]) {
			t.Errorf("%s is held for %v; want a push and a file of CI", s.name, held)
		}
	}
	if len(digests) < 40 || blocked < 2 || !blockedAtOnce {
		t.Errorf("%d distinct actions, %d blocked, at once %v; want at least 40 and 2, one of them at once", len(digests), blocked, blockedAtOnce)
	}
	for _, l := range level.All() {
		if !seen[l] || !atOnce[l] {
			t.Errorf("%s: in the scripts %v, at once %v", l, seen[l], atOnce[l])
		}
	}
}
