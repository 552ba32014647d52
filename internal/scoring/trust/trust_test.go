package trust

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Quantiles that can be written down: Beta(n, 1) has q^(1/n), Beta(1, n) has
// 1 − (1−q)^(1/n), Beta(2, 2) the root of 3x² − 2x³ = q.
func TestBoundIsTheQuantile(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 9, 28, 58, 200, 1000} {
		if got, want := (Evidence{Succeeded: float64(n)}).Bound(), math.Pow(0.05, 1/float64(n+1)); got > want || want-got > 2e-6 {
			t.Errorf("Beta(%d, 1): got %v, want %v", n+1, got, want)
		}
	}
	for _, n := range []int{1, 2, 10, 50} {
		if got, want := (Evidence{Failed: float64(n)}).Bound(), 1-math.Pow(0.95, 1/float64(n+1)); got > want || want-got > 2e-6 {
			t.Errorf("Beta(1, %d): got %v, want %v", n+1, got, want)
		}
	}
	// The 5 % ranks that tables for Weibull plots give: rank j of n is Beta(j, n−j+1).
	for _, c := range []struct{ succeeded, failed, want float64 }{
		{1, 1, 0.1353}, {4, 4, 0.2514}, {3, 1, 0.3426}, {2, 2, 0.1893}, {8, 1, 0.6058}, {5, 4, 0.3035},
	} {
		if got := (Evidence{c.succeeded, c.failed}).Bound(); math.Abs(got-c.want) > 6e-5 {
			t.Errorf("Beta(%v, %v): got %v, want %v", c.succeeded+1, c.failed+1, got, c.want)
		}
	}
}

// The density of the posterior, integrated up to the bound, is 5 %.
func TestBoundAgainstTheDensity(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]int{{10, 3}, {58, 0}, {93, 1}, {300, 20}, {1000, 50}, {0, 50}} {
		s, f := float64(c[0]), float64(c[1])
		bound := (Evidence{s, f}).Bound()
		a, _ := math.Lgamma(s + f + 2)
		b, _ := math.Lgamma(s + 1)
		d, _ := math.Lgamma(f + 1)
		density := func(x float64) float64 {
			if x <= 0 || x >= 1 {
				return 0
			}
			return math.Exp(a - b - d + s*math.Log(x) + f*math.Log(1-x))
		}
		const steps = 200_000 // Simpson
		sum, h := 0.0, bound/steps
		for i := range steps / 2 {
			x := 2 * float64(i) * h
			sum += density(x) + 4*density(x+h) + density(x+2*h)
		}
		if share := sum * h / 3; share > 0.0501 || share < 0.0495 {
			t.Errorf("of Beta(%v, %v), %v lies below %v", s+1, f+1, share, bound)
		}
	}
}

func TestBoundErrsLow(t *testing.T) {
	t.Parallel()
	same := func(a, b Evidence) {
		t.Helper()
		if a.Bound() != b.Bound() {
			t.Errorf("%+v has %v, %+v has %v", a, a.Bound(), b, b.Bound())
		}
	}
	same(Evidence{58.999999, 0}, Evidence{58, 0})
	same(Evidence{58, 0.000001}, Evidence{58, 1})
	same(Evidence{1e9, 2}, Evidence{1000, 2})
	for _, none := range []Evidence{{1000, 50.1}, {-1, 0}, {math.NaN(), 0}, {10, math.Inf(1)}, {math.Inf(1), 0}} {
		if got := none.Bound(); got != 0 {
			t.Errorf("%+v has %v", none, got)
		}
	}
}

// More successes never lower the bound, more failures never raise it, and it is
// never above the mean.
func TestBoundOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		count := func(most float64, label string) float64 { return rapid.Float64Range(0, most).Draw(t, label) }
		e := Evidence{count(1200, "succeeded"), count(60, "failed")}
		more := Evidence{e.Succeeded + count(50, "more"), e.Failed}
		worse := Evidence{e.Succeeded, e.Failed + count(50, "worse")}
		if b := e.Bound(); b > more.Bound() || b < worse.Bound() || b < 0 || b > (e.Succeeded+1)/(e.Succeeded+e.Failed+2) {
			t.Errorf("%+v has %v, %+v %v, %+v %v", e, b, more, more.Bound(), worse, worse.Bound())
		}
	})
}

func TestWeigh(t *testing.T) {
	t.Parallel()
	today := time.Date(2026, 3, 31, 23, 59, 0, 0, time.FixedZone("", 3600)) // 22:59 UTC
	for _, c := range []struct {
		name string
		days []Day
		want Evidence
	}{
		{"nothing", nil, Evidence{}},
		{"today", []Day{{Day: "2026-03-31", Person: "a", Succeeded: 3, Failed: 1, Denied: 1}}, Evidence{3, 2}},
		{"a half-life ago", []Day{{Day: "2026-03-01", Person: "a", Succeeded: 4, Denied: 1}}, Evidence{2, 0.5}},
		{"two people", []Day{{Day: "2026-03-31", Person: "a", Succeeded: 3}, {Day: "2026-03-31", Person: "b", Succeeded: 2}}, Evidence{5, 0}},
		{"one person clicking through", []Day{{Day: "2026-03-31", Person: "a", Succeeded: 300}}, Evidence{PerPersonDay, 0}},
		{"many failures", []Day{{Day: "2026-03-31", Person: "a", Failed: 30}}, Evidence{0, 30}},
		{"nobody decided", []Day{{Day: "2026-03-31", Succeeded: 3, Failed: 1, Denied: 1}}, Evidence{0, 2}},
		{"tomorrow", []Day{{Day: "2026-04-01", Person: "a", Succeeded: 3, Failed: 2}}, Evidence{0, 2}},
		{"no day", []Day{{Day: "soon", Person: "a", Succeeded: 3, Failed: 2}}, Evidence{0, 2}},
		{"too long ago", []Day{{Day: "2025-08-02", Person: "a", Succeeded: 3, Failed: 2}}, Evidence{}},
		{"less than nothing", []Day{{Day: "2026-03-31", Person: "a", Succeeded: -3, Failed: -2, Denied: 1}}, Evidence{0, 1}},
	} {
		if got := Weigh(c.days, today, 30); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := From(today, 30); got != "2025-08-03" {
		t.Errorf("it begins on %s", got)
	}
	if got := Weigh([]Day{{Day: "2026-03-31", Person: "a", Succeeded: 3}}, today, 0); got.Succeeded != 3 {
		t.Errorf("no half-life: got %+v", got)
	}
}
