package console

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxReasons is how many reasons one mark names; the others stand in the list of
// what matched.
const maxReasons = 4

// arrange makes marks apart from each other, sorted and on character boundaries:
// the same stretch for several reasons becomes one mark that names them, and of
// two that overlap the first keeps the common part.
func arrange(s string, marks []span) []span {
	if len(marks) == 0 {
		return nil
	}
	sorted := make([]span, 0, len(marks))
	for _, m := range marks {
		m.start, m.end = backToBoundary(s, m.start), onToBoundary(s, m.end)
		if m.start < m.end {
			sorted = append(sorted, m)
		}
	}
	slices.SortStableFunc(sorted, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	out := sorted[:0]
	var reasons []string
	covered := 0
	for i := 0; i < len(sorted); {
		m := sorted[i]
		reasons = append(reasons[:0], m.why)
		for i++; i < len(sorted) && sorted[i].start == m.start && sorted[i].end == m.end; i++ {
			if len(reasons) < maxReasons && !slices.Contains(reasons, sorted[i].why) {
				reasons = append(reasons, sorted[i].why)
			}
		}
		m.why = strings.Join(reasons, "; ")
		m.start = max(m.start, covered)
		if m.start < m.end {
			out = append(out, m)
			covered = m.end
		}
	}
	return out
}

func backToBoundary(s string, at int) int {
	at = max(0, min(at, len(s)))
	for at > 0 && at < len(s) && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

func onToBoundary(s string, at int) int {
	at = max(0, min(at, len(s)))
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return at
}
