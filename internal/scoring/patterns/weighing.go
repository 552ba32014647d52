package patterns

import (
	"fmt"
	"math"

	"github.com/countersign/countersign/internal/fault"
)

// PerSeverity is one value for each severity.
type PerSeverity[T any] struct {
	Critical T `json:"critical" yaml:"critical"`
	High     T `json:"high" yaml:"high"`
	Medium   T `json:"medium" yaml:"medium"`
	Low      T `json:"low" yaml:"low"`
}

// At is the place of a severity; what is no severity has none, nil.
func (p *PerSeverity[T]) At(s Severity) *T {
	switch s {
	case Critical:
		return &p.Critical
	case High:
		return &p.High
	case Medium:
		return &p.Medium
	case Low:
		return &p.Low
	}
	return nil
}

// Of is the value of a severity; the zero value for what is none.
func (p PerSeverity[T]) Of(s Severity) (value T) {
	if at := p.At(s); at != nil {
		value = *at
	}
	return value
}

// Weighing says what matches add to a score. The zero value is that of records and
// policies from before it could be chosen: OrPublished reads it.
type Weighing struct {
	// Weights are what the first match of each severity adds, 0..MaxWeight, and none more
	// than that of a worse severity; critical at least MinCritical.
	Weights PerSeverity[float64]
	// Decay is what each further match of a severity is worth of the one before it, 0..1:
	// at 0 only the first counts, at 1 all count alike.
	Decay float64
}

// Bounds of a Weighing. A score ends at 100, so no single match can be worth more; a
// critical match that adds nothing would not show in it. More than 1 of the one before
// would make the last match of many worth the most.
const (
	MaxWeight   = 100
	MinCritical = 1
	MaxDecay    = 1
)

// Published is the weighing of the published model (CODITECT ADR-004).
func Published() Weighing {
	return Weighing{Weights: PerSeverity[float64]{Critical: 40, High: 20, Medium: 8, Low: 2}, Decay: 0.85}
}

// OrPublished is w, or what is published where none was chosen.
func (w Weighing) OrPublished() Weighing {
	if w.Weights == (PerSeverity[float64]{}) {
		return Published()
	}
	return w
}

// Raw is the sum for so many matches of each severity: weight · decay^(n−1) for the nth.
// It is summed term by term, worst severity first, because the last digit of a sum of
// doubles depends on its order. Terms never grow, so one that changes nothing ends a
// severity: the matches of the longest session are not counted one by one.
func (w Weighing) Raw(counts PerSeverity[int]) float64 {
	sum := 0.0
	for _, s := range Severities() {
		for term := range w.terms(s, counts.Of(s)) {
			next := sum + term
			if next == sum {
				break
			}
			sum = next
		}
	}
	return sum
}

// terms yields what each of n matches of a severity adds. The power is a running
// product: math.Pow is not the same on every platform.
func (w Weighing) terms(s Severity, n int) func(yield func(float64) bool) {
	return func(yield func(float64) bool) {
		factor := 1.0
		for range n {
			if !yield(float64(w.Weights.Of(s) * factor)) {
				return
			}
			factor = float64(factor * w.Decay)
		}
	}
}

// contributions writes what each match adds; they are sorted, worst first.
func (w Weighing) contributions(worstFirst []Match) {
	for from := 0; from < len(worstFirst); {
		s := worstFirst[from].Severity
		to := from
		for to < len(worstFirst) && worstFirst[to].Severity == s {
			to++
		}
		for term := range w.terms(s, to-from) {
			worstFirst[from].Contribution = term
			from++
		}
	}
}

// Numeric is the score of a sum: 0..100, rounded half to even.
func Numeric(raw float64) int { return int(math.Min(100, math.RoundToEven(raw))) }

// Count counts the matches of each severity; what is none is not counted.
func Count(matches []Match) (counts PerSeverity[int]) {
	for _, m := range matches {
		if at := counts.At(m.Severity); at != nil {
			*at++
		}
	}
	return counts
}

// Problems is everything that keeps matches from being weighed so: faults
// InvalidMember whose members are _weights/… and _decay, to be put behind /pattern.
func (w Weighing) Problems() []*fault.Error {
	var wrong faults
	worse, most := Severity(""), float64(MaxWeight)
	for _, s := range Severities() {
		v, at := w.Weights.Of(s), fmt.Sprintf("_weights/%s", s)
		least := 0.0
		if s == Critical {
			least = MinCritical
		}
		switch {
		case !(v >= least && v <= MaxWeight): // also refuses NaN
			wrong.add(at, "is %v; expected a number from %v to %d, because a score ends at 100", v, least, MaxWeight)
			continue
		case v > most:
			wrong.add(at, "is %v, more than the %v of %s; expected at most that, because a higher severity never counts less", v, most, string(worse))
			continue
		}
		worse, most = s, v
	}
	if !(w.Decay >= 0 && w.Decay <= MaxDecay) {
		wrong.add("_decay", "is %v; expected a number from 0 to %d, because a further match never counts more than the one before it", w.Decay, MaxDecay)
	}
	return wrong
}
