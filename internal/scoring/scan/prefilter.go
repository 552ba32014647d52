package scan

import (
	"math/bits"
	"slices"
	"sync"
)

// Prefilter says of a list of expressions which may match a text at all: it looks
// for the literals that they need, all of them in one pass over the text, so that what
// does not match costs nothing for each expression. It never changes; any number of
// goroutines may use it.
type Prefilter struct {
	always     Set           // the entries of which no literal is known
	conditions [][][]literal // of each entry: one literal of each; none where none is known
	searched   []*Regexp     // what they are of
	ready      func() *readyPrefilter
}

// readyPrefilter is what is made of it where somebody asks.
type readyPrefilter struct {
	machine  *machine
	standing map[*Regexp]standing
	entries  []uint16 // of which each condition is one
	missing  []uint8  // how many conditions each entry has
}

// NewPrefilter makes one for a list whose entries have one or more expressions; an
// entry may match where one of them may, and one without any always may.
func NewPrefilter(list [][]*Regexp) *Prefilter {
	conditions := make([][][]literal, len(list))
	for i, expressions := range list {
		conditions[i] = needed(expressions)
	}
	return newPrefilter(conditions, slices.Concat(list...))
}

func newPrefilter(conditions [][][]literal, searched []*Regexp) *Prefilter {
	p := &Prefilter{always: NewSet(len(conditions)), conditions: conditions, searched: searched}
	for i, list := range conditions {
		if len(list) == 0 {
			p.always.add(i)
		}
	}
	p.ready = sync.OnceValue(p.make)
	return p
}

func (p *Prefilter) make() *readyPrefilter {
	b := machineOf{}
	r := &readyPrefilter{missing: make([]uint8, len(p.conditions)), standing: make(map[*Regexp]standing, len(p.searched))}
	for i, list := range p.conditions {
		r.missing[i] = uint8(len(list)) // strongest keeps few
		for _, literals := range list {
			b.add(literals, len(r.entries))
			r.entries = append(r.entries, uint16(i))
		}
	}
	for _, one := range p.searched {
		b.add(one.placed(), onlyPlaced)
	}
	r.machine = b.machine()
	for _, one := range p.searched {
		r.standing[one] = b.standing(one)
	}
	return r
}

// needed are lists of literals of each of which every match of one of the expressions
// holds one; of several expressions the list of each that says most, as one.
func needed(expressions []*Regexp) [][]literal {
	if len(expressions) == 1 {
		return expressions[0].needs
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

// Possible returns the entries of the list that may match s. What is not among them does
// not match.
func (p *Prefilter) Possible(s Subject) Set { return p.possible(&s) }

// possible is Possible, and has the subject remember where literals stand, if it is long.
func (p *Prefilter) possible(s *Subject) Set {
	r := p.ready()
	s.asked = true
	if len(s.folded) >= longText {
		s.places = newPlaces(r.standing, r.machine.placed, len(s.folded))
	}
	into := slices.Clone(p.always)
	missing, seen := slices.Clone(r.missing), NewSet(len(r.entries))
	r.machine.pass(s.folded, func(number int) {
		if seen.Has(number) {
			return
		}
		seen.add(number)
		entry := r.entries[number]
		if missing[entry]--; missing[entry] == 0 {
			into.add(int(entry))
		}
	}, s.places)
	return into
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
	return of[j.begins[i]:][:len(p.always)], true
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
