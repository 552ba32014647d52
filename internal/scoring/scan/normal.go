package scan

import (
	"math"
	"slices"
	"sort"
	"sync"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/unicode/norm"
)

// Invisible reports whether r is one of the characters that a person does not
// see and Normal removes: soft hyphen, grapheme joiner, zero-width and
// bidirectional controls (the list of scoring.md §0).
func Invisible(r rune) bool {
	switch {
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x180e, r == 0xfeff:
		return true
	case r < 0x200b || r > 0x206f:
		return false
	}
	return r <= 0x200f || 0x202a <= r && r <= 0x202e || 0x2060 <= r && r <= 0x2064 || 0x2066 <= r
}

// Normal is the copy of s that is scanned in addition to s itself, so that a
// disguise does not help: Invisible characters removed, then NFKC, which folds
// full-width, mathematical and other look-alikes. changed says whether it
// differs from s at all; where it does not, a second scan finds nothing new.
//
// back maps a byte range of the copy to the smallest range of s that it came
// from. A character that several came from, or that became several, maps whole.
func Normal(s string) (normal string, back func(start, end int) (int, int), changed bool) {
	normal, _, back, changed = normalOf(s, traitsOf(s))
	return normal, back, changed
}

// normalOf is Normal for a text whose traits are known, with those of the copy.
func normalOf(s string, of traits) (normal string, its traits, back func(start, end int) (int, int), changed bool) {
	if isPlainOf(s, of) {
		return s, of, identity, false
	}
	visible, kept := strip(s)
	if len(visible) < len(s) {
		if of = traitsOf(visible); isPlainOf(visible, of) {
			return visible, of, kept.back, true
		}
	}
	normal, its, folded := fold(visible)
	switch {
	case normal == s:
		return s, its, identity, false
	case len(visible) == len(s):
		return normal, its, folded.back, true
	}
	return normal, its, func(start, end int) (int, int) {
		return kept.back(folded.back(start, end))
	}, true
}

// isPlain is the fast path: most text is ASCII, or at least already normal.
func isPlain(s string) bool { return isPlainOf(s, traitsOf(s)) }

// isPlainOf is isPlain for a text whose traits are known.
func isPlainOf(s string, t traits) bool {
	if t&hasHigh == 0 {
		return true
	}
	if t&hasLeads&^settled().leads == 0 && utf8.ValidString(s) {
		return true
	}
	for i := 0; i < len(s); {
		r, width := runeAt(s, i)
		if r >= utf8.RuneSelf && !isSettled(r) {
			return nextInvisible(s, i) == len(s) && norm.NFKC.IsNormalString(s)
		}
		i += width
	}
	return true
}

// runeAt is the character at byte i, and its width, as utf8.DecodeRuneInString has it.
func runeAt(s string, i int) (r rune, width int) {
	switch b := s[i]; {
	case b < utf8.RuneSelf:
		return rune(b), 1
	case b < firstLead:
	case b < 0xe0:
		if i+1 < len(s) && s[i+1]&0xc0 == 0x80 {
			return rune(b&0x1f)<<6 | rune(s[i+1]&0x3f), 2
		}
	case b < 0xf0:
		if i+2 < len(s) && s[i+1]&0xc0 == 0x80 && s[i+2]&0xc0 == 0x80 {
			if r = rune(b&0xf)<<12 | rune(s[i+1]&0x3f)<<6 | rune(s[i+2]&0x3f); r >= 0x800 && (r < 0xd800 || 0xe000 <= r) {
				return r, 3
			}
		}
	}
	return utf8.DecodeRuneInString(s[i:])
}

// isSettled reports whether a character is visible and stays as it is under NFKC,
// whatever stands beside it.
func isSettled(r rune) bool {
	switch {
	case r < settledRunes:
		return settled().near[r]
	case 0x4e00 <= r && r < 0xa000, 0xac00 <= r && r < 0xd7a4: // Han, Hangul syllables
		return true
	}
	return false
}

const settledRunes = 0x3000

// settledCharacters are those of isSettled.
type settledCharacters struct {
	near  [settledRunes]bool
	leads traits // all characters that begin with one of these bytes are settled
}

