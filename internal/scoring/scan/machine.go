package scan

import (
	"cmp"
	"slices"
	"strings"
)

// machine finds the literals of a Prefilter in one pass over a text. A bit for each pair
// and, by their hash, for each three bytes says whether a literal may begin with them; at
// most places of a text none does. Where one may, those that do stand side by side in
// the order of their bytes, so that each further byte of the text leaves fewer of them:
// what a place costs is bounded by literalBytes, however many literals there are.
// It never changes.
type machine struct {
	pairs, triples [1024]uint64
	places         []bucket // by hash of the first bytes; as many as a power of two
	literals       []sought
	single         []sought // those of one byte
}

// bucket is where the literals with the same first bytes stand, of which it has three or,
// where they have no more, two.
type bucket struct {
	first    uint32
	from, to uint32
}

// sought is a literal with the conditions that it fulfils.
type sought struct {
	text   string
	anyway []uint16    // wherever it stands
	apart  []condition // where it stands apart
}

type condition struct {
	number uint16
	apart  sides
}

// literalBytes is how much of a literal is looked for at most.
const literalBytes = 16

// machineOf finds literals for conditions.
type machineOf struct{ known map[string]*sought }

func (b *machineOf) add(literals []literal, number uint16) {
	for _, l := range literals {
		if l = l.cut(literalBytes); len(l.text) == 1 {
			l.apart = sides{} // nobody looks where these stand
		}
		s := b.known[l.text]
		if s == nil {
			s = &sought{text: l.text}
			b.known[l.text] = s
		}
		if l.apart == (sides{}) {
			s.anyway = append(s.anyway, number)
		} else {
			s.apart = append(s.apart, condition{number, l.apart})
		}
	}
}

func (b *machineOf) machine() *machine {
	m := &machine{}
	for _, s := range b.known {
		if len(s.text) == 1 {
			m.single = append(m.single, *s)
		} else {
			m.literals = append(m.literals, *s)
		}
	}
	slices.SortFunc(m.single, func(a, b sought) int { return strings.Compare(a.text, b.text) })
	// Those of two bytes first, so that literals with the same first bytes are neighbours.
	slices.SortFunc(m.literals, func(a, b sought) int {
		return cmp.Or(min(len(a.text), 3)-min(len(b.text), 3), strings.Compare(a.text, b.text))
	})
	size := 4
	for size < 2*len(m.literals) {
		size *= 2
	}
	m.places = make([]bucket, size)
	for i, l := range m.literals {
		first := firstBytes(l.text)
		if len(l.text) == 2 {
			m.pairs[uint16(first)>>6] |= 1 << (first & 63)
		} else {
			m.triples[hashOf(first)>>6] |= 1 << (hashOf(first) & 63)
		}
		b := m.bucket(first)
		if b.to == 0 {
			*b = bucket{first, uint32(i), uint32(i)}
		}
		b.to++
	}
	return m
}

// onlyTwo marks the first bytes of a literal of two.
const onlyTwo = 1 << 24

// firstBytes are the first three bytes of a text, or the only two, as a number.
func firstBytes(text string) uint32 {
	first := uint32(text[0]) | uint32(text[1])<<8
	if len(text) == 2 {
		return first | onlyTwo
	}
	return first | uint32(text[2])<<16
}

// hashOf has 16 bits.
func hashOf(first uint32) uint32 { return first * 0x9e3779b1 >> 16 }

// bucket is that of the first bytes; its end is 0 where there is none.
func (m *machine) bucket(first uint32) *bucket {
	for i := int(hashOf(first)); ; i++ {
		if b := &m.places[i&(len(m.places)-1)]; b.to == 0 || b.first == first {
			return b
		}
	}
}

// mark adds the conditions of all literals that stand in a text in lower case.
func (m *machine) mark(folded string, into Set) {
	var (
		seen [256]bool
		look = marking{m: m, text: folded, into: into}
		last = uint32(0) // three bytes
	)
	for i := range min(len(folded), 2) {
		last |= uint32(folded[i]) << (8 * i)
		seen[folded[i]] = true
	}
	for i := 2; i < len(folded); i++ {
		b := folded[i]
		seen[b] = true
		last |= uint32(b) << 16
		if h := hashOf(last); (m.triples[h>>6]>>(h&63)|m.pairs[uint16(last)>>6]>>(last&63))&1 != 0 {
			look.at(i-2, last)
		}
		last >>= 8
	}
	if len(folded) > 1 {
		look.pair(len(folded)-2, last)
	}
	for i := range m.single {
		if s := &m.single[i]; seen[s.text[0]] {
			look.found(s, 0, 1)
		}
	}
}

// marking is one pass over a text.
type marking struct {
	m     *machine
	text  string
	into  Set
	known [64]*sought // that need not be looked at again: a text of one word repeated has few
}

// at looks for literals that begin at byte i, where those three bytes stand.
func (k *marking) at(i int, first uint32) {
	k.pair(i, first)
	b := k.m.bucket(first)
	from, to := int(b.from), int(b.to)
	for length := 3; from < to; length++ {
		l := &k.m.literals[from]
		if len(l.text) == length {
			k.found(l, i, i+length)
			if from++; from == to {
				return
			}
			l = &k.m.literals[from]
		}
		if i+length >= len(k.text) {
			return
		}
		next := k.text[i+length]
		if to-from > 1 {
			from, to = k.narrow(from, to, length, next)
		} else if l.text[length] != next {
			return
		}
	}
}

// narrow leaves those of literals from to to that have that byte behind as many others.
func (k *marking) narrow(from, to, length int, next byte) (int, int) {
	const few = 8
	all := k.m.literals
	if to-from > few {
		n, _ := slices.BinarySearchFunc(all[from:to], next, func(l sought, next byte) int { return int(l.text[length]) - int(next) })
		from += n
		n, _ = slices.BinarySearchFunc(all[from:to], next, func(l sought, next byte) int {
			if l.text[length] <= next {
				return -1
			}
			return 1
		})
		return from, from + n
	}
	for from < to && all[from].text[length] < next {
		from++
	}
	end := from
	for end < to && all[end].text[length] == next {
		end++
	}
	return from, end
}

// pair looks for a literal of two bytes at byte i.
func (k *marking) pair(i int, first uint32) {
	first = first&0xffff | onlyTwo
	if k.m.pairs[uint16(first)>>6]>>(first&63)&1 != 0 {
		k.found(&k.m.literals[k.m.bucket(first).from], i, i+2)
	}
}

// found adds the conditions of a literal that stands from one byte to before another.
func (k *marking) found(s *sought, from, to int) {
	slot := &k.known[(s.text[0]^s.text[len(s.text)-1]<<1^byte(len(s.text))<<2)&63]
	if *slot == s {
		return
	}
	for _, number := range s.anyway {
		k.into.add(int(number))
	}
	apart := sides{from == 0 || !isASCIIWord(k.text[from-1]), to == len(k.text) || !isASCIIWord(k.text[to])}
	for _, c := range s.apart {
		if (!c.apart.before || apart.before) && (!c.apart.behind || apart.behind) {
			k.into.add(int(c.number))
		}
	}
	if len(s.apart) == 0 || apart.before && apart.behind {
		*slot = s
	}
}

// isASCIIWord leaves out the word characters beyond ASCII, so that what stands beside one
// may stand apart.
func isASCIIWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
