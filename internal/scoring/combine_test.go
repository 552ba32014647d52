package scoring

import (
	"reflect"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// compiled is a policy that is the default but for change, and without floors: so the
// three models speak for themselves.
func compiled(t testing.TB, change func(*Policy)) *Compiled {
	t.Helper()
	return judging(t, effects.Published, change)
}

// judging is a policy of a preset that is the default but for change.
func judging(t testing.TB, preset effects.Preset, change func(*Policy)) *Compiled {
	t.Helper()
	p := DefaultPolicy()
	p.Judgement = effects.Default()
	p.Judgement.Preset = preset
	if change != nil {
		change(&p)
	}
	c, err := Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// match is a match of a pattern that no library has: severity and action are
// taken as they are.
func match(severity patterns.Severity, action patterns.Action) patterns.Match {
	return patterns.Match{
		ID: "test-" + string(severity) + "-" + string(action), Severity: severity, Action: action,
		Category: patterns.Custom, Why: "test", Places: []scan.Place{{Pointer: "/docstring"}},
	}
}

// A worked example of the whole computation.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	a := action(t, `{"function":"delete_user","arguments":{"args":["usr_123"],"env":"production"},"docstring":"Permanently remove a user account."}`)
	got := compiled(t, nil).Assess(a, 1, nil)
	if got.Score != 0.72 || got.FiveFactor.Score != 0.72 || got.Level != level.High || got.Response != Hold {
		t.Errorf("got %v %v %v", got.Score, got.Level, got.Response)
	}
	if want := (Treatment{Level: level.High, Response: Hold, Challenge: ChallengeQuiz, ApprovalsRequired: 1}); !reflect.DeepEqual(got.Treatment, want) {
		t.Errorf("got %+v, want %+v", got.Treatment, want)
	}
	if want := "Held as HIGH: five-factor score 0.720, mostly from function name (delete) and arguments (production in arguments.env)."; got.Explanation != want {
		t.Errorf("got %s", got.Explanation)
	}
	if h := a.Headline(got); h.Text != "“Delete user” “usr_123” · env “production”" || h.Consequence != "Deletes for good" || h.Reversible == nil || *h.Reversible {
		t.Errorf("got %s, %s", h.Text, h.Consequence)
	}
	if !got.Irreversible() || len(got.Consequences(a.Read(got).Outcomes)) != 2 {
		t.Errorf("got %v %q", got.Irreversible(), got.Consequences(a.Read(got).Outcomes))
	}
}

// One line for each rule of the combination.
func TestCombine(t *testing.T) {
	t.Parallel()
	const (
		harmless = `{"function":"get_user"}`                                                                // 0.03 + 0.09
		delete   = `{"function":"delete_user","arguments":{"env":"production"},"docstring":"Permanently."}` // 0.72
		drop     = `{"function":"get_user","code":"DROP TABLE users"}`                                      // rule CRITICAL, five-factor 0.12, a pattern 0.2
		custom   = `{"function":"x"}`                                                                       // 0.12 + 0.09
		result   = `{"lifecycle_point":"post-tool-result","content":"x"}`
		prompt   = `{"lifecycle_point":"pre-agent-start","content":"x"}`
	)
	type want struct {
		level     level.Level
		score     float64
		response  Response
		challenge ChallengeKind
	}
	const low, medium, high, critical = level.Low, level.Medium, level.High, level.Critical
	none := func(*Policy) {}
	preset := func(name string) func(*Policy) {
		return func(p *Policy) { p.Challenges, _ = Preset(name) }
	}
	m := func(matches ...patterns.Match) []patterns.Match { return matches }
	for _, test := range []struct {
		name    string
		policy  func(*Policy)
		action  string
		matches []patterns.Match
		want    want
	}{
		{"nothing speaks against it", none, harmless, nil, want{low, 0.12, Allow, ChallengeNone}},
		{"max: the five-factor score", none, delete, nil, want{high, 0.72, Hold, ChallengeQuiz}},
		{"max: a rule", none, drop, nil, want{critical, 0.2, Hold, ChallengeExplicit}},
		{"max: numeric score over five-factor", none, harmless, m(match(patterns.High, patterns.Warn)), want{high, 0.2, Hold, ChallengeQuiz}},
		{"max: the severity", none, harmless, m(match(patterns.Medium, patterns.Log)), want{medium, 0.12, Hold, ChallengeConfirm}},
		{"max: low severity", none, harmless, m(match(patterns.Low, patterns.Log)), want{low, 0.12, Allow, ChallengeNone}},
		{"max: critical severity", none, harmless, m(match(patterns.Critical, patterns.Confirm)), want{critical, 0.4, Hold, ChallengeExplicit}},
		{"a rule that says SAFE counts as LOW", none, `{"function":"get_user","code":"print(1)"}`, nil, want{low, 0.12, Allow, ChallengeNone}},

		{"composite", func(p *Policy) { p.Strategy = StrategyComposite }, delete, nil, want{medium, 0.504, Hold, ChallengeConfirm}},
		{"composite: weights are normalised", func(p *Policy) {
			p.Strategy, p.CompositeWeights = StrategyComposite, CompositeWeights{FiveFactor: 3, Patterns: 1}
		}, delete, nil, want{medium, 0.54, Hold, ChallengeConfirm}},
		{"composite: a CRITICAL rule is not lowered", func(p *Policy) { p.Strategy = StrategyComposite }, drop, nil, want{critical, 0.144, Hold, ChallengeExplicit}},
		{"composite: a CRITICAL severity is not lowered", func(p *Policy) { p.Strategy = StrategyComposite }, harmless, m(match(patterns.Critical, patterns.Confirm)), want{critical, 0.204, Hold, ChallengeExplicit}},
		{"composite: a CRITICAL score is not lowered", func(p *Policy) { p.Strategy, p.Thresholds.Critical = StrategyComposite, 0.7 }, delete, nil, want{critical, 0.504, Hold, ChallengeExplicit}},
		{"composite: a HIGH severity is", func(p *Policy) { p.Strategy = StrategyComposite }, harmless, m(match(patterns.High, patterns.Warn)), want{low, 0.144, Allow, ChallengeNone}},

		{"fixed", func(p *Policy) { p.Strategy, p.FixedScore = StrategyFixed, 0.3 }, delete, nil, want{medium, 0.3, Hold, ChallengeConfirm}},
		{"fixed: a CRITICAL is not lowered", func(p *Policy) { p.Strategy = StrategyFixed }, drop, nil, want{critical, 0, Hold, ChallengeExplicit}},

		{"block", none, harmless, m(match(patterns.Low, patterns.Block)), want{low, 0.12, Block, ChallengeDeny}},
		{"block by any match, below the highest severity", none, harmless, m(match(patterns.Low, patterns.Block), match(patterns.Critical, patterns.Confirm)), want{critical, 0.42, Block, ChallengeDeny}},
		{"block by the score", func(p *Policy) { p.ScoreOverrideThreshold = 39 }, harmless, m(match(patterns.Critical, patterns.Confirm)), want{critical, 0.4, Block, ChallengeDeny}},
		{"not by a score that only reaches the threshold", func(p *Policy) { p.ScoreOverrideThreshold = 40 }, harmless, m(match(patterns.Critical, patterns.Confirm)), want{critical, 0.4, Hold, ChallengeExplicit}},
		{"block wins over a policy that lets all through", preset(PresetAutoApprove), harmless, m(match(patterns.Low, patterns.Block)), want{low, 0.12, Block, ChallengeDeny}},
		{"on_block: hold", func(p *Policy) { p.OnBlock = OnBlockHold }, harmless, m(match(patterns.Low, patterns.Block)), want{critical, 0.12, Hold, ChallengeExplicit}},
		{"on_block: hold is held even so", func(p *Policy) {
			p.OnBlock = OnBlockHold
			preset(PresetAutoApprove)(p)
		}, harmless, m(match(patterns.Low, patterns.Block)), want{critical, 0.12, Hold, ChallengeExplicit}},
		{"on_block: hold, and the policy denies", func(p *Policy) {
			p.OnBlock = OnBlockHold
			preset(PresetDenyAll)(p)
		}, harmless, m(match(patterns.Low, patterns.Block)), want{critical, 0.12, Block, ChallengeDeny}},

		{"confirm: at least MEDIUM", none, harmless, m(match(patterns.Low, patterns.Confirm)), want{medium, 0.12, Hold, ChallengeConfirm}},
		{"confirm below the highest severity", none, harmless, m(match(patterns.Low, patterns.Confirm), match(patterns.High, patterns.Warn)), want{high, 0.22, Hold, ChallengeQuiz}},
		{"warn and log: the level decides", none, harmless, m(match(patterns.Low, patterns.Warn)), want{low, 0.12, Allow, ChallengeNone}},
		{"redact: the level decides", none, harmless, m(match(patterns.Low, patterns.Redact)), want{low, 0.12, Allow, ChallengeNone}},

		{"floor", func(p *Policy) { p.Functions = []Function{{Glob: "GET_*", Floor: high}} }, harmless, nil, want{high, 0.12, Hold, ChallengeQuiz}},
		{"the highest floor", func(p *Policy) { p.Functions = []Function{{Glob: "*", Floor: high}, {Glob: "get?user", Floor: medium}} }, harmless, nil, want{high, 0.12, Hold, ChallengeQuiz}},
		{"a floor never lowers", func(p *Policy) { p.Functions = []Function{{Glob: "*", Floor: low}} }, delete, nil, want{high, 0.72, Hold, ChallengeQuiz}},
		{"a floor of another function", func(p *Policy) { p.Functions = []Function{{Glob: "get", Floor: high}} }, harmless, nil, want{low, 0.12, Allow, ChallengeNone}},
		{"default hints", func(p *Policy) {
			p.Functions = []Function{{Glob: "x", Hints: map[string]any{"irreversible": true, "rows": 10000}}}
		}, custom, nil, want{medium, 0.36, Hold, ChallengeConfirm}},
		{"default docstring", func(p *Policy) { p.Functions = []Function{{Glob: "x", Docstring: "Permanently."}} }, custom, nil, want{medium, 0.38, Hold, ChallengeConfirm}},
		{"default docstring beside the agent's", func(p *Policy) { p.Functions = []Function{{Glob: "x", Docstring: "Permanently."}} }, `{"function":"x","docstring":"Harmless."}`, nil, want{medium, 0.38, Hold, ChallengeConfirm}},
		{"the agent cannot lower a default hint", func(p *Policy) { p.Functions = []Function{{Glob: "x", Hints: map[string]any{"a": true}}} }, `{"function":"x","hints":{"a":false}}`, nil, want{low, 0.255, Allow, ChallengeNone}},
		{"the agent can raise it", func(p *Policy) { p.Functions = []Function{{Glob: "x", Hints: map[string]any{"a": 1.0}}} }, `{"function":"x","hints":{"a":10000}}`, nil, want{medium, 0.33, Hold, ChallengeConfirm}},

		{"challenge none", preset(PresetConfirmHigh), `{"function":"delete"}`, nil, want{medium, 0.375, Allow, ChallengeNone}},
		{"challenge deny", preset(PresetDenyAll), harmless, nil, want{low, 0.12, Block, ChallengeDeny}},
		{"challenge for LOW", preset(PresetConfirmAll), harmless, nil, want{low, 0.12, Hold, ChallengeConfirm}},

		{"a result: nobody is asked", none, result, m(match(patterns.Critical, patterns.Warn)), want{critical, 0.4, Allow, ChallengeNone}},
		{"a result: unless a match says confirm", none, result, m(match(patterns.Low, patterns.Confirm)), want{medium, 0.02, Hold, ChallengeConfirm}},
		{"a result can be blocked", none, result, m(match(patterns.Critical, patterns.Block)), want{critical, 0.4, Block, ChallengeDeny}},
		{"a result: only the pattern model runs", none, `{"function":"delete_user","code":"DROP TABLE x","lifecycle_point":"post-tool-result"}`, nil, want{low, 0, Allow, ChallengeNone}},
		{"a prompt: the level decides", none, prompt, m(match(patterns.High, patterns.Warn)), want{high, 0.2, Hold, ChallengeQuiz}},
		{"a clean prompt", none, prompt, nil, want{low, 0, Allow, ChallengeNone}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := compiled(t, test.policy).Assess(action(t, test.action), 1, test.matches)
			is := want{got.Level, got.Score, got.Response, got.Treatment.Challenge}
			if is != test.want {
				t.Errorf("got  %+v\nwant %+v\n%s", is, test.want, got.Explanation)
			}
			if got.Treatment.Level != got.Level || got.Treatment.Response != got.Response {
				t.Errorf("the treatment %+v is not that of %v %v", got.Treatment, got.Level, got.Response)
			}
			if approvals := got.Treatment.ApprovalsRequired; (approvals > 0) != (got.Response == Hold) {
				t.Errorf("%s by %d people", got.Response, approvals)
			}
		})
	}
}

