package scoring

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// good is as good a record as there can be.
var good = trust.Evidence{Succeeded: 1000}

const mail = `{"function":"send_mail","arguments":{"to":"jo@example.com"}}` // 0.355, nothing else

func trusting(change func(*Policy)) func(*Policy) {
	return func(p *Policy) {
		p.Trust.Enabled = true
		if change != nil {
			change(p)
		}
	}
}

func TestTrustLowersMediumToLow(t *testing.T) {
	t.Parallel()
	got := compiled(t, trusting(nil)).Examine(action(t, mail), nil).Trusting(trust.Evidence{Succeeded: 62.25, Failed: 0}).Assess(1)
	if got.Level != level.Low || got.Response != Allow || !reflect.DeepEqual(got.Treatment, Treatment{Level: level.Low, Response: Allow, Challenge: ChallengeNone}) || got.Score != 0.355 {
		t.Errorf("got %v %v %+v %v", got.Level, got.Response, got.Treatment, got.Score)
	}
	if want := (Trusted{Evidence: trust.Evidence{Succeeded: 62.25}, Bound: 0.953561, Lowered: true}); got.Trust == nil || *got.Trust != want {
		t.Errorf("got %+v, want %+v", got.Trust, want)
	}
	if want := "Approved automatically as LOW in place of MEDIUM: five-factor score 0.355, mostly from function name (send) and arguments (email in arguments.to); of earlier calls of this function by this agent that people decided, 62.2 went well and 0.0 didn't, which makes at least 0.953 where the policy asks for 0.950."; got.Explanation != want {
		t.Errorf("got  %s\nwant %s", got.Explanation, want)
	}
	// What it holds gives the same again.
	var kept Assessment
	b, err := json.Marshal(got)
	if err == nil {
		err = json.Unmarshal(b, &kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	again := compiled(t, trusting(nil)).Examine(action(t, mail), nil).Trusting(kept.Trust.Evidence).Assess(1)
	if second, err := json.Marshal(again); err != nil || string(second) != string(b) {
		t.Errorf("got %s, %v\nwant %s", second, err, b)
	}
}

// One line for each condition.
func TestTrustHasNoSay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, action string
		policy       func(*Policy)
		record       trust.Evidence
		carried      []patterns.Match
		why          string // "": the assessment says nothing of trust
	}{
		{"by default", mail, nil, good, nil, ""},
		{"LOW", `{"function":"get_user"}`, trusting(nil), good, nil, ""},
		{"HIGH", `{"function":"delete_user","arguments":{"env":"production"},"docstring":"Permanently."}`, trusting(nil), good, nil, ""},
		{"blocked", mail, trusting(func(p *Policy) { p.Challenges.Medium = ChallengeDeny }), good, nil, ""},
		{"a tool's result", `{"lifecycle_point":"post-tool-result","content":"x"}`, trusting(nil), good, []patterns.Match{match(patterns.Medium, patterns.Confirm)}, ""},
		{"a fixed score", mail, trusting(func(p *Policy) { p.Strategy, p.FixedScore = StrategyFixed, 0.35 }), good, nil, "fixes the score"},
		{"a rule", `{"function":"send_mail","arguments":{"to":"pip install x"}}`, trusting(nil), good, nil, "a rule"},
		{"a rule that the mean does not see", `{"function":"update_x","arguments":{"to":"pip install x https://x.example/"},"docstring":"Careful."}`, trusting(func(p *Policy) { p.Strategy = StrategyComposite }), good, nil, "a rule"},
		{"a floor", mail, trusting(func(p *Policy) { p.Functions = []Function{{Glob: "send_*", Floor: level.Medium}} }), good, nil, "registry"},
		{"a pattern", mail, trusting(nil), good, []patterns.Match{match(patterns.Medium, patterns.Warn)}, "a pattern"},
		{"a pattern that confirms", mail, trusting(nil), good, []patterns.Match{match(patterns.Low, patterns.Confirm)}, "a pattern"},
		{"a pattern that masks", mail, trusting(nil), good, []patterns.Match{match(patterns.Low, patterns.Redact)}, "a pattern"},
		{"code", `{"function":"send_mail","code":"x","arguments":{"to":"jo@example.com"}}`, trusting(nil), good, nil, "code"},
		{"SQL", `{"function":"execute_sql","arguments":{"sql":"UPDATE users SET role = 'admin' WHERE email = 'eve@x.example'"}}`, trusting(func(p *Policy) { p.Trust.Cap = 0.15 }), good, nil, "consequence"},
		{"SQL of which all is named elsewhere", `{"function":"send_sql","arguments":{"table":"users","to":"jo@example.com","sql":"SELECT name FROM users"}}`, trusting(func(p *Policy) { p.Trust.Cap = 0.15 }), good, nil, "statement"},
		{"a command line", `{"function":"send_command","arguments":{"to":"jo@example.com","command":"cp a.txt b.txt"}}`, trusting(func(p *Policy) { p.Trust.Cap = 0.15 }), good, nil, "consequence"},
		{"HIGH by the five factors, MEDIUM in the mean", `{"function":"send_mail","docstring":"Careful.","arguments":{"to":"jo@example.com"}}`, trusting(func(p *Policy) {
			p.Strategy, p.Trust.Cap = StrategyComposite, 0.15
			p.Thresholds.Medium, p.Thresholds.High = 0.2, 0.4
		}), good, nil, "five factors"},
		{"production", `{"function":"send_mail","environment":"prod","arguments":{"to":"jo@example.com"}}`, trusting(nil), good, nil, "consequence"},
		{"how much", `{"function":"send_mail","arguments":{"to":"jo@example.com","amount":5000}}`, trusting(nil), good, nil, "consequence"},
		{"how many", `{"function":"send_mail","arguments":{"to":"jo@example.com","count":5000}}`, trusting(nil), good, nil, "consequence"},
		{"irreversible", `{"function":"delete_note"}`, trusting(nil), good, nil, "consequence"},
		{"a credential, however low it comes out", `{"function":"x","arguments":{"note":"password"}}`, trusting(func(p *Policy) { p.Trust.Cap = 0.15 }), good, nil, "consequence"},
		{"above the cap", `{"function":"send_mail","docstring":"Careful.","arguments":{"to":"jo@example.com"}}`, trusting(nil), good, nil, "0.455 is more than 0.100 above"},
		{"a little above the cap", mail, trusting(func(p *Policy) { p.Trust.Cap = 0.0549 }), good, nil, "0.355 is more than"},
		{"a policy that asks at LOW, too", mail, trusting(func(p *Policy) { p.Challenges.Low = ChallengeConfirm }), good, nil, "approve LOW automatically"},
		{"a policy that treats LOW more strictly", mail, trusting(func(p *Policy) { p.Challenges.Low = ChallengeQuiz }), good, nil, "approve LOW automatically"},
		{"no record", mail, trusting(nil), trust.Evidence{}, nil, "too short: 0.0"},
		{"a short record", mail, trusting(func(p *Policy) { p.Trust.AtLeast = 0.8 }), trust.Evidence{Succeeded: 19.999999}, nil, "too short: 19.9 successes of the 20"},
		{"a mixed record", mail, trusting(nil), trust.Evidence{Succeeded: 80, Failed: 0.1}, nil, "the estimate is at least"},
	} {
		exam := compiled(t, c.policy).Examine(action(t, c.action), c.carried)
		plain, got := exam.Assess(1), exam.Trusting(c.record).Assess(1)
		if got.Level != plain.Level || !reflect.DeepEqual(got.Treatment, plain.Treatment) || got.Explanation != plain.Explanation {
			t.Errorf("%s: it changed %+v into %+v: %s", c.name, plain.Treatment, got.Treatment, got.Explanation)
		}
		switch {
		case (got.Trust != nil) != (c.why != ""):
			t.Errorf("%s: got %+v, want %q (%v)", c.name, got.Trust, c.why, got.Level)
		case got.Trust != nil && (got.Trust.Lowered || !strings.Contains(got.Trust.Why, c.why)):
			t.Errorf("%s: got %+v, want %q", c.name, got.Trust, c.why)
		}
	}
	// At the edge of each it has.
	for _, change := range []func(*Policy){func(p *Policy) { p.Trust.Cap = 0.055 }, func(p *Policy) { p.Trust.Evidence = 500 }} {
		if got := compiled(t, trusting(change)).Examine(action(t, mail), nil).Trusting(good).Assess(1); !got.Trust.Lowered {
			t.Errorf("got %+v", got.Trust)
		}
	}
}

