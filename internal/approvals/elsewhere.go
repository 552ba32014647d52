package approvals

import (
	"maps"
	"slices"
	"unicode"

	"github.com/countersign/countersign/internal/scoring/facts"
)

// elsewhere is what a tenant's other actions hold: the values from which wrong
// options are taken, and what somebody who guesses could look up.
type elsewhere struct {
	labelled   map[facts.Kind]map[string]tally // by kind and label
	kinds      map[facts.Kind]tally
	all        tally            // values of every kind, the names of agents and operations included
	agents     []tally          // strata
	oneAgent   bool             // who asks for actions like these is nearly always the same
	operations []tally          // strata
	words      tally            // words and numbers in all
	pairs      map[string]int   // two characters beside each other
	framed     map[string]tally // words, by what stands before and behind them
}

// tally counts values.
type tally map[string]int

// values lists them in an order that is always the same.
func (t tally) values() []string { return slices.Sorted(maps.Keys(t)) }

// operationsFrom bounds from how many other actions operations are read, since
// each has to be parsed for it.
const operationsFrom = 40

// newElsewhere counts the values of the others but one.
func newElsewhere(others []Approval, not string) *elsewhere {
	e := &elsewhere{labelled: map[facts.Kind]map[string]tally{}, kinds: map[facts.Kind]tally{}, all: tally{}, words: tally{}, pairs: map[string]int{}, framed: map[string]tally{}}
	parsed := 0
	agents, operations, asking, doing := tally{}, tally{}, tally{}, tally{} // of all, and of those with few facts
	for _, o := range others {
		if o.ID == not {
			continue
		}
		few := fewFacts(o)
		agents[o.Agent.Name]++
		if few {
			asking[o.Agent.Name]++
		}
		if parsed++; parsed <= operationsFrom {
			operation := o.operation()
			operations[operation]++
			if few {
				doing[operation]++
			}
		}
		for _, f := range o.Assessment.Facts {
			if few || f.Kind != facts.Environment {
				e.fact(f)
			}
		}
	}
	delete(operations, "")
	delete(doing, "")
	e.oneAgent = asking.dominated()
	e.agents, e.operations = []tally{asking.over(agents)}, []tally{doing.over(operations)}
	for kind, values := range e.kinds {
		for v, n := range values {
			e.read(string(kind), v, n)
		}
	}
	for name, n := range agents {
		e.all[name] += n
		e.read("agent", name, n)
	}
	return e
}

// read counts the words of a value.
func (e *elsewhere) read(kind, value string, n int) {
	for _, p := range partsOf([]rune(value)) {
		e.words[p.word] += n
		for _, pair := range pairsOf(p.word) {
			e.pairs[pair] += n
		}
		if !p.letters {
			continue
		}
		frame := kind + " " + p.frame
		if e.framed[frame] == nil {
			e.framed[frame] = tally{}
		}
		e.framed[frame][p.word] += n
	}
}

func (e *elsewhere) fact(f facts.Fact) {
	if f.Kind == facts.Flag || f.Value == "" {
		return
	}
	labels := e.labelled[f.Kind]
	if labels == nil {
		labels = map[string]tally{}
		e.labelled[f.Kind], e.kinds[f.Kind] = labels, tally{}
	}
	if labels[f.Label] == nil {
		labels[f.Label] = tally{}
	}
	labels[f.Label][f.Value]++
	e.kinds[f.Kind][f.Value]++
	e.all[f.Value]++
}

// strata are the real values that could stand beside a fact, nearest first: those
// of its label, those of its kind that never had the label, and those that never
// had the kind. A value is in one of them at most. Where the label has too few, its
// values stand among those of the kind.
func (e *elsewhere) strata(f facts.Fact) []tally {
	label, kind := e.labelled[f.Kind][f.Label], e.kinds[f.Kind]
	rest := e.all.without(kind)
	switch f.Kind {
	case facts.Environment:
		return []tally{label.over(environments), rest}
	case facts.Amount, facts.Count, facts.Time:
		// Numbers of one thing say nothing about those of another; but a small one has few others.
		return []tally{label.over(small)}
	}
	if enough(label.candidates(label.values())) {
		both := tally{} // how common a value is elsewhere says something too: there is less chance in it
		for v, n := range label {
			both[v] = n + kind[v]
		}
		return []tally{both, kind.without(label), rest}
	}
	return []tally{label.over(kind), rest}
}