var settled = sync.OnceValue(func() *settledCharacters {
	var all settledCharacters
	for r := range rune(settledRunes) {
		one := string(r)
		all.near[r] = !Invisible(r) && norm.NFKC.PropertiesString(one).BoundaryBefore() && norm.NFKC.IsNormalString(one)
	}
	all.leads = leads("\u5000\u6000\u7000\u8000\u9000\ub000\uc000")
	for lead := rune(0x80); lead < 0x800; lead += 0x40 {
		if !slices.Contains(all.near[lead:][:0x40], false) {
			all.leads |= leads(string(lead))
		}
	}
	return &all
})

// nextInvisible is where the next Invisible character stands, from byte from on; the
// end of s where there is none.
func nextInvisible(s string, from int) int {
	for i := from; i < len(s); i++ {
		if traitOf[s[i]]&invisibleLeads != 0 {
			if r, _ := runeAt(s, i); Invisible(r) {
				return i
			}
		}
	}
	return len(s)
}

// invisibleLeads are the bytes with which those of Invisible begin.
var invisibleLeads = leads("\u00ad\u034f\u061c\u180e\u200b\ufeff")

// strip removes the invisible characters.
func strip(s string) (string, origin) {
	next := nextInvisible(s, 0)
	if next == len(s) {
		return s, origin{{from: 0, fromEnd: int32(len(s)), to: 0, toEnd: int32(len(s)), wide: 1, long: 1}}
	}
	return drafted(len(s), func(m *draft) {
		for i := 0; ; next = nextInvisible(s, i) {
			if i < next {
				m.runs = m.runs.add(i, next, len(m.text), len(m.text)+next-i, true)
				m.text = append(m.text, s[i:next]...)
			}
			if next == len(s) {
				return
			}
			_, width := runeAt(s, next)
			i = next + width
		}
	})
}

// fold normalises to NFKC, one smallest independent run of characters at a time. its are
// the traits of what becomes of s.
func fold(s string) (folded string, its traits, from origin) {
	folded, from = drafted(len(s), func(m *draft) {
		out, o := m.text, m.runs
		var form foldCache
		for i := 0; i < len(s); {
			end := asciiFrom(s, i)
			if end < len(s) {
				end-- // a mark may follow the last one
			}
			piece, traits := s[i:max(i, end)], traits(0)
			if end > i {
				traits = traitsOf(piece)
			} else {
				var n int
				n, piece = form.next(s[i:])
				end, traits = i+n, form.traits
			}
			if its |= traits; len(out) > 0 {
				its |= gapBetween(out[len(out)-1], piece[0])
			}
			o = o.add(i, end, len(out), len(out)+len(piece), piece == s[i:end])
			out = append(out, piece...)
			if more := again(s[i:], end-i); more > 0 && o[len(o)-1].long > 0 {
				its |= gapBetween(piece[len(piece)-1], piece[0])
				out = appendSeveral(out, piece, more)
				end += more * (end - i)
				o[len(o)-1].fromEnd, o[len(o)-1].toEnd = int32(end), int32(len(out))
			}
			i = end
		}
		m.text, m.runs = out, o
	})
	return folded, its, from
}

// again is how often the n bytes that s begins with stand there again, one behind another,
// each with the same behind it.
func again(s string, n int) int {
	times := 0
	for end := 2 * n; end+n <= len(s) && s[:n] == s[end-n:end] && s[:n] == s[end:end+n]; end += n {
		times++
	}
	return times
}

// appendSeveral appends a piece so many times.
func appendSeveral(out []byte, piece string, times int) []byte {
	from, end := len(out), len(out)+times*len(piece)
	out = append(slices.Grow(out, end-from), piece...)
	for len(out) < end {
		out = append(out, out[from:min(len(out), from+end-len(out))]...)
	}
	return out
}

