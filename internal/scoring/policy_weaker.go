package scoring

import (
	"cmp"
	"slices"

	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// When a policy is weaker than another: the partial order of docs/policy.md, "What weakens".
//
// A change is weaker when there could be an action that passes more easily after
// it: at a lower level, with a lesser challenge, with fewer approvals, unblocked, or
// with less looking and less freshness asked of people. Where that cannot be ruled
// out the change counts as weaker. A setting counts whether or not another one
// makes it idle at the moment, so that nobody can weaken in two steps of which
// neither looks like one. docs/policy.md tells the same as a table.
//
// Settings that move an action to a higher level are no weakening only where the
// higher level is treated at least as strictly: where quiz stands above
// explicit_confirmation, raising a level softens. That is climbsInto.

// effect is what the change of one setting can do to an action.
type effect uint8

const (
	tightens effect = iota // no action passes more easily
	raises                 // the level of an action can rise, and nothing falls
	weakens                // some action may pass more easily
)

// but is no effect at all under a condition.
func (e effect) but(idle bool) effect {
	if idle {
		return tightens
	}
	return e
}

func weakensUnless(strict bool) effect {
	if strict {
		return tightens
	}
	return weakens
}

// higher is good, and weakens where the value falls; lower is the opposite.
func higher[T cmp.Ordered](old, new T, good effect) effect {
	if new < old {
		return weakens
	}
	return good
}

func lower[T cmp.Ordered](old, new T, good effect) effect { return higher(new, old, good) }

// climbsInto reports whether an action that p puts at some level, and q at a
// higher one, is treated at least as strictly there.
func (p Policy) climbsInto(q Policy) bool {
	for i, from := range level.All() {
		for _, to := range level.All()[i+1:] {
			a, b := p.Challenges.At(from), q.Challenges.At(to)
			switch {
			case b.rank() < a.rank():
				return false
			case b == ChallengeDeny: // nobody approves, so nobody has to look
			case q.ApprovalsRequired.At(to) < p.ApprovalsRequired.At(from), q.MinReview(to) < p.MinReview(from):
				return false
			}
		}
	}
	return true
}

// heldAs is the challenge of what is held at a level whose challenge this is, also where
// that lets everything else through (treat).
func heldAs(c ChallengeKind) ChallengeKind {
	if c == ChallengeNone {
		return ChallengeExplicit
	}
	return c
}

// strategyTo is the effect of another strategy. The highest of the models is never
// below their mean, nor below a fixed score that is LOW. Everything else can lower.
func (p Policy) strategyTo(q Policy) effect {
	fixedLow := p.Strategy == StrategyFixed && p.Thresholds.Level(round6(p.FixedScore)) == level.Low
	if q.Strategy == StrategyMax && (p.Strategy == StrategyComposite || fixedLow) {
		return raises
	}
	return weakens
}

// effect is that of another entry for the same glob; the zero entry knows nothing.
func (f Function) effect(g Function) effect {
	e := docstringEffect(f.Docstring, g.Docstring)
	e = max(e, higher(f.Floor, g.Floor, raises).but(max(f.Floor, g.Floor) <= level.Low))
	for _, name := range union(sortedKeys(f.Hints), sortedKeys(g.Hints)) {
		e = max(e, hintEffect(f.Hints[name], g.Hints[name]))
	}
	return e
}

// hintEffect compares what two hints add to the score.
func hintEffect(old, new any) effect {
	risk := func(hint any) float64 {
		v, _ := hintValue(hint) // what is no hint adds nothing
		return hintRisk(v)
	}
	if risk(old) == risk(new) {
		return tightens
	}
	return higher(risk(old), risk(new), raises)
}

// findsAsMuch reports whether b matches wherever a does: the same definition,
// with the same expressions and perhaps more, at the same points and perhaps more.
func findsAsMuch(a, b patterns.Pattern) bool {
	contains := func(all, some []string) bool {
		return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
	}
	return contains(b.Regex, a.Regex) && contains(b.Points(), a.Points()) &&
		a.Member == b.Member && a.Check == b.Check && a.MinDigits == b.MinDigits && a.MinAts == b.MinAts && a.NonASCII == b.NonASCII
}
