package untrusted

import (
	"strings"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// maxNamed is how many different characters a finding names; the rest are
// counted, and each of them is named where it stands.
const maxNamed = 4

// Findings says in words what the runs of a value show, for readers who do not
// see marks: hidden characters, look-alikes, folds, white space at the ends.
func Findings(say texts.Printer, s string, shown []views.Run) []string {
	var out []string
	if text := named(say, shown, views.RunHidden, texts.Key("%d hidden characters: %s"), texts.Key("%d hidden characters: %s and more")); text != "" {
		out = append(out, text)
	}
	if text := named(say, shown, views.RunOdd, texts.Key("%d lookalike characters: %s"), texts.Key("%d lookalike characters: %s and more")); text != "" {
		out = append(out, text)
	}
	if strings.ContainsAny(s, "\u009b\u009d\u0090") || strings.Contains(s, "\x1b[") || strings.Contains(s, "\x1b]") || strings.Contains(s, "\x1bP") {
		out = append(out, say.Say("A terminal escape sequence (ANSI): a terminal would show something else"))
	}
	for _, r := range shown {
		if r.Kind == views.RunFold {
			out = append(out, say.Say("Long whitespace is folded and its length shown"))
			break
		}
	}
	if s != strings.Trim(s, " \t\n") && s != "" {
		out = append(out, say.Say("Begins or ends with whitespace"))
	}
	return out
}

// named counts the runs of a kind and names the first few different ones.
func named(say texts.Printer, shown []views.Run, kind views.RunKind, all, some texts.Key) string {
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
			names = append(names, r.Code+" "+r.FullName(say))
		}
	}
	switch {
	case count == 0:
		return ""
	case len(names) == maxNamed:
		return say.Key(some, count, strings.Join(names, ", "))
	default:
		return say.Key(all, count, strings.Join(names, ", "))
	}
}