// asciiFrom is how far s is ASCII from byte i on.
func asciiFrom(s string, i int) int {
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// foldCache remembers single characters and runs of several: preparing the library for
// one costs far more than the one, and a disguised text repeats its alphabet.
type foldCache struct {
	single [256]foldedRune
	runs   [64]foldedRun
	traits traits // of what next gave last
}

type foldedRune struct {
	foldedRun
	of     rune
	begins bool // whether a run begins with it, whatever stands before
}

type foldedRun struct {
	from, to string
	traits   traits // of what it becomes
}

// next is the run of characters that s begins with, its length and what it folds to.
func (c *foldCache) next(s string) (n int, folded string) {
	if first, width := c.of(s); first != nil {
		folded, c.traits = first.to, first.traits
		if width == len(s) || s[width] < utf8.RuneSelf {
			return width, folded
		}
		next, also := c.of(s[width:])
		if next != nil && next.begins {
			return width, folded
		}
		if next != nil { // with one mark, as most are
			n = width + also
			if n < len(s) && s[n] >= utf8.RuneSelf {
				if next, _ = c.of(s[n:]); next == nil || !next.begins {
					n = 0
				}
			}
		}
	}
	if n == 0 {
		n = max(norm.NFKC.NextBoundaryInString(s, true), 1)
	}
	slot := &c.runs[(int(s[0])+31*int(s[n-1])+7*n)%len(c.runs)]
	if slot.from != s[:n] {
		slot.fill(s[:n])
	}
	c.traits = slot.traits
	return n, slot.to
}

// of is the first character of s, until the next call; nil for a broken byte.
func (c *foldCache) of(s string) (*foldedRune, int) {
	r, width := runeAt(s, 0)
	if r == utf8.RuneError && width == 1 {
		return nil, 1
	}
	slot := &c.single[uint32(r)%uint32(len(c.single))]
	if slot.of != r || slot.to == "" {
		slot.fill(s[:width])
		slot.of, slot.begins = r, norm.NFKC.NextBoundaryInString("a"+s[:width], true) == 1
	}
	return slot, width
}

func (f *foldedRun) fill(from string) {
	f.from, f.to = from, norm.NFKC.String(from)
	f.traits = traitsOf(f.to)
}

// origin says where the bytes of a copy came from: runs in order, without gaps
// in the copy.
type origin []run

// run is a stretch of pieces each of which became a piece of the copy; of bytes, where
// nothing changed.
type run struct {
	from, fromEnd int32 // in the source
	to, toEnd     int32 // in the copy
	wide, long    uint8 // how long each piece is there, and here; 0 and 0 for one piece that is longer
}

// draft is memory for a copy and its origin while they are made.
type draft struct {
	text []byte
	runs origin
}

var drafts = NewMemory(func(m *draft) int {
	m.text, m.runs = m.text[:0], m.runs[:0]
	return cap(m.text) + cap(m.runs)*int(unsafe.Sizeof(run{}))
})

// drafted is a copy of the text and the origin that write leaves in its memory, made of a
// text of so many bytes.
func drafted(of int, write func(*draft)) (text string, from origin) {
	drafts.Borrow(of, func(m *draft) {
		write(m)
		text, from = string(m.text), slices.Clone(m.runs)
	})
	return text, from
}

// add appends a piece to the last run, or as a run of its own. same says that nothing
// changed in it.
func (o origin) add(from, fromEnd, to, toEnd int, same bool) origin {
	wide, long := uint8(1), uint8(1)
	if !same {
		wide, long = uint8(fromEnd-from), uint8(toEnd-to)
		if fromEnd-from > math.MaxUint8 || toEnd-to > math.MaxUint8 {
			wide, long = 0, 0
		}
	}
	if n := len(o); n > 0 && long > 0 && o[n-1].wide == wide && o[n-1].long == long && int(o[n-1].fromEnd) == from {
		o[n-1].fromEnd, o[n-1].toEnd = int32(fromEnd), int32(toEnd)
		return o
	}
	return append(o, run{int32(from), int32(fromEnd), int32(to), int32(toEnd), wide, long})
}

// back maps start..end of the copy to the smallest range of the source. Ranges
// outside the copy are cut to it.
func (o origin) back(start, end int) (int, int) {
	if len(o) == 0 {
		return 0, 0
	}
	last := int(o[len(o)-1].toEnd)
	start = min(max(start, 0), last)
	end = min(max(end, start), last)
	first := o[sort.Search(len(o)-1, func(i int) bool { return int(o[i].toEnd) > start })]
	from := int(first.from)
	if first.long > 0 {
		from += (start - int(first.to)) / int(first.long) * int(first.wide)
	}
	if end == start {
		return from, from
	}
	final := o[sort.Search(len(o)-1, func(i int) bool { return int(o[i].toEnd) >= end })]
	to := int(final.fromEnd)
	if final.long > 0 {
		to = int(final.from) + (end-int(final.to)+int(final.long)-1)/int(final.long)*int(final.wide)
	}
	return from, to
}
