package scoring

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// One line for each row of docs/policy.md.
func TestWeaker(t *testing.T) {
	t.Parallel()
	both := func(change func(*Policy)) func(old, new *Policy) {
		return func(old, new *Policy) { change(old); change(new) }
	}
	tool := func(digit string) Function {
		return Function{Glob: "a", Agent: "bot", Tool: strings.Repeat(digit, 64), Effect: effects.Read}
	}
	function := func(f ...Function) func(*Policy) { return func(p *Policy) { p.Functions = f } }
	change := func(id string, s patterns.Severity, a patterns.Action) func(*Policy) {
		return func(p *Policy) { p.PatternOverrides.Change = []patterns.Change{{ID: id, Severity: s, Action: a}} }
	}
	ownPattern := func(edit func(*patterns.Pattern)) func(*Policy) {
		return func(p *Policy) {
			one := patterns.Pattern{ID: "code-name", Severity: patterns.Medium, Description: "A code name", Regex: []string{`\bkestrel\b`}, MustMatch: []string{"kestrel"}, MustNotMatch: []string{"k"}}
			if edit != nil {
				edit(&one)
			}
			p.PatternOverrides.Add = []patterns.Pattern{one}
		}
	}
	redacts := func(p *patterns.Pattern) { p.Action = patterns.Redact }
	waits := func(p *patterns.Pattern) { p.Action, p.Waits = patterns.Redact, true }
	judgement := func(change func(*effects.Settings)) func(*Policy) {
		return func(p *Policy) { change(&p.Judgement) }
	}
	cell := func(row effects.Row, cells effects.Cells) func(*Policy) {
		return judgement(func(j *effects.Settings) { j.Floors = map[effects.Row]effects.Cells{row: cells} })
	}
	custom := func(list ...OwnRule) func(*Policy) { return func(p *Policy) { p.Rules.Custom = list } }
	upsideDown := both(func(p *Policy) { p.Challenges.High = ChallengeNone })
	hold := both(func(p *Policy) { p.OnBlock = OnBlockHold })
	for _, c := range []struct {
		name     string
		around   func(old, new *Policy) // what both have, nil: the default policy
		old, new func(*Policy)          // nil: nothing
		member   string
		weaker   bool
	}{
		{"a threshold raised", nil, nil, func(p *Policy) { p.Thresholds.High = 0.7 }, "/thresholds/high", true},
		{"a threshold lowered", nil, nil, func(p *Policy) { p.Thresholds.High = 0.5 }, "/thresholds/high", false},
		{"a threshold lowered below which more is asked", upsideDown, nil, func(p *Policy) { p.Thresholds.High = 0.5 }, "/thresholds/high", true},
		{"a threshold lowered to a level with fewer approvals", both(func(p *Policy) { p.ApprovalsRequired.Medium = 2 }), nil, func(p *Policy) { p.Thresholds.High = 0.5 }, "/thresholds/high", true},
		{"a threshold lowered to a level with less looking", both(func(p *Policy) { p.MinReviewSeconds.Medium = 60 }), nil, func(p *Policy) { p.Thresholds.High = 0.5 }, "/thresholds/high", true},
		{"the same, where nobody approves", both(func(p *Policy) {
			p.MinReviewSeconds.Medium, p.Challenges.High, p.Challenges.Critical = 60, ChallengeDeny, ChallengeDeny
		}), nil, func(p *Policy) { p.Thresholds.High = 0.5 }, "/thresholds/high", false},
		{"weights", nil, nil, func(p *Policy) { p.Weights.Hints, p.Weights.Novelty = 0.1, 0.15 }, "/weights/novelty", true},
		{"from max to the mean", nil, nil, func(p *Policy) { p.Strategy = StrategyComposite }, "/strategy", true},
		{"from the mean to max", nil, func(p *Policy) { p.Strategy = StrategyComposite }, nil, "/strategy", false},
		{"from max to a fixed score", nil, nil, func(p *Policy) { p.Strategy, p.FixedScore = StrategyFixed, 1 }, "/strategy", true},
		{"from a fixed score to max", both(func(p *Policy) { p.FixedScore = 0.3 }), func(p *Policy) { p.Strategy = StrategyFixed }, nil, "/strategy", true},
		{"from a fixed score that is LOW to max", nil, func(p *Policy) { p.Strategy = StrategyFixed }, nil, "/strategy", false},
		{"the mean's weights", nil, nil, func(p *Policy) { p.CompositeWeights.Patterns = 0.5 }, "/composite_weights/patterns", true},
		{"a fixed score lowered", nil, func(p *Policy) { p.FixedScore = 0.9 }, nil, "/fixed_score", true},
		{"a fixed score raised", nil, nil, func(p *Policy) { p.FixedScore = 0.9 }, "/fixed_score", false},
		{"blocking later", nil, nil, func(p *Policy) { p.ScoreOverrideThreshold = 86 }, "/score_override_threshold", true},
		{"blocking earlier", nil, nil, func(p *Policy) { p.ScoreOverrideThreshold = 84 }, "/score_override_threshold", false},
		{"blocking earlier, whatever the levels ask", upsideDown, nil, func(p *Policy) { p.ScoreOverrideThreshold = 84 }, "/score_override_threshold", false},
		{"holding earlier at a level that asks for less", both(func(p *Policy) { p.OnBlock, p.Challenges.Critical = OnBlockHold, ChallengeConfirm }), nil, func(p *Policy) { p.ScoreOverrideThreshold = 84 }, "/score_override_threshold", true},
		{"holding what was blocked", nil, nil, func(p *Policy) { p.OnBlock = OnBlockHold }, "/on_block", true},
		{"blocking what was held", nil, func(p *Policy) { p.OnBlock = OnBlockHold }, nil, "/on_block", false},
		{"no person for what requires approval", nil, func(p *Policy) { p.OnRequiresApproval = OnRequiresHold }, nil, "/on_requires_approval", true},
		{"a person for what requires approval", nil, nil, func(p *Policy) { p.OnRequiresApproval = OnRequiresHold }, "/on_requires_approval", false},
		{"a person for what requires approval, at a level that asks for less", both(func(p *Policy) { p.Challenges.Low = ChallengeQuiz }), nil, func(p *Policy) { p.OnRequiresApproval = OnRequiresHold }, "/on_requires_approval", true},
		{"a challenge where what requires approval had a harder one", both(func(p *Policy) { p.OnRequiresApproval = OnRequiresHold }), func(p *Policy) { p.Challenges.High = ChallengeNone }, func(p *Policy) { p.Challenges.High = ChallengeConfirm }, "/challenges/high", true},
		{"scorers from the mean to the highest", nil, nil, func(p *Policy) { p.Scorers.Mode = ScorersMax }, "/scorers/mode", false},
		{"scorers in place of the models", nil, nil, func(p *Policy) { p.Scorers.Mode = ScorersReplace }, "/scorers/mode", true},
		{"scorers from the highest to the mean", nil, func(p *Policy) { p.Scorers.Mode = ScorersMax }, nil, "/scorers/mode", true},
		{"the models' weight beside scorers", nil, nil, func(p *Policy) { p.Scorers.BuiltInWeight = 9 }, "/scorers/built_in_weight", true},
		{"CRITICAL lowered by scorers", nil, nil, func(p *Policy) { p.Scorers.MayLowerCritical = true }, "/scorers/may_lower_critical", true},
		{"CRITICAL lowered by scorers no more", nil, func(p *Policy) { p.Scorers.MayLowerCritical = true }, nil, "/scorers/may_lower_critical", false},
		{"a scorer added to the mean", nil, nil, func(p *Policy) { p.Scorers.Own = []OwnScorer{scorer("x", `action.hints.size()`, 1)} }, "/scorers/own/x", true},
		{"a scorer added to the highest", both(func(p *Policy) { p.Scorers.Mode = ScorersMax }), nil, func(p *Policy) { p.Scorers.Own = []OwnScorer{scorer("x", `action.hints.size()`, 1)} }, "/scorers/own/x", false},
		{"a scorer taken away", both(func(p *Policy) { p.Scorers.Mode = ScorersMax }), func(p *Policy) { p.Scorers.Own = []OwnScorer{scorer("x", `action.hints.size()`, 1)} }, nil, "/scorers/own/x", true},
		{"another expression of a scorer", nil, func(p *Policy) { p.Scorers.Own = []OwnScorer{scorer("x", `action.hints.size()`, 1)} }, func(p *Policy) { p.Scorers.Own = []OwnScorer{scorer("x", `action.metadata.size()`, 1)} }, "/scorers/own/x", true},

		{"a weight that falls", nil, nil, func(p *Policy) { p.PatternWeights.Medium = 7 }, "/pattern_weights/medium", true},
		{"a weight that rises", nil, nil, func(p *Policy) { p.PatternWeights.Medium = 9 }, "/pattern_weights/medium", false},
		{"a weight that rises, in a policy that asks for less above", upsideDown, nil, func(p *Policy) { p.PatternWeights.Critical = 41 }, "/pattern_weights/critical", true},
		{"further matches that count less", nil, nil, func(p *Policy) { p.PatternDecay = 0.84 }, "/pattern_decay", true},
		{"further matches that count more", nil, nil, func(p *Policy) { p.PatternDecay = 1 }, "/pattern_decay", false},
		{"a severity that blocks no more", nil, nil, func(p *Policy) { p.SeverityActions.Critical = patterns.Redact }, "/severity_actions/critical", true},
		{"a severity that blocks", nil, nil, func(p *Policy) { p.SeverityActions.Low = patterns.Block }, "/severity_actions/low", false},
		{"a severity that asks nobody any more", nil, nil, func(p *Policy) { p.SeverityActions.Medium = patterns.Redact }, "/severity_actions/medium", true},
		{"a severity that asks somebody, and stays masked", nil, nil, func(p *Policy) { p.SeverityActions.High = patterns.Confirm }, "/severity_actions/high", false},
		{"a severity that is shown again", nil, func(p *Policy) { p.SeverityActions.Low = patterns.Redact }, func(p *Policy) { p.SeverityActions.Low = patterns.Confirm }, "/severity_actions/low", true},
		{"every critical pattern blocks", nil, nil, func(p *Policy) { p.BlockAllCritical = true }, "/block_all_critical", false},
		{"every critical pattern blocks, whatever the levels ask", upsideDown, nil, func(p *Policy) { p.BlockAllCritical = true }, "/block_all_critical", false},
		{"every critical pattern holds at a level that asks for less", both(func(p *Policy) { p.OnBlock, p.Challenges.Critical = OnBlockHold, ChallengeConfirm }), nil, func(p *Policy) { p.BlockAllCritical = true }, "/block_all_critical", true},
		{"not every critical pattern blocks any more", nil, func(p *Policy) { p.BlockAllCritical = true }, nil, "/block_all_critical", true},
		{"calls are handed back without secrets", nil, nil, func(p *Policy) { p.RewriteCalls = true }, "/rewrite_calls", false},
		{"calls are handed back no more", nil, func(p *Policy) { p.RewriteCalls = true }, nil, "/rewrite_calls", true},
		{"a critical pattern asks, where all of them block anyway", both(func(p *Policy) { p.BlockAllCritical = true }), nil, change("reverse-shell", "", patterns.Confirm), "/pattern_overrides/change/reverse-shell/action", false},
		{"a pattern of ours more severe, under weights where that can lower the score", both(func(p *Policy) { p.PatternDecay = 0 }), ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Block }), ownPattern(func(p *patterns.Pattern) { p.Severity, p.Action = patterns.High, patterns.Block }), "/pattern_overrides/add/code-name", true},
		{"a pattern of ours more severe, under weights where it cannot", both(func(p *Policy) { p.PatternDecay = 1 }), ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Block }), ownPattern(func(p *patterns.Pattern) { p.Severity, p.Action = patterns.High, patterns.Block }), "/pattern_overrides/add/code-name", false},

		{"a lesser challenge", nil, nil, func(p *Policy) { p.Challenges.High = ChallengeConfirm }, "/challenges/high", true},
		{"a harder challenge", nil, nil, func(p *Policy) { p.Challenges.High = ChallengeDeny }, "/challenges/high", false},
		{"a challenge where what is blocked had a harder one", hold, func(p *Policy) { p.Challenges.Critical = ChallengeNone }, func(p *Policy) { p.Challenges.Critical = ChallengeConfirm }, "/challenges/critical", true},
		{"fewer approvals", nil, func(p *Policy) { p.ApprovalsRequired.Low = 2 }, nil, "/approvals_required/low", true},
		{"more approvals", nil, nil, func(p *Policy) { p.ApprovalsRequired.Low = 2 }, "/approvals_required/low", false},
		{"somebody joins a team", nil, deciding("a"), deciding("ab"), "/deciders/teams/security/" + aPerson + "b", true},
		{"somebody leaves a team", nil, deciding("ab"), deciding("a"), "/deciders/teams/security/" + aPerson + "b", false},
		{"a rule of who decides", nil, deciding("a"), deciding("a", deciders.Rule{Name: "x", Needs: []deciders.Need{{Team: "security"}}}), "/deciders/rules/x", false},
		{"no rule of who decides any more", nil, deciding("a", deciders.Rule{Name: "x", Needs: []deciders.Need{{Team: "security"}}}), deciding("a"), "/deciders/rules/x", true},
		{"fewer of a team", nil, deciding("a", deciders.Rule{Name: "x", Needs: []deciders.Need{{Team: "security", AtLeast: 2}}}), deciding("a", deciders.Rule{Name: "x", Needs: []deciders.Need{{Team: "security"}}}), "/deciders/rules/x", true},
		{"one team less", nil, deciding("a", deciders.Rule{Name: "x", Needs: []deciders.Need{{Team: "security"}, {Team: "finance"}}}), deciding("a", deciders.Rule{Name: "x", Needs: []deciders.Need{{Team: "security"}}}), "/deciders/rules/x", true},
		{"one team more", nil, deciding("a", deciders.Rule{Name: "x", Needs: []deciders.Need{{Team: "security"}}}), deciding("a", deciders.Rule{Name: "x", Needs: []deciders.Need{{Team: "security"}, {Team: "finance"}}}), "/deciders/rules/x", false},
		{"a rule from a higher level on", nil, deciding("a", deciders.Rule{Name: "x", Needs: []deciders.Need{{Team: "security"}}}), deciding("a", deciders.Rule{Name: "x", Level: level.High, Needs: []deciders.Need{{Team: "security"}}}), "/deciders/rules/x", true},
		{"a rule for more functions", nil, deciding("a", deciders.Rule{Name: "x", Functions: []string{"a*"}, Needs: []deciders.Need{{Team: "security"}}}), deciding("a", deciders.Rule{Name: "x", Functions: []string{"b", "a*"}, Needs: []deciders.Need{{Team: "security"}}}), "/deciders/rules/x", false},
		{"a rule for one agent only", nil, deciding("a", deciders.Rule{Name: "x", Needs: []deciders.Need{{Team: "security"}}}), deciding("a", deciders.Rule{Name: "x", Agents: []string{"bot"}, Needs: []deciders.Need{{Team: "security"}}}), "/deciders/rules/x", true},
		{"less looking", nil, nil, func(p *Policy) { p.MinReviewSeconds.Critical = 29 }, "/min_review_seconds/critical", true},
		{"more looking", nil, nil, func(p *Policy) { p.MinReviewSeconds.Critical = 31 }, "/min_review_seconds/critical", false},
		{"early answers taken", nil, nil, func(p *Policy) { p.EarlyAnswer = EarlyFlag }, "/early_answer", true},
		{"early answers refused", nil, func(p *Policy) { p.EarlyAnswer = EarlyFlag }, nil, "/early_answer", false},
		{"a shorter wait", nil, nil, func(p *Policy) { p.Authority.WaitingHours = 23 }, "/authority/waiting_hours", true},
		{"a longer wait", nil, nil, func(p *Policy) { p.Authority.WaitingHours = 25 }, "/authority/waiting_hours", false},
		{"a shorter tie", nil, nil, func(p *Policy) { p.Authority.KinshipDays = 6 }, "/authority/kinship_days", true},
		{"a longer tie", nil, nil, func(p *Policy) { p.Authority.KinshipDays = 8 }, "/authority/kinship_days", false},
		{"people's own channels say more", nil, nil, func(p *Policy) { p.Notices.DetailToPeople = true }, "/notices/detail_to_people", true},
		{"people's own channels say no more", nil, func(p *Policy) { p.Notices.DetailToPeople = true }, nil, "/notices/detail_to_people", false},
		{"a channel says more", nil, nil, detailed("a"), "/notices/detail_to_channels/" + aChannel, true},
		{"a channel says more with other settings", nil, detailed("a"), detailed("b"), "/notices/detail_to_channels/" + aChannel, true},
		{"a channel says no more", nil, detailed("a"), nil, "/notices/detail_to_channels/" + aChannel, false},
		{"fresh sign-in off", nil, func(p *Policy) { p.FreshSignInMinutes = 5 }, func(p *Policy) { p.FreshSignInMinutes = 0 }, "/fresh_sign_in_minutes", true},
		{"fresh sign-in on", nil, func(p *Policy) { p.FreshSignInMinutes = 0 }, func(p *Policy) { p.FreshSignInMinutes = 1440 }, "/fresh_sign_in_minutes", false},
		{"older sign-ins", nil, func(p *Policy) { p.FreshSignInMinutes = 5 }, func(p *Policy) { p.FreshSignInMinutes = 6 }, "/fresh_sign_in_minutes", true},
		{"younger sign-ins", nil, func(p *Policy) { p.FreshSignInMinutes = 5 }, func(p *Policy) { p.FreshSignInMinutes = 4 }, "/fresh_sign_in_minutes", false},
		{"a later lock", nil, nil, func(p *Policy) { p.IdleLockMinutes = 61 }, "/idle_lock_minutes", true},
		{"an earlier lock", nil, nil, func(p *Policy) { p.IdleLockMinutes = 59 }, "/idle_lock_minutes", false},
		{"longer waiting", nil, nil, func(p *Policy) { p.ExpirySeconds = 86_400 }, "/expiry_seconds", false},
		{"shorter waiting", nil, nil, func(p *Policy) { p.ExpirySeconds = 1 }, "/expiry_seconds", false},
		{"longer waiting at a level", nil, func(p *Policy) { p.ExpirySecondsByLevel.High = 60 }, nil, "/expiry_seconds_by_level/high", false},
		{"shorter waiting at a level", nil, nil, func(p *Policy) { p.ExpirySecondsByLevel.High = 60 }, "/expiry_seconds_by_level/high", false},
		{"a longer longest wait", nil, nil, func(p *Policy) { p.LongestExpirySeconds = 2_592_000 }, "/longest_expiry_seconds", false},
		{"a shorter longest wait", nil, nil, func(p *Policy) { p.LongestExpirySeconds = 900 }, "/longest_expiry_seconds", false},
		{"working hours", nil, nil, func(p *Policy) { p.WorkingHours.Enabled = true }, "/working_hours/enabled", false},
		{"no working hours", nil, func(p *Policy) { p.WorkingHours.Enabled = true }, nil, "/working_hours/enabled", false},
		{"a day off", nil, nil, func(p *Policy) { p.WorkingHours.Monday = "" }, "/working_hours/monday", false},
		{"a holiday", nil, nil, func(p *Policy) { p.WorkingHours.Holidays = []string{"2026-12-25"} }, "/working_hours/holidays", false},
		{"another zone", nil, nil, func(p *Policy) { p.WorkingHours.Zone = "Asia/Tokyo" }, "/working_hours/zone", false},
		{"no reminders", nil, nil, func(p *Policy) { p.RemindAtPercent = 0 }, "/remind_at_percent", false},
		{"later reminders", nil, nil, func(p *Policy) { p.RemindAtPercent = 99 }, "/remind_at_percent", false},
		{"another time for a function", nil, function(Function{Glob: "a", ExpirySeconds: 60}), function(Function{Glob: "a", ExpirySeconds: 90}), "/functions/a/expiry_seconds", false},
		{"notes asked for", nil, nil, func(p *Policy) { p.NoteRequired.High = true }, "/note_required/high", false},
		{"notes no more", nil, func(p *Policy) { p.NoteRequired.High = true }, nil, "/note_required/high", true},
		{"editing on", nil, nil, func(p *Policy) { p.EditBeforeApprove.Low = true }, "/edit_before_approve/low", true},
		{"editing off", nil, func(p *Policy) { p.EditBeforeApprove.Low = true }, nil, "/edit_before_approve/low", false},
		{"longer grants", nil, nil, func(p *Policy) { p.GrantSeconds = 301 }, "/grant_seconds", true},
		{"shorter grants", nil, nil, func(p *Policy) { p.GrantSeconds = 299 }, "/grant_seconds", false},

		{"trust on", nil, nil, func(p *Policy) { p.Trust.Enabled = true }, "/trust/enabled", true},
		{"trust off", nil, func(p *Policy) { p.Trust.Enabled = true }, nil, "/trust/enabled", false},
		{"trust off, where more is asked of LOW", both(func(p *Policy) { p.Challenges.Low = ChallengeQuiz }), func(p *Policy) { p.Trust.Enabled = true }, nil, "/trust/enabled", true},
		{"trust further up", nil, nil, func(p *Policy) { p.Trust.Cap = 0.11 }, "/trust/cap", true},
		{"trust less far up", nil, nil, func(p *Policy) { p.Trust.Cap = 0.09 }, "/trust/cap", false},
		{"trust for less", nil, nil, func(p *Policy) { p.Trust.AtLeast = 0.9 }, "/trust/at_least", true},
		{"trust for more", nil, nil, func(p *Policy) { p.Trust.AtLeast = 0.99 }, "/trust/at_least", false},
		{"trust after less", nil, nil, func(p *Policy) { p.Trust.Evidence = 19 }, "/trust/evidence", true},
		{"trust after more", nil, nil, func(p *Policy) { p.Trust.Evidence = 21 }, "/trust/evidence", false},
		{"successes that count longer", nil, nil, func(p *Policy) { p.Trust.HalfLifeDays = 31 }, "/trust/half_life_days", true},
		{"sessions told of later", nil, nil, func(p *Policy) { p.Evaluations.SessionAlertAbove = 86 }, "/evaluations/session_alert_above", true},
		{"sessions never told of", nil, nil, func(p *Policy) { p.Evaluations.SessionAlertAbove = 100 }, "/evaluations/session_alert_above", true},
		{"sessions told of sooner", nil, nil, func(p *Policy) { p.Evaluations.SessionAlertAbove = 84 }, "/evaluations/session_alert_above", false},
		{"evaluations kept less long", nil, nil, func(p *Policy) { p.Evaluations.KeepDays = 399 }, "/evaluations/keep_days", true},
		{"evaluations kept longer", nil, nil, func(p *Policy) { p.Evaluations.KeepDays = 401 }, "/evaluations/keep_days", false},
		{"failures that count less long", nil, nil, func(p *Policy) { p.Trust.HalfLifeDays = 29 }, "/trust/half_life_days", true},

		{"from published to balanced, which lets reads through whatever their score is", nil, judgement(func(j *effects.Settings) { j.Preset = effects.Published }), nil, "/judgement/preset", true},
		{"from balanced to strict", nil, nil, judgement(func(j *effects.Settings) { j.Preset = effects.Strict }), "/judgement/preset", false},
		{"from balanced to strict, in a policy that asks for less above", upsideDown, nil, judgement(func(j *effects.Settings) { j.Preset = effects.Strict }), "/judgement/preset", true},
		{"from strict to balanced", nil, judgement(func(j *effects.Settings) { j.Preset = effects.Strict }), nil, "/judgement/preset", true},
		{"from balanced to published", nil, nil, judgement(func(j *effects.Settings) { j.Preset = effects.Published }), "/judgement/preset", true},
		{"a preset lowered where every cell is the policy's own", both(judgement(func(j *effects.Settings) {
			j.Floors = map[effects.Row]effects.Cells{}
			for _, row := range effects.Rows() {
				j.Floors[row] = effects.Cells{Nonproduction: level.High, One: level.High, Several: level.High, All: level.High}
			}
		})), judgement(func(j *effects.Settings) { j.Preset = effects.Strict }), nil, "/judgement/preset", false},
		{"a cell lowered", nil, nil, cell(effects.RowDelete, effects.Cells{One: level.Medium}), "/judgement/floors/delete/one", true},
		{"a cell raised", nil, nil, cell(effects.RowRead, effects.Cells{One: level.Medium}), "/judgement/floors/read/one", false},
		{"a cell as the preset has it", nil, nil, cell(effects.RowDelete, effects.Cells{One: level.High}), "/judgement/floors/delete/one", false},
		{"a raised cell given back", nil, cell(effects.RowRead, effects.Cells{All: level.Medium}), nil, "/judgement/floors/read/all", true},
		{"a lowered cell given back", nil, cell(effects.RowExecute, effects.Cells{All: level.Medium}), nil, "/judgement/floors/execute/all", false},
		{"money as high whatever the amount: large amounts fall", nil, nil, cell(effects.RowMoney, effects.Cells{One: level.High}), "/judgement/floors/money/one", true},
		{"money as high as can be", nil, nil, cell(effects.RowMoney, effects.Cells{One: level.Critical}), "/judgement/floors/money/one", false},
		{"a small amount that is more", nil, nil, judgement(func(j *effects.Settings) { j.SmallAmount = 101 }), "/judgement/small_amount", true},
		{"a small amount that is less", nil, nil, judgement(func(j *effects.Settings) { j.SmallAmount = 99 }), "/judgement/small_amount", false},
		{"a large amount that is more", nil, nil, judgement(func(j *effects.Settings) { j.LargeAmount = 10_001 }), "/judgement/large_amount", true},
		{"a large amount that is less", nil, nil, judgement(func(j *effects.Settings) { j.LargeAmount = 100 }), "/judgement/large_amount", false},
		{"another currency", nil, nil, judgement(func(j *effects.Settings) { j.Currency = "JPY" }), "/judgement/currency", true},
		{"a domain of one's own", nil, nil, judgement(func(j *effects.Settings) { j.OwnDomains = []string{"a.example"} }), "/judgement/own_domains/a.example", true},
		{"a domain less", nil, judgement(func(j *effects.Settings) { j.OwnDomains = []string{"a.example"} }), nil, "/judgement/own_domains/a.example", false},
		{"a name for non-production", nil, nil, judgement(func(j *effects.Settings) { j.Nonproduction = []string{"qa"} }), "/judgement/nonproduction/qa", true},
		{"a name less", nil, judgement(func(j *effects.Settings) { j.Nonproduction = []string{"qa"} }), nil, "/judgement/nonproduction/qa", false},
		{"remembering for less long", nil, nil, judgement(func(j *effects.Settings) { j.RememberDenialsHours = 23 }), "/judgement/remember_denials_hours", true},
		{"remembering for longer", nil, nil, judgement(func(j *effects.Settings) { j.RememberDenialsHours = 720 }), "/judgement/remember_denials_hours", false},

		{"an entry that lowers", nil, nil, function(Function{Glob: "a", LowerTo: level.Medium}), "/functions/a", true},
		{"an entry that lowers for one agent", nil, nil, function(Function{Glob: "a", LowerTo: level.Low, Agent: "bot"}), "/functions/a for bot", true},
		{"an entry that lowers, taken away", nil, function(Function{Glob: "a", LowerTo: level.Low, Until: "2026-01-01T00:00:00Z"}), nil, "/functions/a", false},
		{"a tool that is accepted", nil, nil, function(tool("5")), "/functions/a for bot as imported", true},
		{"a tool that is accepted as it is described now", nil, function(tool("5")), function(tool("6")), "/functions/a for bot as imported/tool", true},
		{"a tool that is accepted no more", nil, function(tool("5")), nil, "/functions/a for bot as imported", false},
		{"an entry that lowers further", nil, function(Function{Glob: "a", LowerTo: level.Medium}), function(Function{Glob: "a", LowerTo: level.Low}), "/functions/a/lower_to", true},
		{"an entry that lowers less far", nil, function(Function{Glob: "a", LowerTo: level.Low}), function(Function{Glob: "a", LowerTo: level.Medium}), "/functions/a/lower_to", false},
		{"an entry for others, too", nil, function(Function{Glob: "a", LowerTo: level.Low, Agent: "bot"}), function(Function{Glob: "a", LowerTo: level.Low}), "/functions/a", true},
		{"an entry that ends later", nil, function(Function{Glob: "a", LowerTo: level.Low, Until: "2026-01-01T00:00:00Z"}), function(Function{Glob: "a", LowerTo: level.Low, Until: "2026-01-01T00:00:01Z"}), "/functions/a/until", true},
		{"an entry that does not end any more", nil, function(Function{Glob: "a", LowerTo: level.Low, Until: "2026-01-01T00:00:00Z"}), function(Function{Glob: "a", LowerTo: level.Low}), "/functions/a/until", true},
		{"an entry that ends earlier", nil, function(Function{Glob: "a", LowerTo: level.Low}), function(Function{Glob: "a", LowerTo: level.Low, Until: "2026-01-01T00:00:00Z"}), "/functions/a/until", false},
		{"the same end in another zone", nil, function(Function{Glob: "a", LowerTo: level.Low, Until: "2026-01-01T00:00:00Z"}), function(Function{Glob: "a", LowerTo: level.Low, Until: "2026-01-01T02:00:00+02:00"}), "/functions/a/until", false},
		{"an effect in place of the name's", nil, nil, function(Function{Glob: "a", Effect: effects.Read}), "/functions/a", true},
		{"another effect", nil, function(Function{Glob: "a", Effect: effects.Read}), function(Function{Glob: "a", Effect: effects.Delete}), "/functions/a/effect", true},
		{"a read that is none any more", nil, function(Function{Glob: "a*", Effect: effects.Read}), nil, "/functions/a*", false},
		{"a deletion that may be less now", nil, function(Function{Glob: "a*", Effect: effects.Delete}), nil, "/functions/a*", true},
		{"a deletion that ends", nil, function(Function{Glob: "a*", Effect: effects.Delete}), function(Function{Glob: "a*", Effect: effects.Delete, Until: "2026-01-01T00:00:00Z"}), "/functions/a*/until", true},
		{"a reason in other words", upsideDown, function(Function{Glob: "a", LowerTo: level.Low, Reason: "x"}), function(Function{Glob: "a", LowerTo: level.Low, Reason: "y"}), "/functions/a/reason", false},

		{"a function known", nil, nil, function(Function{Glob: "get/*", Floor: level.High}), "/functions/get~1*", false},
		{"a function known, in a policy that asks for less above", upsideDown, nil, function(Function{Glob: "get", Floor: level.High}), "/functions/get", true},
		{"a function forgotten", nil, function(Function{Glob: "get", Floor: level.High}), nil, "/functions/get", true},
		{"a function forgotten of which nothing was known", nil, function(Function{Glob: "get", Floor: level.Low, Docstring: "Gets."}), nil, "/functions/get", false},
		{"a floor lowered", nil, function(Function{Glob: "a", Floor: level.High}), function(Function{Glob: "a", Floor: level.Medium}), "/functions/a/floor", true},
		{"a floor raised", nil, function(Function{Glob: "a"}), function(Function{Glob: "a", Floor: level.Medium}), "/functions/a/floor", false},
		{"a floor that never lifted anything", nil, function(Function{Glob: "a", Floor: level.Low}), function(Function{Glob: "a"}), "/functions/a/floor", false},
		{"a docstring that says less", nil, function(Function{Glob: "a", Docstring: "permanent"}), function(Function{Glob: "a", Docstring: "caution"}), "/functions/a/docstring", true},
		{"a docstring that says something else", nil, function(Function{Glob: "a", Docstring: "irreversible"}), function(Function{Glob: "a", Docstring: "critical"}), "/functions/a/docstring", true},
		{"a docstring that says more", nil, function(Function{Glob: "a", Docstring: "caution"}), function(Function{Glob: "a", Docstring: "permanent"}), "/functions/a/docstring", false},
		{"a docstring in other words", nil, function(Function{Glob: "a", Docstring: "Reads."}), function(Function{Glob: "a", Docstring: "Gets."}), "/functions/a/docstring", false},
		{"a hint removed", nil, function(Function{Glob: "a", Hints: map[string]any{"b/c": true}}), function(Function{Glob: "a"}), "/functions/a/hints/b~1c", true},
		{"a hint removed that added nothing", nil, function(Function{Glob: "a", Hints: map[string]any{"b": false}}), function(Function{Glob: "a"}), "/functions/a/hints/b", false},
		{"a hint lowered", nil, function(Function{Glob: "a", Hints: map[string]any{"b": 500}}), function(Function{Glob: "a", Hints: map[string]any{"b": 499}}), "/functions/a/hints/b", true},
		{"a hint raised", nil, function(Function{Glob: "a", Hints: map[string]any{"b": 500}}), function(Function{Glob: "a", Hints: map[string]any{"b": true}}), "/functions/a/hints/b", false},

		{"a pattern off", nil, nil, func(p *Policy) { p.PatternOverrides.Disable = []string{"iban"} }, "/pattern_overrides/disable/iban", true},
		{"a pattern on", nil, func(p *Policy) { p.PatternOverrides.Disable = []string{"iban"} }, nil, "/pattern_overrides/disable/iban", false},
		{"a pattern less severe", nil, change("fork-bomb", patterns.High, patterns.Block), change("fork-bomb", patterns.Medium, patterns.Block), "/pattern_overrides/change/fork-bomb/severity", true},
		{"a pattern as severe as can be", nil, nil, change("delete-recursively", patterns.Critical, patterns.Block), "/pattern_overrides/change/delete-recursively/action", false},
		{"a pattern of ours more severe", nil, ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Block }), ownPattern(func(p *patterns.Pattern) { p.Severity, p.Action = patterns.High, patterns.Block }), "/pattern_overrides/add/code-name", false},
		{"the same, where that can unblock", both(func(p *Policy) { p.ScoreOverrideThreshold = 91 }), ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Block }), ownPattern(func(p *patterns.Pattern) { p.Severity, p.Action = patterns.High, patterns.Block }), "/pattern_overrides/add/code-name", true},
		{"a little more severe, where that can unblock", nil, ownPattern(func(p *patterns.Pattern) { p.Severity, p.Action = patterns.Low, patterns.Block }), ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Block }), "/pattern_overrides/add/code-name", true},
		{"from confirm to redact: nobody is asked", nil, ownPattern(nil), ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Redact }), "/pattern_overrides/add/code-name", true},
		{"from redact to confirm: shown again", nil, ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Redact }), ownPattern(nil), "/pattern_overrides/add/code-name", true},
		{"from redact to block: shown again", nil, ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Redact }), ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Block }), "/pattern_overrides/add/code-name", true},
		{"from redact to block, a secret", both(func(p *Policy) {}), ownPattern(func(p *patterns.Pattern) { p.Action, p.Category = patterns.Redact, patterns.Secrets }), ownPattern(func(p *patterns.Pattern) { p.Action, p.Category = patterns.Block, patterns.Secrets }), "/pattern_overrides/add/code-name", false},
		{"from confirm to block", nil, ownPattern(nil), ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Block }), "/pattern_overrides/add/code-name", false},
		{"from log to warn", nil, ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Log }), ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Warn }), "/pattern_overrides/add/code-name", false},
		{"one more expression", nil, ownPattern(nil), ownPattern(func(p *patterns.Pattern) { p.Regex = append(p.Regex, "falcon") }), "/pattern_overrides/add/code-name", false},
		{"another expression", nil, ownPattern(nil), ownPattern(func(p *patterns.Pattern) { p.Regex = []string{"kestrel"} }), "/pattern_overrides/add/code-name", true},
		{"at fewer points", nil, ownPattern(nil), ownPattern(func(p *patterns.Pattern) { p.AppliesTo = []string{patterns.PreToolCall} }), "/pattern_overrides/add/code-name", true},
		{"only under a name", nil, ownPattern(nil), ownPattern(func(p *patterns.Pattern) {
			p.Member, p.MustMatch, p.MustNotMatch = "note", []string{"note: kestrel"}, []string{"x: kestrel"}
		}), "/pattern_overrides/add/code-name", true},
		{"described otherwise", upsideDown, ownPattern(nil), ownPattern(func(p *patterns.Pattern) { p.Description = "Another" }), "/pattern_overrides/add/code-name", false},
		{"a pattern added", nil, nil, ownPattern(nil), "/pattern_overrides/add/code-name", false},
		{"a pattern added that masks", nil, nil, ownPattern(redacts), "/pattern_overrides/add/code-name", true},
		{"a pattern added that masks, and waits", nil, nil, ownPattern(waits), "/pattern_overrides/add/code-name", false},
		{"a mask accepted", nil, ownPattern(waits), ownPattern(redacts), "/pattern_overrides/add/code-name", true},
		{"a mask that waits again", nil, ownPattern(redacts), ownPattern(waits), "/pattern_overrides/add/code-name", false},
		{"a mask with one more expression", nil, ownPattern(redacts), ownPattern(func(p *patterns.Pattern) { redacts(p); p.Regex = append(p.Regex, "falcon") }), "/pattern_overrides/add/code-name", true},
		{"a mask at one more point", nil, ownPattern(func(p *patterns.Pattern) { redacts(p); p.AppliesTo = []string{patterns.PreToolCall} }), ownPattern(redacts), "/pattern_overrides/add/code-name", true},
		{"from log to redact", nil, ownPattern(func(p *patterns.Pattern) { p.Action = patterns.Log }), ownPattern(redacts), "/pattern_overrides/add/code-name", true},
		{"a shipped pattern that masks now", nil, nil, change("iban", "", patterns.Redact), "/pattern_overrides/change/iban/action", true},
		{"a shipped pattern that is accepted as a mask", nil, func(p *Policy) {
			p.PatternOverrides.Change = []patterns.Change{{ID: "iban", Action: patterns.Redact, Waits: true}}
		}, change("iban", "", patterns.Redact), "/pattern_overrides/change/iban/waits", true},
		{"a shipped mask on again", nil, func(p *Policy) { p.PatternOverrides.Disable = []string{"github-token"} }, nil, "/pattern_overrides/disable/github-token", false},
		{"a severity whose patterns mask", both(ownPattern(func(p *patterns.Pattern) { p.Severity = patterns.Low })), nil, func(p *Policy) { p.SeverityActions.Low = patterns.Redact }, "/severity_actions/low", true},
		{"critical patterns that mask by blocking", both(ownPattern(func(p *patterns.Pattern) {
			p.Severity, p.Action, p.Category = patterns.Critical, patterns.Confirm, patterns.Secrets
		})), nil, func(p *Policy) { p.BlockAllCritical = true }, "/block_all_critical", true},
		{"a pattern added, in a policy that asks for less above", upsideDown, nil, ownPattern(nil), "/pattern_overrides/add/code-name", true},
		{"a pattern taken away", nil, ownPattern(nil), nil, "/pattern_overrides/add/code-name", true},

		{"extended rules off", nil, nil, func(p *Policy) { p.Rules.Extended = false }, "/rules/extended", true},
		{"extended rules on", nil, func(p *Policy) { p.Rules.Extended = false }, nil, "/rules/extended", false},
		{"a rule taken away", nil, nil, func(p *Policy) { p.Rules.Removed = []string{"sudo_command"} }, "/rules/removed/sudo_command", true},
		{"a rule taken away that never decides", nil, nil, func(p *Policy) { p.Rules.Removed = []string{"print_output"} }, "/rules/removed/print_output", false},
		{"a rule of one's own", nil, nil, custom(own("a", "x")), "/rules/custom/a", false},
		{"a rule of one's own, in a policy that asks for less above", upsideDown, nil, custom(own("a", "x")), "/rules/custom/a", true},
		{"a rule of one's own taken away", nil, custom(own("a", "x")), nil, "/rules/custom/a", true},
		{"one taken away that never decides", nil, custom(OwnRule{Name: "a", Pattern: "x", Level: level.Low, Reason: "x", Reversible: true}), nil, "/rules/custom/a", false},
		{"a rule with another expression", nil, custom(own("a", "x")), custom(own("a", "x|y")), "/rules/custom/a", true},
		{"a rule with a lower level", nil, custom(own("a", "x")), custom(OwnRule{Name: "a", Pattern: "x", Level: level.Medium, Reason: "Ours"}), "/rules/custom/a", true},
		{"a rule with a higher level", nil, custom(own("a", "x")), custom(OwnRule{Name: "a", Pattern: "x", Level: level.Critical, Reason: "Ours"}), "/rules/custom/a", false},
		{"a rule with a higher level, in a policy that asks for less above", both(func(p *Policy) { p.Challenges.Critical = ChallengeConfirm }), custom(own("a", "x")), custom(OwnRule{Name: "a", Pattern: "x", Level: level.Critical, Reason: "Ours"}), "/rules/custom/a", true},
		{"a rule in other words", nil, custom(own("a", "x")), custom(OwnRule{Name: "a", Pattern: "x", Level: level.High, Reason: "Other"}), "/rules/custom/a", false},
		{"a rule whose finds can be undone now", nil, custom(own("a", "x")), custom(OwnRule{Name: "a", Pattern: "x", Level: level.High, Reason: "Ours", Reversible: true}), "/rules/custom/a", true},
		{"a rule replaced", nil, nil, func(p *Policy) { p.Rules.Replaced = []OwnRule{own("sudo_command", "x")} }, "/rules/replaced/sudo_command", true},
		{"a replacement taken back", nil, func(p *Policy) { p.Rules.Replaced = []OwnRule{own("sudo_command", "x")} }, nil, "/rules/replaced/sudo_command", true},
		{"an assessor", nil, nil, func(p *Policy) { p.Rules.Assessor = `action.code == "" ? "LOW" : "CRITICAL"` }, "/rules/assessor", true},
		{"an assessor taken away", nil, func(p *Policy) { p.Rules.Assessor = `action.code == "" ? "LOW" : "CRITICAL"` }, nil, "/rules/assessor", true},
		{"a rule taken back", nil, func(p *Policy) { p.Rules.Removed = []string{"sudo_command"} }, nil, "/rules/removed/sudo_command", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			old, new := DefaultPolicy(), DefaultPolicy()
			old.Judgement, new.Judgement = effects.Default(), effects.Default()
			if c.around != nil {
				c.around(&old, &new)
			}
			if c.old != nil {
				c.old(&old)
			}
			if c.new != nil {
				c.new(&new)
			}
			if wrong := append(old.Problems(), new.Problems()...); len(wrong) > 0 {
				t.Fatalf("the policies are not valid: %v", wrong)
			}
			differences := old.Differences(new)
			i := slices.IndexFunc(differences, func(d Difference) bool { return d.Member == c.member })
			if i < 0 || differences[i].Weaker != c.weaker {
				t.Errorf("got %+v, want %s weaker %v", differences, c.member, c.weaker)
			}
			if same := new.Differences(new); len(same) != 0 {
				t.Errorf("a policy differs from itself: %+v", same)
			}
			if back := new.Differences(old); len(back) != len(differences) {
				t.Errorf("there are %d differences, and %d the other way round", len(differences), len(back))
			}
		})
	}
}

