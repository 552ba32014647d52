package scan

import (
	"math/bits"
	"slices"
)

// Prefilter says of a list of expressions which may match a text at all: it looks
// for the literals that they need, all of them in one pass over the text (Aho and
// Corasick, 1975), so that what does not match costs nothing for each expression.
// It never changes; any number of goroutines may use it.
type Prefilter struct {
	class      [256]uint8   // of each byte; 0 for those in no literal
	width      int          // how many classes there are
	next       []uint32     // by state, which is a multiple of width, and class: the state behind it, doubled, and 1 where a literal ends
	found      [][]uint16   // by state/width: which conditions the literals that end here fulfil
	always     Set          // the first conditions of which no literal is known
	conditions [][][]string // of each entry: one literal of each; none where none is known
	further    []stretchOf  // by entry: its conditions behind the first one, among all of them
	several    Set          // the entries that have such
}

// stretchOf is from one number to before another.
type stretchOf struct{ from, end uint16 }

// What bounds a Prefilter of expressions that others write: the bytes of a literal
// that are looked for, the states, and the conditions. An expression that finds no room
// always may.
const (
	literalBytes   = 16
	mostStates     = 1 << 15
	mostConditions = 1 << 15
)

// NewPrefilter makes one for a list whose entries have one or more expressions; an
// entry may match where one of them may, and one without any always may.
func NewPrefilter(list [][]*Regexp) *Prefilter {
	conditions := make([][][]string, len(list))
	for i, expressions := range list {
		conditions[i] = needed(expressions)
	}
	return newPrefilter(conditions)
}

// newPrefilter numbers the conditions: the first one of each entry as the entry, and
// those behind it from the next word of a set on.
func newPrefilter(conditions [][][]string) *Prefilter {
	b := trie{states: make([]map[byte]uint16, 1, 256), found: make([][]uint16, 1, 256)}
	p := &Prefilter{width: 1, always: NewSet(len(conditions)), conditions: conditions, further: make([]stretchOf, len(conditions)), several: NewSet(len(conditions))}
	for i, list := range conditions {
		if len(list) == 0 || !b.add(list[0], uint16(i)) {
			p.always.add(i)
		}
	}
	n := 64 * len(p.always)
	for i, list := range conditions {
		from := n
		for _, literals := range list[min(1, len(list)):] {
			if n < mostConditions && b.add(literals, uint16(n)) {
				n++
			}
		}
		if n > from {
			p.further[i] = stretchOf{uint16(from), uint16(n)}
			p.several.add(i)
		}
	}
	p.always = append(p.always, NewSet(n-64*len(p.always))...)
	for _, edges := range b.states {
		for c := range edges {
			if p.class[c] == 0 {
				p.class[c] = uint8(p.width)
				p.width++
			}
		}
	}
	p.link(b)
	return p
}

// needed are lists of literals of each of which every match of one of the expressions
// holds one; of several expressions the list of each that says most, as one.
func needed(expressions []*Regexp) [][]string {
	if len(expressions) == 1 {
		return expressions[0].needs // the one that says most is the first
	}
	var all []string
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
	return [][]string{all}
}

// trie is what a Prefilter is made of.
type trie struct {
	states []map[byte]uint16
	found  [][]uint16
}

// add takes the literals of entry i, or none of them where there is no room.
func (b *trie) add(literals []string, i uint16) bool {
	room := 0
	for _, l := range literals {
		room += min(len(l), literalBytes)
	}
	if len(b.states)+room > mostStates {
		return false
	}
	for _, l := range literals {
		at := uint16(0)
		for k := range min(len(l), literalBytes) {
			to, ok := b.states[at][l[k]]
			if !ok {
				to = uint16(len(b.states))
				b.states, b.found = append(b.states, nil), append(b.found, nil)
				if b.states[at] == nil {
					b.states[at] = map[byte]uint16{}
				}
				b.states[at][l[k]] = to
			}
			at = to
		}
		b.found[at] = append(b.found[at], i)
	}
	return true
}

// link writes the states out, breadth first: where no edge leads on, the longest
// suffix that is a state does.
func (p *Prefilter) link(b trie) {
	width, class, next, found := p.width, p.class, make([]uint32, len(b.states)*p.width), b.found
	fail := make([]uint16, len(b.states))
	ends := make([]uint32, len(b.states)) // 1 where a literal ends: there, or at a suffix
	queue := make([]uint16, 1, len(b.states))
	for n := 0; n < len(queue); n++ {
		at := queue[n]
		row := next[int(at)*width:][:width]
		if at != 0 {
			copy(row, next[int(fail[at])*width:][:width])
			found[at] = append(found[at], found[fail[at]]...)
		}
		for c, to := range b.states[at] {
			suffix := uint16(0)
			if at != 0 {
				suffix = uint16(row[class[c]] >> 1 / uint32(width))
			}
			fail[to], ends[to] = suffix, ends[suffix]
			if len(found[to]) > 0 {
				ends[to] = 1
			}
			row[class[c]] = uint32(to)*uint32(width)<<1 | ends[to]
			queue = append(queue, to)
		}
	}
	p.next, p.found = next, found
}

// Possible returns the entries of the list that may match s, in memory that the
// caller got from an earlier call, or nil. What is not among them does not match.
func (p *Prefilter) Possible(s Subject, into Set) Set {
	into = append(into[:0], p.always...)
	state := uint32(0)
	var known [16]uint32 // states in which literals ended before: a text of one word repeated has few
	for i := range len(s.folded) {
		if state = p.next[state>>1+uint32(p.class[s.folded[i]])]; state&1 == 0 {
			continue
		}
		slot := &known[state*0x9e3779b1>>28]
		if *slot == state {
			continue
		}
		*slot = state
		for _, entry := range p.found[state>>1/uint32(p.width)] {
			into.add(int(entry))
		}
	}
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

// JoinPrefilters makes one. Which entries are possible may be said of more of them than by a part
// alone, where there is no room for the literals of all.
func JoinPrefilters(parts ...*Prefilter) *Joint {
	j := &Joint{parts: parts}
	var conditions [][][]string
	for _, p := range parts {
		j.begins = append(j.begins, len(conditions)/64)
		conditions = append(conditions, p.conditions...)
		for len(conditions)%64 != 0 {
			conditions = append(conditions, [][]string{{}}) // no entry: each part has words of its own
		}
	}
	j.all = newPrefilter(conditions)
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
