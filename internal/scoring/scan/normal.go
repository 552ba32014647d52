package scan

import (
	"math"
	"slices"
	"sort"
	"strings"
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
	if isPlain(s) {
		return s, identity, false
	}
	stripped, kept := strip(s)
	normal, folded := fold(stripped)
	if normal == s {
		return s, identity, false
	}
	return normal, func(start, end int) (int, int) {
		return kept.back(folded.back(start, end))
	}, true
}

// isPlain is the fast path: most text is ASCII, or at least already normal.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if b := s[i]; b >= utf8.RuneSelf {
			if r, width := twoBytes(s, i); width > 0 && settled()[r] {
				i++
				continue
			}
			r, width := utf8.DecodeRuneInString(s[i:])
			if !isSettled(r) {
				return strings.IndexFunc(s[i:], Invisible) < 0 && norm.NFKC.IsNormalString(s)
			}
			i += width - 1
		}
	}
	return true
}

// twoBytes is the character at byte i if it has two bytes; the width is 0 if not.
func twoBytes(s string, i int) (r rune, width int) {
	if b := s[i]; 0xc2 <= b && b < 0xe0 && i+1 < len(s) && s[i+1]&0xc0 == 0x80 {
		return rune(b&0x1f)<<6 | rune(s[i+1]&0x3f), 2
	}
	return 0, 0
}

// isSettled reports whether a character is visible and stays as it is under NFKC,
// whatever stands beside it.
func isSettled(r rune) bool {
	switch {
	case r < settledRunes:
		return settled()[r]
	case 0x4e00 <= r && r < 0xa000, 0xac00 <= r && r < 0xd7a4: // Han, Hangul syllables
		return true
	}
	return false
}

const settledRunes = 0x3000

var settled = sync.OnceValue(func() *[settledRunes]bool {
	var all [settledRunes]bool
	for r := range rune(settledRunes) {
		one := string(r)
		all[r] = !Invisible(r) && norm.NFKC.PropertiesString(one).BoundaryBefore() && norm.NFKC.IsNormalString(one)
	}
	return &all
})

// strip removes the invisible characters.
func strip(s string) (string, origin) {
	if strings.IndexFunc(s, Invisible) < 0 {
		return s, origin{{from: 0, fromEnd: int32(len(s)), to: 0, toEnd: int32(len(s)), wide: 1, long: 1}}
	}
	return drafted(len(s), func(m *draft) {
		for i := 0; i < len(s); {
			r, width := utf8.DecodeRuneInString(s[i:])
			if !Invisible(r) {
				m.runs = m.runs.add(i, i+width, len(m.text), len(m.text)+width, true)
				m.text = append(m.text, s[i:i+width]...)
			}
			i += width
		}
	})
}

// fold normalises to NFKC, one smallest independent run of characters at a time.
func fold(s string) (string, origin) {
	return drafted(len(s), func(m *draft) {
		out, o := m.text, m.runs
		var form foldCache
		for i := 0; i < len(s); {
			n, folded := 1, s[i:i+1]
			if s[i] >= utf8.RuneSelf || i+1 < len(s) && s[i+1] >= utf8.RuneSelf {
				n, folded = form.next(s[i:])
			}
			o = o.add(i, i+n, len(out), len(out)+len(folded), folded == s[i:i+n])
			out = append(out, folded...)
			i += n
		}
		m.text, m.runs = out, o
	})
}

// foldCache remembers single characters and runs of several: preparing the library for
// one costs far more than the one, and a disguised text repeats its alphabet.
type foldCache struct {
	single [256]foldedRune
	runs   [64]struct{ from, to string }
}

type foldedRune struct {
	from, to string
	valid    bool // it is no broken byte
	begins   bool // whether a run begins with it, whatever stands before
}

// next is the run of characters that s begins with, its length and what it folds to.
func (c *foldCache) next(s string) (n int, folded string) {
	first, width := c.of(s)
	if first.valid && (width == len(s) || s[width] < utf8.RuneSelf) {
		return width, first.to
	}
	if first.valid {
		next, also := c.of(s[width:])
		if next.begins {
			return width, first.to
		}
		if next.valid { // with one mark, as most are
			n = width + also
			if n < len(s) && s[n] >= utf8.RuneSelf {
				if next, _ = c.of(s[n:]); !next.valid || !next.begins {
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
		slot.from, slot.to = s[:n], norm.NFKC.String(s[:n])
	}
	return n, slot.to
}

// of is the first character of s.
func (c *foldCache) of(s string) (foldedRune, int) {
	r, width := utf8.DecodeRuneInString(s)
	slot := &c.single[uint32(r)%uint32(len(c.single))]
	if one := s[:width]; slot.from != one {
		valid := r != utf8.RuneError || width > 1
		*slot = foldedRune{one, norm.NFKC.String(one), valid, valid && norm.NFKC.NextBoundaryInString("a"+one, true) == 1}
	}
	return *slot, width
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
