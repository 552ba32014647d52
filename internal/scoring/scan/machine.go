package scan

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// machine finds the literals of a Prefilter in one pass over a text. Bits by the hashes of
// two, three and four bytes say whether a literal may begin with them; at most places of a
// text none does. Where one may, those that do stand side by side in the order of their
// bytes, so that each further byte of the text leaves fewer of them: what a place costs is
// bounded by literalBytes, however many literals there are. It never changes.
type machine struct {
	begins     firsts
	high       [256]bool // the bytes with which literals begin; only those beyond ASCII are asked for
	buckets    []bucket  // by hash of the first bytes; as many as a power of two
	literals   []sought
	single     []sought // those of one byte
	conditions []condition
	standing   map[*Regexp]standing
}

// firsts says by the hash of the first bytes which literals there are.
type firsts [1 << firstBits]lengths

const firstBits = 14

// lengths are some of literals, in bytes: those that may also stand behind a word character,
// and, in higher places, those that only may stand apart.
type lengths uint8

const (
	ofTwo lengths = 1<<iota | 1<<(iota+onlyApart)
	ofThree
	longer

	onlyApart          = 4
	anywhere   lengths = 1<<onlyApart - 1
	whereItMay lengths = 1<<8 - 1
)

// bucket is where the literals with the same first bytes stand.
type bucket struct {
	head
	from, to uint32
}

// head is the first four bytes of a literal as a number, or all that it has.
type head struct {
	bytes  uint32
	length uint8
}

func headOf(text string) head {
	h := head{length: uint8(min(len(text), 4))}
	for i := range int(h.length) {
		h.bytes |= uint32(text[i]) << (8 * i)
	}
	return h
}

// sought is a literal with the conditions that it fulfils.
type sought struct {
	text     [literalBytes]byte
	length   uint8
	asks     bool // some of them ask how it stands
	placed   bool // somebody wants to know where
	number   uint32
	from, to uint32
}

// condition is fulfilled where its literal stands apart on these sides.
type condition struct {
	number uint16
	apart  sides
}

// literalBytes is how much of a literal is looked for at most.
const literalBytes = 16

// onlyPlaced is the number of no condition: somebody wants to know where the literal stands.
const onlyPlaced = 1<<16 - 1

// machineOf gathers literals, each with its conditions.
type machineOf map[string][]condition

func (b machineOf) add(literals []literal, number uint16) {
	for _, l := range literals {
		if l = l.cut(literalBytes); len(l.text) == 1 {
			l.apart = sides{} // nobody looks where these stand
		}
		if c := (condition{number, l.apart}); !slices.Contains(b[l.text], c) {
			b[l.text] = append(b[l.text], c)
		}
	}
}

func (b machineOf) machine() *machine {
	m := &machine{}
	texts := make([]string, 0, len(b))
	for text := range b {
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b string) int {
		// The short ones first, so that literals with the same head are neighbours.
		return cmp.Or(min(len(a), 4)-min(len(b), 4), cmp.Compare(a, b))
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
		s.placed = slices.ContainsFunc(b[text], func(c condition) bool { return c.number == onlyPlaced })
		m.high[text[0]] = true
		h := headOf(text)
		is := [...]lengths{2: ofTwo, 3: ofThree, 4: longer}[h.length]
		if slices.ContainsFunc(b[text], func(c condition) bool { return !c.apart.before }) {
			is &= anywhere
		} else {
			is &^= anywhere
		}
		m.begins[hashOf(h.bytes)] |= is
		at := uint32(len(m.literals))
		s.number = at
		m.literals = append(m.literals, s)
		place := m.bucket(h)
		if place.to == 0 {
			*place = bucket{h, at, at}
		}
		place.to++
	}
	return m
}

func hashOf(bytes uint32) uint32 { return bytes * 0x9e3779b1 >> (32 - firstBits) }

// bucket is that of a head; its end is 0 where there is none.
func (m *machine) bucket(h head) *bucket {
	for i := int(h.bytes*0x9e3779b1>>8 + uint32(h.length)); ; i++ {
		if b := &m.buckets[i&(len(m.buckets)-1)]; b.to == 0 || b.head == h {
			return b
		}
	}
}

// number is that of a literal that is looked for.
func (m *machine) number(text string) uint32 {
	text = text[:min(len(text), literalBytes)]
	b := m.bucket(headOf(text))
	n, ok := slices.BinarySearchFunc(m.literals[b.from:b.to], text, func(s sought, text string) int {
		return strings.Compare(string(s.text[:s.length]), text)
	})
	if !ok {
		panic("scan: this literal is not looked for: " + text)
	}
	return b.from + uint32(n)
}

