package scan

import (
	"strings"
	"unicode/utf8"
)

// Subject is a text made ready for many expressions.
type Subject struct {
	text   string
	folded string // Fold of it, to look for literals
	moved  []move // where folded is shorter
	ascii  bool
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

// foldedAway are the letters beyond ASCII that fold onto ASCII.
const foldedAway = "ſ\u212aİı"

// NewSubject makes s ready.
func NewSubject(s string) Subject {
	subject := Subject{text: s, folded: lower(s), ascii: isASCII(s)}
	if !subject.ascii && strings.ContainsAny(s, foldedAway) {
		subject.shorten()
	}
	return subject
}

// shorten folds the letters that become shorter.
func (s *Subject) shorten() {
	text, copied := s.folded, 0
	folded := make([]byte, 0, len(text))
	for i, r := range text {
		if f := FoldRune(r); r >= utf8.RuneSelf && f != r {
			folded = append(append(folded, text[copied:i]...), byte(f)) // always ASCII
			copied = i + utf8.RuneLen(r)
			s.moved = append(s.moved, move{len(folded), copied - len(folded)})
		}
	}
	s.folded = string(append(folded, text[copied:]...))
}

// lower is s with A to Z in lower case.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// IsASCII reports whether the text is ASCII.
func (s Subject) IsASCII() bool { return s.ascii }

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
