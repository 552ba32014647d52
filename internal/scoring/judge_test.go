package scoring

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/trust"
)

const (
	reading  = `{"function":"get_user","arguments":{"id":"usr_1"}}`
	speaking = `{"function":"get_user","arguments":{"url":"https://x.example/a","mail":"bob@example.com","note":"password"},"docstring":"Careful."}`
	updating = `{"function":"update_record","arguments":{"table":"orders","id":7}}`
	deleting = `{"function":"delete_user","arguments":{"args":["usr_123"],"env":"production"},"docstring":"Permanently remove a user account."}`
	nothing  = `{"function":"frobnicate"}`
)

// One line for each sentence about what only reads, and about the floor.
func TestJudgement(t *testing.T) {
	t.Parallel()
	const low, medium, high = level.Low, level.Medium, level.High
	staging := Inputs{Environment: "staging"}
	functions := func(f ...Function) func(*Policy) { return func(p *Policy) { p.Functions = f } }
	for _, c := range []struct {
		name    string
		preset  effects.Preset
		policy  func(*Policy)
		action  string
		inputs  Inputs
		matches []patterns.Match
		level   level.Level
		because string // in the explanation
	}{
		{"the worked example", effects.Balanced, nil, deleting, Inputs{}, nil, high, "it deletes"},
		{"an update in production", effects.Balanced, nil, `{"function":"update_record","arguments":{"table":"x","env":"production"}}`, Inputs{}, nil, medium, ""},
		{"an update", effects.Balanced, nil, updating, Inputs{}, nil, medium, "it changes something"},
		{"a deployment", effects.Balanced, nil, `{"function":"deploy_app","arguments":{"service":"api","target":"preview"}}`, Inputs{}, nil, medium, ""},
		{"one to production", effects.Balanced, nil, `{"function":"deploy_app","arguments":{"service":"api","target":"production"}}`, Inputs{}, nil, high, "it changes something"},
		{"an update, published", effects.Published, nil, updating, Inputs{}, nil, low, "five-factor score"},
		{"an update, strict", effects.Strict, nil, updating, Inputs{}, nil, high, "it changes something"},
		{"what is not known", effects.Balanced, nil, nothing, Inputs{}, nil, medium, "it isn't known what it does"},
		{"an update where nothing matters", effects.Balanced, nil, updating, staging, nil, low, "in a non-production environment"},
		{"one that says production itself", effects.Balanced, nil, `{"function":"update_record","arguments":{"id":7},"environment":"production"}`, staging, nil, medium, "it changes something"},
		{"an environment that nobody named", effects.Balanced, nil, updating, Inputs{Environment: "qa"}, nil, medium, ""},
		{"one of the organisation's own", effects.Balanced, func(p *Policy) { p.Judgement.Nonproduction = []string{"qa"} }, updating, Inputs{Environment: "qa"}, nil, low, ""},

		{"a read", effects.Balanced, nil, reading, Inputs{}, nil, low, "it only reads; five-factor score 0.120"},
		{"a read whose score is MEDIUM", effects.Balanced, nil, speaking, Inputs{}, nil, low, "it only reads"},
		{"the same, published", effects.Published, nil, speaking, Inputs{}, nil, medium, "five-factor score"},
		{"with a remark", effects.Balanced, nil, reading, Inputs{}, []patterns.Match{match(patterns.Medium, patterns.Confirm)}, low, "it only reads"},
		{"with a low one that blocks", effects.Balanced, nil, reading, Inputs{}, []patterns.Match{match(patterns.Low, patterns.Block)}, low, "Blocked"},
		{"with a pattern of the organisation's own that asks to confirm", effects.Balanced, owning(patterns.Medium, ""), reading, Inputs{}, nil, medium, "pattern ours"},
		{"with a low one", effects.Balanced, owning(patterns.Low, patterns.Confirm), speaking, Inputs{}, nil, medium, "pattern ours"},
		{"with a high one that only warns", effects.Balanced, owning(patterns.High, patterns.Warn), reading, Inputs{}, nil, low, "it only reads"},
		{"with a high one", effects.Balanced, owning(patterns.High, ""), reading, Inputs{}, nil, high, "pattern ours"},
		{"with a hint of the caller's", effects.Balanced, nil, hinting(speaking, `{"affected_rows":50000}`), Inputs{}, nil, medium, "five-factor score"},
		{"with one that is true", effects.Balanced, nil, hinting(speaking, `{"production":true}`), Inputs{}, nil, medium, "five-factor score"},
		{"with one that says nothing", effects.Balanced, nil, hinting(speaking, `{"production":false,"rows":0}`), Inputs{}, nil, low, "it only reads"},
		{"with a hint whose score is LOW", effects.Balanced, nil, hinting(reading, `{"production":true}`), Inputs{}, nil, low, "it only reads"},
		{"with more than a remark", effects.Balanced, nil, reading, Inputs{}, []patterns.Match{match(patterns.High, patterns.Warn)}, high, "pattern test-high-warn"},
		{"with a rule", effects.Balanced, func(p *Policy) { p.Rules.Custom = []OwnRule{own("ledger", "usr_1")} }, reading, Inputs{}, nil, high, "rule ledger"},
		{"with a docstring of the registry's that alarms", effects.Balanced, functions(Function{Glob: "get_*", Docstring: "Permanent."}), speaking, Inputs{}, nil, medium, "five-factor score"},
		{"with one that does not", effects.Balanced, functions(Function{Glob: "get_*", Docstring: "Gets."}), speaking, Inputs{}, nil, low, "it only reads"},
		{"with a hint of the registry's", effects.Balanced, functions(Function{Glob: "get_*", Hints: map[string]any{"rows": 10_000.0}}), speaking, Inputs{}, nil, medium, "five-factor score"},
		{"with a floor of the registry's", effects.Balanced, functions(Function{Glob: "get_*", Floor: high}), reading, Inputs{}, nil, high, "function registry"},
		{"in the mean", effects.Balanced, func(p *Policy) { p.Strategy, p.Thresholds.Medium = StrategyComposite, 0.1 }, speaking, Inputs{}, nil, low, "it only reads"},
		{"with a fixed score", effects.Balanced, func(p *Policy) { p.Strategy, p.FixedScore = StrategyFixed, 0.7 }, reading, Inputs{}, nil, high, "fixes the score"},
		{"a floor of one's own under reads", effects.Balanced, func(p *Policy) {
			p.Judgement.Floors = map[effects.Row]effects.Cells{effects.RowRead: {One: medium}}
		}, reading, Inputs{}, nil, medium, "it reads"},

		{"an entry that lowers", effects.Balanced, functions(Function{Glob: "update_*", LowerTo: low}), updating, Inputs{}, nil, low, "the policy's function registry lowers that to LOW"},
		{"a name's effect replaced", effects.Balanced, functions(Function{Glob: "frob*", Effect: effects.Read}), nothing, Inputs{}, nil, low, "it only reads"},
		{"by the stricter of two", effects.Balanced, functions(Function{Glob: "frob*", Effect: effects.Read}, Function{Glob: "*", Effect: effects.Delete}), nothing, Inputs{}, nil, high, "it deletes"},
		{"a deletion lowered", effects.Balanced, functions(Function{Glob: "delete_*", LowerTo: low}), `{"function":"delete_note","arguments":{"id":"n"}}`, Inputs{}, nil, medium, ""},
	} {
		got := judging(t, c.preset, c.policy).Examine(action(t, c.action), c.matches).Given(c.inputs).Assess(1)
		if got.Level != c.level || !strings.Contains(got.Explanation, c.because) {
			t.Errorf("%s: got %v, want %v with %q: %s (%+v)", c.name, got.Level, c.level, c.because, got.Explanation, got.Floor)
		}
		if remarked := c.name == "with a remark"; remarked != slices.Contains(got.Remarks, "test-medium-confirm") {
			t.Errorf("%s: remarks are %q", c.name, got.Remarks)
		}
		if c.preset == effects.Published {
			continue
		}
		published := judging(t, effects.Published, c.policy).Examine(action(t, c.action), c.matches).Given(c.inputs).Assess(1)
		if got.Score != published.Score || got.Rules.Level != published.Rules.Level || got.Patterns.NumericScore != published.Patterns.NumericScore {
			t.Errorf("%s: a score changed", c.name)
		}
	}
	if got := judging(t, effects.Balanced, nil).Assess(action(t, deleting), 1, nil); got.Treatment.Challenge != ChallengeQuiz {
		t.Errorf("the worked example asks for %s", got.Treatment.Challenge)
	}
}

