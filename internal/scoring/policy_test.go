package scoring

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/worktime"
)

func TestDefaultPolicy(t *testing.T) {
	t.Parallel()
	p := DefaultPolicy()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, l := range []struct {
		level     level.Level
		challenge ChallengeKind
		review    int
	}{
		{level.Safe, ChallengeNone, 0},
		{level.Low, ChallengeNone, 0},
		{level.Medium, ChallengeConfirm, 3},
		{level.High, ChallengeQuiz, 10},
		{level.Critical, ChallengeExplicit, 30},
		{level.Level(9), ChallengeExplicit, 30},
	} {
		if got := p.Challenges.At(l.level); got != l.challenge {
			t.Errorf("%v asks for %s, want %s", l.level, got, l.challenge)
		}
		if got := p.MinReview(l.level); got != l.review {
			t.Errorf("%v asks for %d s, want %d", l.level, got, l.review)
		}
	}
	if p.ExpirySeconds != 900 || p.GrantSeconds != 300 || p.ScoreOverrideThreshold != 85 {
		t.Errorf("got %+v", p)
	}
}

// A policy is kept as JSON and written as YAML: both read back as they were.
func TestPolicyReadsBack(t *testing.T) {
	t.Parallel()
	p := DefaultPolicy()
	p.Functions = []Function{{Glob: "delete_*", Hints: map[string]any{"irreversible": true, "rows": 100.0}, Docstring: "Permanently.", Floor: level.High}, {Glob: "x"}}
	p.PatternOverrides = patterns.Overrides{Disable: []string{patterns.Default().Patterns()[0].ID}}
	p.Rules.Removed = []string{"print_output"}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var fromJSON Policy
	if err := json.Unmarshal(data, &fromJSON); err != nil || !reflect.DeepEqual(fromJSON, p) {
		t.Errorf("JSON: %v\n got %+v\nwant %+v", err, fromJSON, p)
	}
	if data, err = yaml.Marshal(p); err != nil {
		t.Fatal(err)
	}
	fromYAML, err := ReadPolicy(data)
	if err != nil || !reflect.DeepEqual(fromYAML, p) {
		t.Errorf("YAML: %v\n got %+v\nwant %+v\n%s", err, fromYAML, p, data)
	}
}

func TestReadPolicy(t *testing.T) {
	t.Parallel()
	p, err := ReadPolicy(nil)
	if err != nil || !reflect.DeepEqual(p, DefaultPolicy()) {
		t.Errorf("an empty file: got %+v, %v", p, err)
	}
	p, err = ReadPolicy([]byte("block_if_score_above: 40\nfunctions: [{glob: 'a*', hints: {rows: 5}, floor: HIGH}]\n"))
	if err != nil || p.ScoreOverrideThreshold != 40 || p.Functions[0].Hints["rows"] != 5.0 || p.Functions[0].Floor != level.High {
		t.Errorf("got %+v, %v", p, err)
	}
	for _, bad := range []string{"strateggy: max", "{", "- a", "strategy: max\n---\nstrategy: max", "expiry_seconds: soon", "functions: [{glob: a, floor: HUGE}]", "a: &a [*a]"} {
		if _, err := ReadPolicy([]byte(bad)); !fault.Is(err, fault.InvalidMember) {
			t.Errorf("%q: got %v, want a refusal", bad, err)
		}
	}
}

func TestValidateRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		member string
		change func(*Policy)
	}{
		{"/thresholds/high", func(p *Policy) { p.Thresholds.High = 0.2 }},
		{"/weights", func(p *Policy) { p.Weights.Hints = 0.5 }},
		{"/strategy", func(p *Policy) { p.Strategy = "min" }},
		{"/composite_weights/patterns", func(p *Policy) { p.CompositeWeights.Patterns = -1 }},
		{"/composite_weights", func(p *Policy) { p.Strategy, p.CompositeWeights = StrategyComposite, CompositeWeights{} }},
		{"/fixed_score", func(p *Policy) { p.FixedScore = 1.01 }},
		{"/score_override_threshold", func(p *Policy) { p.ScoreOverrideThreshold = 101 }},
		{"/on_block", func(p *Policy) { p.OnBlock = "" }},
		{"/challenges/low", func(p *Policy) { p.Challenges.Low = "" }},
		{"/challenges/critical", func(p *Policy) { p.Challenges.Critical = "ask" }},
		{"/approvals_required/high", func(p *Policy) { p.ApprovalsRequired.High = 0 }},
		{"/min_review_seconds/medium", func(p *Policy) { p.MinReviewSeconds.Medium = -1 }},
		{"/early_answer", func(p *Policy) { p.EarlyAnswer = "allow" }},
		{"/authority/waiting_hours", func(p *Policy) { p.Authority.WaitingHours = 0 }},
		{"/authority/waiting_hours", func(p *Policy) { p.Authority.WaitingHours = 169 }},
		{"/authority/kinship_days", func(p *Policy) { p.Authority.KinshipDays = 0 }},
		{"/authority/kinship_days", func(p *Policy) { p.Authority.KinshipDays = 91 }},
		{"/notices/detail_to_channels/0/channel", func(p *Policy) { detailed("a")(p); p.Notices.DetailToChannels[0].Channel = "ops" }},
		{"/notices/detail_to_channels/0/settings", detailed("g")},
		{"/notices/detail_to_channels/0/name", func(p *Policy) { detailed("a")(p); p.Notices.DetailToChannels[0].Name = strings.Repeat("n", 241) }},
		{"/notices/detail_to_channels/0/to", func(p *Policy) { detailed("a")(p); p.Notices.DetailToChannels[0].To = strings.Repeat("t", 1001) }},
		{"/notices/detail_to_channels/1/channel", func(p *Policy) {
			detailed("a")(p)
			p.Notices.DetailToChannels = append(p.Notices.DetailToChannels, p.Notices.DetailToChannels[0])
		}},
		{"/notices/detail_to_channels", func(p *Policy) {
			for i := range 51 {
				p.Notices.DetailToChannels = append(p.Notices.DetailToChannels, DetailedChannel{Channel: fmt.Sprintf("chn_%032x", i), Settings: strings.Repeat("0", 64)})
			}
		}},
		{"/fresh_sign_in_minutes", func(p *Policy) { p.FreshSignInMinutes = -1 }},
		{"/idle_lock_minutes", func(p *Policy) { p.IdleLockMinutes = 4 }},
		{"/idle_lock_minutes", func(p *Policy) { p.IdleLockMinutes = 481 }},
		{"/expiry_seconds", func(p *Policy) { p.ExpirySeconds = 2_592_001 }},
		{"/longest_expiry_seconds", func(p *Policy) { p.LongestExpirySeconds = 0 }},
		{"/working_hours/monday", func(p *Policy) { p.WorkingHours = worktime.Settings{Enabled: true, Zone: "UTC"} }},
		{"/working_hours/zone", func(p *Policy) { p.WorkingHours.Zone = "Mars" }},
		{"/working_hours/holidays", func(p *Policy) { p.WorkingHours.Holidays = []string{"Christmas"} }},
		{"/remind_at_percent", func(p *Policy) { p.RemindAtPercent = 100 }},
		{"/longest_expiry_seconds", func(p *Policy) { p.LongestExpirySeconds = 2_592_001 }},
		{"/expiry_seconds_by_level/high", func(p *Policy) { p.ExpirySecondsByLevel.High = 2_592_001 }},
		{"/functions/0/expiry_seconds", func(p *Policy) { p.Functions = []Function{{Glob: "a", ExpirySeconds: -1}} }},
		{"/grant_seconds", func(p *Policy) { p.GrantSeconds = 9 }},
		{"/trust/cap", func(p *Policy) { p.Trust.Cap = 0.16 }},
		{"/trust/at_least", func(p *Policy) { p.Trust.AtLeast = 1 }},
		{"/trust/evidence", func(p *Policy) { p.Trust.Evidence = 9 }},
		{"/evaluations/session_alert_above", func(p *Policy) { p.Evaluations.SessionAlertAbove = 101 }},
		{"/evaluations/keep_days", func(p *Policy) { p.Evaluations.KeepDays = 29 }},
		{"/evaluations/keep_days", func(p *Policy) { p.Evaluations.KeepDays = 3651 }},
		{"/trust/half_life_days", func(p *Policy) { p.Trust = TrustSettings{Enabled: true, AtLeast: 0.9, Evidence: 20} }},
		{"/functions/0/glob", func(p *Policy) { p.Functions = []Function{{}} }},
		{"/functions/0/glob", func(p *Policy) { p.Functions = []Function{{Glob: "\xff"}} }},
		{"/functions/1/hints/x", func(p *Policy) {
			p.Functions = []Function{{Glob: "a"}, {Glob: "b", Hints: map[string]any{"x": "yes"}}}
		}},
		{"/functions/0/floor", func(p *Policy) { p.Functions = []Function{{Glob: "a", Floor: 9}} }},
		{"/functions", func(p *Policy) { p.Functions = make([]Function, 501) }},
		{"/judgement/preset", func(p *Policy) { p.Judgement.Preset = "lax" }},
		{"/judgement/floors/reads", func(p *Policy) { p.Judgement.Floors = map[effects.Row]effects.Cells{"reads": {One: level.Low}} }},
		{"/judgement/floors/delete/all", func(p *Policy) { p.Judgement.Floors = map[effects.Row]effects.Cells{"delete": {All: 9}} }},
		{"/judgement/small_amount", func(p *Policy) { p.Judgement.SmallAmount = math.NaN() }},
		{"/judgement/large_amount", func(p *Policy) { p.Judgement.LargeAmount = 99 }},
		{"/judgement/large_amount", func(p *Policy) { p.Judgement.LargeAmount = math.Inf(1) }},
		{"/judgement/currency", func(p *Policy) { p.Judgement.Currency = "eur" }},
		{"/judgement/own_domains/0", func(p *Policy) { p.Judgement.OwnDomains = []string{"*.example.com"} }},
		{"/judgement/own_domains/0", func(p *Policy) { p.Judgement.OwnDomains = []string{"com"} }},
		{"/judgement/own_domains/0", func(p *Policy) { p.Judgement.OwnDomains = []string{"Example.com"} }},
		{"/judgement/own_domains", func(p *Policy) { p.Judgement.OwnDomains = make([]string, 101) }},
		{"/judgement/nonproduction/1", func(p *Policy) { p.Judgement.Nonproduction = []string{"qa", "eu-prod-1"} }},
		{"/judgement/nonproduction/1", func(p *Policy) { p.Judgement.Nonproduction = []string{"qa", "qa"} }},
		{"/judgement/remember_denials_hours", func(p *Policy) { p.Judgement.RememberDenialsHours = -1 }},
		{"/functions/0/effect", func(p *Policy) { p.Functions = []Function{{Glob: "a", Effect: "harm"}} }},
		{"/functions/0/lower_to", func(p *Policy) { p.Functions = []Function{{Glob: "a", LowerTo: level.High}} }},
		{"/functions/0/tool", func(p *Policy) { p.Functions = []Function{{Glob: "a", Agent: "x", Effect: effects.Read, Tool: "5"}} }},
		{"/functions/0/tool", func(p *Policy) {
			p.Functions = []Function{{Glob: "a", Effect: effects.Read, Tool: strings.Repeat("5", 64)}}
		}},
		{"/functions/0/tool", func(p *Policy) {
			p.Functions = []Function{{Glob: "a*", Agent: "x", Effect: effects.Read, Tool: strings.Repeat("5", 64)}}
		}},
		{"/functions/0", func(p *Policy) { p.Functions = []Function{{Glob: "a", Agent: "x", Tool: strings.Repeat("5", 64)}} }},
		{"/functions/0/lower_to", func(p *Policy) { p.Functions = []Function{{Glob: "a", Effect: effects.Delete, LowerTo: level.Low}} }},
		{"/functions/0/lower_to", func(p *Policy) { p.Functions = []Function{{Glob: "a", Effect: effects.Execute, LowerTo: level.Medium}} }},
		{"/functions/0/until", func(p *Policy) { p.Functions = []Function{{Glob: "a", LowerTo: level.Low, Until: "tomorrow"}} }},
		{"/functions/0/agent", func(p *Policy) {
			p.Functions = []Function{{Glob: "a", LowerTo: level.Low, Agent: strings.Repeat("a", 257)}}
		}},
		{"/functions/0/reason", func(p *Policy) { p.Functions = []Function{{Glob: "a", Reason: strings.Repeat("a", 501)}} }},
		{"/functions/0", func(p *Policy) { p.Functions = []Function{{Glob: "a", Agent: "bot", Floor: level.High}} }},
		{"/functions/0", func(p *Policy) {
			p.Functions = []Function{{Glob: "a", Agent: "bot", LowerTo: level.Low, Floor: level.High}}
		}},
		{"/functions/1/glob", func(p *Policy) {
			p.Functions = []Function{{Glob: "a", Agent: "bot", LowerTo: level.Low}, {Glob: "a", Agent: "bot", LowerTo: level.Medium}}
		}},
		{"/functions/0/pattern/arguments/0/values", func(p *Policy) { p.Functions = []Function{shaped(ShapeTerm{Pointer: "/a", Rule: RuleEquals})} }},
		{"/functions/0/pattern/arguments/0/values/0", func(p *Policy) {
			p.Functions = []Function{shaped(ShapeTerm{Pointer: "/a", Rule: RuleGlob, Values: []any{"**"}})}
		}},
		{"/functions/0/pattern/arguments/0/values/0", func(p *Policy) {
			p.Functions = []Function{shaped(ShapeTerm{Pointer: "/a", Rule: RuleAtMost, Values: []any{-1.0}})}
		}},
		{"/functions/0/pattern/arguments/0/pointer", func(p *Policy) { p.Functions = []Function{shaped(ShapeTerm{Pointer: "a", Rule: RuleAny})} }},
		{"/functions/0/pattern/arguments/1/pointer", func(p *Policy) {
			p.Functions = []Function{shaped(ShapeTerm{Pointer: "/a", Rule: RuleAny}, ShapeTerm{Pointer: "/a", Rule: RuleAny})}
		}},
		{"/rules/removed/0", func(p *Policy) { p.Rules.Removed = []string{"rm_recursiv"} }},
		{"/rules/custom/0/name", func(p *Policy) { p.Rules.Custom = []OwnRule{own("sudo_command", "x")} }},
		{"/rules/custom/1/name", func(p *Policy) { p.Rules.Custom = []OwnRule{own("a", "x"), own("a", "y")} }},
		{"/rules/custom/0/name", func(p *Policy) { p.Rules.Custom = []OwnRule{own("assessor", "x")} }},
		{"/rules/custom/0/pattern", func(p *Policy) { p.Rules.Custom = []OwnRule{own("a", "x*")} }},
		{"/rules/custom/0/pattern", func(p *Policy) { p.Rules.Custom = []OwnRule{own("a", "")} }},
		{"/rules/custom/0/expression", func(p *Policy) { p.Rules.Custom = []OwnRule{asking("a", "action.cod == 'x'")} }},
		{"/rules/custom", func(p *Policy) { p.Rules.Custom = make([]OwnRule, 201) }},
		{"/rules", func(p *Policy) {
			for i := range 51 {
				p.Rules.Custom = append(p.Rules.Custom, asking(fmt.Sprintf("r%d", i), "action.code == 'x'"))
			}
		}},
		{"/rules/replaced/0/name", func(p *Policy) { p.Rules.Replaced = []OwnRule{own("nope", "x")} }},
		{"/rules/replaced/0/name", func(p *Policy) {
			p.Rules.Replaced, p.Rules.Removed = []OwnRule{own("sudo_command", "x")}, []string{"sudo_command"}
		}},
		{"/rules/replaced/0/expression", func(p *Policy) { p.Rules.Replaced = []OwnRule{asking("sudo_command", "1 == 1")} }},
		{"/rules/assessor", func(p *Policy) { p.Rules.Assessor = "action.code == 'x'" }},
		{"/pattern_overrides/disable/0", func(p *Policy) { p.PatternOverrides.Disable = []string{"no-such-pattern"} }},
	} {
		p := DefaultPolicy()
		p.Judgement = effects.Default()
		test.change(&p)
		err := p.Validate()
		if !fault.Is(err, fault.InvalidMember) || fault.As(err).Member != test.member {
			t.Errorf("%s: got %v", test.member, err)
		}
	}
	p := DefaultPolicy()
	p.Strategy, p.GrantSeconds, p.OnBlock = "min", 1, "x"
	if detail := fault.As(p.Validate()).Detail; !strings.Contains(detail, "/strategy") || !strings.Contains(detail, "/grant_seconds") || !strings.Contains(detail, "/on_block") {
		t.Errorf("not all problems are listed: %s", detail)
	}
	if err := (Policy{}).Validate(); err == nil {
		t.Error("the zero policy is accepted")
	}
}

