package approvals

import "testing"

func TestScoreBand(t *testing.T) {
	t.Parallel()
	days := func(means ...float64) (all []ScoreDay) {
		for _, m := range means {
			all = append(all, ScoreDay{Scored: 10, Mean: m})
		}
		return all
	}
	calm := []float64{0.30, 0.32, 0.28, 0.30, 0.31, 0.29, 0.30}
	for _, c := range []struct {
		name string
		days []ScoreDay
		last int
		band bool
	}{
		{"a day like the others", days(append(calm, 0.31)...), 0, true},
		{"a day far above", days(append(calm, 0.50)...), 1, true},
		{"a day far below", days(append(calm, 0.10)...), -1, true},
		{"six days make no band", days(append(calm[1:7:7], 0.90)...), 0, false},
		{"days that are alike forgive a hundredth", days(0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.32), 0, true},
		{"and no more than three", days(0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.34), 1, true},
		{"few scores are not judged", append(days(calm...), ScoreDay{Scored: 4, Mean: 0.9}), 0, true},
	} {
		got := banded(c.days, 1)
		last := got[len(got)-1]
		if last.Outside() != c.last || last.Banded != c.band {
			t.Errorf("%s: %+v is on side %d, want %d", c.name, last, last.Outside(), c.last)
		}
		if got[3].Banded {
			t.Errorf("%s: three days make a band", c.name)
		}
	}
}
