package quiz

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/long"
)

// Somebody who sees the prompts and options and not the request passes at most one attempt in
// twenty, however they choose.
func TestBlindPlayers(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	all := high(t)
	players := map[string]func(set []Question, q int, random *rand.Rand) int{
		"any":      func(set []Question, q int, random *rand.Rand) int { return random.IntN(len(set[q].Options)) },
		"longest":  most(func(o, _ string) float64 { return float64(len(o)) }),
		"shortest": most(func(o, _ string) float64 { return -float64(len(o)) }),
		"first in order": most(func(o, all string) float64 {
			return -float64(strings.Count(all, "\n"+o))*0 - float64(o[0])
		}),
		"last in order": most(func(o, _ string) float64 { return float64(o[0]) }),
		"the centre":    most(func(o, all string) float64 { return -distances(o, all) }),
		"the outlier":   most(distances),
		"most dangerous": most(func(o, _ string) float64 {
			return float64(common(o, "delete drop destroy force admin owner root all production prod live main can't security runs"))
		}),
		"least dangerous": most(func(o, _ string) float64 {
			return -float64(common(o, "delete drop destroy force admin owner root all production prod live main can't security runs"))
		}),
		"what is not shipped": most(func(o, _ string) float64 { return -float64(common(o, shipped())) }),
		"said by others": func(set []Question, q int, _ *rand.Rand) int {
			best, most := 0, -1
			for i, o := range set[q].Options {
				n := 0
				for k := range set {
					for _, other := range set[k].Options {
						if k != q {
							n += common(o.Text, other.Text+" "+set[k].Prompt)
						}
					}
				}
				if n > most {
					best, most = i, n
				}
			}
			return best
		},
	}
	passed, attempts := map[string]int{}, long.Count(3_000, 100_000)
	sets, random := seeded(1), map[string]*rand.Rand{}
	for name := range players {
		random[name] = seeded(uint64(len(name)))
	}
	for i := range attempts { // all of them play the same sets: to make one takes longer than to play it
		a := all[i%len(all)]
		w := Corpus{}
		if i%2 == 0 {
			w = othersOf(a, all)
		}
		set := New(a.Call, w, Asked{}, sets)
		for name, play := range players {
			right := true
			for k := range set {
				right = right && set[k].Options[play(set, k, random[name])].ID == set[k].Right
			}
			if right {
				passed[name]++
			}
		}
	}
	for name := range players {
		t.Logf("%s: %.1f %%", name, 100*float64(passed[name])/float64(attempts))
		if passed[name]*20 > attempts {
			t.Errorf("%s passes %d of %d", name, passed[name], attempts)
		}
	}
}

// shipped are the words of which options are made.
var shipped = sync.OnceValue(func() string {
	all := slices.Concat(lists.First, lists.Last, lists.Functions, lists.Programs, lists.Any)
	for _, of := range lists.Follows {
		all = append(all, of...)
	}
	for _, v := range lists.Verbs {
		all = append(append(all, v.Of...), v.By...)
	}
	for _, n := range slices.Concat(lists.Nouns, lists.Accounts, []noun{lists.Company, lists.Hosts, lists.File, lists.Folder}) {
		all = append(append(all, n.Of...), n.Ends...)
	}
	return strings.Join(all, " ")
})

// othersOf is what other requests hold; it is read once for each agent.
func othersOf(a held, all []held) Corpus {
	corporaMutex.Lock()
	defer corporaMutex.Unlock()
	w, ok := corpora[a.Agent]
	if !ok {
		var others []Call
		var agents []string
		for _, o := range all {
			if o.Agent != a.Agent {
				others = append(others, o.Call)
			}
			if !slices.Contains(agents, o.Agent) {
				agents = append(agents, o.Agent)
			}
		}
		w = NewCorpus(others, nil, agents)
		corpora[a.Agent] = w
	}
	return w
}

var (
	corporaMutex sync.Mutex
	corpora      = map[string]Corpus{}
)

// most chooses the option of which a measure is the largest; all are the options, a line each.
func most(of func(o, all string) float64) func([]Question, int, *rand.Rand) int {
	return func(set []Question, q int, _ *rand.Rand) int {
		all := ""
		for _, o := range set[q].Options {
			all += "\n" + o.Text
		}
		best, value := 0, math.Inf(-1)
		for i, o := range set[q].Options {
			if v := of(o.Text, all); v > value {
				best, value = i, v
			}
		}
		return best
	}
}

// distances is in how many places an option differs from the others.
func distances(o, all string) (n float64) {
	for other := range strings.SplitSeq(all, "\n") {
		for i := range max(len(o), len(other)) {
			if i >= len(o) || i >= len(other) || o[i] != other[i] {
				n++
			}
		}
	}
	return n
}

func common(a, b string) (n int) {
	for _, w := range telling(a) {
		if slices.Contains(telling(b), w) {
			n++
		}
	}
	return n
}
