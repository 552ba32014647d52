package scan

import (
	"regexp/syntax"
	"unicode/utf8"
)

// Of a long text is known where literals stand. There, an expression that begins with one of
// a few literals is tried at its candidates, the places where one of them stands, each by
// itself. A text in which hundreds of expressions may find something is not read hundreds of
// times then.

// candidates is what one search knows of them.
type candidates struct {
	*places
	standing
	here [][]int32 // for each of the literals, the places from here on
	near [][][]int32
	last int // the place where next was last, in folded
	back unfolding
}

// often is how many times a text is read for candidates at most.
const often = 8

// candidatesOf are those of a search; nil where they are not known or too many.
func (s *searcher) candidatesOf(subject Subject) *candidates {
	if subject.places == nil {
		return nil
	}
	of, asked := subject.places.of[s.expression]
	if !asked || len(of.prefixes) == 0 {
		return nil
	}
	c := &candidates{places: subject.places, standing: of, last: -1}
	all := 0
	for _, l := range of.prefixes {
		if all += len(c.at[l]); all > c.most {
			return nil
		}
		c.here = append(c.here, c.at[l])
	}
	for _, condition := range of.nearby {
		var near [][]int32
		for _, l := range condition {
			near = append(near, c.at[l])
		}
		c.near = append(c.near, near)
	}
	return c
}

// next is the next place, in the text and in folded; -1 where there is none.
func (c *candidates) next(s Subject) (at, folded int) {
	folded = len(s.folded)
	for i, here := range c.here {
		if len(here) > 0 && int(here[0]) == c.last {
			here = here[1:]
			c.here[i] = here
		}
		if len(here) > 0 {
			folded = min(folded, int(here[0]))
		}
	}
	if c.last = folded; folded == len(s.folded) {
		return -1, -1
	}
	return c.back.inText(s.moved, folded), folded
}

// isNear reports whether what stands near the beginning of each match stands near this
// place. The places come in order, so each list is gone through once.
func (c *candidates) isNear(r *Regexp, folded int) bool {
	for k, condition := range r.nearby {
		found := false
		for n, l := range condition {
			at := c.near[k][n]
			for len(at) > 0 && int(at[0]) < folded {
				at = at[1:]
			}
			c.near[k][n] = at
			found = found || !c.known(c.nearby[k][n]) || len(at) > 0 && int(at[0]) <= folded+l.ahead
		}
		if !found {
			return false
		}
	}
	return true
}

// try is search.next for candidates. ok is false where too much was read twice.
func (r *search) try(at int, first bool) (begin, end int, ok bool) {
	for {
		begin, folded := r.alone.next(r.subject)
		switch {
		case begin < 0:
			return -1, -1, true
		case begin < at || !r.mayBegin(begin, first || begin > at) || !r.alone.isNear(r.expression, folded):
			continue
		case r.read > often*len(r.text):
			return -1, -1, false
		}
		first := first || begin > at
		if r.loose != nil {
			if end, ok = r.endOf(r.loose.forward, begin, first, true); ok && end < 0 {
				continue
			}
		}
		if end, ok = r.endOf(r.forward, begin, first, r.shortly); !ok || end >= 0 {
			return begin, end, ok
		}
	}
}

// A repetition that is counted has a state for each number of times, and for each of
// everything else that may happen meanwhile. Without the count there are few, and what does
// not match then does not match with it either.

// newLoose finds what an expression finds whose repetitions have no end; nil where none is
// counted far.
func newLoose(r *Regexp, core string, after bool) *searcher {
	tree, err := syntax.Parse(core, syntax.Perl)
	if err != nil || !loosen(tree) {
		return nil
	}
	return newSearcher(r, tree.String(), after)
}

// loosen takes the ends off, and reports whether there were some.
func loosen(re *syntax.Regexp) (any bool) {
	const few = 8
	for _, sub := range re.Sub {
		any = loosen(sub) || any
	}
	if re.Op == syntax.OpRepeat && re.Max-re.Min > few {
		re.Max, any = -1, true
	}
	return any
}

// tryLoose is search.next where candidates are what the loose expression finds.
func (r *search) tryLoose(at int, first bool) (begin, end int, ok bool) {
	loose := *r
	loose.searcher, loose.shortly = r.loose, false
	for {
		if begin, end, ok = loose.found(at, first); !ok || end < 0 {
			return begin, end, ok
		}
		if r.read += end - at; r.read > often*len(r.text) {
			return -1, -1, false
		}
		if end, ok = r.endOf(r.forward, begin, first || begin > at, r.shortly); !ok || end >= 0 {
			return begin, end, ok
		}
		_, width := utf8.DecodeRuneInString(r.text[begin:])
		at, first = begin+width, true
	}
}
