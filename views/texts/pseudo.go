package texts

import (
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Pseudo says every text of the catalogue between ⟦ and ⟧, and what is not in the
// catalogue as it is: a page that is drawn with it shows which of its texts do not
// go through the catalogue. It is for tests, and matches no reader. Its language is
// "en-x-pseudo".
func Pseudo() Printer {
	english := all()[0]
	entries := make(map[string]entry, len(english.entries))
	for key, e := range english.entries {
		in := entry{text: bracket(e.text), arg: e.arg}
		if e.forms != nil {
			in.forms = make(map[plural.Form]string, len(e.forms))
			for form, text := range e.forms {
				in.forms[form] = bracket(text)
			}
		}
		entries[key] = in
	}

	return Printer{c: newCatalogue(language.MustParse("en-x-pseudo"), entries)}
}

// bracket marks each piece of a text: what stands in its places is no part of it.
func bracket(text string) string {
	var b strings.Builder
	for text != "" {
		piece, place, after := cutPlace(text)
		if strings.TrimSpace(piece) == "" {
			b.WriteString(piece)
		} else {
			b.WriteString("⟦" + piece + "⟧")
		}
		if place > 0 {
			b.WriteString(text[len(piece) : len(piece)+len("{1}")])
		}
		text = after
	}

	return b.String()
}
