package scan

import (
	"strings"
	"unicode"
)

// What \s and \w mean in every expression, as RE2
// classes. RE2's own are ASCII only, so that a no-break space between "rm" and
// "-rf" would hide it.
const (
	SpaceSet = `\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`
	WordSet  = `\p{L}_\p{N}`

	Space    = `[` + SpaceSet + `]`
	NotSpace = `[^` + SpaceSet + `]`
	Word     = `[` + WordSet + `]`
	NotWord  = `[^` + WordSet + `]`

	// Before and After stand where \b begins or ends an expression. They take the
	// neighbouring character into the match; Compile gives ranges without it.
	Before = `(?:\A|` + NotWord + `)`
	After  = `(?:` + NotWord + `|\z)`
)

// IsWord reports whether r is in Word.
func IsWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.N, r) }

// FoldRune takes a letter to the lower-case ASCII letter that it folds onto:
// A to Z, and the four that are not ASCII, ſ (U+017F) onto s, K (U+212A) onto k,
// İ (U+0130) and ı (U+0131) onto i. Everything else stays itself.
func FoldRune(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r == 'ſ':
		return 's'
	case r == '\u212a':
		return 'k'
	case r == 'İ' || r == 'ı':
		return 'i'
	}
	return r
}

// Fold is FoldRune on each character. It is for looking things up, never for
// what is shown, and ranges in it are not ranges in s.
func Fold(s string) string { return strings.Map(FoldRune, s) }
