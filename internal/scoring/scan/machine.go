package scan

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// machine finds the literals of a Prefilter in one pass over a text: tables by their first
// bytes say which may begin there. It never changes.
type machine struct {
	two    [1 << hashBits]uint16 // of literals of two bytes: which of groups, plus one
	three  [1 << hashBits]uint16 // of longer ones, by their first three
	groups [][]begun
	single []*sought // those of one byte
	placed int       // how many literals somebody wants to know the places of
}

// begun is a literal of a group, which has the same hash. Its first eight bytes are one
// number: comparing strings would be most of what a pass costs.
type begun struct {
	head, mask uint64
	*sought
}

// sought is a literal, and what is so where it stands.
type sought struct {
	text       string
	placed     bool // somebody wants to know where
	number     int  // among those
	conditions []condition
}

// condition is fulfilled where its literal stands apart on these sides.
type condition struct {
	number int
	apart  sides
}

// literalBytes is how much of a literal is looked for at most.
const literalBytes = 16

// onlyPlaced is the number of no condition: somebody wants to know where the literal stands.
const onlyPlaced = -1

// machineOf gathers literals.
type machineOf map[string]*sought

func (b machineOf) add(literals []literal, number int) {
	for _, l := range literals {
		l = l.cut(literalBytes)
		if len(l.text) == 1 {
			l.apart = sides{} // nobody looks where these stand
		}
		s := b[l.text]
		if s == nil {
			s = &sought{text: l.text}
			b[l.text] = s
		}
		s.placed = s.placed || number == onlyPlaced
		if c := (condition{number, l.apart}); !slices.Contains(s.conditions, c) {
			s.conditions = append(s.conditions, c)
		}
	}
}

func (b machineOf) machine() *machine {
	m := &machine{}
	for text, s := range b {
		if s.placed {
			s.number = m.placed
			m.placed++
		}
		if len(text) == 1 {
			m.single = append(m.single, s)
			continue
		}
		at := &m.two[hashOf(text[0], text[1], 0)]
		if len(text) > 2 {
			at = &m.three[hashOf(text[0], text[1], text[2])]
		}
		if *at == 0 {
			m.groups = append(m.groups, nil)
			*at = uint16(len(m.groups))
		}
		g := &m.groups[*at-1]
		*g = append(*g, begun{headOf(text), headOf("\xff\xff\xff\xff\xff\xff\xff\xff"[:min(len(text), 8)]), s})
	}
	return m
}

// headOf is the first eight bytes of a text, or all it has, as a number.
func headOf(text string) (head uint64) {
	if len(text) >= 8 { // one load
		return uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
			uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
	}
	for i := len(text) - 1; i >= 0; i-- {
		head = head<<8 | uint64(text[i])
	}
	return head
}

const hashBits = 14

func hashOf(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 0x9e3779b1 >> (32 - hashBits)
}

// pass calls found for every condition whose literal stands in a text in lower case, once or
// more often, and keeps in places where literals stand.
func (m *machine) pass(folded string, found func(number int), places *places) {
	var seen [256]bool
	look := func(group uint16, i int) {
		if group == 0 {
			return
		}
		head := headOf(folded[i:])
		for _, s := range m.groups[group-1] {
			if head&s.mask == s.head && strings.HasPrefix(folded[i:], s.text) {
				s.stands(folded, i, found, places)
			}
		}
	}
	for i := range len(folded) {
		seen[folded[i]] = true
		if i+1 < len(folded) {
			look(m.two[hashOf(folded[i], folded[i+1], 0)], i)
		}
		if i+2 < len(folded) {
			look(m.three[hashOf(folded[i], folded[i+1], folded[i+2])], i)
		}
	}
	for _, s := range m.single {
		if seen[s.text[0]] {
			s.stands(folded, 0, found, nil)
		}
	}
}

// stands says what is so where the literal stands at byte i.
func (s *sought) stands(folded string, i int, found func(number int), places *places) {
	end := i + len(s.text)
	apart := sides{i == 0 || mayBeApart(folded[i-1]), end == len(folded) || mayBeApart(folded[end])}
	some := false
	for _, c := range s.conditions {
		if (!c.apart.before || apart.before) && (!c.apart.behind || apart.behind) {
			if some = true; c.number != onlyPlaced {
				found(c.number)
			}
		}
	}
	if some && s.placed && places != nil {
		places.add(s.number, i)
	}
}

// mayBeApart reports whether a literal that stands apart may stand beside this byte: beyond
// ASCII, what stands beside a word character may do so too.
func mayBeApart(b byte) bool { return b >= utf8.RuneSelf || !isWordByte(b) }

// places says where in a text, in lower case, the literals stand that expressions begin with,
// or that stand near their beginnings.
type places struct {
	of   map[*Regexp]standing
	at   [][]int32 // by literal
	most int       // a literal that stands at more places is everywhere
}

// A match is tried at its candidates if they are no more than these: reading on is cheaper.
const (
	enoughPlaces = 64
	closePlaces  = 32 // bytes
)

// longText is how long a text is in which it is worth to know places.
const longText = 4 << 10

func newPlaces(of map[*Regexp]standing, literals, text int) *places {
	return &places{of: of, at: make([][]int32, literals), most: enoughPlaces + text/closePlaces}
}

func (p *places) add(literal, i int) {
	if at := &p.at[literal]; len(*at) <= p.most {
		*at = append(*at, int32(i))
	}
}

// known reports whether all places of a literal are known.
func (p *places) known(literal int) bool { return len(p.at[literal]) <= p.most }

// standing are the literals of which an expression asks where they stand.
type standing struct {
	prefixes []int
	nearby   [][]int // as of Regexp.nearby
	tail     []int   // as of tail.literals
}

// standing numbers those of an expression.
func (b machineOf) standing(r *Regexp) (s standing) {
	numbers := func(literals []literal) (all []int) {
		for _, l := range literals {
			all = append(all, b[l.cut(literalBytes).text].number)
		}
		return all
	}
	s.prefixes, s.tail = numbers(r.prefixes), numbers(r.tail.literals)
	for _, c := range r.nearby {
		s.nearby = append(s.nearby, numbers(c))
	}
	return s
}
