package scoring

import (
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// When a policy's settings of the pattern model are weaker: what weighs less, decays
// sooner, blocks or asks less, or is shown again.

// patternModel compares them.
func (c *comparison) patternModel() {
	old, new := c.old, c.new
	for _, s := range patterns.Severities() {
		a, b := old.PatternWeights.Of(s), new.PatternWeights.Of(s)
		c.differ("/pattern_weights/"+string(s), a, b, higher(a, b, raises))
	}
	c.differ("/pattern_decay", old.PatternDecay, new.PatternDecay, higher(old.PatternDecay, new.PatternDecay, raises))
	for _, s := range patterns.Severities() {
		a, b := old.SeverityActions.Of(s), new.SeverityActions.Of(s)
		silent := patterns.Pattern{Severity: s, Category: patterns.Custom}
		e := actionTo(a, b, old.Acting().Masks(silent), new.Acting().Masks(silent))
		c.differ("/severity_actions/"+string(s), a, b, max(e, c.tableMasks(s)))
	}
	c.differ("/block_all_critical", old.BlockAllCritical, new.BlockAllCritical, max(c.moreBlocks(new.BlockAllCritical), c.tableMasks(patterns.Critical)))
	c.differ("/rewrite_calls", old.RewriteCalls, new.RewriteCalls, weakensUnless(new.RewriteCalls))
}

// moreBlocks is the effect of more or fewer blocks.
func (c *comparison) moreBlocks(more bool) effect {
	switch {
	case !more:
		return weakens
	case c.new.OnBlock == OnBlockHold:
		return raises // to CRITICAL
	}
	return tightens
}

// actionTo is the effect of another action: not their order, but what each of them does
// to a match.
func actionTo(was, is patterns.Action, masked, masks bool) effect {
	blocked, blocks := was == patterns.Block, is == patterns.Block
	switch {
	case blocked && !blocks, was == patterns.Confirm && is != patterns.Confirm && !blocks, masked && !masks:
		return weakens
	case was == is:
		return tightens
	}
	return raises
}

// patternEffect compares the pattern of an id as it runs under each policy.
func (c *comparison) patternEffect(id string) effect {
	library := patterns.Default()
	a, ran := library.Effective(c.old.PatternOverrides, id)
	b, runs := library.Effective(c.new.PatternOverrides, id)
	switch {
	case runs && c.masksMore(id):
		return weakens
	case ran && runs:
		return c.patternTo(a, b)
	case ran:
		return weakens
	case runs:
		return raises
	}
	return tightens
}

// patternTo is the effect of another definition of a pattern.
func (c *comparison) patternTo(a, b patterns.Pattern) effect {
	switch {
	case !findsAsMuch(a, b), b.Severity.SofterThan(a.Severity):
		return weakens
	case a.Severity != b.Severity && !raisesScore(c.new.Weighing(), a.Severity, b.Severity, c.new.ScoreOverrideThreshold):
		return weakens
	}
	was, is := c.old.Acting(), c.new.Acting()
	e := actionTo(was.Action(a), is.Action(b), was.Masks(a), is.Masks(b))
	if e == tightens && (a.Severity != b.Severity || a.Category != b.Category || len(a.Regex) != len(b.Regex) || len(a.Points()) != len(b.Points())) {
		return raises
	}
	return e // tightens: other words for people
}

// raisesScore reports whether a match that moves up from one severity to another never
// lowers the pattern score by so much that the action is no longer blocked. It can lower
// it: the seventh high match (20·0.85⁶ = 7.5) is worth less than the first medium one (8).
// Then the six highs before it are worth 83, so with it the score is at least 91. With
// weights of the policy's own, whose sums lie anywhere, it must not fall below 100 either,
// so that no level falls.
func raisesScore(w patterns.Weighing, from, to patterns.Severity, threshold int) bool {
	var counts patterns.PerSeverity[int]
	for n := range patterns.Default().Len() + patterns.MaxAdded {
		before := w.Raw(counts)
		*counts.At(to) = n + 1
		after := w.Raw(counts)
		if after-before < w.Weights.Of(from) {
			least := patterns.Numeric(after)
			return least == 100 || w == patterns.Published() && threshold < least
		}
	}
	return true // no further match is ever worth less
}
