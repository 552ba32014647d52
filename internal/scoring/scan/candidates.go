package scan

import (
	"slices"
	"unicode/utf8"
	"unsafe"
)

// Of a text is known where literals stand (places.go). There, an expression is tried
// at its candidates: the places where a match may begin, each by itself. They are where one
// of the literals stands with which every match begins; or those that what is read backwards
// from a literal inside finds, if that stands at fewer places; or where one of the few
// bytes stands that a match may begin with.

// candidates is what one search knows of them.
type candidates struct {
	*scout
	source source
	stand  [][]int32 // in folded, where each of the literals stands from here on
	last   int       // of those, where next was last
	back   unfolding // from there
	near   []near    // of each literal of nearby
	found  []int32   // in the text, by reading backwards
	places []int32   // of those, the ones from here on
	behind int       // in the text, where the last of the bytes ends
	been   visited
}

// source is how they are known.
type source int

const (
	byPrefixes source = iota
	byInner
	byBytes
)

// near is where a literal stands from here on that has to stand near a candidate.
type near struct {
	at         []int32 // in folded
	everywhere bool
}

var unused = NewMemory(func(c *candidates) int {
	clear(c.stand[:cap(c.stand)]) // one alternative may have had more of them than the next
	clear(c.near)
	*c = candidates{stand: c.stand[:0], near: c.near[:0], found: c.found[:0], been: c.been}
	return cap(c.stand)*int(unsafe.Sizeof([]int32{})) + cap(c.near)*int(unsafe.Sizeof(near{})) + 4*cap(c.found) + c.been.size()
})

// noScout is that of a short text, in which there is little to save.
var noScout = &scout{}

// borrow lends use a search that tries candidates, if it is known where literals stand.
func (r *search) borrow(use func()) {
	if r.subject.places == nil {
		use()
		return
	}
	unused.Borrow(len(r.text), func(c *candidates) {
		r.goAlone(c)
		use()
	})
}

// goAlone tries candidates from now on, if they are known and few.
func (r *search) goAlone(c *candidates) {
	known := r.subject.places
	of, asked := known.machine.standing[r.expression]
	if !asked {
		return
	}
	r.alone, c.scout = c, noScout
	if !known.short {
		c.scout = r.scout()
	}
	r.room = 128 + len(r.text)/32 // RE2 would cost more
	c.been.begin(len(r.text))
	if !c.find(r, known, of) {
		r.leave()
	}
}

// leave ends that.
func (r *search) leave() { r.alone, r.room = nil, r.fresh() }

// find reports whether the candidates are known and few.
func (c *candidates) find(r *search, known *places, of standing) bool {
	const dearer = 3 // than trying is reading backwards first
	begins, atBegin := known.count(of.prefixes)
	holds, inside := 0, len(c.before) > 0
	for _, literals := range of.inner {
		n, ok := known.count(literals)
		holds, inside = holds+n, inside && ok
	}
	most := mostPlaces(len(r.text))
	if inside && holds < most && (!atBegin || dearer*holds < begins) {
		return c.readBack(r, known, of.inner)
	}
	if atBegin && begins < most {
		c.takePrefixes(known, of)
		return true
	}
	c.source = byBytes
	return !known.short && known.countBytes(&c.first) < most
}

// takePrefixes has the literals with which a match begins say where.
func (c *candidates) takePrefixes(known *places, of standing) {
	c.source = byPrefixes
	c.take(known, of.prefixes)
	for _, condition := range of.near {
		for _, l := range condition {
			at, ok := known.of(l)
			c.near = append(c.near, near{at, !ok})
		}
	}
}

// take begins with the places of literals.
func (c *candidates) take(known *places, literals []uint32) {
	c.stand, c.last, c.back = c.stand[:0], -1, 0
	for _, l := range literals {
		at, _ := known.of(l)
		c.stand = append(c.stand, at)
	}
}

// readBack finds the candidates before the literals inside. It reports whether that was
// worth it.
func (c *candidates) readBack(r *search, known *places, inner [][]uint32) bool {
	c.source = byInner
	for i, before := range c.before {
		c.take(known, inner[i])
		for at, _ := c.next(r); at >= 0; at, _ = c.next(r) {
			var ok bool
			if c.found, ok = r.beginsBefore(before, at, c.found); !ok || r.tooMuch() {
				return false
			}
		}
	}
	slices.Sort(c.found)
	c.places = slices.Compact(c.found)
	return true
}

// tooMuch reports whether the text was read twice.
func (r *search) tooMuch() bool { return r.read > shortText+2*len(r.text) }

// next is the next place of the literals, in the text and in folded; -1 where there is none.
func (c *candidates) next(r *search) (at, folded int) {
	folded = len(r.subject.folded)
	for i, here := range c.stand {
		if len(here) > 0 && int(here[0]) == c.last {
			here = here[1:]
			c.stand[i] = here
		}
		if len(here) > 0 {
			folded = min(folded, int(here[0]))
		}
	}
	if c.last = folded; folded == len(r.subject.folded) {
		return -1, -1
	}
	return c.back.inText(r.subject.moved, folded), folded
}

// nextByte is the next place of one of the first bytes, from byte at on.
func (c *candidates) nextByte(text string, at int) int {
	for i := max(c.behind, at); i < len(text); {
		if text[i] < utf8.RuneSelf && !c.first[text[i]] {
			i++
			continue
		}
		here := i
		_, width := runeAt(text, i)
		if i += width; c.first[text[here]] {
			c.behind = i
			return here
		}
	}
	return -1
}

// candidate is the next one from byte at on; -1 where there is none.
func (r *search) candidate(at int, first bool) int {
	c := r.alone
	for {
		begin, folded := -1, -1
		switch c.source {
		case byPrefixes:
			begin, folded = c.next(r)
		case byInner:
			if len(c.places) > 0 {
				begin, c.places = int(c.places[0]), c.places[1:]
			}
		case byBytes:
			begin = c.nextByte(r.text, at)
		}
		if begin < 0 || begin >= at && r.mayBegin(begin, first || begin > at) && (folded < 0 || c.isNear(r, folded)) {
			return begin
		}
	}
}

// isNear reports whether what stands near the beginning of each match stands near this
// place. The places come in order, so each list is gone through once.
func (c *candidates) isNear(r *search, folded int) bool {
	k := 0
	for _, condition := range r.expression.nearby {
		found := false
		for _, l := range condition {
			n := &c.near[k]
			k++
			for len(n.at) > 0 && int(n.at[0]) < folded {
				n.at = n.at[1:]
			}
			found = found || n.everywhere || len(n.at) > 0 && int(n.at[0]) <= folded+l.ahead
		}
		if !found {
			return false
		}
	}
	return true
}

// try is next for candidates. Where too much is read twice, it gives them up.
func (r *search) try(at int, first bool) (begin, end int, ok bool) {
	for {
		if begin = r.candidate(at, first); begin < 0 {
			return -1, -1, true
		}
		if r.tooMuch() {
			return -1, -1, false
		}
		first, been := first || begin > at, &r.alone.been
		if relaxed := r.alone.relaxed; relaxed != nil {
			if end, ok = r.endOf(relaxed, begin, first, true, been); ok && end < 0 {
				continue
			}
			been = nil // that of the other automaton
		}
		if end, ok = r.endOf(r.forward, begin, first, r.shortly, been); !ok || end >= 0 {
			return begin, end, ok
		}
	}
}
