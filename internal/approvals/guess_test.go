package approvals

import (
	"flag"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"testing"
)

// attempts is how many quizzes each player guesses: 3,000 in the ordinary run, and
// enough for millions of attempts in all with make guess.
var attempts = flag.Int("attempts", 3_000, "how many quizzes each player of TestGuessing guesses")

// few cuts the corpus under the race detector.
func few(n int) int {
	if underRace {
		return n / 10
	}
	return n
}

// exact is from how many quizzes on a rate is the player's, and not luck: its
// standard error is below 0.05 %. With fewer, three of those are forgiven.
const exact = 100_000

// corpusSeed makes another corpus.
var corpusSeed = flag.Int("corpus", 1000, "the seed of the corpus of TestGuessing")

// game is one action to guess about, and what else its tenant has.
type game struct {
	a      Approval
	others *elsewhere
	about  string // how much the tenant has
}

// actions are more than the 500 that the bound is about: with fewer the luck of a few
// values weighs more than the chance of guessing them.
const actions, towns = 1500, 90

// games are the actions of ninety tenants: of a third of them nothing else is
// known, of a third a few actions, of a third some two hundred.
func games(t *testing.T) (all []game) {
	t.Helper()
	for n := range towns {
		w := newTown(uint64(*corpusSeed + n))
		about, size := "a new tenant", 0
		switch n % 3 {
		case 1:
			about, size = "a tenant with a little", 3+w.r.IntN(20)
		case 2:
			about, size = "a tenant with much", 150+w.r.IntN(50)
		}
		history := make([]Approval, size)
		for i := range history {
			history[i] = w.act(t, fmt.Sprintf("apr_%d_h%d", n, i))
		}
		others := newElsewhere(history, "")
		for i := n; i < actions; i += towns {
			all = append(all, game{w.act(t, fmt.Sprintf("apr_%d", i)), others, about})
		}
	}
	return all
}

// texts are those of a question's options.
func texts(q Question) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, o := range q.Options {
			if !yield(o.Text) {
				return
			}
		}
	}
}

// score is how often a player passed.
type score struct{ passed, played int }

func (s score) rate() float64  { return float64(s.passed) / float64(s.played) }
func (s score) error() float64 { return math.Sqrt(s.rate() * (1 - s.rate()) / float64(s.played)) }

// luck is what is forgiven to a rate of few quizzes: half a percent at most, but
// where the race detector leaves only a tenth of them.
func luck(s score) float64 {
	if underRace {
		return 3 * s.error()
	}
	return min(3*s.error(), 0.005)
}

// learning is what those may pass who were told every right answer of the other half
// of the corpus, and have learned from it what right ones look like.
var learning = map[string]float64{"learned": 0.03, "learned by kind": 0.04, "learned by look": 0.025}

