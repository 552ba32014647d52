package patterns

// Label is what a record comes to in one word, as the first of the three models behind
// the published one has it (docs/models.md).
type Label string

const (
	Clean      Label = "clean"      // nothing matched
	Suspicious Label = "suspicious" // something did
	Dangerous  Label = "dangerous"  // a score from DangerousFrom on, a critical match, or a block
)

// DangerousFrom is the score from which on a record is dangerous: that of one critical
// match as published.
const DangerousFrom = 40

// label is that of a scored record. The score decides, as published; severity and action
// only raise it, so that weights of one's own and patterns that block never make
// suspicious of what nobody should do.
func (r Record) label() Label {
	switch {
	case r.MatchCount == 0:
		return Clean
	case r.NumericScore >= DangerousFrom, r.CategoricalSeverity == Critical, r.Action == Block, AnyBlock(r.MatchedPatterns):
		return Dangerous
	default:
		return Suspicious
	}
}

// Told is r with all that follows from it, also where it was kept before that was told.
// What is stored stays as it is: sums are held against it.
func (r Record) Told() Record {
	if r.Label == "" {
		r.Label = r.label()
	}
	if r.MatchCount == 0 || r.Weights != (PerSeverity[float64]{}) {
		return r
	}
	w := Published() // there were no others
	r.Weights, r.Decay, r.SeverityCounts = w.Weights, w.Decay, Count(r.MatchedPatterns)
	r.MatchedPatterns = append([]Match(nil), r.MatchedPatterns...)
	w.contributions(r.MatchedPatterns)
	return r
}

// Band is a row of the published table of scores: guidance, which decides nothing.
type Band struct {
	From, To int // 0..100, both included
	Action   Action
}

// Bands are the rows of that table (CODITECT ADR-004), lowest first.
func Bands() []Band {
	return []Band{{0, 0, Allow}, {1, 15, Log}, {16, 30, Warn}, {31, 55, Confirm}, {56, 79, Redact}, {80, 100, Block}}
}

// BandOf is the row of a score.
func BandOf(score int) Band {
	bands := Bands()
	for _, b := range bands {
		if score <= b.To {
			return b
		}
	}
	return bands[len(bands)-1]
}
