package patterns

// Counts is how many matches there are of each severity. A score depends on nothing else,
// so that of a session comes from the counts of its evaluations, added up.
type Counts = PerSeverity[int]

// MaxScore is the highest numeric score.
const MaxScore = 100

// Plus is both together: a pattern that two evaluations match counts in each.
func Plus(a, b Counts) Counts {
	return Counts{a.Critical + b.Critical, a.High + b.High, a.Medium + b.Medium, a.Low + b.Low}
}

// Minus is a without b, which is part of it.
func Minus(a, b Counts) Counts {
	return Counts{a.Critical - b.Critical, a.High - b.High, a.Medium - b.Medium, a.Low - b.Low}
}

// Total is how many there are of any severity.
func Total(c Counts) int { return c.Critical + c.High + c.Medium + c.Low }

// Score is the published score of so many matches: the sum without a bound, and rounded
// and capped from 0 to 100.
func (w Weighing) Score(c Counts) (raw float64, numeric int) {
	raw = w.Raw(c)
	return raw, Numeric(raw)
}
