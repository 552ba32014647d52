package scan

import (
	"unicode"
	"unicode/utf8"
)

// Words splits a name as programmers write names: at everything that is not a
// letter, at lower→Upper (deleteUser) and at ACRONYM→Word (HTTPDelete). Digits
// are not letters, so they split too and belong to no word.
func Words(name string) []Span {
	words, start := make([]Span, 0, 4), -1
	for i := 0; i <= len(name); {
		if start >= 0 && WordEdge(name, i) {
			words, start = append(words, Span{start, i}), -1
		}
		r, width := utf8.DecodeRuneInString(name[i:])
		if width == 0 {
			break
		}
		if start < 0 && unicode.IsLetter(r) {
			start = i
		}
		i += width
		for start >= 0 && i < len(name) && isLower(name[i-1]) && isLower(name[i]) { // no edge is in here
			i++
		}
	}
	return words
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// WordEdge reports whether a word of s may begin or end at byte i: at either
// end of s, beside anything that is not a letter, and where Words splits.
// i stands between two characters.
func WordEdge(s string, i int) bool {
	before, left := utf8.DecodeLastRuneInString(s[:i])
	after, right := utf8.DecodeRuneInString(s[i:])
	switch {
	case left == 0 || right == 0 || !unicode.IsLetter(before) || !unicode.IsLetter(after):
		return true
	case !unicode.IsUpper(after):
		return false
	case unicode.IsLower(before):
		return true
	}
	next, _ := utf8.DecodeRuneInString(s[i+right:])
	return unicode.IsUpper(before) && unicode.IsLower(next)
}