// mark adds the conditions of all literals that stand in a text in lower case. Where they
// stand goes to places, if there is one.
func (m *machine) mark(folded string, into Set, places *places) {
	var (
		seen  [256]bool
		look  = marking{m: m, text: folded, into: into, places: places}
		next  = uint32(0) // the four bytes that begin with the last one that was read
		free  = whereItMay
		ahead = min(len(folded), 3)
	)
	for i := range ahead {
		next |= uint32(folded[i]) << (8*i + 8)
		seen[folded[i]] = true
	}
	for i := ahead; i < len(folded); i++ {
		b := folded[i]
		seen[b] = true
		next = next>>8 | uint32(b)<<24
		if first := byte(next); first >= utf8.RuneSelf && !m.high[first] { // most of a text in another script
			free = apartBehind[first]
			continue
		}
		if may := m.begins.with(next) & free; may != 0 {
			look.from(i-ahead, next, may)
		}
		free = apartBehind[byte(next)]
	}
	for i := len(folded) - ahead; i < len(folded); i++ { // nothing stands behind the end
		next >>= 8
		if may := m.begins.with(next) & free; may != 0 {
			look.from(i, next, may)
		}
		free = apartBehind[byte(next)]
	}
	for i := range m.single {
		if s := &m.single[i]; seen[s.text[0]] {
			look.found(s, 0)
		}
	}
}

// from looks for literals that begin at byte i with these bytes, of the lengths that may.
func (k *marking) from(i int, bytes uint32, may lengths) {
	switch {
	case k.places == nil || k.places.short:
		k.lookFrom(i, bytes, may)
	case !k.places.repeat(k.text, i, bytes):
		k.lookFrom(i, bytes, may)
		k.places.looked(bytes)
	}
}

// lookFrom is from, whatever was found before.
func (k *marking) lookFrom(i int, bytes uint32, may lengths) {
	if may&longer != 0 {
		k.at(i, head{bytes, 4})
	}
	if may&ofThree != 0 {
		k.at(i, head{bytes & 0xffffff, 3})
	}
	if may&ofTwo != 0 {
		k.at(i, head{bytes & 0xffff, 2})
	}
}

// with says of which lengths literals may begin with four bytes.
func (f *firsts) with(bytes uint32) lengths {
	return f[hashOf(bytes)]&longer | f[hashOf(bytes&0xffffff)]&ofThree | f[hashOf(bytes&0xffff)]&ofTwo
}

// apartBehind says which literals may stand behind a byte: beyond ASCII, what stands beside
// a word character may do so too.
var apartBehind = func() (all [256]lengths) {
	for b := range all {
		if all[b] = anywhere; b >= utf8.RuneSelf || !IsWord(rune(b)) {
			all[b] = whereItMay
		}
	}
	return all
}()

// marking is one pass over a text.
type marking struct {
	m      *machine
	text   string
	into   Set
	places *places // nil where nobody asks for them
}

// at looks for literals with a head that may stand at byte i.
func (k *marking) at(i int, h head) {
	b := k.m.bucket(h)
	all := k.m.literals[b.from:b.to]
	for length := int(h.length); len(all) > 0 && i+length <= len(k.text); length++ {
		if int(all[0].length) == length {
			k.found(&all[0], i)
			all = all[1:]
		}
		if i+length < len(k.text) {
			all = narrow(all, length, k.text[i+length])
		}
	}
}

// narrow leaves those literals that have that byte behind as many others.
func narrow(all []sought, length int, next byte) []sought {
	const few = 8
	if len(all) > few {
		all = all[before(all, length, int(next)):]
		return all[:before(all, length, int(next)+1)]
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

// before is how many literals have a smaller byte there.
func before(all []sought, length, next int) int {
	from, to := 0, len(all)
	for from < to {
		if middle := (from + to) / 2; int(all[middle].text[length]) < next {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// found adds the conditions of a literal that stands at byte i.
func (k *marking) found(s *sought, i int) {
	apart := sides{true, true}
	if end := i + int(s.length); s.asks {
		apart = sides{i == 0 || apartBehind[k.text[i-1]] == whereItMay, end == len(k.text) || apartBehind[k.text[end]] == whereItMay}
	}
	stands := false
	for _, c := range k.m.conditions[s.from:s.to] {
		if (!c.apart.before || apart.before) && (!c.apart.behind || apart.behind) {
			if stands = true; c.number != onlyPlaced {
				k.into.add(int(c.number))
			}
		}
	}
	if stands && s.placed && k.places != nil {
		k.places.add(s.number, i)
	}
}
