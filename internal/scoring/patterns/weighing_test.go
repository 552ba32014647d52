package patterns

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// genWeighing draws weighings that are accepted.
var genWeighing = rapid.Custom(func(t *rapid.T) Weighing {
	var w Weighing
	most := float64(MaxWeight)
	for i, s := range Severities() {
		least := 0.0
		if i == 0 {
			least = MinCritical
		}
		most = rapid.Float64Range(least, most).Draw(t, string(s))
		*w.Weights.At(s) = most
	}
	w.Decay = rapid.OneOf(rapid.Float64Range(0, MaxDecay), rapid.SampledFrom([]float64{0, 1})).Draw(t, "decay")
	return w
})

func TestRaw(t *testing.T) {
	t.Parallel()
	own := Weighing{Weights: PerSeverity[float64]{Critical: 100, High: 10, Medium: 10}, Decay: 0.5}
	once := Weighing{Weights: Published().Weights}
	for _, c := range []struct {
		name   string
		w      Weighing
		counts PerSeverity[int]
		want   float64
	}{
		{"nothing", Published(), PerSeverity[int]{}, 0},
		{"one of each, as published", Published(), PerSeverity[int]{1, 1, 1, 1}, 70},
		{"three critical, as published", Published(), PerSeverity[int]{Critical: 3}, 40 + 34 + 28.9},
		{"decay is by severity", Published(), PerSeverity[int]{High: 2, Low: 2}, 20 + 17 + 2 + 1.7},
		{"own weights and decay", own, PerSeverity[int]{Critical: 2, High: 3, Medium: 1, Low: 9}, 100 + 50 + 10 + 5 + 2.5 + 10},
		{"without any decay only the first counts", once, PerSeverity[int]{Critical: 2, High: 3}, 60},
		{"all count alike", Weighing{Weights: Published().Weights, Decay: 1}, PerSeverity[int]{Medium: 10}, 80},
	} {
		if got := c.w.Raw(c.counts); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestNumeric(t *testing.T) {
	t.Parallel()
	for raw, want := range map[float64]int{0: 0, 0.5: 0, 1.5: 2, 2.5: 2, 99.4: 99, 99.6: 100, 1e6: 100} {
		if got := Numeric(raw); got != want {
			t.Errorf("%v is %d, want %d", raw, got, want)
		}
	}
}

func TestWeighingProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*Weighing)
		want   []string // members
	}{
		{"as published", func(*Weighing) {}, nil},
		{"at the upper bounds", func(w *Weighing) { *w = Weighing{PerSeverity[float64]{100, 100, 100, 100}, 1} }, nil},
		{"at the lower bounds", func(w *Weighing) { *w = Weighing{PerSeverity[float64]{Critical: 1}, 0} }, nil},
		{"critical counts nothing", func(w *Weighing) { *w = Weighing{PerSeverity[float64]{Critical: 0.5}, 0} }, []string{"_weights/critical"}},
		{"more than the score has", func(w *Weighing) { w.Weights.Critical = 100.5 }, []string{"_weights/critical"}},
		{"negative", func(w *Weighing) { w.Weights.Low = -1 }, []string{"_weights/low"}},
		{"no number", func(w *Weighing) { w.Weights.High, w.Decay = math.NaN(), math.NaN() }, []string{"_weights/high", "_decay"}},
		{"medium above high", func(w *Weighing) { w.Weights.Medium = 21 }, []string{"_weights/medium"}},
		{"low above a medium that is wrong is held against high", func(w *Weighing) { w.Weights.Medium, w.Weights.Low = 21, 20 }, []string{"_weights/medium"}},
		{"a decay that grows", func(w *Weighing) { w.Decay = 1.01 }, []string{"_decay"}},
		{"a negative decay", func(w *Weighing) { w.Decay = -0.1 }, []string{"_decay"}},
	} {
		w := Published()
		c.change(&w)
		var got []string
		for _, f := range w.Problems() {
			got = append(got, f.Member)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if w := genWeighing.Draw(t, "w"); len(w.Problems()) > 0 {
			t.Errorf("%+v: %v", w, w.Problems())
		}
	})
}

func TestAWeighingFromBeforeThereWasOne(t *testing.T) {
	t.Parallel()
	if got := (Weighing{}).OrPublished(); got != Published() {
		t.Errorf("none is %+v", got)
	}
	if w := (Weighing{Weights: PerSeverity[float64]{Critical: 1}}); w.OrPublished() != w {
		t.Errorf("%+v became %+v", w, w.OrPublished())
	}
}
