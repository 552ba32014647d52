package approvals

import (
	"slices"
	"testing"
	"unicode/utf8"
)

// player marks the options of a question without having read the request, and
// takes the highest mark; the first of equals. seen counts the values of the
// tenant's other actions.
type player func(q Question, seen map[string]int) func(o Option) int

func (p player) choose(q Question, seen map[string]int) Option {
	mark := p(q, seen)
	return slices.MaxFunc(q.Options, func(a, b Option) int { return mark(a) - mark(b) })
}

// plain is a player who looks at each option by itself.
func plain(mark func(o Option) int) player {
	return func(Question, map[string]int) func(o Option) int { return mark }
}

// opposite takes the lowest mark.
func opposite(p player) player {
	return func(q Question, seen map[string]int) func(o Option) int {
		mark := p(q, seen)
		return func(o Option) int { return -mark(o) }
	}
}

// rank marks an option by how many others come before it.
func rank(of func(o Option) string) player {
	return func(q Question, _ map[string]int) func(o Option) int {
		return func(o Option) (before int) {
			for _, p := range q.Options {
				if of(p) < of(o) {
					before++
				}
			}
			return before
		}
	}
}

func players() map[string]player {
	long := plain(func(o Option) int { return utf8.RuneCountInString(o.Text) })
	bytes := plain(func(o Option) int { return len(o.Text) })
	id := rank(func(o Option) string { return o.ID })
	alphabet := rank(func(o Option) string { return o.Text })
	similar := func(q Question, _ map[string]int) func(o Option) int {
		return func(o Option) (near int) {
			for _, p := range q.Options {
				near -= distance(o.Text, p.Text)
			}
			return near
		}
	}
	neighbour := func(q Question, _ map[string]int) func(o Option) int {
		return func(o Option) int {
			nearest := 1 << 20
			for _, p := range q.Options {
				if p.ID != o.ID {
					nearest = min(nearest, distance(o.Text, p.Text))
				}
			}
			return -nearest
		}
	}
	return map[string]player{
		"first": plain(func(Option) int { return 0 }),
		"last": func(q Question, _ map[string]int) func(o Option) int {
			return func(o Option) int { return slices.Index(q.Options, o) }
		},
		"longest":    long,
		"shortest":   opposite(long),
		"most bytes": bytes, "fewest bytes": opposite(bytes),
		"highest id": id, "lowest id": opposite(id),
		"last in the alphabet": alphabet, "first in the alphabet": opposite(alphabet),
		"most similar": similar, "least similar": opposite(similar),
		"has a neighbour": neighbour, "has no neighbour": opposite(neighbour),
		"most frequent": func(_ Question, seen map[string]int) func(o Option) int {
			return func(o Option) int { return seen[o.Text] }
		},
	}
}

// distance is Levenshtein's, in characters.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}

// known counts the values of a tenant's actions but one.
func known(history []Approval, but string) map[string]int {
	seen := map[string]int{}
	for _, o := range history {
		if o.ID == but {
			continue
		}
		seen[o.Agent.Name]++
		seen[o.operation()]++
		for _, f := range o.Assessment.Facts {
			seen[f.Value]++
		}
	}
	return seen
}

// TestGuessing: nobody who only looks at the options, or knows what is common in
// the tenant, passes much more often than a blind player (1 in 64 = 1.6 %).
func TestGuessing(t *testing.T) {
	t.Parallel()
	const attempts, bound = 20, 0.025
	all := corpus(t, 200)
	for name, history := range map[string][]Approval{"a tenant with history": all, "a new tenant": nil} {
		random := seeded(11)
		passed, quizzes := map[string]int{}, 0
		for _, a := range all {
			seen := known(history, a.ID)
			for range attempts {
				questions := quiz(a, history, random)
				if questions == nil {
					continue
				}
				quizzes++
				for name, p := range players() {
					if !slices.ContainsFunc(questions, func(q Question) bool { return p.choose(q, seen).ID != q.Right }) {
						passed[name]++
					}
				}
			}
		}
		if quizzes < len(all)*attempts*9/10 {
			t.Errorf("%s: only %d quizzes", name, quizzes)
		}
		for player := range players() {
			rate := float64(passed[player]) / float64(quizzes)
			t.Logf("%s, %s: %.2f %%", name, player, 100*rate)
			if rate > bound {
				t.Errorf("%s: whoever chooses %q passes %.2f %% of attempts, want at most %.2f %%", name, player, 100*rate, 100*bound)
			}
		}
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
	for range 60 {
		for _, a := range all {
			for _, q := range quiz(a, all, random) {
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
	if n < 10000 {
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

// TestResemblance: which option resembles which tells nothing, however many of
// the wrong ones are real.
func TestResemblance(t *testing.T) {
	t.Parallel()
	const rounds = 3000
	far := []string{"mno_111", "pqr_222", "stv_333"} // of the same shape, and nothing like it
	for n := range len(far) + 1 {
		s := subject{kind: "target", prompt: "Which user?", value: "abc_789", others: append([]string{"abc_789"}, far[:n]...)}
		random := seeded(uint64(17 + n))
		right := map[string]int{}
		for range rounds {
			q, ok := s.question(random)
			if !ok {
				t.Fatalf("%d others: no question", n)
			}
			for name, p := range players() {
				if p.choose(q, nil).ID == q.Right {
					right[name]++
				}
			}
		}
		for _, name := range []string{"first", "most similar", "least similar", "has a neighbour", "has no neighbour"} {
			if rate := float64(right[name]) / rounds; rate > 0.29 {
				t.Errorf("%d others: whoever chooses %q is right in %.0f %%, want about 25 %%", n, name, 100*rate)
			}
		}
	}
}
