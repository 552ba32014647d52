package scoring

import (
	"slices"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// A call that only reads. What the five-factor model counts in its words, a key or an address
// among the arguments, is no effect, and neither is a remark of a pattern that comes with the
// program. So these raise it: hints that the caller or the function registry sets, which let
// the five-factor score count whole; the registry's floors and docstrings; rules; patterns of
// the organisation's own whose action is at least confirm; and patterns that come with the
// program from high severity on, unless they found only texts that nothing runs (texts.go).
// Whatever blocks still does. Every score and match stays recorded as it is published.

// onlyReads reports whether a call only reads, under a policy that judges that.
func (e *Examination) onlyReads(a *Assessment) bool {
	return e.compiled.policy.Judgement.Floored() && effects.Harmless(a.Effects)
}

// reading is a with what raises it and its level, and the matches that do. Where it only reads
// that is less than a has: it then keeps in a.Remarks which patterns asked to confirm in vain.
func (e *Examination) reading(a *Assessment) (raises Assessment, matches []patterns.Match) {
	raises, matches = *a, e.matches
	if !e.onlyReads(a) {
		return raises, matches
	}
	matches = slices.DeleteFunc(slices.Clone(matches), func(m patterns.Match) bool {
		vain := !e.compiled.policy.raisesRead(m)
		if vain && m.Action == patterns.Confirm && !slices.Contains(a.Remarks, m.ID) {
			a.Remarks = append(a.Remarks, m.ID)
		}
		return vain
	})
	raises.Patterns = patterns.Score(matches, e.compiled.policy.ScoreOverrideThreshold, e.compiled.policy.Weighing())
	if !e.louder && !hintsCount(a.FiveFactor) {
		raises.FiveFactor.Score, raises.FiveFactor.Level = 0, level.Low
	}
	raises.Score, raises.Level = e.combine(&raises)
	return raises, matches
}

// raisesRead reports whether a pattern that matched raises a call that only reads.
func (p *Policy) raisesRead(m patterns.Match) bool {
	if p.added(m.ID) {
		return !m.Action.SofterThan(patterns.Confirm)
	}
	return m.Severity.Level() >= level.High || m.Action == patterns.Block
}

// hintsCount reports whether a hint adds to the score.
func hintsCount(r fivefactor.Result) bool {
	return slices.ContainsFunc(r.Factors, func(f fivefactor.Factor) bool { return f.Name == "hints" && f.Score > 0 })
}
