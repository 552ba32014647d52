package scan

import (
	"encoding/binary"
	"strings"
)

// Subject is a text made ready for many expressions.
type Subject struct {
	text   string
	folded string // Fold of it, to look for literals
	moved  []move // where folded is shorter
	traits traits
	asked  bool    // a Prefilter was asked already, so that no literal need be looked for
	places *places // in a long text, what that found; nil where nobody asked
}

// move says that from this byte of folded on, text is ahead by so many bytes.
type move struct{ folded, ahead int }

// unfolding is the way from folded to the text, for places in order: how many of moved lie
// behind.
type unfolding int

// inText is where a byte of folded stands in the text.
func (u *unfolding) inText(moved []move, folded int) int {
	for int(*u) < len(moved) && moved[*u].folded <= folded {
		*u++
	}
	if *u == 0 {
		return folded
	}
	return folded + moved[*u-1].ahead
}

// NewSubject makes s ready.
func NewSubject(s string) Subject { return newSubject(s, traitsOf(s)) }

// foldedAway are the letters beyond ASCII that fold onto ASCII.
const foldedAway = "ſ\u212aİı"

var foldedAwayLeads = leads(foldedAway)

// newSubject is NewSubject for a text whose traits are known.
func newSubject(s string, t traits) Subject {
	subject := Subject{text: s, folded: s, traits: t}
	if t&foldedAwayLeads != 0 && holdsAny(s, foldedAway) {
		subject.shorten()
	} else if t&hasUpper != 0 {
		subject.folded = lower(s)
	}
	return subject
}

// holdsAny reports whether one of the characters stands in s.
func holdsAny(s, characters string) bool {
	for _, r := range characters {
		if strings.ContainsRune(s, r) {
			return true
		}
	}
	return false
}

// shorten folds a text in which letters become shorter.
func (s *Subject) shorten() {
	text, copied := lower(s.text), 0
	folded := make([]byte, 0, len(text))
	for i := range len(text) {
		if traitOf[text[i]]&foldedAwayLeads == 0 {
			continue
		}
		r, width := runeAt(text, i)
		if f := FoldRune(r); f != r {
			folded = append(append(folded, text[copied:i]...), byte(f)) // always ASCII
			copied = i + width
			s.moved = append(s.moved, move{len(folded), copied - len(folded)})
		}
	}
	s.folded = string(append(folded, text[copied:]...))
}

// lower is s with A to Z in lower case.
func lower(s string) string {
	var (
		b     strings.Builder
		piece [64]byte
	)
	b.Grow(len(s))
	for n := 0; len(s) > 0; s = s[n:] {
		n = copy(piece[:], s)
		for k := 0; k < n; k += 8 {
			binary.LittleEndian.PutUint64(piece[k:], lowerEight(binary.LittleEndian.Uint64(piece[k:])))
		}
		b.Write(piece[:n])
	}
	return b.String()
}

// lowerEight is lower for eight bytes at once.
func lowerEight(w uint64) uint64 {
	const each, top = 0x0101010101010101, 0x8080808080808080
	low := w &^ top
	upper := (low + (0x80-'A')*each) &^ (low + (0x7f-'Z')*each) &^ w & top
	return w | upper>>2
}

// IsASCII reports whether the text is ASCII.
func (s Subject) IsASCII() bool { return s.traits&hasHigh == 0 }

// MayHold reports whether the byte may stand in the text; false is certain. It knows the
// ten digits as one, and of the other bytes some: those of traitOf.
func (s Subject) MayHold(c byte) bool { return traitOf[c] == 0 || s.traits&traitOf[c] != 0 }

// String is the text.
func (s Subject) String() string { return s.text }

// fulfils reports whether a match is possible as far as is known (needs).
func (s Subject) fulfils(conditions [][]literal) bool {
	if s.asked {
		return true
	}
	for _, c := range conditions {
		if !s.holdsOne(c) {
			return false
		}
	}
	return true
}

func (s Subject) holdsOne(literals []literal) bool {
	for _, l := range literals {
		if strings.Contains(s.folded, l.text) {
			return true
		}
	}
	return false
}
