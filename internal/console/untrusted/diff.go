package untrusted

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// How one text became another: by the words of a value, by the lines of code.

// changeSpan is a stretch that only one of two texts has, in bytes.
type changeSpan struct {
	start, end int
	change     views.Change
}

func (c changeSpan) bounds() (start, end int) { return c.start, c.end }

const (
	// maxParts is how many words or lines of a text are compared.
	maxParts = 4 << 10
	// longText is from how many bytes on a value is compared word by word. A shorter one
	// is read as one: which digit of a version differs says less than which version.
	longText = 40
)

// changedWords are what of two texts the other one has not. ok is false where hardly a word
// is the same, so that showing the two beside each other says more.
func changedWords(was, now string) (removed, added []changeSpan, ok bool) {
	before, after := wordsOf(was), wordsOf(now)
	if before == nil || after == nil {
		return nil, nil, false
	}
	same := common(before, after)
	kept := 0
	for _, p := range same {
		if strings.TrimSpace(before[p.was]) != "" {
			kept += len(before[p.was])
		}
	}
	if kept*4 < max(len(was), len(now)) {
		return nil, nil, false
	}
	wasKept, nowKept := make([]bool, len(before)), make([]bool, len(after))
	for _, p := range same {
		wasKept[p.was], nowKept[p.now] = true, true
	}
	bridge(before, wasKept)
	bridge(after, nowKept)
	return changesOf(before, wasKept, views.ChangeRemoved), changesOf(after, nowKept, views.ChangeAdded), true
}

// bridge takes white space between two words that differ for a part of the difference:
// a phrase reads better than its words.
func bridge(parts []string, kept []bool) {
	for i := 1; i+1 < len(parts); i++ {
		if kept[i] && !kept[i-1] && !kept[i+1] && strings.TrimSpace(parts[i]) == "" {
			kept[i] = false
		}
	}
}

// changesOf are the stretches of parts that were not kept.
func changesOf(parts []string, kept []bool, change views.Change) (spans []changeSpan) {
	at := 0
	for i, part := range parts {
		if !kept[i] {
			if last := len(spans) - 1; last >= 0 && spans[last].end == at {
				spans[last].end += len(part)
			} else {
				spans = append(spans, changeSpan{at, at + len(part), change})
			}
		}
		at += len(part)
	}
	return spans
}

// wordsOf splits a text into words, stretches of white space, and single other
// characters; nil where there are too many.
func wordsOf(s string) []string {
	class := func(r rune) int {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	words := []string{}
	for at := 0; at < len(s); {
		if len(words) == maxParts {
			return nil
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		end, of := at+size, class(r)
		for of != 0 && end < len(s) {
			next, size := utf8.DecodeRuneInString(s[end:])
			if class(next) != of {
				break
			}
			end += size
		}
		words = append(words, s[at:end])
		at = end
	}
	return words
}

// contextLines is how many lines that are the same stand around one that differs.
const contextLines = 3

// ChangedLines tells the difference line by line, with what is the same left out but for
// some lines around; nil where it is too much to tell.
func ChangedLines(say texts.Printer, was, now string) (lines []review.DiffLine, added, removed int) {
	before, after := strings.Split(was, "\n"), strings.Split(now, "\n")
	if len(before) > maxParts || len(after) > maxParts {
		return nil, 0, 0
	}
	same := common(before, after)
	if len(same) == 0 {
		return nil, 0, 0
	}
	same = append(same, pair{len(before), len(after)})
	var all []review.DiffLine
	i, j := 0, 0
	for _, p := range same {
		for ; i < p.was; i++ {
			all = append(all, review.DiffLine{Change: views.ChangeRemoved, Number: i + 1, Text: Runs(before[i])})
			removed++
		}
		for ; j < p.now; j++ {
			all = append(all, review.DiffLine{Change: views.ChangeAdded, Number: j + 1, Text: Runs(after[j])})
			added++
		}
		if i < len(before) {
			all = append(all, review.DiffLine{Number: j + 1, Text: Runs(after[j])})
			i, j = i+1, j+1
		}
	}
	return withGaps(say, all), added, removed
}

// withGaps leaves out what is the same and far from what is not.
func withGaps(say texts.Printer, all []review.DiffLine) (lines []review.DiffLine) {
	near := make([]bool, len(all))
	for i, line := range all {
		if line.Change != views.ChangeNone {
			for k := max(0, i-contextLines); k < min(len(all), i+contextLines+1); k++ {
				near[k] = true
			}
		}
	}
	gap := 0
	for i, line := range all {
		if !near[i] {
			gap++
			if i+1 < len(all) && !near[i+1] {
				continue
			}
			lines = append(lines, review.DiffLine{Gap: say.Say("%d unchanged lines", gap)})
			gap = 0
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// pair is a part that both texts have: its places in them.
type pair struct{ was, now int }

// common are the parts that two texts share, in order. The work is bounded: where the texts
// differ much, some of them are missing.
func common(was, now []string) (same []pair) {
	i, j := 0, 0
	upTo := func(was int) {
		for ; i < was; i, j = i+1, j+1 {
			same = append(same, pair{i, j})
		}
	}
	for _, d := range lcs.DiffLines(was, now) {
		upTo(d.Start)
		i, j = d.End, d.ReplEnd
	}
	upTo(len(was))
	return same
}
