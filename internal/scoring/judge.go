package scoring

import (
	"slices"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
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

// onlyReads reports whether nothing but the score, and patterns that are remarks, speaks
// against a call that only reads: then neither raises its level. What a score is raised
// for, a key or an address among the arguments, is no effect.
func (e *Examination) onlyReads(a *Assessment) bool {
	return e.compiled.policy.Judgement.Floored() && effects.Harmless(a.Effects) && !e.louder &&
		!slices.ContainsFunc(e.matches, func(m patterns.Match) bool { return m.Severity.Level() >= level.High })
}

// saysProduction reports whether a call says itself that it is about production.
func saysProduction(all []facts.Fact) bool {
	return slices.ContainsFunc(all, func(f facts.Fact) bool { return f.Kind == facts.Environment && facts.IsProduction(f.Value) })
}
