package scoring

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/facts"
)

// Consequences are the sentences that an operator ticks one by one before an explicit
// confirmation of an action with these outcomes: what will be true, that there is no way back, every
// row, production. There is always at least one, and no two are the same.
func (as Assessment) Consequences(outcomes []string) []string {
	all := slices.Clone(outcomes)
	if as.Irreversible() && !strings.Contains(strings.Join(all, " "), "for good") {
		all = append(all, "This can't be undone.")
	}
	if facts.EveryRow(as.Facts) {
		all = append(all, "It affects every row: there is no WHERE clause.")
	}
	if f, ok := as.Fact(facts.Count); ok {
		all = append(all, "It affects "+facts.Shown(f.Value)+" ("+facts.Shown(f.Label)+").")
	}
	for _, f := range as.Facts {
		if f.Kind == facts.Environment && facts.IsProduction(f.Value) {
			all = append(all, "It runs in "+facts.Shown(f.Value)+" as soon as the agent uses this approval.")
			break
		}
	}
	if len(all) == 0 {
		return []string{"It runs once, exactly as shown, as soon as the agent uses this approval."}
	}
	return all
}

// irreversible is the evidence that says so: what the function is called, what
// its documentation says, and what the hints say.
var irreversible = []string{
	"docstring:irreversib", "docstring:permanent", "docstring:destructive",
	"destructive:delete", "destructive:drop", "destructive:destroy", "destructive:purge", "destructive:truncate",
}

// Irreversible reports whether there is no way back, as far as anybody says: a
// rule that fired, the function's name, the documentation or a hint.
func (a Assessment) Irreversible() bool {
	if !a.Rules.Reversible {
		return true
	}
	for _, f := range a.FiveFactor.Factors {
		for _, e := range f.Evidence {
			if slices.Contains(irreversible, e.Pattern) || strings.HasPrefix(e.Pattern, "hint:irreversib") {
				return true
			}
		}
	}
	return false
}