// owning adds a pattern of the organisation's own, which finds usr_1 and password.
func owning(severity patterns.Severity, action patterns.Action) func(*Policy) {
	return func(p *Policy) {
		p.PatternOverrides.Add = []patterns.Pattern{{ID: "ours", Severity: severity, Action: action, Description: "Ours", Regex: []string{"usr_1|password"}, MustMatch: []string{"usr_1"}, MustNotMatch: []string{"x"}}}
	}
}

func hinting(body, hints string) string {
	return strings.TrimSuffix(body, "}") + `,"hints":` + hints + "}"
}

// An entry is for the calls that it names, and ends.
func TestEntriesAreForWhatTheyName(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	exactly := func(body string) *CallShape {
		p, ok := PatternOf(action(t, body))
		if !ok {
			t.Fatal(body)
		}
		return p.Shape()
	}
	mixed := &CallShape{Arrays: []string{"/tags"}, Arguments: []ShapeTerm{
		{Pointer: "/tags/0", Rule: RuleAny}, {Pointer: "/id", Rule: RuleAtMost, Values: []any{9}}, {Pointer: "/b", Rule: RuleEquals, Values: []any{map[string]any{}}},
	}}
	for _, c := range []struct {
		name   string
		entry  Function
		action string
		inputs Inputs
		lowers bool
	}{
		{"any agent", Function{Glob: "update_*"}, updating, Inputs{}, true},
		{"its agent", Function{Glob: "update_*", Agent: "bot"}, updating, Inputs{Agent: "bot"}, true},
		{"another agent", Function{Glob: "update_*", Agent: "bot"}, updating, Inputs{Agent: "bot2"}, false},
		{"nobody", Function{Glob: "update_*", Agent: "bot"}, updating, Inputs{}, false},
		{"before its end", Function{Glob: "update_*", Until: "2026-03-01T12:00:01Z"}, updating, Inputs{At: now}, true},
		{"at its end", Function{Glob: "update_*", Until: "2026-03-01T13:00:00+01:00"}, updating, Inputs{At: now}, false},
		{"at no time", Function{Glob: "update_*", Until: "2026-03-01T12:00:01Z"}, updating, Inputs{}, false},
		{"another name", Function{Glob: "update"}, updating, Inputs{}, false},
		{"exactly this call", Function{Glob: "update_*", Pattern: exactly(updating)}, updating, Inputs{}, true},
		{"another value", Function{Glob: "update_*", Pattern: exactly(updating)}, strings.Replace(updating, "7", "8", 1), Inputs{}, false},
		{"an argument more", Function{Glob: "update_*", Pattern: exactly(updating)}, strings.Replace(updating, "7", `7,"all":true`, 1), Inputs{}, false},
		{"a shape that is written in any order", Function{Glob: "update_*", Pattern: mixed}, `{"function":"update_x","arguments":{"b":{},"id":9,"tags":["x"]}}`, Inputs{}, true},
		{"an object in place of its array", Function{Glob: "update_*", Pattern: mixed}, `{"function":"update_x","arguments":{"b":{},"id":9,"tags":{"0":"x"}}}`, Inputs{}, false},
	} {
		c.entry.LowerTo = level.Low
		got := judging(t, effects.Balanced, func(p *Policy) { p.Functions = []Function{c.entry} }).Examine(action(t, c.action), nil).Given(c.inputs).Assess(1)
		if lowered := got.Level == level.Low; lowered != c.lowers || c.lowers && got.Floor.Entry != c.entry.Name() {
			t.Errorf("%s: got %v, %+v", c.name, got.Level, got.Floor)
		}
	}
}

