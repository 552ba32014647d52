package scoring

import (
	"slices"

	"github.com/countersign/countersign/internal/scoring/facts"
)

// judge completes a with what the call does, and the level that this asks for.
func (e *Examination) judge(a *Assessment) {
	if e.action.LifecyclePoint() != PreToolCall {
		return
	}
	s := e.compiled.policy.Judgement
	given, lowered := e.compiled.entries(e.action, e.inputs)
	given.OwnDomains = s.OwnDomains
	a.Effects = e.effects().Effects(given)
	a.Floor = s.FloorUnder(a.Effects, s.IsNonproduction(e.inputs.Environment) && !saysProduction(a.Facts), lowered)
}

// saysProduction reports whether a call says itself that it is about production.
func saysProduction(all []facts.Fact) bool {
	return slices.ContainsFunc(all, func(f facts.Fact) bool { return f.Kind == facts.Environment && facts.IsProduction(f.Value) })
}
