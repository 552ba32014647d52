package scoring

import (
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/rules"
)

func actionOf(t testing.TB, body string) Action {
	t.Helper()
	v, err := canon.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAction(v)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func own(name, pattern string) OwnRule {
	return OwnRule{Name: name, Pattern: pattern, Level: level.High, Reason: "Ours"}
}

func asking(name, expression string) OwnRule {
	return OwnRule{Name: name, Expression: expression, Level: level.High, Reason: "Ours"}
}

// The tenant's rules run: its own after all others, a replacement in place of the
// rule that it replaces, an assessor in place of everything.
func TestOwnRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		change     func(*Policy)
		level      level.Level
		triggered  []string
		says       string
	}{
		{
			"a pattern over a value", `{"function":"get","arguments":{"path":"/mnt/LEDGER/7"}}`,
			func(p *Policy) { p.Rules.Custom = []OwnRule{own("ledger", `/ledger/`)} }, level.High,
			[]string{"ledger"},
			"Held as HIGH: rule ledger (Ours) in arguments.path.",
		},
		{
			"an expression over the action", `{"function":"get","code":"cp /backup/x y","arguments":{"a":1,"b":2,"c":3,"d":4}}`,
			func(p *Policy) {
				p.Rules.Custom = []OwnRule{asking("backup", `action.code.contains("/backup/") && size(action.arguments) > 3`)}
			}, level.High,
			[]string{"backup"},
			"Held as HIGH: rule backup (Ours).",
		},
		{
			"an expression that fails", `{"function":"get"}`,
			func(p *Policy) { p.Rules.Custom = []OwnRule{asking("odd", `action.arguments.path == "x"`)} }, level.High,
			[]string{"odd"},
			"Held as HIGH: rule odd (Ours (its expression asks for a member that this action doesn't have, which counts as triggered)).",
		},
		{
			"a replacement", `{"function":"get","code":"information"}`,
			func(p *Policy) { p.Rules.Replaced = []OwnRule{own("format_disk", `\bmkfs\b`)} }, level.Low,
			[]string{},
			"",
		},
		{
			"what it replaced", `{"function":"get","code":"information"}`, nil, level.Critical, []string{"format_disk"}, "",
		},
		{
			"a replacement where another rule is the precise counterpart", `{"function":"get","code":"sudo rm -rf /data"}`,
			func(p *Policy) {
				p.Rules.Replaced = []OwnRule{{Name: "rm_recursive", Pattern: "rm", Level: level.Low, Reason: "Ours", Reversible: true}}
			}, level.Critical,
			[]string{"rm_recursive", "sudo_command", "shell_recursive_delete"},
			"",
		},
		{
			"a replacement of a group that is off", `{"function":"get","arguments":{"command":"mkfs"}}`,
			func(p *Policy) {
				p.Rules.Extended, p.Rules.Replaced = false, []OwnRule{own("shell_recursive_delete", "mkfs")}
			}, level.Low,
			[]string{},
			"",
		},
		{
			"an assessor", `{"function":"get","code":"rm -rf /","environment":"staging"}`,
			func(p *Policy) {
				p.Rules.Custom = []OwnRule{own("rm", "rm")}
				p.Rules.Assessor = `action.environment == "production" ? "CRITICAL" : "LOW"`
			}, level.Low,
			[]string{"assessor"},
			"",
		},
		{
			"an assessor that decides", `{"function":"get","environment":"production"}`,
			func(p *Policy) {
				p.Rules.Assessor = `{"level": action.environment == "production" ? "CRITICAL" : "LOW", "reasons": ["Production is looked at"]}`
			}, level.Critical,
			[]string{"assessor"},
			"Held as CRITICAL: the policy's assessor (Production is looked at).",
		},
	} {
		a := actionOf(t, c.body)
		as := compiled(t, c.change).Assess(a, 10, nil)
		if max(as.Rules.Level, level.Low) != c.level || !slices.Equal(as.Rules.TriggeredRules, c.triggered) || c.says != "" && as.Explanation != c.says {
			t.Errorf("%s: %v, %v, %q", c.name, as.Rules.Level, as.Rules.TriggeredRules, as.Explanation)
		}
	}
}

// A policy that changes neither patterns nor rules has the models of all such policies;
// any other has its own.
func TestModelsAreShared(t *testing.T) {
	t.Parallel()
	names := func(list []rules.Rule) (all []string) {
		for _, r := range list {
			all = append(all, r.Name)
		}
		return all
	}
	for _, extended := range []bool{false, true} {
		with := func(change func(*Policy)) *Compiled {
			return compiled(t, func(p *Policy) {
				p.Rules.Extended = extended
				change(p)
			})
		}
		c := with(func(*Policy) {})
		if got, want := names(c.rules.Rules()), names(c.policy.ruleList(nil, nil)); !slices.Equal(got, want) {
			t.Errorf("the rules %q run, want %q", got, want)
		}
		if c.joint() != with(func(p *Policy) { p.ExpirySeconds++ }).joint() {
			t.Error("equal models are made twice")
		}
		for what, change := range map[string]func(*Policy){
			"a rule less":     func(p *Policy) { p.Rules.Removed = []string{"sudo_command"} },
			"a rule replaced": func(p *Policy) { p.Rules.Replaced = []OwnRule{own("sudo_command", "sudo")} },
			"a rule more":     func(p *Policy) { p.Rules.Custom = []OwnRule{own("ledger", "ledger")} },
			"an assessor":     func(p *Policy) { p.Rules.Assessor = `action.environment == "production" ? "HIGH" : "LOW"` },
			"a pattern less":  func(p *Policy) { p.PatternOverrides.Disable = []string{c.library.Patterns()[0].ID} },
			"the other group": func(p *Policy) { p.Rules.Extended = !extended },
		} {
			if c.joint() == with(change).joint() {
				t.Errorf("%s, and its models are the same", what)
			}
		}
	}
}
