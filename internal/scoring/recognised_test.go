package scoring

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// What effects and facts read of one text is taken apart once in an assessment. What it
// costs is counted in allocations: of nothing else there are as many.
func TestTextsAreTakenApartOncePerAssessment(t *testing.T) { // not parallel: allocations are counted
	compiled := compiled(t, nil)
	for _, test := range []struct {
		name, function, argument, text string
		apart                          func(*call.Text)
	}{
		{"a script", "bash", "command", strings.Repeat("(((true))) && ", 500) + "rm -rf /srv/x", func(t *call.Text) { t.Script() }},
		{"statements", "run_sql", "sql", strings.Repeat("-- a\n", 300) + strings.Repeat("SELECT a, b, c, d FROM e;\n", 500), func(t *call.Text) {
			for _, d := range t.SQL().Dialects() {
				t.SQL().Tokens(d)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			arguments := canon.Object(canon.Member{Name: test.argument, Value: canon.String(test.text)})
			a := action(t, string(canon.Object(canon.Member{Name: "function", Value: canon.String(test.function)}, canon.Member{Name: "arguments", Value: arguments}).Canonical()))
			in := a.effectInput(a.call())
			effects.Examine(in)
			facts.Extract(in.Call)
			alone := testing.AllocsPerRun(5, func() { test.apart((&call.Call{}).Text(test.text)) })
			known := testing.AllocsPerRun(5, func() { effects.Examine(in); facts.Extract(in.Call) })
			passages := compiled.joint().Passages(a.scanned())
			all := testing.AllocsPerRun(5, func() { (&Examination{compiled: compiled, action: a, call: a.call()}).scan(passages, a, nil) })
			t.Logf("taken apart %.0f, read %.0f, all %.0f", alone, known, all)
			if all-known > 1.8*alone {
				t.Errorf("%.0f allocations to take it apart, %.0f to read what is known, %.0f for all", alone, known, all)
			}
		})
	}
}
