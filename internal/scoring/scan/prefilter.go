package scan

import (
	"math/bits"
	"slices"
)

// Prefilter says of a list of expressions which may match a text at all: it looks
// for the literals that they need, all of them in one pass over the text, so that what
// does not match costs nothing for each expression. It never changes; any number of
// goroutines may use it.
type Prefilter struct {
	machine    *machine
	always     Set           // the first conditions of which no literal is known
	conditions [][][]literal // of each entry: one literal of each; none where none is known
	further    []stretchOf   // by entry: its conditions behind the first one, among all of them
	several    Set           // the entries that have such
	searched   []*Regexp     // what they are of
}

// stretchOf is from one number to before another.
type stretchOf struct{ from, end uint16 }

// mostConditions bounds those of expressions that others write.
const mostConditions = 1 << 15

// NewPrefilter makes one for a list whose entries have one or more expressions; an
// entry may match where one of them may, and one without any always may.
func NewPrefilter(list [][]*Regexp) *Prefilter {
	conditions := make([][][]literal, len(list))
	for i, expressions := range list {
		conditions[i] = needed(expressions)
	}
	return newPrefilter(conditions, slices.Concat(list...))
}

// newPrefilter numbers the conditions: the first one of each entry as the entry, and
// those behind it from the next word of a set on.
func newPrefilter(conditions [][][]literal, searched []*Regexp) *Prefilter {
	b := machineOf{}
	p := &Prefilter{always: NewSet(len(conditions)), conditions: conditions, further: make([]stretchOf, len(conditions)), several: NewSet(len(conditions)), searched: searched}
	for i, list := range conditions {
		if len(list) == 0 {
			p.always.add(i)
			continue
		}
		b.add(list[0], uint16(i))
	}
	n := 64 * len(p.always)
	for i, list := range conditions {
		from := n
		for _, literals := range list[min(1, len(list)):] {
			if n < mostConditions {
				b.add(literals, uint16(n))
				n++
			}
		}
		if n > from {
			p.further[i] = stretchOf{uint16(from), uint16(n)}
			p.several.add(i)
		}
	}
	p.always = append(p.always, NewSet(n-64*len(p.always))...)
	for _, r := range searched {
		b.add(r.placed(), onlyPlaced)
	}
	p.machine = b.machine()
	p.machine.standing = make(map[*Regexp]standing, len(searched))
	for _, r := range searched {
		p.machine.standing[r] = p.machine.standingOf(r)
	}
	return p
}

// needed are lists of literals of each of which every match of one of the expressions
// holds one; of several expressions the list of each that says most, as one.
func needed(expressions []*Regexp) [][]literal {
	if len(expressions) == 1 {
		return expressions[0].needs // the one that says most is the first
	}
	var all []literal
	for _, re := range expressions {
		list := longest(re.needs)
		if list == nil {
			return nil
		}
		all = append(all, list...)
	}
	if all == nil {
		return nil
	}
	return [][]literal{all}
}

// Possible returns the entries of the list that may match s, in memory that the
// caller got from an earlier call, or nil. What is not among them does not match.
func (p *Prefilter) Possible(s Subject, into Set) Set { return p.possible(s, into, nil) }

// possible is Possible, and says where literals stand.
func (p *Prefilter) possible(s Subject, into Set, places *places) Set {
	into = append(into[:0], p.always...)
	p.machine.mark(s.folded, into, places)
	for k, word := range p.several {
		for word &= into[k]; word != 0; word &= word - 1 {
			i := k*64 + bits.TrailingZeros64(word)
			for c := p.further[i].from; c < p.further[i].end; c++ {
				if !into.Has(int(c)) {
					into[k] &^= 1 << (i % 64)
					break
				}
			}
		}
	}
	return into[:len(p.several)]
}

// Joint is several Prefilters in one, for one pass over a text. It never changes.
type Joint struct {
	all    *Prefilter
	parts  []*Prefilter
	begins []int // of each part among the words of a set
}

// JoinPrefilters makes one.
func JoinPrefilters(parts ...*Prefilter) *Joint {
	j := &Joint{parts: parts}
	var (
		conditions [][][]literal
		searched   []*Regexp
	)
	for _, p := range parts {
		searched = append(searched, p.searched...)
		j.begins = append(j.begins, len(conditions)/64)
		conditions = append(conditions, p.conditions...)
		for len(conditions)%64 != 0 {
			conditions = append(conditions, [][]literal{{}}) // no entry: each part has words of its own
		}
	}
	j.all = newPrefilter(conditions, searched)
	return j
}

// part is what a set of the joint Prefilter says of one part; ok is false where it is
// no part.
func (j *Joint) part(p *Prefilter, of Set) (part Set, ok bool) {
	if j == nil {
		return nil, false
	}
	i := slices.Index(j.parts, p)
	if i < 0 {
		return nil, false
	}
	return of[j.begins[i]:][:len(p.several)], true
}

// Always reports whether entry i may match any text, because no literal is known
// that all its matches hold.
func (p *Prefilter) Always(i int) bool { return p.always.Has(i) }

// Set is a set of small numbers.
type Set []uint64

// NewSet is empty, with room for the numbers below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

func (s Set) add(i int) { s[i/64] |= 1 << (i % 64) }

// Add takes in all numbers of another set of the same size.
func (s Set) Add(other Set) {
	for k, word := range other {
		s[k] |= word
	}
}

// Has reports whether i is in the set.
func (s Set) Has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// All calls f for each number in the set, in order.
func (s Set) All(f func(i int) bool) {
	for k, word := range s {
		for ; word != 0; word &= word - 1 {
			if !f(k*64 + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}
