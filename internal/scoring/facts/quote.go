package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// What an agent wrote stands in a sentence as a value, and never reads as words of ours:
// "Delete user usr_123", but `Delete user "usr_123, safe to approve"`.

const (
	maxEnvironment = 40  // characters of the name of an environment that needs no quotes
	maxFunction    = 100 // and of that of a function
)

// quoted is a value for a sentence: as it is where it is one word, else in quotes.
func quoted(value string) string { return inQuotes(value, maxShown, isOneWord(value)) }

// environmentNamed is an environment for a sentence, where it may stand without quotes
// only if it can be nothing but a name.
func environmentNamed(name string) string {
	return inQuotes(name, maxShown, utf8.RuneCountInString(name) <= maxEnvironment && consistsOf(name, "-_."))
}

// functionNamed is a function's name for a sentence.
func functionNamed(name string) string { return inQuotes(name, maxShown, isIdentifier(name)) }

// inQuotes puts a value that is not plain between quotes, out of which it cannot break.
func inQuotes(value string, most int, plain bool) string {
	value = legible(shorten(value, most))
	if plain || value == "" {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// isOneWord reports whether nothing in a value parts words or ends quotes, seen or unseen.
// Numbers are one, however they are grouped: "+41 44 668 18 00".
func isOneWord(value string) bool {
	const blank = 0x2800 // a Braille pattern without a dot
	if strings.Trim(value, "0123456789+-./() ") == "" {
		return strings.TrimSpace(value) != ""
	}
	return !strings.ContainsFunc(value, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Z, r) || scan.Invisible(r) || r == blank || r == unicode.ReplacementChar-1 || r == 0x1d159 || strings.ContainsRune("\"“”„«»‟", r)
	})
}

// isIdentifier reports whether a function's name is one as programs have it: words of
// letters and digits, parted by single marks.
func isIdentifier(name string) bool {
	return utf8.RuneCountInString(name) <= maxFunction && consistsOf(name, "_-.:/$")
}

// consistsOf reports whether a name is of letters, digits and these marks, and has a letter
// or digit.
func consistsOf(name, marks string) bool {
	some := false
	for _, r := range name {
		switch {
		case scan.Invisible(r):
			return false
		case unicode.IsLetter(r), unicode.IsDigit(r):
			some = true
		case unicode.IsMark(r) && some:
		case !strings.ContainsRune(marks, r):
			return false
		}
	}
	return some
}