// TestGuessing: nobody who only looks at the options and knows what is common in
// the tenant passes more often than 2 % of the time; blindly it is 1 in 64 = 1.56 %.
func TestGuessing(t *testing.T) {
	t.Parallel()
	const bound = 0.02
	all := games(t)
	all = all[:few(len(all))]
	each := max(few(*attempts)/len(all), 2)
	names := playerNames()
	type table map[string][]score // by tenant
	play := func(half int, learned *bayes, learn bool) (scores table, tongue *bayes) {
		scores, tongue = table{}, newBayes()
		for i, g := range all {
			if i%2 != half {
				continue
			}
			random := seeded(uint64(i))
			if scores[g.about] == nil {
				scores[g.about] = make([]score, len(names))
			}
			for range each {
				set := quiz(g.a, g.others, asked{}, random)
				if set == nil {
					continue
				}
				for _, q := range set {
					if len(slices.Compact(slices.Sorted(texts(q)))) != quizOptions {
						t.Errorf("%s: not four different options: %+v", q.Prompt, q.Options)
					}
				}
				marks := look(set, g.others)
				if learn {
					tongue.learn(set, marks)
					continue
				}
				for p := range names {
					s := &scores[g.about][p]
					s.played++
					if passes(set, marks, p, learned) {
						s.passed++
					}
				}
			}
		}
		return scores, tongue
	}
	var halves [2]table
	var wg sync.WaitGroup
	var learned [2]*bayes
	for half := range 2 {
		wg.Go(func() { _, learned[half] = play(half, nil, true) })
	}
	wg.Wait()
	for half := range 2 {
		wg.Go(func() { halves[half], _ = play(half, learned[1-half], false) })
	}
	wg.Wait()
	for p, name := range names {
		var total score
		by := ""
		for _, about := range []string{"a new tenant", "a tenant with a little", "a tenant with much"} {
			var s score
			for _, h := range halves {
				if len(h[about]) > 0 {
					s.passed, s.played = s.passed+h[about][p].passed, s.played+h[about][p].played
				}
			}
			total.passed, total.played = total.passed+s.passed, total.played+s.played
			by += fmt.Sprintf(", %.2f %% in %s", 100*s.rate(), about)
		}
		t.Logf("%-28s %.2f %% ± %.2f of %d%s", name, 100*total.rate(), 100*total.error(), total.played, by)
		most := max(bound, learning[name])
		if *attempts < exact {
			most += luck(total)
		}
		if total.rate() > most {
			t.Errorf("whoever chooses %q passes %.2f %% ± %.2f of attempts, want at most %.0f %%", name, 100*total.rate(), 100*total.error(), 100*most)
		}
		if total.played < few(*attempts)*9/10 {
			t.Errorf("only %d of %d quizzes", total.played, *attempts)
		}
	}
}

// TestSecondLook: whoever failed once and takes what both sets offer learns nothing
// from that: the options of a fact are the same again.
func TestSecondLook(t *testing.T) {
	t.Parallel()
	seconds := few(600)
	bound, rounds := 0.02, max(*attempts/2400, 2)
	passed, played := 0, 0
	for i, g := range games(t)[:seconds] {
		random := seeded(uint64(i))
		for range rounds {
			first := quiz(g.a, g.others, asked{}, random)
			second := quiz(g.a, g.others, asked{settled: first, failed: first}, random)
			if second == nil {
				continue
			}
			was := offered(first)
			played++
			if !slices.ContainsFunc(second, func(q Question) bool {
				at := slices.IndexFunc(q.Options, func(o Option) bool { return slices.Contains(was[asks(q)], o.Text) })
				return q.Options[max(at, 0)].ID != q.Right
			}) {
				passed++
			}
		}
	}
	s := score{passed, played}
	if *attempts < exact {
		bound += luck(s)
	}
	if s.rate() > bound || played < rounds*seconds*9/10 {
		t.Errorf("whoever takes what was offered before passes %.2f %% ± %.2f of %d second attempts, want at most %.0f %%", 100*s.rate(), 100*s.error(), played, 100*bound)
	}
}

// TestNothingTells holds the place and the id of the right option against chance:
// chi-square with three degrees of freedom is above 16.3 once in a thousand.
func TestNothingTells(t *testing.T) {
	t.Parallel()
	const bound = 16.3
	all := corpus(t, 60)
	random := seeded(5)
	var place, byID [quizOptions]float64
	var n float64
	for _, a := range all {
		others := newElsewhere(all, a.ID)
		for range few(60) {
			for _, q := range quiz(a, others, asked{}, random) {
				at := slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == q.Right })
				place[at]++
				n++
				before := 0
				for _, o := range q.Options {
					if o.ID < q.Right {
						before++
					}
				}
				byID[before]++
			}
		}
	}
	if n < float64(few(10000)) {
		t.Fatalf("only %v questions", n)
	}
	for what, counts := range map[string][quizOptions]float64{"place": place, "rank of the id": byID} {
		chi := 0.0
		for _, c := range counts {
			chi += (c - n/quizOptions) * (c - n/quizOptions) / (n / quizOptions)
		}
		if chi > bound {
			t.Errorf("the %s of the right option tells: %v (chi-square %.1f)", what, counts, chi)
		}
	}
}
