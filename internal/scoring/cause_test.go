package scoring

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// One cause is told, and the explanation tells the same.
func TestCause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what   string
		policy func(*Policy)
		action string
		given  *Remembered
		cause  Cause
		told   string
	}{
		{"the effect, although the score reaches the level too", nil, deleting, nil, Cause{CauseEffect, "delete"}, "it deletes"},
		{"a rule before the effect", func(p *Policy) {
			p.Rules.Custom = []OwnRule{{Name: "own", Pattern: "production", Level: level.High, Reason: "ours"}}
		}, deleting, nil, Cause{CauseRule, "own"}, "rule own (ours)"},
		{"an entry that lowered", func(p *Policy) { p.Functions = []Function{{Glob: "delete_*", LowerTo: level.Medium}} }, `{"function":"delete_note","arguments":{"id":"n"}}`, nil, Cause{CauseEntry, "delete_*"}, "lowers that to MEDIUM"},
		{"an entry that asks for it", func(p *Policy) { p.Functions = []Function{{Glob: "get_*", Floor: level.High}} }, reading, nil, Cause{CauseEntry, "get_*"}, "function registry asks"},
		{"a denial", nil, deleting, &Remembered{Approval: "apr_1", Verdict: "deny", Level: level.Critical, At: time.Unix(0, 0)}, Cause{CauseDenied, "deny"}, "was denied"},
		{"the score alone", func(p *Policy) { p.Strategy, p.FixedScore = StrategyFixed, 0.7 }, reading, nil, Cause{Kind: CauseScore}, "fixes the score"},
	} {
		as := judging(t, effects.Balanced, c.policy).Examine(action(t, c.action), nil).Remembering(c.given).Assess(1)
		if as.Cause != c.cause || !strings.Contains(as.Explanation, c.told) {
			t.Errorf("%s: got %+v, %s", c.what, as.Cause, as.Explanation)
		}
	}
}
