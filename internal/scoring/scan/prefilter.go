package scan

import "math/bits"

// Prefilter says of a list of expressions which may match a text at all: it looks
// for the literals that they need, all of them in one pass over the text (Aho and
// Corasick, 1975), so that what does not match costs nothing for each expression.
// It never changes; any number of goroutines may use it.
type Prefilter struct {
	class  [256]uint8 // of each byte; 0 for those in no literal
	width  int        // how many classes there are
	next   []uint16   // the state after a byte of a class: state*width + class
	found  [][]uint16 // by state: whose literal ends here
	always Set        // those of which no literal is known
}

// What bounds a Prefilter of expressions that others write: the bytes of a literal
// that are looked for, and the states. An expression that finds no room always may.
const (
	literalBytes = 16
	mostStates   = 1 << 15
)

// NewPrefilter makes one for a list whose entries have one or more expressions; an
// entry may match where one of them may, and one without any always may.
func NewPrefilter(list [][]*Regexp) *Prefilter {
	b := trie{states: make([]map[byte]uint16, 1, 256), found: make([][]uint16, 1, 256)}
	p := &Prefilter{width: 1, always: NewSet(len(list))}
	for i, expressions := range list {
		literals := needed(expressions)
		if literals == nil || !b.add(literals, uint16(i)) {
			p.always.add(i)
		}
	}
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

// needed is one literal of which every match of one of the expressions holds, for
// each expression the list that says most; nil if one has none.
func needed(expressions []*Regexp) []string {
	var all []string
	for _, re := range expressions {
		list := longest(re.needs)
		if list == nil {
			return nil
		}
		all = append(all, list...)
	}
	return all
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
	p.next = make([]uint16, len(b.states)*p.width)
	p.found = b.found
	fail := make([]uint16, len(b.states))
	queue := make([]uint16, 1, len(b.states))
	for n := 0; n < len(queue); n++ {
		at := queue[n]
		row := p.next[int(at)*p.width:][:p.width]
		if at != 0 {
			copy(row, p.next[int(fail[at])*p.width:][:p.width])
			p.found[at] = append(p.found[at], p.found[fail[at]]...)
		}
		for c, to := range b.states[at] {
			class := p.class[c]
			if at != 0 {
				fail[to] = row[class]
			}
			row[class] = to
			queue = append(queue, to)
		}
	}
}

// Possible returns the entries of the list that may match s, in memory that the
// caller got from an earlier call, or nil. What is not among them does not match.
func (p *Prefilter) Possible(s Subject, into Set) Set {
	into = append(into[:0], p.always...)
	state := 0
	for i := range len(s.folded) {
		state = int(p.next[state*p.width+int(p.class[s.folded[i]])])
		for _, entry := range p.found[state] {
			into.add(int(entry))
		}
	}
	return into
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
