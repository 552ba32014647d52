package facts

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Source 4: programs. The resources that the rule scorer lists (files, URLs,
// tables), and the SQL and command lines that stand in a program's literals.

// code adds what a program says. literals says that the text itself is neither SQL
// nor a command line, so that what stands in its quotes is looked at.
func (c *collector) code(r reading, literals bool) {
	quoted := literalsOf(r)
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

// maxLiterals bounds how many literals of a program are read.
const maxLiterals = 4096

// literalsOf lists the quoted texts of a program in order, in the quotes of most
// languages: '…', "…", `…`, and those of three. What is never closed ends with its
// line, but for those that may span lines.
func literalsOf(r reading) []reading {
	var (
		all  []reading
		text = r.text
		dead [quotes]int // up to where a quote is known to close nothing
	)
	for i := 0; i < len(text) && len(all) < maxLiterals; {
		which := quoteOf[text[i]]
		if which == 0 {
			i++
			continue
		}
		quote := text[i : i+1]
		if i+2 < len(text) && text[i+1] == text[i] && text[i+2] == text[i] {
			quote = text[i : i+3]
			which += quotes / 2
		}
		start := i + len(quote)
		if start <= dead[which] {
			i++
			continue
		}
		end, closed := literalEnd(text, start, quote)
		if !closed {
			dead[which] = end
			i++
			continue
		}
		if end > start {
			all = append(all, r.part(start, end))
		}
		i = end + len(quote)
	}
	return all
}

// quoteOf is a number for each quote, 0 for any other byte; those of three come behind.
var quoteOf = [256]uint8{'\'': 1, '"': 2, '`': 3}

const quotes = 8

// literalEnd is where a literal ends; closed is false where it does not, and then
// end is where it could have.
func literalEnd(text string, start int, quote string) (end int, closed bool) {
	for i := start; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '\n' && len(quote) == 1 && quote != "`":
			return i, false
		case text[i] == quote[0] && strings.HasPrefix(text[i:], quote):
			return i, true
		}
	}
	return len(text), false
}
