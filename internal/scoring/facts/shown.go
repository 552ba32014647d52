package facts

import (
	"slices"
	"strings"
	"unicode"

	"github.com/countersign/countersign/internal/scoring/call"
)

// maxShown is how many characters of a value a sentence shows; a longer one is
// cut in its middle. The fact has all of it.
const maxShown = 80

// IsProduction reports whether the name of an environment means production:
// production or live, or prod between other words.
func IsProduction(environment string) bool {
	return slices.ContainsFunc(call.Words(environment), func(w string) bool {
		return w == "prod" || w == "production" || w == "live" || w == "prd"
	})
}

// Shown is a value as every sentence shows it: on one line, and of a value longer
// than 80 characters the beginning and the end.
func Shown(value string) string { return shown(value) }

func shown(value string) string { return legible(shorten(value, maxShown)) }

// legible replaces what would break the line by its picture.
func legible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return 0x2421
		case unicode.IsControl(r), r == 0x2028, r == 0x2029:
			return 0x2424
		}
		return r
	}, s)
}
