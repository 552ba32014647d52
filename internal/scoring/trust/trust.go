// Package trust estimates how far an agent's calls of one function can be relied
// on, from what people decided about earlier ones and what came of them (Jøsang and
// Ismail, The Beta Reputation System, 2002).
//
//	[]Day ──Weigh──▶ Evidence ──Bound──▶ 0..1
//
// A call is a Bernoulli trial: it goes well, or it does not. What is known of the
// probability that the next one goes well is Beta(1 + succeeded, 1 + failed): the
// uniform prior, and the trials, each of which fades with a half-life. What counts
// is not the mean of that but its lower 5 % quantile, so that little evidence is
// little trust, however good it is.
//
// Everything is a pure function: no clock, no I/O.
package trust

import (
	"math"
	"time"
)

// Credibility is the share of the posterior that lies below Bound.
const Credibility = 0.05

const (
	// PerPersonDay is how many successes count of what one person approved on one day:
	// clicking through a queue makes no trust.
	PerPersonDay = 5
	// HalfLives is how far back evidence is read. What is older has less than 1/256 of
	// its weight left.
	HalfLives = 8
)

// Day is what is known of one agent's calls of one function on one day (UTC), by
// the person who decided about them.
type Day struct {
	Day    string // 2006-01-02
	Person string // "" of what no person decided
	// Succeeded were approved by this person on this day after a review that was
	// neither fast nor the owner's own, without an edit, and reported to have gone well.
	Succeeded int
	// Failed were reported on this day to have failed; Denied were refused by this
	// person, or blocked because of what was found in them.
	Failed, Denied int
}

// Evidence is what is known on a day, faded. Both are at least 0 and have at most
// six decimals, so that they are kept and read back as they are.
type Evidence struct {
	Succeeded float64 `json:"succeeded"`
	Failed    float64 `json:"failed"` // denials included
}

// From is the first day that counts, for Weigh.
func From(today time.Time, halfLifeDays int) string {
	return today.UTC().AddDate(0, 0, -HalfLives*halfLifeDays).Format(time.DateOnly)
}

// Weigh adds the days up, each faded by its age. What lies in the future (a clock
// was set back) is no success yet, and a failure all the same. Days that cannot be
// read count like that, too.
func Weigh(days []Day, today time.Time, halfLifeDays int) Evidence {
	var succeeded, failed float64
	now := today.UTC().Truncate(24 * time.Hour)
	first := From(today, halfLifeDays)
	for _, d := range days {
		if d.Day < first {
			continue
		}
		fade, past := 1.0, false
		if at, err := time.Parse(time.DateOnly, d.Day); err == nil && !at.After(now) {
			past = true
			fade = math.Exp2(-math.Round(now.Sub(at).Hours()/24) / float64(max(1, halfLifeDays)))
		}
		if past && d.Person != "" {
			succeeded += float64(fade * float64(min(max(0, d.Succeeded), PerPersonDay)))
		}
		failed += float64(fade * float64(max(0, d.Failed)+max(0, d.Denied)))
	}
	return Evidence{Succeeded: math.Floor(succeeded*1e6) / 1e6, Failed: math.Ceil(failed*1e6) / 1e6}
}

// Valid reports whether Weigh could have given e.
func (e Evidence) Valid() bool {
	ok := func(f float64) bool { return f >= 0 && f <= 1e9 }
	return ok(e.Succeeded) && ok(e.Failed)
}

const (
	// maxSucceeded bounds the successes that the bound counts; more add nothing.
	maxSucceeded = 1000
	// maxFailed is how many failures leave any trust at all.
	maxFailed = 50
)

// Bound is the probability that the next call goes well, as low as the evidence
// leaves it possible: the 5 % quantile of Beta(1 + succeeded, 1 + failed), rounded
// down to six decimals.
//
// It errs low by whole trials: successes are rounded down to a whole number and
// failures up; successes beyond 1,000 add nothing; and with more than 50 failures it
// is 0. So the distribution is a sum of binomial terms, which takes nothing but the
// four basic operations and is the same number on every platform.
func (e Evidence) Bound() float64 {
	if !e.Valid() || e.Failed > maxFailed {
		return 0
	}
	succeeded := int(math.Floor(min(e.Succeeded, maxSucceeded)))
	failed := int(math.Ceil(e.Failed))
	low, high := 0.0, 1.0
	for range 53 { // below is never above the quantile
		if middle := (low + high) / 2; below(middle, succeeded, failed) <= Credibility {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Floor(low*1e6) / 1e6
}

// below is the distribution function of Beta(1 + succeeded, 1 + failed) at x: the
// probability of at most failed failures among succeeded + failed + 1 trials of
// which each goes well with probability x.
func below(x float64, succeeded, failed int) float64 {
	n := succeeded + failed + 1
	term := 1.0
	for range n {
		term = float64(term * x)
	}
	sum := term
	for j := range failed {
		term = float64(term*float64(n-j)) * (1 - x) / float64(float64(j+1)*x)
		sum += term
	}
	return sum
}
