package texts

import (
	"fmt"
	"strconv"
)

// Phrase is a text that comes from below, where nobody knows of languages: a refusal,
// what an event of the audit trail says. Its format is a key of the catalogue, and an
// argument may be a Phrase again.
type Phrase interface {
	Phrase() (format string, args []any)
}

// Phrase says what f says. What stands in its places is never a format.
func (p Printer) Phrase(f Phrase) string {
	key, args := f.Phrase()
	if len(args) == 0 {
		return p.Say(key)
	}
	said := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case Phrase:
			said[i] = p.Phrase(a)
		case float64: // a value of a setting, as it is written
			said[i] = strconv.FormatFloat(a, 'g', -1, 64)
		case fmt.Stringer: // its words, not the number that it may be
			said[i] = a.String()
		default:
			said[i] = a
		}
	}

	return p.Say(key, said...)
}