// Differences come in the order of the structure, lists under the names of their entries.
func TestDifferences(t *testing.T) {
	t.Parallel()
	p, q := DefaultPolicy(), DefaultPolicy()
	p.Functions = []Function{{Glob: "a", Floor: level.High}, {Glob: "b"}}
	q.Functions = []Function{{Glob: "c"}, {Glob: "a", Docstring: "x<y", Hints: map[string]any{"n": 5}}}
	q.Rules = RuleSettings{Removed: []string{"git_commit"}}
	q.GrantSeconds, q.Thresholds.Medium = 60, 0.25
	var got []string
	for _, d := range p.Differences(q) {
		got = append(got, fmt.Sprintf("%s %s>%s %v", d.Member, d.Old, d.New, d.Weaker))
	}
	want := []string{
		"/thresholds/medium 0.3>0.25 false", "/grant_seconds 300>60 false",
		`/functions/a/docstring >"x\u003cy" false`, `/functions/a/floor "HIGH"> true`, "/functions/a/hints/n >5 false",
		`/functions/b {"glob":"b"}> false`, `/functions/c >{"glob":"c"} false`,
		"/rules/extended true>false true", `/rules/removed/git_commit >"git_commit" true`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	reordered := q
	reordered.Functions = []Function{q.Functions[1], q.Functions[0]}
	if d := q.Differences(reordered); len(d) != 0 {
		t.Errorf("another order is a difference: %+v", d)
	}
	if w := Weakened(p.Differences(q)); !slices.Equal(w, []string{"/functions/a/floor", "/rules/extended", "/rules/removed/git_commit"}) {
		t.Errorf("weakened are %v", w)
	}
}

// imported is a call's tool whose description raises.
func imported(name, digit string) Inputs {
	return Inputs{Agent: "bot", Tool: &effects.Tool{Name: name, SHA256: strings.Repeat(digit, 64), Raises: effects.Money}}
}

// A change that is not called weaker never lets an action pass more easily.
func TestNotWeakerNeverLoosens(t *testing.T) {
	t.Parallel()
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		old := drawEdits(t, DefaultPolicy())
		new := drawEdits(t, old)
		differences := old.Differences(new)
		if len(differences) == 0 || Weakened(differences) != nil {
			return
		}
		before, err := Compile(old)
		if err != nil {
			return
		}
		after, err := Compile(new)
		if err != nil {
			return
		}
		for range 24 {
			var (
				a       = drawDraft(t).action(t)
				matches = drawMatches(t, "matches")
				call    = rapid.IntRange(1, 12).Draw(t, "call")
				record  = trust.Evidence{Succeeded: rapid.SampledFrom([]float64{0, 11.5, 60, 1000}).Draw(t, "record")}
				inputs  = rapid.SampledFrom([]Inputs{{}, {Agent: "bot", At: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), Environment: "qa"}, {Environment: "dev"}, imported("x", "1"), imported("x", "2"), imported("get_user", "1")}).Draw(t, "inputs")
				x, y    = before.Examine(a, matches).Given(inputs).Trusting(record).Assess(call), after.Examine(a, matches).Given(inputs).Trusting(record).Assess(call)
			)
			if checked++; y.Treatment.LooserThan(x.Treatment) {
				t.Fatalf("%+v\nwas  %+v %s\nis   %+v %s\n%s", differences, x.Treatment, x.Explanation, y.Treatment, y.Explanation, a.Canonical())
			}
		}
	})
	if checked < 100 {
		t.Errorf("only %d actions were compared", checked)
	}
}

