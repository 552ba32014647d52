package console

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// How one text became another: by the words of a value, by the lines of code. The
// shortest way from one to the other (Myers, An O(ND) Difference Algorithm, 1986),
// where that is short; else what lies between their common ends is all another text.

// changeSpan is a stretch that only one of two texts has, in bytes.
type changeSpan struct {
	start, end int
	change     views.Change
}

func (c changeSpan) bounds() (start, end int) { return c.start, c.end }

const (
	// maxParts is how many words or lines of a text are compared.
	maxParts = 4 << 10
	// maxEdits is how many of them may differ: the work is at most its square, plus the
	// parts, and the memory its square.
	maxEdits = 256
	// pageEdits bounds the same for a whole page, in squares.
	pageEdits = 4 * maxEdits * maxEdits
	// longText is from how many bytes on a value is compared word by word. A shorter one
	// is read as one: which digit of a version differs says less than which version.
	longText = 40
)

// differ compares the texts of one page.
type differ struct{ left int }

func newDiffer() *differ { return &differ{left: pageEdits} }

// words are what of two texts the other one has not. ok is false where hardly a word
// is the same, so that showing the two beside each other says more.
func (d *differ) words(was, now string) (removed, added []changeSpan, ok bool) {
	if max(len(was), len(now)) < longText {
		return nil, nil, false
	}
	before, after := wordsOf(was), wordsOf(now)
	if before == nil || after == nil {
		return nil, nil, false
	}
	same := d.common(before, after)
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

// lines tells the difference line by line, with what is the same left out but for
// some lines around; nil where it is too much to tell.
func (d *differ) lines(say texts.Printer, was, now string) (lines []review.DiffLine, added, removed int) {
	before, after := strings.Split(was, "\n"), strings.Split(now, "\n")
	if len(before) > maxParts || len(after) > maxParts {
		return nil, 0, 0
	}
	same := d.common(before, after)
	if len(same) == 0 {
		return nil, 0, 0
	}
	same = append(same, pair{len(before), len(after)})
	var all []review.DiffLine
	i, j := 0, 0
	for _, p := range same {
		for ; i < p.was; i++ {
			all = append(all, review.DiffLine{Change: views.ChangeRemoved, Number: i + 1, Text: runs(before[i])})
			removed++
		}
		for ; j < p.now; j++ {
			all = append(all, review.DiffLine{Change: views.ChangeAdded, Number: j + 1, Text: runs(after[j])})
			added++
		}
		if i < len(before) {
			all = append(all, review.DiffLine{Number: j + 1, Text: runs(after[j])})
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

// common are the parts that two texts share, in order: those of their common ends,
// and those in between where the way from one to the other is short.
func (d *differ) common(was, now []string) []pair {
	head := 0
	for head < len(was) && head < len(now) && was[head] == now[head] {
		head++
	}
	tail := 0
	for tail < len(was)-head && tail < len(now)-head && was[len(was)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	var same []pair
	for i := range head {
		same = append(same, pair{i, i})
	}
	for _, p := range d.shortest(was[head:len(was)-tail], now[head:len(now)-tail]) {
		same = append(same, pair{p.was + head, p.now + head})
	}
	for i := tail; i > 0; i-- {
		same = append(same, pair{len(was) - i, len(now) - i})
	}
	return same
}

// shortest is what the shortest way from a to b keeps; nil where it is longer than
// maxEdits, or the page's work is done.
func (d *differ) shortest(a, b []string) (same []pair) {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	most := min(len(a)+len(b), maxEdits)
	// far[k] is how far in a the furthest way of so many steps comes on diagonal k.
	far := make([]int, 2*most+2)
	at := func(k int) int { return k + most }
	var trail [][]int
	for steps := 0; steps <= most; steps++ {
		if d.left -= steps + 1; d.left < 0 {
			return nil
		}
		trail = append(trail, append([]int(nil), far[at(-steps):at(steps)+1]...))
		for k := -steps; k <= steps; k += 2 {
			x := 0
			switch {
			case steps == 0:
			case k == -steps || k != steps && far[at(k-1)] < far[at(k+1)]:
				x = far[at(k+1)]
			default:
				x = far[at(k-1)] + 1
			}
			for x < len(a) && x-k < len(b) && x-k >= 0 && a[x] == b[x-k] {
				x++
			}
			far[at(k)] = x
			if x >= len(a) && x-k >= len(b) {
				return back(trail, len(a), len(b))
			}
		}
	}
	return nil
}

// back goes the way back from the ends of both.
func back(trail [][]int, x, y int) []pair {
	var same []pair
	for steps := len(trail) - 1; steps >= 0; steps-- {
		k := x - y
		before := func(k int) int { // as it was before these steps
			if i := k + steps; i >= 0 && i < len(trail[steps]) {
				return trail[steps][i]
			}
			return 0
		}
		fromX, fromY := 0, 0
		if steps > 0 {
			from := k - 1
			if k == -steps || k != steps && before(k-1) < before(k+1) {
				from = k + 1
			}
			fromX = before(from)
			fromY = fromX - from
		}
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			same = append(same, pair{x, y})
		}
		x, y = fromX, fromY
	}
	for i, j := 0, len(same)-1; i < j; i, j = i+1, j-1 {
		same[i], same[j] = same[j], same[i]
	}
	return same
}
