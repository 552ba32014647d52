package approvals

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/long"
)

// varied is how many actions are guessed about.
const varied = 1000

// oneGoroutine is why the race detector does not watch a test that computes.
const oneGoroutine = "one goroutine computes"

// TestReasoning: whoever reads all three questions and thinks, but not the request, passes
// at most 2 % of attempts, and 8 % with the queue's row, its headline and the session's rows.
// Nobody who thinks without the row is right in more than three of ten of those questions that
// ask for a value by options; and in those that ask for the effect, whoever takes the worst or
// what the other questions name is right no more often than chance.
func TestReasoning(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	if n := len(acts); n < 40 {
		t.Fatalf("%d functions", n)
	}
	all, rounds := scenes(t, varied), long.Count(2_000, 100_000)/varied
	blind := play(t, all, rounds, func(scene) seen { return seen{} })
	blind.hold(t, "blind", 0.02)
	for _, name := range sortedNames(blind.asked) {
		rate := float64(blind.right[name]) / float64(blind.asked[name])
		most := 1.0
		switch {
		case !strings.Contains(name, effectKind):
			most = 0.30
		case strings.HasPrefix(name, "destructive"), strings.HasPrefix(name, "other questions"), strings.HasPrefix(name, "production"):
			most = 0.30
		}
		if rate > most {
			t.Errorf("by %q: %.1f %% of %d options are right, want at most %.0f %%", name, 100*rate, blind.asked[name], 100*most)
		}
	}
	play(t, all, rounds, rowOf).hold(t, "with the row", 0.08)
}

// TestOptionsAlone guesses those questions that have options, three at a time, without what
// is typed: where a quiz has none of those, chance is 1 in 64.
func TestOptionsAlone(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	random := seeded(4)
	sum, want, all := newTableau(), 0, long.Count(1500, 3000)
	for i := range all {
		s := scene{a: plenty(t, i)}
		set := quiz(s.a, s.around(), asked{}, random)
		if len(set) != quizQuestions {
			t.Fatalf("%d questions about %s", len(set), s.a.Action)
		}
		if !slices.ContainsFunc(set, func(q Question) bool { return q.Typed }) {
			want++
			sum.play(set, seen{})
		}
	}
	if want < all/4 {
		t.Errorf("%d of %d quizzes have options only, so nothing is tested", want, all)
	}
	sum.hold(t, "options alone", 0.035) // 1 in 64, and three standard errors of a thousand
}

// plenty is an action that says more than its row does.
func plenty(t *testing.T, i int) Approval {
	t.Helper()
	r := seeded(uint64(i))
	return proposed(t, "apr_p", "worker", body{"function": "transfer_ticket", "session_id": "s", "arguments": args{
		"user_id": numbered(r, "usr_%05d", 10000, 99999), "order_id": numbered(r, "W%06d", 100000, 999999), "badge": numbered(r, "B%06d", 100000, 999999),
		"voucher": numbered(r, "%07d", 1000000, 9999999), "documents": 1000 + r.IntN(9000),
	}})
}

// TestAPoisonedPool: an agent that makes cheap calls before the act, and another that asks for
// as many things, change no rate by more than a point. Each act is played clean and poisoned
// from the same seed, so that luck is the same on both sides, until three standard errors of
// the difference are less than the point that is left.
func TestAPoisonedPool(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	const junk = "not the junk"
	sums := map[string]*paired{}
	offeredJunk, rounds := 0, long.Count(100, 800)
	own, others := junkOf(t)
	for i := range rounds {
		s := scene{a: plenty(t, i)}
		// The other agent asked for the act itself, too, so that its values stand among known ones.
		same := s.a
		same.ID, same.Agent.Name, same.Digest, same.Status, same.Session = "apr_same", "helper", "sha256:other", Pending, "sx"
		clean, dirty := s.around(), newAround(s.a, slices.Concat([]Approval{same}, others, own), own)
		before, after := newTableau(), newTableau()
		for round := range poisonedPlays {
			seed := uint64(i*poisonedPlays + round)
			cleanSet, set := quiz(s.a, clean, asked{}, seeded(seed)), quiz(s.a, dirty, asked{}, seeded(seed))
			before.play(cleanSet, seen{})
			after.play(set, seen{})
			before.passed[junk] += avoids(cleanSet)
			after.passed[junk] += avoids(set)
			for _, q := range set {
				for _, o := range q.Options {
					if junked.MatchString(o.Text) {
						offeredJunk++
					}
				}
			}
		}
		for _, name := range append(sortedNames(after.played), junk) {
			if sums[name] == nil {
				sums[name] = &paired{}
			}
			sums[name].add(float64(after.passed[name]-before.passed[name]) / poisonedPlays)
		}
	}
	if offeredJunk > 0 {
		t.Errorf("%d options are the agent's own", offeredJunk)
	}
	worst := 0.0
	for _, name := range sortedNames(sums) {
		more, luck := sums[name].mean(), 3*sums[name].standardError()
		if worst = max(worst, more+luck); more+luck > 0.01 {
			t.Errorf("%q passes %.2f points more of poisoned ones, give or take %.2f, want at most 1", name, 100*more, 100*luck)
		}
	}
	t.Logf("%d acts, %d quizzes each: at most %.2f points more, luck included", rounds, poisonedPlays, 100*worst)
}

