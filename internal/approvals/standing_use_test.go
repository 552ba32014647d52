package approvals

import (
	"testing"

	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// Each reason alone keeps an action away from standing grants.
func TestUncoverable(t *testing.T) {
	t.Parallel()
	plain := Approval{Digest: "sha256:1", ShownDigest: "sha256:1", Treatment: scoring.Treatment{Level: level.Medium, Response: scoring.Hold, Challenge: scoring.ChallengeConfirm, ApprovalsRequired: 1}}
	plain.Assessment.Level, plain.Assessment.Patterns.LifecyclePoint = level.Medium, scoring.PreToolCall
	if why := plain.uncoverable(); !why.Empty() {
		t.Fatalf("the plain one: %s", why)
	}
	for what, change := range map[string]func(a *Approval){
		"a HIGH treatment":     func(a *Approval) { a.Treatment.Level = level.High },
		"a HIGH assessment":    func(a *Approval) { a.Assessment.Level = level.High },
		"no hold":              func(a *Approval) { a.Treatment.Response = scoring.Block },
		"questions":            func(a *Approval) { a.Treatment.Challenge = scoring.ChallengeQuiz },
		"two people":           func(a *Approval) { a.Treatment.ApprovalsRequired = 2 },
		"one of a team":        func(a *Approval) { a.Treatment.Needs = []deciders.Need{{Team: "security"}} },
		"a masked span":        func(a *Approval) { a.Carried = []patterns.Match{{ID: "x"}} },
		"another shown digest": func(a *Approval) { a.ShownDigest = "sha256:2" },
		"a result":             func(a *Approval) { a.Assessment.Patterns.LifecyclePoint = scoring.PostToolResult },
		"a blocking pattern": func(a *Approval) {
			a.Assessment.Patterns.MatchedPatterns = []patterns.Match{{ID: "x", Action: patterns.Block}}
		},
	} {
		a := plain
		change(&a)
		if a.uncoverable().Empty() {
			t.Errorf("%s can be allowed ahead", what)
		}
	}
}
