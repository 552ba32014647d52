package scoring

import (
	"slices"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/level"
)

// judge completes a with what the call does, and the level that this asks for.
func (e *Examination) judge(a *Assessment, callNumber int) {
	a.Inputs = e.inputs
	a.Inputs.CallNumber = callNumber
	a.Effects = []effects.Effect{}
	a.Floor.Level = level.Low
	if e.action.LifecyclePoint() != PreToolCall {
		return
	}
	s := e.compiled.policy.Judgement
	a.Effects = e.effects.Effects(effects.Given{OwnDomains: s.OwnDomains, Tool: e.inputs.Tool})
	a.Floor = s.Floor(a.Effects, s.IsNonproduction(e.inputs.Environment) && !saysProduction(a.Facts))
}

// saysProduction reports whether a call says itself that it is about production.
func saysProduction(all []facts.Fact) bool {
	return slices.ContainsFunc(all, func(f facts.Fact) bool { return f.Kind == facts.Environment && facts.IsProduction(f.Value) })
}
