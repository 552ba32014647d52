package scan

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// machine finds the literals of a Prefilter in one pass over a text. Bits for pairs and for
// the hashes of three bytes say whether a literal may begin with them; at most places of a
// text none does. Where one may, those that do stand side by side in the order of their
// bytes, so that each further byte of the text leaves fewer of them: what a place costs is
// bounded by literalBytes, however many literals there are. It never changes.
type machine struct {
	anywhere   firsts   // of the literals that may also stand behind a word character
	apart      firsts   // of the others
	buckets    []bucket // by hash of the first bytes; as many as a power of two
	literals   []sought
	single     []sought // those of one byte
	conditions []condition
}

// firsts says with which bytes literals begin.
type firsts struct {
	pairs   [firstBits / 64]uint64 // of those that have two bytes, by their bytes without the highest bit
	triples [firstBits / 64]uint64 // of longer ones, by hash
}

const firstBits = 1 << 14

// bucket is where the literals with the same first bytes stand, of which it has three or,
// where they have no more, two.
type bucket struct{ first, from, to uint32 }

// sought is a literal with the conditions that it fulfils.
type sought struct {
	text     [literalBytes]byte
	length   uint8
	asks     bool // some of them ask how it stands
	from, to uint32
}

// condition is fulfilled where its literal stands apart on these sides.
type condition struct {
	number uint16
	apart  sides
}

// literalBytes is how much of a literal is looked for at most.
const literalBytes = 16

// machineOf gathers literals, each with its conditions.
type machineOf map[string][]condition

func (b machineOf) add(literals []literal, number uint16) {
	for _, l := range literals {
		if l = l.cut(literalBytes); len(l.text) == 1 {
			l.apart = sides{} // nobody looks where these stand
		}
		b[l.text] = append(b[l.text], condition{number, l.apart})
	}
}

func (b machineOf) machine() *machine {
	m := &machine{}
	texts := make([]string, 0, len(b))
	for text := range b {
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b string) int {
		// Those of one and two bytes first, so that literals with the same first bytes are neighbours.
		return cmp.Or(min(len(a), 3)-min(len(b), 3), cmp.Compare(a, b))
	})
	size := 4
	for size < 2*len(texts) {
		size *= 2
	}
	m.buckets = make([]bucket, size)
	for _, text := range texts {
		s := sought{length: uint8(len(text)), from: uint32(len(m.conditions))}
		copy(s.text[:], text)
		m.conditions = append(m.conditions, b[text]...)
		s.to = uint32(len(m.conditions))
		s.asks = slices.ContainsFunc(b[text], func(c condition) bool { return c.apart != sides{} })
		if len(text) == 1 {
			m.single = append(m.single, s)
			continue
		}
		begins := &m.anywhere
		if !slices.ContainsFunc(b[text], func(c condition) bool { return !c.apart.before }) {
			begins = &m.apart
		}
		first := uint32(text[0]) | uint32(text[1])<<8
		if len(text) == 2 {
			begins.pairs[pairOf(first)>>6] |= 1 << (pairOf(first) & 63)
			first |= onlyTwo
		} else {
			first |= uint32(text[2]) << 16
			begins.triples[hashOf(first)>>6] |= 1 << (hashOf(first) & 63)
		}
		at := uint32(len(m.literals))
		m.literals = append(m.literals, s)
		place := m.bucket(first)
		if place.to == 0 {
			*place = bucket{first, at, at}
		}
		place.to++
	}
	return m
}

// onlyTwo marks the first bytes of a literal of two.
const onlyTwo = 1 << 24

// pairOf and hashOf are below firstBits.
func pairOf(first uint32) uint32 { return first&0x7f | first>>1&0x3f80 }
func hashOf(first uint32) uint32 { return first * 0x9e3779b1 >> 18 }

// bucket is that of the first bytes; its end is 0 where there is none.
func (m *machine) bucket(first uint32) *bucket {
	for i := first * 0x9e3779b1 >> 8; ; i++ {
		if b := &m.buckets[int(i)&(len(m.buckets)-1)]; b.to == 0 || b.first == first {
			return b
		}
	}
}

