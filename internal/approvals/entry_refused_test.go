package approvals

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// Each reason alone keeps an action away from the function registry.
func TestUnlowerable(t *testing.T) {
	t.Parallel()
	plain := Approval{Digest: "sha256:1", ShownDigest: "sha256:1", Function: "update_ticket"}
	plain.Assessment.Level, plain.Assessment.Floor.Level, plain.Assessment.Patterns.LifecyclePoint = level.Medium, level.Medium, scoring.PreToolCall
	plain.Assessment.Effects = []effects.Effect{{Kind: effects.Write, Breadth: effects.One}}
	if why := plain.unlowerable(); !why.Empty() {
		t.Fatalf("the plain one: %s", why)
	}
	// Of these the level of the floor would be a reason too.
	told := map[string]bool{"code": true, "a message to others": true, "a message to everybody": true, "everything": true}
	doing := func(e effects.Effect) func(a *Approval) {
		return func(a *Approval) {
			a.Assessment.Level, a.Assessment.Floor.Level = level.Critical-1, level.Critical // nothing else keeps it
			a.Assessment.Effects = []effects.Effect{{Kind: effects.Write, Breadth: effects.One}, e}
		}
	}
	for what, change := range map[string]func(a *Approval){
		"a CRITICAL level":       func(a *Approval) { a.Assessment.Level = level.Critical },
		"code":                   doing(effects.Effect{Kind: effects.Execute, Breadth: effects.One}),
		"a message to others":    doing(effects.Effect{Kind: effects.Message, Breadth: effects.One, Audience: effects.Outside}),
		"a message to everybody": doing(effects.Effect{Kind: effects.Message, Breadth: effects.One, Audience: effects.Public}),
		"everything":             doing(effects.Effect{Kind: effects.Write, Breadth: effects.All}),
		"a masked span":          func(a *Approval) { a.Carried = []patterns.Match{{ID: "x"}} },
		"another shown digest":   func(a *Approval) { a.ShownDigest = "sha256:2" },
		"a result":               func(a *Approval) { a.Assessment.Patterns.LifecyclePoint = scoring.PostToolResult },
		"a name with a star":     func(a *Approval) { a.Function = "update_*" },
		"a name with a ?":        func(a *Approval) { a.Function = "update_?" },
		"a floor of LOW":         func(a *Approval) { a.Assessment.Floor.Level = level.Low },
		"money at MEDIUM":        func(a *Approval) { a.Assessment.Effects[0] = effects.Effect{Kind: effects.Money, Breadth: effects.One} },
	} {
		a := plain
		a.Assessment.Effects = append([]effects.Effect{}, plain.Assessment.Effects...)
		change(&a)
		why := a.unlowerable().String()
		if why == "" {
			t.Errorf("%s can be let through", what)
		}
		if told[what] && !strings.Contains(why, "run code, reach outside people or affect everything") {
			t.Errorf("%s is kept for another reason: %s", what, why)
		}
	}
}
