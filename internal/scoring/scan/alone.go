package scan

import (
	"slices"
	"strings"
)

// In a long text, an expression of which few literals are known with which a match begins
// is tried where these stand, each place by itself. What is in the middle of several
// matches at once has many states, and counted repetitions ([^\n]{0,160}) have them
// without an end.

// nearby are the conditions whose literals stand near the beginning of a match, but not at
// it.
func nearby(needs [][]literal) (near [][]literal) {
	for _, c := range needs {
		isFar := func(l literal) bool { return l.ahead >= far }
		isBehind := func(l literal) bool { return l.ahead > 0 }
		if !slices.ContainsFunc(c, isFar) && slices.ContainsFunc(c, isBehind) {
			near = append(near, c)
		}
	}
	return near
}

// goAlone tries the places where a match may begin one by one from now on.
func (r *search) goAlone() {
	r.alone, r.tried = true, true
	r.starts.begin(r.subject, r.prefixes)
	n := 0
	for _, c := range r.nearby {
		n += len(c)
	}
	r.comes = slices.Repeat([]int{-1}, n)
	r.room = 128 + len(r.text)/32 // RE2 would cost more
}

// try is next for places that are tried one by one. Where they stand too close to each
// other, or too much was read twice, it gives that up.
func (r *search) try(at int, first bool) (begin, end int, ok bool) {
	for {
		if begin, ok = r.starts.next(); !ok {
			return -1, -1, true
		}
		if begin < at || !r.mayBegin(begin, first || begin > at) {
			continue
		}
		r.jumped++
		if r.jumped > enoughJumps && begin < shortJump*r.jumped || r.read > 2*len(r.text) {
			r.alone, r.room = false, r.fresh()
			return -1, -1, false
		}
		if !r.near() {
			continue
		}
		if end, ok = r.end(begin, first || begin > at, true); !ok || end >= 0 {
			return begin, end, ok
		}
	}
}

// near reports whether what stands near the beginning of each match stands near the last
// place that starts gave. Each literal is looked for once in all of the text, because the
// places come in order.
func (r *search) near() bool {
	folded, from := r.subject.folded, r.starts.last
	k := 0
	for _, c := range r.nearby {
		found := false
		for _, l := range c {
			if r.comes[k] < from {
				r.comes[k] = len(folded)
				if n := strings.Index(folded[from:], l.text); n >= 0 {
					r.comes[k] = from + n
				}
			}
			found = found || r.comes[k] < len(folded) && r.comes[k] <= from+l.ahead
			k++
		}
		if !found {
			return false
		}
	}
	return true
}