// poisonedPlays is how often each act is played.
const poisonedPlays = 3

// paired sums differences, one of each act.
type paired struct{ n, sum, squares float64 }

func (p *paired) add(d float64) { p.n, p.sum, p.squares = p.n+1, p.sum+d, p.squares+d*d }

func (p *paired) mean() float64 { return p.sum / p.n }

func (p *paired) standardError() float64 {
	return math.Sqrt(max(p.squares/p.n-p.mean()*p.mean(), 0) / p.n)
}

// junkOf are calls of the asking agent, and as many of another one that people had to decide.
func junkOf(t *testing.T) (own, others []Approval) {
	t.Helper()
	for k := range 12 {
		bodyOf := func(of string) body {
			return body{"function": "transfer_ticket", "session_id": "s" + of, "arguments": args{
				"user_id": "usr_" + number5(k), "order_id": "J0" + number5(k)[1:] + "1", "badge": "B0" + number5(k)[1:] + "3", "voucher": "77" + number5(k),
			}}
		}
		own = append(own, proposed(t, "apr_own", "worker", bodyOf("")))
		other := proposed(t, "apr_other", "helper", bodyOf("x"))
		other.Status = Pending
		others = append(others, other)
	}
	return own, others
}

// junked is what the agents put there: they know it, and others do not.
var junked = regexp.MustCompile(`\b(J0|B0|77)[0-9]{5}`)

// avoids is 1 where whoever takes what the agent did not put there passes.
func avoids(set []Question) int {
	for _, q := range set {
		best := 0
		for i := range q.Options {
			if junked.MatchString(q.Options[best].Text) && !junked.MatchString(q.Options[i].Text) {
				best = i
			}
		}
		if !q.takes(best, "") {
			return 0
		}
	}
	return 1
}

func number5(k int) string { return numbered(seeded(uint64(k)), "%05d", 10000, 99999) }

// TestReaders: whoever sees the action answers everything right. They know nothing of how a
// question was made: they read what it asks for, and look that up.
func TestReaders(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	words, quizzes, rounds := 0, 0, long.Count(1, 3)
	for i, s := range scenes(t, varied) {
		w := s.around()
		for round := range rounds {
			set := quiz(s.a, w, asked{}, seeded(uint64(i*7+round)))
			if set == nil {
				continue
			}
			quizzes++
			for _, q := range set {
				words += len(strings.Fields(q.Prompt))
				for _, o := range q.Options {
					words += len(strings.Fields(o.Text))
				}
				answer, ok := readerOf(s.a).answer(q)
				if !ok || !q.takes(answer.choice, answer.typed) {
					t.Errorf("%s\n%+v\na reader answers %+v", s.a.Action, q, answer)
				}
			}
		}
	}
	if quizzes < varied*rounds*2/3 {
		t.Errorf("only %d quizzes", quizzes)
	}
	// 250 words a minute, five inputs of a second (Start, three answers with a choice or four
	// keys each): 25 s.
	if each := float64(words) / float64(quizzes); each > 75 {
		t.Errorf("%.0f words in a quiz, want at most 75", each)
	} else {
		t.Logf("%.0f words in a quiz", each)
	}
}

// listedWords are the words of the lists that the scorers have, which a guesser could read.
var listedWords = sync.OnceValue(func() string {
	var all []string
	for _, name := range []string{"lexicon.yaml", "catalogue.yaml", "programs.yaml"} {
		text, err := os.ReadFile("../scoring/effects/" + name)
		if err != nil {
			panic(err)
		}
		all = append(all, string(text))
	}
	return strings.Join(all, "\n")
})

// TestNothingTells holds the place and the id of the right option against chance:
// chi-square with three degrees of freedom is above 16.3 once in a thousand.
func TestNothingTells(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	const bound = 16.3
	random := seeded(5)
	var place, byID [quizOptions]float64
	var n float64
	for _, s := range scenes(t, 1000) {
		w := s.around()
		for range 3 {
			for _, q := range quiz(s.a, w, asked{}, random) {
				if q.Typed {
					continue
				}
				place[slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == q.Right })]++
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
	if n < 3000 {
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
