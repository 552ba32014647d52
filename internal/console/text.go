package console

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/countersign/countersign/views"
)

// maxNamed is how many different characters a finding names; the rest are
// counted, and each of them is named where it stands.
const maxNamed = 4

// findings says in words what the runs of a value show, for readers who do not
// see marks: hidden characters, look-alikes, folds, white space at the ends.
func findings(s string, shown []views.Run) []string {
	var out []string
	if text := named(shown, views.RunHidden, "hidden character", "hidden characters"); text != "" {
		out = append(out, text)
	}
	if text := named(shown, views.RunOdd, "character that looks like another one", "characters that look like others"); text != "" {
		out = append(out, text)
	}
	if strings.ContainsAny(s, "\u009b\u009d\u0090") || strings.Contains(s, "\x1b[") || strings.Contains(s, "\x1b]") || strings.Contains(s, "\x1bP") {
		out = append(out, "A terminal's escape sequence (ANSI): a terminal would draw something else")
	}
	for _, r := range shown {
		if r.Kind == views.RunFold {
			out = append(out, "Long white space is folded; its size stands in its place")
			break
		}
	}
	if s != strings.Trim(s, " \t\n") && s != "" {
		out = append(out, "Begins or ends with white space")
	}
	return out
}

// named counts the runs of a kind and names the first few different ones.
func named(shown []views.Run, kind views.RunKind, one, many string) string {
	var names []string
	seen := map[string]bool{}
	count := 0
	for _, r := range shown {
		if r.Kind != kind {
			continue
		}
		count++
		if len(names) < maxNamed && !seen[r.Code] {
			seen[r.Code] = true
			names = append(names, r.Code+" "+r.Name)
		}
	}
	switch {
	case count == 0:
		return ""
	case count == 1:
		return "1 " + one + ": " + names[0]
	default:
		text := strconv.Itoa(count) + " " + many + ": " + strings.Join(names, ", ")
		if len(names) == maxNamed {
			text += " and so on"
		}
		return text
	}
}

// bytesOf is "1 byte", "48,213 bytes".
func bytesOf(n int) string { return plural(n, "byte") }

// plural is a count with its word in English.
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return grouped(int64(n)) + " " + word + "s"
}

// grouped writes a whole number with commas.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// lines is "12 lines, 340 bytes".
func sizeOf(s string) string {
	return fmt.Sprintf("%s, %s", plural(strings.Count(s, "\n")+1, "line"), bytesOf(len(s)))
}