const aChannel = "chn_0123456789abcdef0123456789abcdef"

// detailed lets a channel say more, with settings of this digest.
func detailed(digit string) func(p *Policy) {
	return func(p *Policy) {
		p.Notices.DetailToChannels = []DetailedChannel{{Channel: aChannel, Name: "#ops", To: "hooks.example.com", Settings: strings.Repeat(digit, 64)}}
	}
}

// aPerson is the beginning of the id of somebody, who ends with a letter.
const aPerson = "per_0000000000000000000000000000000"

// deciding is a policy with two teams, of which security has these people, and some rules.
func deciding(people string, rules ...deciders.Rule) func(*Policy) {
	return func(p *Policy) {
		security := deciders.Team{Name: "security"}
		for _, one := range people {
			security.Members = append(security.Members, deciders.Person{Person: aPerson + string(one), Name: string(one)})
		}
		p.Deciders = deciders.Settings{Teams: []deciders.Team{security, {Name: "finance"}}, Rules: rules}
	}
}

// Whoever has to be among those who approve is part of what a treatment asks for.
func TestTreatmentsOfTeams(t *testing.T) {
	t.Parallel()
	p := DefaultPolicy()
	deciding("ab", deciders.Rule{Name: "x", Functions: []string{"delete_*"}, Environments: []string{"production"}, Needs: []deciders.Need{{Team: "security", AtLeast: 2}}})(&p)
	c, err := Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	e := c.Examine(tried(t, PreToolCall, "x", "y"), nil)
	if as := e.Assess(1); len(as.Treatment.Needs) > 0 {
		t.Errorf("another function needs %+v", as.Treatment.Needs)
	}
	tree, err := canon.Parse([]byte(`{"function":"Delete_User","arguments":{"user_id":"usr_1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAction(tree)
	if err != nil {
		t.Fatal(err)
	}
	unbound := c.Examine(a, nil).Assess(1).Treatment
	if unbound.ApprovalsRequired != 2 || len(unbound.Needs) != 1 {
		t.Errorf("an agent that is bound to no environment: %+v", unbound)
	}
	bound := c.Examine(a, nil).Given(Inputs{Environment: "staging"}).Assess(1).Treatment
	if bound.Response == Hold && (bound.ApprovalsRequired != 1 || len(bound.Needs) > 0) {
		t.Errorf("one that is bound to another: %+v", bound)
	}
	plain := unbound
	plain.Needs = nil
	if !unbound.StricterThan(plain) || plain.StricterThan(unbound) || !plain.LooserThan(unbound) {
		t.Error("naming a team makes nothing stricter")
	}
	if held := plain.AtLeast(unbound); held.StricterThan(unbound) || unbound.StricterThan(held) {
		t.Errorf("what was held before asks for %+v, want %+v", held, unbound)
	}
}
