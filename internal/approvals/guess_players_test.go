package approvals

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// What somebody who did not read the request can see in the options of a question.
// Each is a number; a player takes the option with the highest or the lowest one.
var sights = []struct {
	name string
	of   func(q Question, set []Question, e *elsewhere) [quizOptions]float64
}{
	{"place", each(func(Question, int) float64 { return 0 })}, // the first, or the last, of equals
	{"length", each(func(q Question, i int) float64 { return float64(utf8.RuneCountInString(q.Options[i].Text)) })},
	{"bytes", each(func(q Question, i int) float64 { return float64(len(q.Options[i].Text)) })},
	{"id", rank(func(o Option) string { return o.ID })},
	{"alphabet", rank(func(o Option) string { return o.Text })},
	{"distance to the others", each(func(q Question, i int) (sum float64) {
		for _, o := range q.Options {
			sum += distance(o.Text, q.Options[i].Text)
		}
		return sum
	})},
	{"distance to the nearest", each(func(q Question, i int) float64 {
		nearest := math.Inf(1)
		for j, o := range q.Options {
			if i != j {
				nearest = min(nearest, distance(o.Text, q.Options[i].Text))
			}
		}
		return nearest
	})},
	{"characters in common", each(func(q Question, i int) (sum float64) {
		for _, o := range q.Options {
			sum += common(o.Text, q.Options[i].Text)
		}
		return sum
	})},
	{"same place, same character", each(func(q Question, i int) (sum float64) {
		a := []rune(q.Options[i].Text)
		for _, o := range q.Options {
			for at, r := range []rune(o.Text) {
				if at < len(a) && a[at] == r {
					sum++
				}
			}
		}
		return sum
	})},
	{"number", each(func(q Question, i int) float64 { return numeral(q.Options[i].Text) })},
	{"zeros at the end", each(func(q Question, i int) float64 { return roundness(q.Options[i].Text) })},
	{"digits that repeat", each(func(q Question, i int) float64 { return repeats(q.Options[i].Text) })},
	{"frequency", known(func(e *elsewhere, _ Question, v string) float64 { return float64(e.all[v]) })},
	{"known at all", known(func(e *elsewhere, _ Question, v string) float64 { return float64(min(e.all[v], 1)) })},
	{"frequency under its label", known(func(e *elsewhere, q Question, v string) float64 { return float64(e.under(q, v)) })},
	{"frequency under other labels", known(func(e *elsewhere, q Question, v string) float64 { return float64(e.all[v] - e.under(q, v)) })},
	{"familiar letters", func(q Question, _ []Question, e *elsewhere) (marks [quizOptions]float64) {
		pairs := bigrams(e)
		for i, o := range q.Options {
			n, last := 0.0, rune(0)
			for _, r := range o.Text {
				if n > 0 {
					marks[i] += math.Log(pairs[[2]rune{last, r}] + 0.1)
				}
				n, last = n+1, r
			}
			marks[i] /= max(n, 1)
		}
		return marks
	}},
	{"familiar words", func(q Question, _ []Question, e *elsewhere) (marks [quizOptions]float64) {
		words := vocabulary(e)
		for i, o := range q.Options {
			for _, w := range parts(o.Text) {
				marks[i] += min(words[w], 1)
			}
		}
		return marks
	}},
	{"in common with other questions", func(q Question, set []Question, _ *elsewhere) (marks [quizOptions]float64) {
		for i, o := range q.Options {
			for _, other := range set {
				if other.Prompt == q.Prompt {
					continue
				}
				for _, p := range other.Options {
					marks[i] += shared(o.Text, p.Text)
				}
			}
		}
		return marks
	}},
	{"words of the sentence", each(func(q Question, i int) (before float64) {
		if q.Of == nil {
			return 0
		}
		for j, o := range q.Of.Options {
			if strings.ReplaceAll(o.Text, q.Options[j].Text, "") < strings.ReplaceAll(q.Of.Options[i].Text, q.Options[i].Text, "") {
				before++
			}
		}
		return before
	})},
}

