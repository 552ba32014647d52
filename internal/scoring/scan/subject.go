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
	asked  bool   // a Prefilter was asked already, so that no literal need be looked for
}

// move says that from this byte of folded on, text is ahead by so many bytes.
type move struct{ folded, ahead int }

// NewSubject makes s ready.
func NewSubject(s string) Subject {
	subject := Subject{text: s, folded: s}
	ascii := true
	for i := 0; i < len(s) && ascii; i++ {
		ascii = s[i] < utf8.RuneSelf
	}
	if ascii {
		subject.folded = strings.ToLower(s)
		return subject
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return FoldRune(r) != r }) {
		return subject
	}
	folded := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, width := utf8.DecodeRuneInString(s[i:])
		if f := FoldRune(r); f != r {
			folded = append(folded, byte(f)) // always ASCII
		} else {
			folded = append(folded, s[i:i+width]...) // a broken byte stays one
		}
		i += width
		if ahead := i - len(folded); width > 1 && ahead != subject.ahead() {
			subject.moved = append(subject.moved, move{len(folded), ahead})
		}
	}
	subject.folded = string(folded)
	return subject
}

func (s Subject) ahead() int {
	if len(s.moved) == 0 {
		return 0
	}
	return s.moved[len(s.moved)-1].ahead
}

// String is the text.
func (s Subject) String() string { return s.text }

// fulfils reports whether a match is possible as far as is known (needs).
func (s Subject) fulfils(conditions [][]string) bool {
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

func (s Subject) holdsOne(literals []string) bool {
	for _, l := range literals {
		if strings.Contains(s.folded, l) {
			return true
		}
	}
	return false
}