func TestApprovalsRequired(t *testing.T) {
	t.Parallel()
	c := compiled(t, func(p *Policy) { p.ApprovalsRequired.Critical = 3 })
	if got := c.Assess(action(t, `{"function":"f","code":"DROP TABLE x"}`), 1, nil).Treatment.ApprovalsRequired; got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestNoveltyFalls(t *testing.T) {
	t.Parallel()
	e := compiled(t, nil).Examine(action(t, `{"function":"get_user"}`), nil)
	if first, tenth := e.Assess(1).Score, e.Assess(10).Score; first != 0.12 || tenth != 0.04 {
		t.Errorf("got %v and %v", first, tenth)
	}
}

// Each explanation names what decided, and where.
func TestExplanation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		policy  func(*Policy)
		action  string
		matches []patterns.Match
		want    string
	}{
		{"low", nil, `{"function":"get_user"}`, nil, "Approved automatically as LOW: five-factor score 0.120, mostly from function name (get)."},
		{"rule", nil, `{"function":"run","code":"x; DROP TABLE users"}`, nil, "Held as CRITICAL: rule drop_database (Database deletion is typically irreversible) in code."},
		{"block", nil, `{"function":"f"}`, []patterns.Match{match(patterns.Low, patterns.Block)}, "Blocked as LOW: pattern test-low-block (test) in docstring."},
		{"threshold", func(p *Policy) { p.ScoreOverrideThreshold = 1 }, `{"function":"f"}`, []patterns.Match{match(patterns.Low, patterns.Log)}, "Blocked as LOW: the pattern score 2 is above 1."},
		{"severity", nil, `{"function":"f"}`, []patterns.Match{match(patterns.High, patterns.Warn)}, "Held as HIGH: pattern test-high-warn (test) in docstring."},
		{"confirm", nil, `{"function":"f"}`, []patterns.Match{match(patterns.Low, patterns.Confirm), match(patterns.Low, patterns.Warn)}, "Held as MEDIUM: pattern test-low-confirm (test) in docstring."},
		{"floor", func(p *Policy) { p.Functions = []Function{{Glob: "*", Floor: level.High}} }, `{"function":"f"}`, nil, "Held as HIGH: the policy's function registry asks for at least this level."},
		{"denied level", func(p *Policy) { p.Challenges.Low = ChallengeDeny }, `{"function":"f"}`, nil, "Blocked as LOW: five-factor score 0.210; the policy denies this level."},
		{"level let through", func(p *Policy) { p.Challenges.Medium = ChallengeNone }, `{"function":"delete"}`, nil, "Approved automatically as MEDIUM: five-factor score 0.375, mostly from function name (delete); the policy lets this level through."},
		{"fixed", func(p *Policy) { p.Strategy, p.FixedScore = StrategyFixed, 0.5 }, `{"function":"f"}`, nil, "Held as MEDIUM: the policy fixes the score at 0.500."},
		{"clean result", nil, `{"lifecycle_point":"post-tool-result"}`, nil, "Approved automatically as LOW: no pattern matched."},
	} {
		if got := compiled(t, test.policy).Assess(action(t, test.action), 1, test.matches).Explanation; got != test.want {
			t.Errorf("%s: got %q\nwant %q", test.name, got, test.want)
		}
	}
}

