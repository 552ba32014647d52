package scoring

import (
	"strings"
	"testing"

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
	push := &Workspace{Judgement: workspace.Judgement{Level: level.Medium, Cause: "push"}}
	match := func(s patterns.Severity, a patterns.Action) patterns.Record {
		return patterns.Record{MatchedPatterns: []patterns.Match{{ID: "p1", Severity: s, Action: a}}}
	}
	for what, c := range map[string]struct {
		as   Assessment
		want Cause
	}{
		"a denial":                    {Assessment{Remembered: &Remembered{Verdict: "deny"}, Floor: floor}, Cause{CauseDenied, "deny"}},
		"a workspace":                 {Assessment{Workspace: push, Floor: floor}, Cause{CauseWorkspace, "push"}},
		"what raises above it":        {Assessment{Level: level.High, Workspace: push, Rules: rules.Result{Level: level.High, TriggeredRules: []string{"own"}}}, Cause{CauseRule, "own"}},
		"a blocking pattern":          {Assessment{Patterns: match(patterns.Low, patterns.Block), Floor: floor}, Cause{CausePattern, "p1"}},
		"the rule of the level":       {Assessment{Rules: rules.Result{Level: level.Medium, TriggeredRules: []string{"print_output", "git_commit", "own"}}, Floor: floor}, Cause{CauseRule, "git_commit"}},
		"rules below":                 {Assessment{Rules: rules.Result{Level: level.Low, TriggeredRules: []string{"own"}}, Floor: floor}, Cause{CauseEffect, "write"}},
		"an entry":                    {Assessment{Floor: entry}, Cause{CauseEntry, "update_*"}},
		"a pattern":                   {Assessment{Patterns: match(patterns.Medium, patterns.Warn)}, Cause{CausePattern, "p1"}},
		"a pattern below, so a score": {Assessment{Patterns: match(patterns.Low, patterns.Warn)}, Cause{Kind: CauseScore}},
	} {
		if c.as.Level == level.Safe {
			c.as.Level = level.Medium
		}
		got := c.as.Cause()
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", what, got, c.want)
		}
	}
}

// What explains a call tells its cause, which who reads the record finds again.
func TestExplanationTellsTheCause(t *testing.T) {
	t.Parallel()
	compiled := judging(t, effects.Balanced, nil)
	for _, body := range []string{
		deleting, `{"function":"get_user"}`, `{"function":"bash","arguments":{"command":"git push --force origin main"}}`, `{"function":"run_sql","arguments":{"query":"DROP TABLE users"}}`,
		`{"function":"create_refund","arguments":{"amount":500}}`, `{"function":"frobnicate","arguments":{"password":"x","url":"https://x.example"}}`,
	} {
		a := compiled.Examine(action(t, body), nil).Assess(1)
		told := map[CauseKind]string{CauseEffect: a.Floor.Because, CauseRule: "rule " + a.Cause().Name + " (", CausePattern: "pattern " + a.Cause().Name + " ("}[a.Cause().Kind]
		if !strings.Contains(a.Explanation, ": "+told) {
			t.Errorf("%s: the cause is %+v, and it is told %s", body, a.Cause(), a.Explanation)
		}
	}
}
