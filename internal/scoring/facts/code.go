package facts

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Source 4: programs. The resources that the rule scorer lists (files, URLs,
// tables), and the SQL and command lines that stand in a program's literals.

// code adds what a program says. literals says that the text itself is neither SQL
// nor a command line, so that what stands in its quotes is looked at.
func (c *collector) code(r reading, literals bool) {
	var quoted []reading
	all := code.Literals(c.call.Text(r.text))
	for _, l := range all[:min(len(all), maxLiterals)] {
		quoted = append(quoted, r.part(l.Start, l.End))
	}
	if literals {
		for _, l := range quoted {
			c.nested(l, context{}, asLiteral)
		}
	}
	for _, found := range rules.Resources([]scan.Segment{{Text: r.text}}) {
		start, end := found.Place.Start, found.Place.End
		switch found.Kind {
		case "file":
			c.add(Path, "path", FromCode, r, start, end)
		case "url":
			if from, to := hostOf(found.Value); from < to {
				c.add(Host, "host", FromCode, r, start+from, start+to)
			}
		case "table":
			// The rule's expression takes "from" and "update" for SQL wherever they
			// stand; here they must be in a literal, and written as people write SQL.
			if at, ok := inside(r, quoted, start); ok && isUpper(lastWord(r.text[at:start])) {
				c.add(Table, "table", FromCode, r, start, end)
			}
		}
	}
}

// maxLiterals bounds how many literals of a program are read.
const maxLiterals = 4096

// inside is where the literal that a byte stands in begins.
func inside(r reading, quoted []reading, at int) (start int, ok bool) {
	if r.decoded() {
		return 0, false
	}
	at += r.from
	i, _ := slices.BinarySearchFunc(quoted, at, func(l reading, at int) int { return l.from + len(l.text) - at - 1 })
	if i < len(quoted) && quoted[i].from <= at {
		return quoted[i].from - r.from, true
	}
	return 0, false
}

// lastWord is the last word of letters.
func lastWord(text string) string {
	text = strings.TrimRight(text, " \t\r\n'\"`")
	start := len(text)
	for start > 0 && isWordByte(text[start-1]) {
		start--
	}
	return text[start:]
}

func isUpper(word string) bool { return word != "" && word == strings.ToUpper(word) }