// An agent cannot make the explanation long or break its line.
func TestExplanationIsOneLine(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("a\\n", 200) + "/env"
	got := compiled(t, nil).Assess(action(t, `{"function":"x","arguments":{"`+name+`":"production"},"hints":{"`+name+`":10000}}`), 1, nil).Explanation
	if strings.Contains(got, "\n") || len(got) > 1000 {
		t.Errorf("got %q", got)
	}
}

// A registry's docstring is no place in the action.
func TestRegistryDocstringHasNoPlace(t *testing.T) {
	t.Parallel()
	c := compiled(t, func(p *Policy) { p.Functions = []Function{{Glob: "x", Docstring: "Permanently."}} })
	got := c.Assess(action(t, `{"function":"x","docstring":"  permanent"}`), 1, nil)
	for _, f := range got.FiveFactor.Factors {
		if f.Name != "docstring" {
			continue
		}
		if len(f.Evidence) != 1 || len(f.Evidence[0].Places) != 1 || f.Evidence[0].Places[0] != (scan.Place{Pointer: "/docstring", Start: 2, End: 11}) {
			t.Errorf("got %+v", f.Evidence)
		}
	}
	got = c.Assess(action(t, `{"function":"x"}`), 1, nil)
	if places := got.FiveFactor.Factors[2].Evidence[0].Places; len(places) != 0 {
		t.Errorf("got places %+v", places)
	}
}

func TestConsequences(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		action string
		want   []string
	}{
		{`{"function":"x"}`, []string{"It runs once, exactly as shown, as soon as the agent uses this approval."}},
		{`{"function":"x","code":"DROP TABLE t"}`, []string{"“t” is deleted for good."}},
		{`{"function":"x","environment":"staging","arguments":{"env":"eu-prod-1","rows":37}}`, []string{"It affects 37 (rows).", "It runs in eu-prod-1 as soon as the agent uses this approval."}},
		{`{"function":"add_collaborator","arguments":{"owner":"acme","repo":"infra","username":"xq-contractor","permission":"admin"}}`, []string{"“xq-contractor” has “admin” on “acme”, “infra”."}},
		{`{"function":"transfer","arguments":{"amount":5,"currency":"EUR"}}`, []string{"5 EUR leave the account."}},
	} {
		of := action(t, test.action)
		as := compiled(t, nil).Assess(of, 1, nil)
		got := as.Consequences(of.Read(as).Outcomes)
		if strings.Join(got, "|") != strings.Join(test.want, "|") {
			t.Errorf("%s: got %q", test.action, got)
		}
	}
}
