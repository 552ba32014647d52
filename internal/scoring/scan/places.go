package scan

import (
	"slices"
	"sync"
	"unsafe"
)

// places says where in a text the literals stand that expressions begin with, or that stand
// near their beginnings. It is borrowed with the text.
type places struct {
	machine *machine
	most    int32 // a literal that stands at more places is everywhere
	hits    []hit // in the order of the text; of a short one, in the end, in that of the literals
	all     []int32
	text    string

	// Of a short text there are few hits, and nothing is kept by literal.
	short  bool
	times  []int32    // by literal, how often it stands there; most+1 for everywhere
	from   []int32    // by literal, where its places begin among all, and behind the last one their end
	looks  []look     // the last one for each hash of four bytes
	counts sync.Once  // bytes, when somebody asks for them
	bytes  [256]int32 // how often each stands in the text
}

// shortText is how many bytes a text has at most of which the hits are sorted.
const shortText = 4 << 10

// Of more places than these, if there are so few bytes between them, reading on is cheaper.
const (
	enoughPlaces = 64
	closePlaces  = 32
)

const lookBits = 9

// hit is a literal at a byte: one number, so that sorting is cheap.
type hit uint64

func hitOf(literal uint32, at int32) hit { return hit(literal)<<32 | hit(at) }

func (h hit) literal() uint32 { return uint32(h >> 32) }

func (h hit) at() int32 { return int32(uint32(h)) }

// begin makes room for the literals in a text.
func (p *places) begin(m *machine, s *Subject) {
	p.machine, p.most = m, int32(mostPlaces(len(s.folded)))
	p.hits, p.text = p.hits[:0], s.text
	if p.short = len(s.folded) < shortText; p.short {
		return
	}
	p.times = append(p.times[:0], make([]int32, len(m.literals))...)
	p.counts = sync.Once{}
	p.looks = append(p.looks[:0], make([]look, 1<<lookBits)...)
}

// mostPlaces is at how many places of a text a match may be tried.
func mostPlaces(text int) int { return enoughPlaces + text/closePlaces }

// add keeps that a literal stands at byte i; it stands nowhere behind that yet.
func (p *places) add(literal uint32, i int) {
	if p.short {
		p.hits = append(p.hits, hitOf(literal, int32(i)))
	} else if times := &p.times[literal]; *times <= p.most {
		*times++
		p.hits = append(p.hits, hitOf(literal, int32(i)))
	}
}

// look is where literals were looked for, which is 0 for nowhere, and which of the hits
// were found there.
type look struct{ at, from, end int32 }

func (p *places) lookFor(bytes uint32) *look { return &p.looks[bytes*0x9e3779b1>>(32-lookBits)] }

// repeat reports whether all that decides about literals that begin at byte i with these
// bytes stood where the same bytes were last, because a text repeats itself. Then it adds
// what was found there. If not, they are looked for, and looked is next.
func (p *places) repeat(text string, i int, bytes uint32) bool {
	const behind = literalBytes + 1
	l := p.lookFor(bytes)
	if last := int(l.at); last > 0 && i+behind <= len(text) && text[last-1:last+behind] == text[i-1:i+behind] {
		l.at = int32(i)
		for _, h := range p.hits[l.from:l.end] {
			p.add(h.literal(), i)
		}
		return true
	}
	*l = look{at: int32(i), from: int32(len(p.hits))}
	return false
}

// looked keeps what was found since repeat.
func (p *places) looked(bytes uint32) { p.lookFor(bytes).end = int32(len(p.hits)) }

// end puts the places in the order of the literals.
func (p *places) end() {
	if p.short {
		p.sort()
		return
	}
	p.from = append(p.from[:0], make([]int32, len(p.times)+1)...)
	sum := int32(0)
	for i, n := range p.times {
		p.from[i] = sum
		if n <= p.most {
			sum += n
		}
	}
	p.from[len(p.times)] = sum
	if cap(p.all) < int(sum) {
		p.all = make([]int32, sum)
	}
	p.all = p.all[:sum]
	for _, h := range p.hits {
		if l := h.literal(); p.times[l] <= p.most {
			p.all[p.from[l]] = h.at()
			p.from[l]++
		}
	}
	copy(p.from[1:], p.from) // each one is now where the next begins
	p.from[0] = 0
}

// sort is end for a short text.
func (p *places) sort() {
	slices.Sort(p.hits)
	p.all = p.all[:0]
	for _, h := range p.hits {
		p.all = append(p.all, h.at())
	}
}

// of are the places of a literal; ok is false where it is everywhere.
func (p *places) of(literal uint32) (at []int32, ok bool) {
	if p.short {
		from, _ := slices.BinarySearch(p.hits, hitOf(literal, 0))
		end := from
		for end < len(p.hits) && p.hits[end].literal() == literal {
			end++
		}
		return p.all[from:end], end-from <= int(p.most)
	}
	return p.all[p.from[literal]:p.from[literal+1]], p.times[literal] <= p.most
}

// count is at how many places one of the literals stands; ok is false where those of one
// are not known, or there is none of them.
func (p *places) count(literals []uint32) (sum int, ok bool) {
	for _, l := range literals {
		at, known := p.of(l)
		if sum += len(at); !known {
			return 0, false
		}
	}
	return sum, len(literals) > 0
}

// countBytes is how often some bytes stand in the text.
func (p *places) countBytes(of *[256]bool) (sum int) {
	p.counts.Do(func() {
		clear(p.bytes[:])
		for i := range len(p.text) {
			p.bytes[p.text[i]]++
		}
	})
	for b, is := range of {
		if is {
			sum += int(p.bytes[b])
		}
	}
	return sum
}

// standing are the literals of which an expression asks where they stand.
type standing struct {
	prefixes []uint32
	near     [][]uint32 // as of nearby
	inner    [][]uint32 // as of innerOf
}

// standingOf numbers those of an expression.
func (m *machine) standingOf(r *Regexp) (s standing) {
	numbers := func(literals []literal) (all []uint32) {
		for _, l := range literals {
			all = append(all, m.number(l.text))
		}
		return all
	}
	s.prefixes = numbers(r.prefixes)
	for _, c := range r.nearby {
		s.near = append(s.near, numbers(c))
	}
	for _, literals := range r.inner {
		s.inner = append(s.inner, numbers(literals))
	}
	return s
}

// size is what it holds, in bytes.
func (p *places) size() int {
	return int(unsafe.Sizeof(*p)) + cap(p.hits)*int(unsafe.Sizeof(hit(0))) + 4*(cap(p.times)+cap(p.from)+cap(p.all)) + cap(p.looks)*int(unsafe.Sizeof(look{}))
}
