package scan

import (
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/unicode/norm"
)

// Invisible reports whether r is one of the characters that a person does not see and
// Normal removes: all that Unicode calls default ignorable (soft hyphen, grapheme joiner,
// zero-width and bidirectional controls, variation selectors, fillers, tags).
func Invisible(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true
	case r < 0x3000:
		return 0x180b <= r && r <= 0x180f || 0x200b <= r && r <= 0x200f || 0x202a <= r && r <= 0x202e || 0x2060 <= r && r <= 0x206f
	}
	return 0xfe00 <= r && r <= 0xfe0f || 0xfff0 <= r && r <= 0xfff8 ||
		0x1bca0 <= r && r <= 0x1bca3 || 0x1d173 <= r && r <= 0x1d17a || 0xe0000 <= r && r <= 0xe0fff
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
	for i := from; i < len(s); {
		r, width := runeAt(s, i)
		if r >= utf8.RuneSelf && Invisible(r) {
			return i
		}
		i += width
	}
	return len(s)
}

// strip removes the invisible characters.
func strip(s string) (string, origin) {
	next := nextInvisible(s, 0)
	if next == len(s) {
		return s, origin(nil).add(0, len(s), 0, len(s), true)
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
		f := folder{text: s, out: m.text, runs: m.runs}
		for i := 0; i < len(s); {
			if end := asciiFrom(s, i); end == len(s) || end > i+1 {
				if end < len(s) {
					end-- // a mark may follow the last one
				}
				f.write(i, end-i, 1, foldedRun{to: s[i:end], traits: traitsOf(s[i:end]), same: true})
				i = end
				continue
			}
			i = f.letters(i)
		}
		its, m.text, m.runs = f.its, f.out, f.runs
	})
	return folded, its, from
}

// folder is a pass of fold.
type folder struct {
	text  string
	out   []byte
	runs  origin
	its   traits
	known foldCache
}

// write appends what a run of so many bytes becomes that stands there so many times.
func (f *folder) write(from, wide, times int, run foldedRun) {
	f.its |= run.traits
	if len(f.out) > 0 {
		f.its |= gapBetween(f.out[len(f.out)-1], run.to[0])
	}
	if times > 1 {
		f.its |= gapBetween(run.to[len(run.to)-1], run.to[0])
	}
	if run.same {
		f.runs = f.runs.addSeveral(from, 1, 1, times*wide)
	} else {
		f.runs = f.runs.addSeveral(from, wide, len(run.to), times)
	}
	start := len(f.out)
	f.out = append(f.out, run.to...)
	for end := start + times*len(run.to); len(f.out) < end; {
		f.out = append(f.out, f.out[start:min(len(f.out), start+end-len(f.out))]...)
	}
}

// letters folds the character at byte i and those behind it, up to ASCII or to a run of
// several. It returns where it stopped.
func (f *folder) letters(i int) int {
	one, r, width := foldedAt(f.text, i)
	for one != nil {
		run, times, end := one.run(f.text[i:i+width]), 1, i+width
		for {
			if end == len(f.text) || f.text[end] < utf8.RuneSelf {
				f.write(i, width, times, run)
				return end
			}
			next, other, also := foldedAt(f.text, end)
			if next == nil || !next.begins { // it belongs to the one before it, or may do so
				if times > 1 {
					f.write(i, width, times-1, run)
				}
				return f.several(end - width)
			}
			if other != r {
				f.write(i, width, times, run)
				i, one, r, width = end, next, other, also
				break
			}
			times, end = times+1, end+width
		}
	}
	return f.several(i)
}

// several folds the run at byte i, and the same behind it.
func (f *folder) several(i int) int {
	n, run := f.known.run(f.text[i:])
	times := 1 + again(f.text[i:], n)
	f.write(i, n, times, run)
	return i + n*times
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

// asciiFrom is how far s is ASCII from byte i on.
func asciiFrom(s string, i int) int {
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// foldedRune is what becomes of a character that stands alone.
type foldedRune struct {
	to     string // empty where it stays as it is
	traits traits // of that
	begins bool   // whether a run begins with it, whatever stands before
}

// foldedBlock are those of neighbours.
type foldedBlock [blockRunes]foldedRune

// foldedBlocks are made when somebody asks for the first time. Those of most scripts are
// stays, in which nothing happens.
var (
	foldedBlocks [(utf8.MaxRune + 1) / blockRunes]atomic.Pointer[foldedBlock]
	stays        = func() (b foldedBlock) {
		for i := range b {
			b[i].begins = true
		}
		return b
	}()
)

// foldedAt is the character at byte i; nil for a broken byte.
func foldedAt(s string, i int) (one *foldedRune, r rune, width int) {
	r, width = runeAt(s, i)
	if r == utf8.RuneError && width == 1 {
		return nil, r, width
	}
	b := foldedBlocks[r/blockRunes].Load()
	if b == nil {
		b = newFoldedBlock(r / blockRunes)
	}
	return &b[r%blockRunes], r, width
}

func newFoldedBlock(number rune) *foldedBlock {
	b := &foldedBlock{}
	for i := range b {
		from := string(number*blockRunes + rune(i))
		b[i].begins = norm.NFKC.NextBoundaryInString("a"+from, true) == 1
		if to := norm.NFKC.String(from); to != from {
			b[i].to, b[i].traits = to, traitsOf(to)
		}
	}
	if *b == stays {
		b = &stays
	}
	foldedBlocks[number].Store(b)
	return b
}

// run is the character, which is from, as a run.
func (o *foldedRune) run(from string) foldedRun {
	if o.to == "" {
		return foldedRun{from: from, to: from, same: true, traits: traitOf[from[0]]}
	}
	return foldedRun{from: from, to: o.to, traits: o.traits}
}

type foldedRun struct {
	from, to string
	same     bool   // they are
	traits   traits // of what it becomes
}

// foldCache remembers runs of several characters: preparing the library for one costs far
// more than the one, and a disguised text repeats its alphabet.
type foldCache [64]foldedRun

// next is the run of characters that s begins with, its length and what it folds to.
func (c *foldCache) next(s string) (n int, folded string) {
	n, run := c.run(s)
	return n, run.to
}

// run is the run of characters that s begins with, and its length.
func (c *foldCache) run(s string) (n int, run foldedRun) {
	if first, _, width := foldedAt(s, 0); first != nil {
		if width == len(s) || s[width] < utf8.RuneSelf {
			return width, first.run(s[:width])
		}
		next, _, also := foldedAt(s, width)
		if next != nil && next.begins {
			return width, first.run(s[:width])
		}
		if next != nil { // with one mark, as most are
			n = width + also
			if n < len(s) && s[n] >= utf8.RuneSelf {
				if next, _, _ = foldedAt(s, n); next == nil || !next.begins {
					n = 0
				}
			}
		}
	}
	if n == 0 {
		n = max(norm.NFKC.NextBoundaryInString(s, true), 1)
	}
	slot := &c[(int(s[0])+31*int(s[n-1])+7*n)%len(c)]
	if slot.from != s[:n] {
		to := norm.NFKC.String(s[:n])
		*slot = foldedRun{from: s[:n], to: to, same: to == s[:n], traits: traitsOf(to)}
	}
	return n, *slot
}

// draft is memory for a copy and its origin while they are made.
type draft struct {
	text []byte
	runs origin
}

var drafts = NewMemory(func(m *draft) int {
	m.text, m.runs = m.text[:0], m.runs[:0]
	return cap(m.text) + cap(m.runs)*int(unsafe.Sizeof(uint32(0)))
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
