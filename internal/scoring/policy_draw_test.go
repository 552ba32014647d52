package scoring

import (
	"strings"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// drawEdits changes some settings of p. Patterns and rules are those that the
// words and matches of the properties meet.
func drawEdits(t *rapid.T, p Policy) Policy {
	challenges := func(label string) ChallengeKind { return rapid.SampledFrom(Challenges()).Draw(t, label) }
	pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	named := []string{"aws-access-key", "delete-recursively", "email-list", "card-number", "pipe-download-to-shell"}
	for _, edit := range rapid.SliceOfN(rapid.IntRange(0, 27), 0, 4).Draw(t, "edits") {
		switch edit {
		case 0:
			p.Thresholds.Medium = rapid.SampledFrom([]float64{0.1, 0.2, 0.3, 0.4}).Draw(t, "medium")
		case 1:
			p.Thresholds.High = rapid.SampledFrom([]float64{0.45, 0.5, 0.6, 0.7}).Draw(t, "high")
		case 2:
			p.Thresholds.Critical = rapid.SampledFrom([]float64{0.72, 0.8, 0.9, 1}).Draw(t, "critical")
		case 3:
			p.Weights.FunctionName, p.Weights.Arguments = 0.25, 0.30
		case 4:
			p.Strategy = rapid.SampledFrom([]Strategy{StrategyMax, StrategyComposite, StrategyFixed}).Draw(t, "strategy")
		case 5:
			p.FixedScore = rapid.SampledFrom([]float64{0, 0.3, 0.6, 0.9}).Draw(t, "fixed")
		case 6:
			p.ScoreOverrideThreshold = rapid.SampledFrom([]int{0, 20, 40, 85, 95, 100}).Draw(t, "threshold")
		case 7:
			p.OnBlock = rapid.SampledFrom([]OnBlock{OnBlockBlock, OnBlockHold}).Draw(t, "on block")
		case 8:
			p.Challenges.Low = challenges("low")
		case 9:
			p.Challenges.Medium = challenges("medium")
		case 10:
			p.Challenges.High = challenges("high")
		case 11:
			p.Challenges.Critical = challenges("critical")
		case 12:
			p.ApprovalsRequired.High = rapid.IntRange(1, 3).Draw(t, "approvals")
		case 13:
			p.Challenges, _ = Preset(rapid.SampledFrom(Presets()).Draw(t, "preset"))
		case 14:
			p.Functions = rapid.SampledFrom([][]Function{
				nil,
				{{Glob: "get*", Floor: level.High}},
				{{Glob: "get*", Floor: level.Medium, Docstring: "caution"}, {Glob: "*", Hints: map[string]any{"a": 100.0}}},
				{{Glob: "*", Docstring: "permanent", Hints: map[string]any{"a": true, "b": 9000.0}}},
			}).Draw(t, "functions")
		case 20:
			p.Judgement.Preset = rapid.SampledFrom(effects.Presets()).Draw(t, "judgement")
		case 21:
			row := rapid.SampledFrom(effects.Rows()).Draw(t, "row")
			p.Judgement.Floors = map[effects.Row]effects.Cells{row: {Nonproduction: rapid.SampledFrom(level.All()).Draw(t, "cell"), One: rapid.SampledFrom(level.All()).Draw(t, "one")}}
		case 24:
			p.PatternWeights.Critical = rapid.SampledFrom([]float64{30, 40, 70}).Draw(t, "critical weight")
			p.PatternWeights.High = rapid.SampledFrom([]float64{10, 20, 30}).Draw(t, "high weight")
		case 25:
			p.PatternDecay = rapid.SampledFrom([]float64{0, 0.5, 0.85, 1}).Draw(t, "decay")
		case 26:
			p.BlockAllCritical = rapid.Bool().Draw(t, "block all critical")
			p.SeverityActions.High = rapid.SampledFrom(patterns.Actions()).Draw(t, "high action")
			p.SeverityActions.Critical = rapid.SampledFrom([]patterns.Action{patterns.Block, patterns.Redact, patterns.Confirm}).Draw(t, "critical action")
		case 27:
			deciding(pick("members", "", "a", "ab"))(&p)
			p.Deciders.Rules = rapid.SampledFrom([][]deciders.Rule{
				nil,
				{{Name: "x", Needs: []deciders.Need{{Team: "security"}}}},
				{{Name: "x", Level: level.High, Needs: []deciders.Need{{Team: "security", AtLeast: 2}}}, {Name: "y", Functions: []string{"get*"}, Needs: []deciders.Need{{Team: "finance"}}}},
			}).Draw(t, "deciders")
		case 22:
			p.Judgement.Nonproduction = rapid.SampledFrom([][]string{nil, {"qa"}}).Draw(t, "names")
		case 23:
			p.Functions = rapid.SampledFrom([][]Function{
				{{Glob: "*", LowerTo: level.Low}},
				{{Glob: "x", LowerTo: level.Low, Until: "2026-01-01T00:00:00Z"}, {Glob: "get_user", Effect: effects.Delete}},
				{{Glob: "run", Effect: effects.Read, Agent: "bot"}, {Glob: "x", LowerTo: level.Medium}},
				{{Glob: "get_user", Effect: effects.Delete, Agent: "bot", Tool: strings.Repeat("1", 64)}, {Glob: "x", Effect: effects.Read, Agent: "bot", Tool: strings.Repeat("1", 64)}},
				{{Glob: "get_user", Effect: effects.Read, Agent: "bot", Tool: strings.Repeat("1", 64)}, {Glob: "x", Effect: effects.Delete, Agent: "bot", Tool: strings.Repeat("2", 64)}},
			}).Draw(t, "entries")
		case 15:
			p.Rules.Extended = rapid.Bool().Draw(t, "extended")
		case 16:
			p.Rules.Removed = rapid.SampledFrom([][]string{nil, {"rm_recursive"}, {"sudo_command", "print_output"}, {"shell_recursive_delete"}}).Draw(t, "removed")
		case 19:
			p.Trust = TrustSettings{
				Enabled: rapid.Bool().Draw(t, "trust"), Cap: rapid.SampledFrom([]float64{0.02, 0.1, 0.15}).Draw(t, "cap"),
				AtLeast: rapid.SampledFrom([]float64{0.8, 0.95}).Draw(t, "at least"), Evidence: rapid.IntRange(10, 12).Draw(t, "evidence"), HalfLifeDays: 30,
			}
		case 18:
			p.Rules.Custom = rapid.SampledFrom([][]OwnRule{
				nil,
				{own("any", "get|delete|key")},
				{{Name: "any", Pattern: "get|delete|key", Level: level.Critical, Reason: "Ours"}},
				{asking("some", `action.code.contains("rm") || action.function.startsWith("get")`)},
			}).Draw(t, "custom")
		case 17:
			o := patterns.Overrides{}
			switch id := pick("pattern", named...); rapid.IntRange(0, 3).Draw(t, "override") {
			case 0:
				o.Disable = []string{id}
			case 1:
				o.Change = []patterns.Change{{ID: id, Action: rapid.SampledFrom([]patterns.Action{patterns.Block, patterns.Redact, patterns.Confirm}).Draw(t, "action")}}
			case 2:
				o.Change = []patterns.Change{{ID: id, Severity: rapid.SampledFrom(patterns.Severities()).Draw(t, "severity"), Action: patterns.Confirm}}
			}
			p.PatternOverrides = o
		}
	}
	return p
}
