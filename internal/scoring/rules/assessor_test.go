package rules

import (
	"reflect"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/level"
)

// What an assessor says beside a level is kept, as in the published model, whose example
// gives all of it.
func TestAssessorSaysMore(t *testing.T) {
	t.Parallel()
	const whole = `action.arguments.amount > 1000.0
		? {"level": "HIGH", "reasons": ["High-value transaction"], "affected_resources": ["account:" + action.arguments.account],
		   "reversible": false, "estimated_impact": "Money leaves the account", "recommendations": ["Call the owner"], "requires_approval": true}
		: {"level": "LOW", "reasons": ["Standard transaction"], "affected_resources": [], "requires_approval": action.arguments.amount > 500.0}`
	set, err := NewAssessor(whole)
	if err != nil {
		t.Fatal(err)
	}
	got := assessed(set, action(t, `{"function":"pay","arguments":{"amount":5000,"account":"acc-7"}}`))
	if got.Level != level.High || got.EstimatedImpact != "Money leaves the account" || got.Reversible || !got.RequiresApproval ||
		!reflect.DeepEqual(got.AffectedResources, []string{"account:acc-7"}) || !reflect.DeepEqual(got.Recommendations, []string{"Call the owner"}) {
		t.Errorf("gives %+v", got)
	}
	small := assessed(set, action(t, `{"function":"pay","arguments":{"amount":600,"account":"acc-7"},"code":"open('/srv/x')"}`))
	if small.Level != level.Low || !small.RequiresApproval || len(small.AffectedResources) != 0 || small.EstimatedImpact != "Minor impact, easily reversible" || len(small.Recommendations) != 0 {
		t.Errorf("of little gives %+v", small)
	}
	if none := assessed(set, action(t, `{"function":"pay","arguments":{"amount":1,"account":"acc-7"}}`)); none.RequiresApproval {
		t.Errorf("of next to nothing gives %+v", none)
	}
}

func TestAssessorWithoutApproval(t *testing.T) {
	t.Parallel()
	set, err := NewAssessor(`{"level": action.code == "x" ? "HIGH" : "SAFE", "requires_approval": false, "affected_resources": [action.function]}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := assessed(set, action(t, `{"function":"f","code":"x"}`)); got.RequiresApproval || got.Recommendations[0] != "Review carefully before approving" {
		t.Errorf("gives %+v", got)
	}
	if got := assessed(set, action(t, `{"function":"f"}`)); got.Level != level.Safe || len(got.TriggeredRules) != 0 || !reflect.DeepEqual(got.AffectedResources, []string{"f"}) {
		t.Errorf("of what is safe gives %+v", got)
	}
}

// What an agent sends makes the lists no longer than they may be, and is never a
// sentence of ours.
func TestAssessorLimits(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 300)
	many := `{"function":"f","arguments":{"paths":["` + strings.Repeat(`","x`, 30) + `","` + long + `"]}}`
	set, err := NewAssessor(`{"level": "LOW", "affected_resources": action.arguments.paths.map(p, string(p))}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := assessed(set, action(t, many)); got.Level != level.Low || len(got.AffectedResources) != 10 || got.AffectedResources[0] != "x" {
		t.Errorf("of many gives %+v", got)
	}
	one := assessed(set, action(t, `{"function":"f","arguments":{"paths":["`+long+`"]}}`))
	if len(one.AffectedResources) != 1 || len(one.AffectedResources[0]) > MaxResourceBytes || !strings.HasSuffix(one.AffectedResources[0], "ä…") {
		t.Errorf("of a long one gives %q", one.AffectedResources)
	}
	for _, says := range []string{
		`"estimated_impact": action.code`, `"estimated_impact": 3`, `"recommendations": [action.code]`, `"recommendations": "x" + action.code`,
		`"requires_approval": action.code`, `"affected_resources": action.code`, `"affected_resources": [action.arguments]`, `"recommendations": [""]`,
	} {
		set, err := NewAssessor(`{"level": action.function == "f" ? "LOW" : "LOW", ` + says + `}`)
		if err != nil {
			t.Errorf("%s: %v", says, err)
			continue
		}
		if got := assessed(set, action(t, `{"function":"f","code":"Nothing happens"}`)); got.Level != level.Critical || !got.RequiresApproval || len(got.AffectedResources) != 0 {
			t.Errorf("%s gives %+v", says, got)
		}
	}
}

// A disguise hides nothing from an assessor that asks for approval.
func TestAssessorAsksForApprovalWithoutDisguise(t *testing.T) {
	t.Parallel()
	set, err := NewAssessor(`{"level": "LOW", "requires_approval": action.code.contains("/ledger/")}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := assessed(set, action(t, `{"function":"f","code":"cp /led\u200bger/x"}`)); !got.RequiresApproval {
		t.Errorf("gives %+v", got)
	}
}
