package policy

import (
	"strconv"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// parts keep their order whatever the three bounds are.
func (s Scale) parts() []scalePart {
	at := [5]int{0, s.Medium, s.High, s.Critical, 1000}
	parts := make([]scalePart, 4)
	for i := range parts {
		at[i] = max(0, min(at[i], 1000))
		at[i+1] = max(at[i], min(at[i+1], 1000))
		parts[i] = scalePart{views.Level(i + 1), at[i], at[i+1]}
	}

	return parts
}

// pastBar is one bar of the past scores, in percent of the width and of a height
// of 48. at is the score in its middle.
type pastBar struct {
	x, y, width, height, at, count string
	moved                          bool
}

func (s Scale) bars() []pastBar {
	highest := 0
	for _, n := range s.Past {
		highest = max(highest, n)
	}
	if highest == 0 {
		return nil
	}
	const tall = 48
	one := 100 / float64(len(s.Past))
	write := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	var bars []pastBar
	for i, n := range s.Past {
		if n <= 0 {
			continue
		}
		h := max(1.5, float64(n)/float64(highest)*tall)
		bars = append(bars, pastBar{
			x: write((float64(i)+0.1)*one) + "%", y: write(tall - h), width: write(one*0.8) + "%", height: write(h),
			at: strconv.FormatFloat(s.middle(i), 'g', 6, 64), count: strconv.Itoa(n), moved: s.moved(i),
		})
	}

	return bars
}

// middle is the score in the middle of the i-th part.
func (s Scale) middle(i int) float64 { return (float64(i) + 0.5) / float64(len(s.Past)) }

// moved reports whether the i-th part lies between a bound and where it was.
func (s Scale) moved(i int) bool {
	at := s.middle(i) * 1000
	for n, bound := range [3]int{s.Medium, s.High, s.Critical} {
		if from, to := float64(min(bound, s.Was[n])), float64(max(bound, s.Was[n])); from <= at && at < to {
			return true
		}
	}

	return false
}

// between counts the past scores that lie between the marks and where they were.
func (s Scale) between(say texts.Printer) string {
	all := 0
	for i, n := range s.Past {
		if n > 0 && s.moved(i) {
			all += n
		}
	}
	if all == 0 {
		return ""
	}

	return say.Say("%d of them between the new and the old thresholds.", all)
}

// was is the place of the nth mark under the policy in force, as a score.
func (s Scale) was(n int) string {
	return strconv.FormatFloat(float64(s.Was[min(n, 2)])/1000, 'f', -1, 64)
}