// environments are common everywhere, and so are small numbers, with how often
// there is one.
var (
	environments = tally{"production": 9, "staging": 6, "development": 5, "testing": 1, "sandbox": 1, "preview": 1, "acceptance": 1, "integration": 1, "performance": 1}
	small        = tally{"1": 36, "2": 16, "3": 10, "4": 8, "5": 8, "6": 6, "7": 5, "8": 5, "9": 4}
)

// nearer is how much more a value of the same label says than one of another.
const nearer = 4

// over counts the values of a tally more than those of a wider one.
func (t tally) over(wide tally) tally {
	sum := maps.Clone(wide)
	if sum == nil {
		sum = tally{}
	}
	for v, n := range t {
		sum[v] += nearer * n
	}
	return sum
}

// fewFacts reports whether there is so little to ask about an action that the
// environment is asked, and the agent and the operation where it is still too
// little. Only such actions say what the answer to those questions is likely to be.
func fewFacts(a Approval) bool {
	n := 0
	for _, f := range a.Assessment.Facts {
		if f.Kind != facts.Flag && f.Kind != facts.Environment {
			n++
		}
	}
	return n < quizQuestions
}

// without leaves out the values of another tally.
func (t tally) without(other tally) tally {
	rest := tally{}
	for v, n := range t {
		if other[v] == 0 {
			rest[v] = n
		}
	}
	return rest
}

// part is a word or a number of a value.
type part struct {
	from, to int // in runes
	word     string
	letters  bool   // holds no digit
	frame    string // the characters before and behind it
}

func partsOf(v []rune) (all []part) {
	in := func(i int) bool { return i >= 0 && i < len(v) && (unicode.IsLetter(v[i]) || unicode.IsDigit(v[i])) }
	at := func(i int) string {
		if i < 0 || i >= len(v) {
			return ""
		}
		return string(v[i])
	}
	for i := 0; i < len(v); i++ {
		if !in(i) {
			continue
		}
		p := part{from: i, letters: true}
		for ; in(i); i++ {
			p.letters = p.letters && unicode.IsLetter(v[i])
		}
		p.to, p.word, p.frame = i, string(v[p.from:i]), at(p.from-1)+" "+at(i)
		all = append(all, p)
	}
	return all
}

// familiar is how many parts of a value other values have.
func (e *elsewhere) familiar(v string) (n int) {
	for _, p := range partsOf([]rune(v)) {
		if e.words[p.word] > 0 {
			n++
		}
	}
	return n
}

// pairsOf are the pairs of characters that stand beside each other in a word.
func pairsOf(word string) (pairs []string) {
	last := ""
	for _, r := range word {
		if last != "" {
			pairs = append(pairs, last+string(r))
		}
		last = string(r)
	}
	return pairs
}

// sounding weighs words by how much they sound like the tenant's own, which a new one
// mostly does.
func (e *elsewhere) sounding(places []place) []place {
	for _, p := range places {
		for i, a := range p.any {
			heard := 0
			pairs := pairsOf(a.value)
			for _, pair := range pairs {
				heard += min(e.pairs[pair], 5)
			}
			p.any[i].weight = 0.3 + float64(heard)/float64(max(len(pairs), 1))
		}
	}
	return places
}

// places are the words of a value for which other values have other words.
func (e *elsewhere) places(kind string, v []rune) (places []place) {
	for _, p := range partsOf(v) {
		like := e.framed[kind+" "+p.frame]
		if len(like) < quizOptions || like[p.word] == 0 {
			continue
		}
		if any := like.candidates(like.values()); enough(any) {
			places = append(places, place{p.from, p.to, any})
		}
	}
	return places
}

// like keeps the values that look like v, however long their words are.
func (t tally) like(v string) tally {
	alike, want := tally{}, form(v)
	for other, n := range t {
		if form(other) == want {
			alike[other] = n
		}
	}
	return alike
}

// manyTimes is how many values it takes to say that one of them is common.
const manyTimes = 12

// dominated reports whether more than half of many values are the same one: whoever
// knows that need not read anything.
func (t tally) dominated() bool {
	sum, most := 0, 0
	for _, n := range t {
		sum, most = sum+n, max(most, n)
	}
	return sum >= manyTimes && 2*most > sum
}
