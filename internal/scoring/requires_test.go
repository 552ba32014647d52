package scoring

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// byModels judges without floors.
func byModels(p *Policy) { p.Judgement.Preset = effects.Published }

func TestOnRequiresApproval(t *testing.T) {
	t.Parallel()
	asks := func(p *Policy) {
		byModels(p)
		p.OnRequiresApproval = OnRequiresHold
	}
	assessor := func(p *Policy) {
		p.Rules.Assessor = `{"level": "LOW", "reasons": ["Touches the ledger"], "requires_approval": action.arguments.path == "/srv/ledger"}`
	}
	letsThrough := func(p *Policy) { p.Challenges, _ = Preset(PresetAutoApprove) }
	ledger, sudo := `{"function":"get","arguments":{"path":"/srv/ledger"}}`, `{"function":"get","code":"sudo ls"}`
	for _, c := range []struct {
		name, body string
		change     []func(*Policy)
		want       Treatment
		says       string
	}{
		{"an assessor, where the level decides", ledger, []func(*Policy){byModels, assessor}, Treatment{level.Low, Allow, ChallengeNone, 0, nil}, ""},
		{"an assessor, where a person is asked", ledger, []func(*Policy){asks, assessor}, Treatment{level.Medium, Hold, ChallengeConfirm, 1, nil}, "the rules require approval (Touches the ledger)"},
		{"another path", `{"function":"get","arguments":{"path":"/srv/x"}}`, []func(*Policy){asks, assessor}, Treatment{level.Low, Allow, ChallengeNone, 0, nil}, ""},
		{"a HIGH rule, where all is let through", sudo, []func(*Policy){byModels, letsThrough}, Treatment{level.High, Allow, ChallengeNone, 0, nil}, "lets this level through"},
		{"a HIGH rule, where a person is asked all the same", sudo, []func(*Policy){asks, letsThrough}, Treatment{level.High, Hold, ChallengeExplicit, 1, nil}, "rule sudo_command"},
		{"a MEDIUM rule", `{"function":"get","code":"git commit"}`, []func(*Policy){asks, letsThrough}, Treatment{level.Medium, Allow, ChallengeNone, 0, nil}, ""},
		{"a record", ledger, []func(*Policy){asks, assessor, func(p *Policy) { p.Trust.Enabled = true }}, Treatment{level.Medium, Hold, ChallengeConfirm, 1, nil}, ""},
	} {
		as := compiled(t, func(p *Policy) {
			for _, change := range c.change {
				change(p)
			}
		}).Assess(action(t, c.body), 1, nil)
		if !reflect.DeepEqual(as.Treatment, c.want) || !strings.Contains(as.Explanation, c.says) {
			t.Errorf("%s: is %+v (%s), want %+v (%s)", c.name, as.Treatment, as.Explanation, c.want, c.says)
		}
	}
}

// What an assessor puts together of an action is masked as the action is, and also where
// only the whole is a secret.
func TestResourcesOfAnAssessorAreMasked(t *testing.T) {
	t.Parallel()
	c := compiled(t, func(p *Policy) {
		p.Rules.Assessor = `{"level": "HIGH", "affected_resources": ["key:" + action.arguments.key, string(action.arguments.a) + string(action.arguments.b), "kept"]}`
	})
	for _, body := range []string{
		`{"function":"x","arguments":{"key":"` + awsKey + `","a":"","b":""}}`,
		`{"function":"x","arguments":{"key":"","a":"` + awsKey[:9] + `","b":"` + awsKey[9:] + `"}}`,
	} {
		e := c.Examine(action(t, body), nil)
		_, _, as := e.Mask(e.Assess(1))
		record, err := json.Marshal(as)
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(as.Rules.AffectedResources, "|"); strings.Contains(string(record), awsKey) || !strings.Contains(all, "[REDACTED:aws-access-key]") || !strings.Contains(all, "kept") {
			t.Errorf("%s: stored is %s, with %s", body, record, all)
		}
	}
}

// A rule in a file can be undone unless it says no; what is stored keeps what it has.
func TestReversibleOfOwnRules(t *testing.T) {
	t.Parallel()
	read := func(rule string) OwnRule {
		t.Helper()
		p, err := ReadPolicy([]byte("rules: {custom: [{name: x, pattern: y, reason: z" + rule + "}]}"))
		if err != nil {
			t.Fatal(err)
		}
		return p.Rules.Custom[0]
	}
	for rule, want := range map[string]bool{", level: SAFE": true, ", level: LOW, reversible: false": false, ", level: HIGH, reversible: true": true} {
		if got := read(rule); got.Reversible != want {
			t.Errorf("%s is read as %+v", rule, got)
		}
	}
	if got := read(", level: SAFE"); got.Level != level.Safe {
		t.Errorf("a SAFE rule is %s", got.Level)
	}
	if _, err := ReadPolicy([]byte("rules: {custom: [{name: x, pattern: y, reason: z}]}")); err == nil || !strings.Contains(err.Error(), "/rules/custom/0/level") {
		t.Errorf("a rule without a level: %v", err)
	}
	old := DefaultPolicy()
	old.Rules.Custom = []OwnRule{{Name: "x", Pattern: "y", Level: level.High, Reason: "z"}}
	stored, err := old.Stored()
	if err != nil {
		t.Fatal(err)
	}
	var back Policy
	if err := json.Unmarshal(stored, &back); err != nil || back.Rules.Custom[0].Reversible {
		t.Errorf("what is stored comes back as %+v (%v)", back.Rules.Custom, err)
	}
}

// A SAFE rule says that it saw something, and raises nothing.
func TestSafeRule(t *testing.T) {
	t.Parallel()
	as := compiled(t, func(p *Policy) {
		byModels(p)
		p.Rules.Custom = []OwnRule{{Name: "banner", Pattern: "hello", Level: level.Safe, Reason: "Says hello", Reversible: true}}
	}).Assess(action(t, `{"function":"get","code":"hello"}`), 1, nil)
	if as.Rules.Level != level.Safe || as.Rules.TriggeredRules[0] != "banner" || as.Rules.Reasons[0] != "Says hello" || as.Rules.RequiresApproval || as.Level != level.Low {
		t.Errorf("gives %+v", as.Rules)
	}
}
