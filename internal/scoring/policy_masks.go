package scoring

import (
	"slices"

	"github.com/countersign/countersign/internal/scoring/patterns"
)

// A pattern that masks more hides from people what they approve. So it is a weakening. But a
// leak cannot wait: it masks at once, and until another admin accepted it, nobody can approve
// what it masked (docs/policy.md).

// shippedMask reports whether a pattern masks as it comes with the program.
func shippedMask(id string) bool {
	p, ok := patterns.Default().Pattern(id)
	return ok && p.Masks()
}

// masksMore reports whether the pattern of an id masks what nobody accepted so far.
func (c *comparison) masksMore(id string) bool {
	a, ran := patterns.Default().Effective(c.old.PatternOverrides, id)
	b, runs := patterns.Default().Effective(c.new.PatternOverrides, id)
	accepted := ran && !a.Waits && c.old.Acting().Masks(a) && findsAsMuch(b, a)
	return runs && !b.Waits && c.new.Acting().Masks(b) && !accepted && !shippedMask(id)
}

// tableMasks is weakens where the table of actions, or the switch for critical patterns,
// makes a pattern of a severity mask.
func (c *comparison) tableMasks(s patterns.Severity) effect {
	was, is := c.old.Acting(), c.new.Acting()
	for _, id := range c.new.patternIDs() {
		p, runs := patterns.Default().Effective(c.new.PatternOverrides, id)
		if runs && p.Severity == s && is.Masks(p) && !was.Masks(p) && !p.Waits && !shippedMask(id) {
			return weakens
		}
	}
	return tightens
}

// patternIDs are those of the library and of the policy's own patterns.
func (p Policy) patternIDs() []string {
	var ids []string
	for _, one := range slices.Concat(patterns.Default().Patterns(), p.PatternOverrides.Add) {
		ids = append(ids, one.ID)
	}
	return ids
}

// Masking is p with the patterns of q that mask more, each of which waits; without those by
// which something in p would become weaker.
func (p Policy) Masking(q Policy) Policy {
	c := comparison{old: p.tidy(), new: q.tidy()}
	masking := p
	take := func(id string, with func(*patterns.Overrides)) {
		next := masking
		with(&next.PatternOverrides)
		marked, _ := patterns.Default().Effective(next.PatternOverrides, id)
		if c.masksMore(id) && p.Acting().Masks(marked) && next.Validate() == nil && len(Weakened(p.Differences(next))) == 0 {
			masking = next
		}
	}
	for _, one := range q.PatternOverrides.Add {
		one.Waits = true
		take(one.ID, func(o *patterns.Overrides) {
			o.Add = append(slices.DeleteFunc(slices.Clone(o.Add), func(p patterns.Pattern) bool { return p.ID == one.ID }), one)
		})
	}
	for _, one := range q.PatternOverrides.Change {
		one.Waits = true
		take(one.ID, func(o *patterns.Overrides) {
			o.Change = append(slices.DeleteFunc(slices.Clone(o.Change), func(c patterns.Change) bool { return c.ID == one.ID }), one)
		})
	}
	return masking
}

// Waiting is the first of the patterns by which something was masked under the policy then,
// and which p does not mask by as an accepted one; "" where there is none.
func (p Policy) Waiting(then Policy, masked []patterns.Match) string {
	for _, m := range masked {
		a, _ := patterns.Default().Effective(then.PatternOverrides, m.ID)
		b, runs := patterns.Default().Effective(p.PatternOverrides, m.ID)
		if a.Waits && (!runs || b.Waits || !p.Acting().Masks(b) || !findsAsMuch(a, b)) {
			return m.ID
		}
	}
	return ""
}