// Whatever the action, the policy and the record: trust never touches what is not a
// MEDIUM that is not blocked, never goes below LOW, and changes neither score nor matches.
func TestTrustNeverTouchesMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPolicy(t)
		p.Trust.Enabled = true
		c, err := Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		exam := c.Examine(drawDraft(t).action(t), drawMatches(t, "carried"))
		n := rapid.IntRange(1, 20).Draw(t, "call")
		record := trust.Evidence{Succeeded: rapid.Float64Range(0, 500).Draw(t, "succeeded"), Failed: rapid.Float64Range(0, 3).Draw(t, "failed")}
		plain, got := exam.Assess(n), exam.Trusting(record).Assess(n)
		if got.Score != plain.Score || len(got.Patterns.MatchedPatterns) != len(plain.Patterns.MatchedPatterns) {
			t.Fatalf("got %v, want %v", got.Score, plain.Score)
		}
		lowered := got.Trust != nil && got.Trust.Lowered
		switch {
		case !lowered && (got.Level != plain.Level || !reflect.DeepEqual(got.Treatment, plain.Treatment)):
			t.Fatalf("%+v became %+v, and nothing says why", plain.Treatment, got.Treatment)
		case lowered && (plain.Level != level.Medium || plain.Response == Block || got.Response != Allow || got.Level != level.Low || got.Treatment.StricterThan(plain.Treatment)):
			t.Fatalf("%+v became %+v", plain.Treatment, got.Treatment)
		}
	})
}

func TestTrustSettings(t *testing.T) {
	t.Parallel()
	var before Policy // as one from before there was trust reads
	stored, err := DefaultPolicy().Stored()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(strings.Replace(string(stored), `"trust"`, `"other"`, 1)), &before); err != nil || before.Trust != (TrustSettings{}) {
		t.Fatalf("got %+v, %v", before.Trust, err)
	}
	if err := before.Validate(); err != nil {
		t.Error(err)
	}
	if d := before.Differences(DefaultPolicy()); len(d) != 0 {
		t.Errorf("got %+v", d)
	}
	if got := compiled(t, func(p *Policy) { p.Trust = TrustSettings{} }).Examine(action(t, mail), nil).Trusting(good).Assess(1); got.Trust != nil || got.Level != level.Medium {
		t.Errorf("got %+v", got.Trust)
	}
}
