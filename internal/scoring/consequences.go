package scoring

import "github.com/countersign/countersign/internal/scoring/facts"

// Consequences are the sentences that an operator ticks one by one before an
// explicit confirmation: irreversible, production, how many. There is always at
// least one.
func (a Assessment) Consequences() []string {
	var all []string
	if a.Irreversible() {
		all = append(all, "It cannot be undone. No rule knows of a way back.")
	}
	if f, ok := a.Fact(facts.Count); ok {
		all = append(all, "It affects "+f.Value+" "+f.Label+".")
	}
	if f, ok := a.Fact(facts.Amount); ok {
		all = append(all, "It moves "+f.Value+".")
	}
	if f, ok := a.Fact(facts.Environment); ok && facts.IsProduction(f.Value) {
		all = append(all, "It runs in "+f.Value+", as soon as the agent spends the grant.")
	}
	if len(all) == 0 {
		all = append(all, "It runs as soon as the agent spends the grant, once, for exactly these bytes.")
	}
	return all
}