// A record lowers a MEDIUM that only the floor of changing one thing made, and no other.
func TestTrustAndTheFloor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, action string
		policy       func(*Policy)
		lowered      bool
		why          string
	}{
		{"an update", updating, nil, true, ""},
		{"updates of several", `{"function":"update_records","arguments":{"ids":[1,2,3]}}`, nil, false, "what it does"},
		{"what is not known", nothing, nil, false, "what it does"},
		{"an update by a floor of the registry's", updating, func(p *Policy) { p.Functions = []Function{{Glob: "*", Floor: level.Medium}} }, false, "registry"},
		{"an update that a pattern speaks against", updating, func(p *Policy) {
			p.PatternOverrides.Add = []patterns.Pattern{{ID: "orders", Severity: patterns.Medium, Description: "Orders", Regex: []string{"orders"}, MustMatch: []string{"orders"}, MustNotMatch: []string{"x"}}}
		}, false, "a pattern"},
	} {
		got := judging(t, effects.Balanced, trusting(c.policy)).Examine(action(t, c.action), nil).Trusting(trust.Evidence{Succeeded: 1000}).Assess(1)
		if got.Trust == nil || got.Trust.Lowered != c.lowered || !strings.Contains(got.Trust.Why, c.why) || (got.Level == level.Low) != c.lowered {
			t.Errorf("%s: got %v, %+v: %s", c.name, got.Level, got.Trust, got.Explanation)
		}
		if c.lowered && !strings.Contains(got.Explanation, "it changes something") {
			t.Errorf("%s: got %s", c.name, got.Explanation)
		}
	}
}
