package approvals

import (
	"testing"

	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

func TestCause(t *testing.T) {
	t.Parallel()
	floor := effects.Floor{Level: level.Medium, Effect: effects.Write}
	entry := floor
	entry.Entry = "update_*"
	push := &scoring.Workspace{Judgement: workspace.Judgement{Level: level.Medium, Cause: "push"}}
	match := func(s patterns.Severity, a patterns.Action) patterns.Record {
		return patterns.Record{MatchedPatterns: []patterns.Match{{ID: "p1", Severity: s, Action: a}}}
	}
	for what, c := range map[string]struct {
		as   scoring.Assessment
		want Cause
	}{
		"a denial":                    {scoring.Assessment{Remembered: &scoring.Remembered{Verdict: "deny"}, Floor: floor}, Cause{CauseDenied, "deny"}},
		"a workspace":                 {scoring.Assessment{Workspace: push, Floor: floor}, Cause{CauseWorkspace, "push"}},
		"what raises above it":        {scoring.Assessment{Level: level.High, Workspace: push, Rules: rules.Result{Level: level.High, TriggeredRules: []string{"own"}}}, Cause{CauseRule, "own"}},
		"a blocking pattern":          {scoring.Assessment{Patterns: match(patterns.Low, patterns.Block), Floor: floor}, Cause{CausePattern, "p1"}},
		"the rule of the level":       {scoring.Assessment{Rules: rules.Result{Level: level.Medium, TriggeredRules: []string{"print_output", "git_commit", "own"}}, Floor: floor}, Cause{CauseRule, "git_commit"}},
		"rules below":                 {scoring.Assessment{Rules: rules.Result{Level: level.Low, TriggeredRules: []string{"own"}}, Floor: floor}, Cause{CauseEffect, "write"}},
		"an entry":                    {scoring.Assessment{Floor: entry}, Cause{CauseEntry, "update_*"}},
		"a pattern":                   {scoring.Assessment{Patterns: match(patterns.Medium, patterns.Warn)}, Cause{CausePattern, "p1"}},
		"a pattern below, so a score": {scoring.Assessment{Patterns: match(patterns.Low, patterns.Warn)}, Cause{Kind: CauseScore}},
	} {
		if c.as.Level == level.Safe {
			c.as.Level = level.Medium
		}
		got := Approval{Assessment: c.as}.Cause()
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", what, got, c.want)
		}
		if agent, back := ofHeldValue(heldValue("agt_1", got)); agent != "agt_1" || back != got {
			t.Errorf("%s: it comes back as %q, %+v", what, agent, back)
		}
	}
}
