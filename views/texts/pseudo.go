package texts

import (
	"strings"
	"unicode"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Pseudo says every text of the catalogue between ⟦ and ⟧, and what is not in the
// catalogue as it is: a page that is drawn with it shows which of its texts do not
// go through the catalogue. It is for tests, and matches no reader. Its language is
// "en-x-pseudo".
func Pseudo() Printer { return pseudo("en-x-pseudo", bracket) }

// Accented says every text of the catalogue with an accent on each letter: Ḋéńý. What
// stands in its places keeps its letters, so that English in an argument is seen too.
// It is for tests, as Pseudo is. Its language is "en-x-accented".
func Accented() Printer { return pseudo("en-x-accented", accent) }

// pseudo is English with each of its texts changed.
func pseudo(name string, change func(string) string) Printer {
	english := all()[0]
	entries := make(map[string]entry, len(english.entries))
	for key, e := range english.entries {
		in := entry{text: change(e.text), arg: e.arg}
		if e.forms != nil {
			in.forms = make(map[plural.Form]string, len(e.forms))
			for form, text := range e.forms {
				in.forms[form] = change(text)
			}
		}
		entries[key] = in
	}

	return Printer{c: newCatalogue(language.MustParse(name), entries)}
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

// accents are the letters a to z with an accent.
var accents = []rune("áḃćḋéḟǵḣíĵḱĺḿńóṕɋŕśṫúṽẃẍýź")

// accent puts one on the letters of a text, except for those of its verbs.
func accent(text string) string {
	var b strings.Builder
	for text != "" {
		before, after, found := strings.Cut(text, "%")
		for _, r := range before {
			switch {
			case 'a' <= r && r <= 'z':
				r = accents[r-'a']
			case 'A' <= r && r <= 'Z':
				r = unicode.ToUpper(accents[r-'A'])
			}
			b.WriteRune(r)
		}
		if text = after; found {
			end := strings.IndexFunc(after, func(r rune) bool { return !strings.ContainsRune("0123456789.[]+-# ", r) }) + 1
			b.WriteString("%" + after[:end])
			text = after[end:]
		}
	}

	return b.String()
}