// shaped is an entry for calls of one shape.
func shaped(terms ...ShapeTerm) Function {
	return Function{Glob: "a", LowerTo: level.Low, Pattern: &CallShape{Arguments: terms}}
}

// A critical pattern that nobody needs to look at is refused when it is saved.
func TestValidateRefusesSoftCritical(t *testing.T) {
	t.Parallel()
	for _, pattern := range patterns.Default().Patterns() {
		if pattern.Severity != patterns.Critical {
			continue
		}
		p := DefaultPolicy()
		p.PatternOverrides.Change = []patterns.Change{{ID: pattern.ID, Action: patterns.Warn}}
		if err := p.Validate(); !fault.Is(err, fault.InvalidMember) {
			t.Errorf("%s as warn: got %v", pattern.ID, err)
		}
		return
	}
	t.Error("the library has no critical pattern")
}

func TestPresets(t *testing.T) {
	t.Parallel()
	for _, name := range Presets() {
		challenges, ok := Preset(name)
		if !ok || PresetOf(challenges) != name {
			t.Errorf("%s: got %v, %s", name, ok, PresetOf(challenges))
		}
		p := DefaultPolicy()
		p.Challenges = challenges
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, ok := Preset("none"); ok {
		t.Error("a preset that does not exist")
	}
	if PresetOf(PerLevel[ChallengeKind]{Low: ChallengeQuiz}) != PresetCustom {
		t.Error("any choice is a preset")
	}
}

func TestStricterThan(t *testing.T) {
	t.Parallel()
	base := Treatment{level.High, Hold, ChallengeQuiz, 1, nil}
	for _, test := range []struct {
		name  string
		other Treatment
		want  bool
	}{
		{"the same", base, false},
		{"higher level", Treatment{level.Critical, Hold, ChallengeQuiz, 1, nil}, true},
		{"harder challenge", Treatment{level.High, Hold, ChallengeExplicit, 1, nil}, true},
		{"more approvals", Treatment{level.High, Hold, ChallengeQuiz, 2, nil}, true},
		{"block", Treatment{level.High, Block, ChallengeDeny, 0, nil}, true},
		{"lower level", Treatment{level.Medium, Hold, ChallengeQuiz, 1, nil}, false},
		{"easier challenge", Treatment{level.High, Hold, ChallengeConfirm, 1, nil}, false},
		{"let through", Treatment{level.Low, Allow, ChallengeNone, 0, nil}, false},
		{"easier but more approvals", Treatment{level.Medium, Hold, ChallengeConfirm, 2, nil}, true},
	} {
		if got := test.other.StricterThan(base); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
	if order := Challenges(); len(order) != 5 || order[0] != ChallengeNone || order[4] != ChallengeDeny {
		t.Errorf("got %v", order)
	}
}