// bare is a question about the effect as whoever guesses takes it apart: each option is
// the value in its sentence, and Of has the sentences.
func bare(q Question) Question {
	if q.Of == nil {
		return q
	}
	whole := q
	q.Kind, q.Prompt, q.Of, q.Options = q.Of.Kind, q.Of.Prompt, &whole, slices.Clone(q.Options)
	for i, o := range q.Options {
		_, value, _ := strings.Cut(o.Text, "“")
		q.Options[i].Text = value[:strings.LastIndex(value, "”")]
	}
	return q
}

// under is how often other actions have a value as what a question asks for.
func (e *elsewhere) under(q Question, v string) (n int) {
	for kind, labels := range e.labelled {
		for label, t := range labels {
			if string(kind) == q.Kind && strings.Contains(q.Prompt, label) {
				n += t[v]
			}
		}
	}
	return n
}

func each(mark func(q Question, i int) float64) func(Question, []Question, *elsewhere) [quizOptions]float64 {
	return func(q Question, _ []Question, _ *elsewhere) (marks [quizOptions]float64) {
		for i := range q.Options {
			marks[i] = mark(q, i)
		}
		return marks
	}
}

func known(mark func(e *elsewhere, q Question, v string) float64) func(Question, []Question, *elsewhere) [quizOptions]float64 {
	return func(q Question, _ []Question, e *elsewhere) (marks [quizOptions]float64) {
		for i, o := range q.Options {
			marks[i] = mark(e, q, o.Text)
		}
		return marks
	}
}

// rank is how many others come before an option.
func rank(of func(o Option) string) func(Question, []Question, *elsewhere) [quizOptions]float64 {
	return each(func(q Question, i int) (before float64) {
		for _, o := range q.Options {
			if of(o) < of(q.Options[i]) {
				before++
			}
		}
		return before
	})
}

// distance is Levenshtein's, in characters.
func distance(a, b string) float64 {
	if a == b {
		return 0
	}
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
	return float64(row[len(y)])
}

// common is how many characters two texts share, wherever they stand.
func common(a, b string) (n float64) {
	count := map[rune]int{}
	for _, r := range a {
		count[r]++
	}
	for _, r := range b {
		if count[r] > 0 {
			count[r]--
			n++
		}
	}
	return n
}

// numeral is what the digits of a text say.
func numeral(v string) (n float64) {
	for _, r := range v {
		if r >= '0' && r <= '9' {
			n = n*10 + float64(r-'0')
		}
	}
	return n
}

// roundness is how many zeros, or nines behind a point, a number ends with.
func roundness(v string) (n float64) {
	v = strings.TrimRightFunc(v, func(r rune) bool { return !unicode.IsDigit(r) })
	for ; strings.HasSuffix(v, "0"); v = v[:len(v)-1] {
		n++
	}
	return n
}

func repeats(v string) (n float64) {
	last := rune(-1)
	for _, r := range v {
		if r == last && unicode.IsDigit(r) {
			n++
		}
		last = r
	}
	return n
}