// mark adds the conditions of all literals that stand in a text in lower case.
func (m *machine) mark(folded string, into Set) {
	var (
		seen [256]bool
		look = marking{m: m, text: folded, into: into}
		last = uint32(0)  // three bytes
		free = ^uint64(0) // all bits where no word character stands before these
	)
	for i := range min(len(folded), 2) {
		last |= uint32(folded[i]) << (8 * i)
		seen[folded[i]] = true
	}
	for i := 2; i < len(folded); i++ {
		b := folded[i]
		seen[b] = true
		last |= uint32(b) << 16
		pair, hash := pairOf(last), hashOf(last)
		if (m.anywhere.triples[hash>>6]|m.apart.triples[hash>>6]&free)>>(hash&63)&1 != 0 {
			look.at(i-2, last)
		}
		if (m.anywhere.pairs[pair>>6]|m.apart.pairs[pair>>6]&free)>>(pair&63)&1 != 0 {
			look.pair(i-2, last)
		}
		free = apartBehind[byte(last)]
		last >>= 8
	}
	if len(folded) > 1 {
		look.pair(len(folded)-2, last)
	}
	for i := range m.single {
		if s := &m.single[i]; seen[s.text[0]] {
			look.found(s, 0)
		}
	}
}

// apartBehind has all bits where what stands behind a byte may stand apart: beyond ASCII,
// what stands beside a word character may do so too.
var apartBehind = func() (all [256]uint64) {
	for b := range all {
		if b >= utf8.RuneSelf || !IsWord(rune(b)) {
			all[b] = ^uint64(0)
		}
	}
	return all
}()

// marking is one pass over a text.
type marking struct {
	m     *machine
	text  string
	into  Set
	known [64]*sought // that need not be looked at again: a text of one word repeated has few
}

// at looks for literals of three and more bytes that begin at byte i with these first ones.
func (k *marking) at(i int, first uint32) {
	b := k.m.bucket(first)
	all := k.m.literals[b.from:b.to]
	for length := 3; len(all) > 0; length++ {
		if int(all[0].length) == length {
			k.found(&all[0], i)
			all = all[1:]
		}
		if i+length >= len(k.text) {
			return
		}
		all = narrow(all, length, k.text[i+length])
	}
}

// narrow leaves those literals that have that byte behind as many others.
func narrow(all []sought, length int, next byte) []sought {
	const few = 8
	if len(all) > few {
		from, _ := slices.BinarySearchFunc(all, next, func(l sought, next byte) int { return int(l.text[length]) - int(next) })
		all = all[from:]
		to, _ := slices.BinarySearchFunc(all, next, func(l sought, next byte) int { return 2*(int(l.text[length])-int(next)) - 1 })
		return all[:to]
	}
	for len(all) > 0 && all[0].text[length] != next {
		all = all[1:]
	}
	for n := range all {
		if all[n].text[length] != next {
			return all[:n]
		}
	}
	return all
}

// pair looks for a literal of two bytes at byte i.
func (k *marking) pair(i int, first uint32) {
	if b := k.m.bucket(first&0xffff | onlyTwo); b.to > 0 {
		k.found(&k.m.literals[b.from], i)
	}
}

// found adds the conditions of a literal that stands at byte i.
func (k *marking) found(s *sought, i int) {
	slot := &k.known[s.from&63]
	if *slot == s {
		return
	}
	apart := sides{true, true}
	if end := i + int(s.length); s.asks {
		apart = sides{i == 0 || apartBehind[k.text[i-1]] != 0, end == len(k.text) || apartBehind[k.text[end]] != 0}
	}
	for _, c := range k.m.conditions[s.from:s.to] {
		if (!c.apart.before || apart.before) && (!c.apart.behind || apart.behind) {
			k.into.add(int(c.number))
		}
	}
	if apart.before && apart.behind {
		*slot = s
	}
}