// parts are the words and numbers of a text.
func parts(v string) []string {
	return strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// shared is how many characters stand in parts that two texts have in common.
func shared(a, b string) (n float64) {
	other := parts(b)
	for _, p := range parts(a) {
		if slices.Contains(other, p) {
			n += float64(len(p))
		}
	}
	return n
}

type tongue struct {
	pairs map[[2]rune]float64
	words map[string]float64
}

// what each player knows of a tenant's language is counted once.
var tongues sync.Map

func learned(e *elsewhere) tongue {
	if l, ok := tongues.Load(e); ok {
		return l.(tongue)
	}
	l := tongue{map[[2]rune]float64{}, map[string]float64{}}
	for v, n := range e.all {
		runes := []rune(v)
		for i := 1; i < len(runes); i++ {
			l.pairs[[2]rune{runes[i-1], runes[i]}] += float64(n)
		}
		for _, w := range parts(v) {
			l.words[w] += float64(n)
		}
	}
	tongues.Store(e, l)
	return l
}

func bigrams(e *elsewhere) map[[2]rune]float64   { return learned(e).pairs }
func vocabulary(e *elsewhere) map[string]float64 { return learned(e).words }

// look is all that can be seen of a set: by question, sight and option.
func look(set []Question, e *elsewhere) [][][quizOptions]float64 {
	marks := make([][][quizOptions]float64, len(set))
	apart := make([]Question, len(set))
	for i, q := range set {
		apart[i] = bare(q)
	}
	set = apart
	for i, q := range set {
		for _, s := range sights {
			marks[i] = append(marks[i], s.of(q, set, e))
		}
	}
	return marks
}

// playerNames lists the players: for each sight whoever takes the most and whoever
// takes the least, one who has learned from other actions what to make of it all, and one
// who has learned what the things look like that a question asks for.
func playerNames() (names []string) {
	for _, s := range sights {
		names = append(names, "most "+s.name, "least "+s.name)
	}
	names[0], names[1] = "first", "last"
	return append(names, "learned", "learned by kind", "learned by look")
}

// passes reports whether a player answers every question right.
func passes(set []Question, marks [][][quizOptions]float64, player int, b *bayes) bool {
	for i, q := range set {
		choice := 0
		var mark [quizOptions]float64
		switch sight := player / 2; {
		case sight == len(sights):
			mark = b.mark(q, marks[i], player%2 == 1)
		case sight > len(sights):
			mark = b.likely(q)
		case sight == 0 && player == 1:
			mark = [quizOptions]float64{0, 1, 2, 3}
		default:
			mark = marks[i][sight]
			if player%2 == 1 {
				for j := range mark {
					mark[j] = -mark[j]
				}
			}
		}
		for j := range mark {
			if mark[j] > mark[choice] {
				choice = j
			}
		}
		if q.Options[choice].ID != q.Right {
			return false
		}
	}
	return true
}

// bayes counts, for each sight, which rank the right option has among the four, and
// which the wrong ones (naive Bayes).
type bayes struct {
	right, wrong map[string][][2 * quizOptions]float64 // by kind, "" for all
	looks        map[looked]*outcome
}

// looked is what an option of a question looks like.
type looked struct{ prompt, form string }

type outcome struct{ right, wrong float64 }

func newBayes() *bayes {
	return &bayes{map[string][][2 * quizOptions]float64{}, map[string][][2 * quizOptions]float64{}, map[looked]*outcome{}}
}

// ranked is how many of the others have less, twice, and equals once.
func ranked(marks [quizOptions]float64, i int) (n int) {
	for j, m := range marks {
		switch {
		case m < marks[i]:
			n += 2
		case m == marks[i] && i != j:
			n++
		}
	}
	return n
}

func (b *bayes) learn(set []Question, marks [][][quizOptions]float64) {
	for n, q := range set {
		for _, kind := range []string{"", bare(q).Kind} {
			if b.right[kind] == nil {
				b.right[kind], b.wrong[kind] = make([][2 * quizOptions]float64, len(sights)), make([][2 * quizOptions]float64, len(sights))
			}
			for i, o := range q.Options {
				count := b.wrong[kind]
				if o.ID == q.Right {
					count = b.right[kind]
				}
				for s := range sights {
					count[s][ranked(marks[n][s], i)]++
				}
			}
		}
		for _, o := range q.Options {
			l := looked{q.Prompt, form(o.Text)}
			if b.looks[l] == nil {
				b.looks[l] = new(outcome)
			}
			if o.ID == q.Right {
				b.looks[l].right++
			} else {
				b.looks[l].wrong++
			}
		}
	}
}

// likely is how often what looks like an option was right where the same was asked.
func (b *bayes) likely(q Question) (sum [quizOptions]float64) {
	for i, o := range q.Options {
		if n := b.looks[looked{q.Prompt, form(o.Text)}]; n != nil {
			sum[i] = math.Log((n.right + 1) / (n.wrong/3 + 1))
		}
	}
	return sum
}

func (b *bayes) mark(q Question, marks [][quizOptions]float64, byKind bool) (sum [quizOptions]float64) {
	kind := ""
	if byKind {
		kind = bare(q).Kind
	}
	if b.right[kind] == nil {
		return sum
	}
	for s := range sights {
		for i := range q.Options {
			r := ranked(marks[s], i)
			sum[i] += math.Log((b.right[kind][s][r] + 1) / (b.wrong[kind][s][r]/3 + 1))
		}
	}
	return sum
}
