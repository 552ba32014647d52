package untrusted

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What matched is marked where it stands, with a number for each reason; below the
// value stands what each number means.

// span is a matched part of a text, in bytes, with the words for its mark.
type span struct {
	start, end int
	why        string
}

// mark is a stretch of a text that is covered by the same spans all along.
type mark struct {
	start, end int
	why        string // the words of all of them
	notes      string // and their numbers; "" without a list
	ends       string // the numbers of those that end here
	place      int    // a note leads here; 0 for none
}

func (m mark) bounds() (start, end int) { return m.start, m.end }

const (
	// maxReasons is how many reasons one mark names; the others stand in the list of
	// what matched.
	maxReasons = 4
	// maxNumbers is how many numbers stand at one mark.
	maxNumbers = 8
	// numberWide is how many characters a number is as wide as: what ends closer before
	// another end has its number there.
	numberWide = 3
)

// notes numbers the reasons for the marks of one page.
type notes struct {
	say             texts.Printer
	numbers, places int
	first           map[string]int // of a reason: the place where it is marked first
}

// of are the marks of one text with their numbers, and the list of what these mean.
func (n *notes) of(s string, spans []span) ([]mark, []views.Note) {
	pieces, reasons := overlaps(s, spans)
	if len(pieces) == 0 {
		return nil, nil
	}
	list := make([]views.Note, len(reasons))
	count := map[string]int{}
	for _, sp := range spans {
		count[sp.why]++
	}
	for i, why := range reasons {
		list[i] = views.Note{Number: n.numbers + i + 1, Text: Runs(why)}
		if count[why] > 1 {
			list[i].Places = n.say.Say("%d places", count[why])
		}
	}
	marks := make([]mark, 0, len(pieces))
	var ended []int // reasons whose number has no place yet
	for at, p := range pieces {
		var goOn []int // the reasons of what follows without a gap
		narrow := false
		if at+1 < len(pieces) && pieces[at+1].start == p.end {
			next := pieces[at+1]
			goOn, narrow = next.reasons, utf8.RuneCountInString(s[next.start:next.end]) < numberWide
		}
		m := mark{start: p.start, end: p.end, why: p.words(n.say, reasons)}
		var numbers []string
		for _, i := range p.reasons {
			if list[i].Place == 0 {
				if m.place == 0 {
					n.places++
					m.place = n.places
				}
				list[i].Place = m.place
				if n.first[reasons[i]] == 0 {
					n.first[reasons[i]] = m.place
				}
			}
			number := strconv.Itoa(list[i].Number)
			if len(numbers) < maxNumbers {
				numbers = append(numbers, number)
			}
			if _, goesOn := slices.BinarySearch(goOn, i); !goesOn {
				ended = append(ended, i)
			}
		}
		m.notes = strings.Join(numbers, ", ")
		if !narrow {
			slices.Sort(ended)
			ended = slices.Compact(ended)
			drawn := make([]string, 0, maxNumbers)
			for _, i := range ended[:min(len(ended), maxNumbers)] {
				drawn = append(drawn, strconv.Itoa(list[i].Number))
			}
			m.ends, ended = strings.Join(drawn, ", "), ended[:0]
		}
		marks = append(marks, m)
	}
	n.numbers += len(list)
	return marks, list
}

// overlap is a stretch with the reasons of all spans that cover it, as indexes.
type overlap struct {
	start, end int
	reasons    []int
}

func (o overlap) words(say texts.Printer, reasons []string) string {
	named := make([]string, 0, maxReasons)
	for _, i := range o.reasons[:min(len(o.reasons), maxReasons)] {
		named = append(named, reasons[i])
	}
	words := strings.Join(named, "; ")
	if more := len(o.reasons) - maxReasons; more > 0 {
		return say.Say("%s; and %d more", words, more)
	}
	return words
}

// overlaps cuts a text where a span begins or ends. The reasons are in the order in
// which they come up. It takes n log n of the spans, times how many different reasons
// lie over each other.
func overlaps(s string, spans []span) (pieces []overlap, reasons []string) {
	type edge struct{ at, reason, by int }
	if len(spans) == 0 {
		return nil, nil
	}
	white := whiteSpace(s)
	sorted := make([]span, 0, len(spans))
	for _, m := range spans {
		if m.start >= m.end {
			continue
		}
		m.start, m.end = backToBoundary(s, m.start), onToBoundary(s, m.end)
		if m.start < m.end {
			sorted = append(sorted, m.trimmed(white))
		}
	}
	slices.SortStableFunc(sorted, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	numbers := map[string]int{}
	edges := make([]edge, 0, 2*len(sorted))
	for _, m := range sorted {
		i, known := numbers[m.why]
		if !known {
			i = len(reasons)
			numbers[m.why], reasons = i, append(reasons, m.why)
		}
		edges = append(edges, edge{m.start, i, 1}, edge{m.end, i, -1})
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	depth := make([]int, len(reasons))
	var open []int // the reasons that cover what comes now, in order
	for i := 0; i < len(edges); {
		at := edges[i].at
		for ; i < len(edges) && edges[i].at == at; i++ {
			e := edges[i]
			before := depth[e.reason]
			depth[e.reason] += e.by
			place, _ := slices.BinarySearch(open, e.reason)
			switch {
			case before == 0:
				open = slices.Insert(open, place, e.reason)
			case depth[e.reason] == 0:
				open = slices.Delete(open, place, place+1)
			}
		}
		if len(open) == 0 {
			continue
		}
		if last := len(pieces) - 1; last >= 0 && pieces[last].end == at && slices.Equal(pieces[last].reasons, open) {
			pieces[last].end = edges[i].at
			continue
		}
		pieces = append(pieces, overlap{at, edges[i].at, slices.Clone(open)})
	}
	return pieces, reasons
}

// maxToken is how long a word may be, in bytes, to be marked as a whole: of a text without
// a gap, such as Base64, the marks say where.
const maxToken = 256

// wholeWords moves the ends of spans out to those of the words that they cut: half of a
// command marked, as the "rm -rf /" of "rm -rf /srv/x", reads as another one.
func wholeWords(s string, spans []span) []span {
	whole := make([]span, len(spans))
	for i, m := range spans {
		if m.start < m.end {
			m.start, m.end = backToWord(s, backToBoundary(s, m.start)), onToWord(s, onToBoundary(s, m.end))
		}
		whole[i] = m
	}
	return whole
}

func onToWord(s string, at int) int {
	if before, _ := utf8.DecodeLastRuneInString(s[:at]); at == 0 || !inWord(before) {
		return at
	}
	for i, r := range s[at:] {
		switch {
		case !inWord(r):
			return at + i
		case i > maxToken:
			return at
		}
	}
	return len(s)
}

func backToWord(s string, at int) int {
	if after, _ := utf8.DecodeRuneInString(s[at:]); at == len(s) || !inWord(after) {
		return at
	}
	for i := at; i > 0; {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		switch {
		case !inWord(r):
			return i
		case at-i > maxToken:
			return at
		}
		i -= size
	}
	return 0
}

// inWord reports whether a character belongs to a word of a command, a path, an address or
// a name; what parts words in the languages that are read does not.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r != 0x7f && !strings.ContainsRune("'\"`;|&(){}[]<>,=", r)
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}

// stretch is a part of a text, in bytes.
type stretch struct{ start, end int }

// whiteSpace is where a text has white space, in order; what touches is one.
func whiteSpace(s string) (white []stretch) {
	for i := range len(s) {
		switch last := len(white) - 1; {
		case s[i] != ' ' && s[i] != '\t' && s[i] != '\r' && s[i] != '\n':
		case last >= 0 && white[last].end == i:
			white[last].end++
		default:
			white = append(white, stretch{i, i + 1})
		}
	}
	return white
}

// trimmed is a span without the white space at its ends: a number at the end of the
// line before is not where anybody looks for it. Of many spans over much white space
// each costs a look into the list of it, and not a walk through it.
func (m span) trimmed(white []stretch) span {
	around := func(at int) (stretch, bool) {
		i, _ := slices.BinarySearchFunc(white, at, func(w stretch, at int) int { return cmp.Compare(w.end, at+1) })
		if i == len(white) || white[i].start > at {
			return stretch{}, false
		}
		return white[i], true
	}
	first, leads := around(m.start)
	if leads && first.end >= m.end {
		return m // it is all white space
	}
	if leads {
		m.start = first.end
	}
	if last, trails := around(m.end - 1); trails {
		m.end = last.start
	}
	return m
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

// Marks are the matched stretches of each value, by its JSON pointer; those of
// names have "key " before it.
type Marks map[string][]span

// ofKey marks the last name of a path where something in it matched. The stretch
// is the whole name: escapes move what stands in it.
func (m Marks) ofKey(pointer, shown string) []span {
	found := m["key "+pointer]
	if len(found) == 0 {
		return nil
	}
	start := strings.LastIndexByte(shown, '/') + 1
	return []span{{start, len(shown), found[0].why}}
}

// maxMarks bounds the marks of one value; everything that matched is also listed.
const maxMarks = 500

// Add marks what matched, with the words for it.
func (m Marks) Add(e scan.Evidence, what string) {
	for _, p := range e.Places {
		at := p.Pointer
		if p.Key {
			at = "key " + at
		}
		if len(m[at]) < maxMarks {
			m[at] = append(m[at], span{p.Start, p.End, what})
		}
	}
}

// in are the matched stretches of a piece, counted from where it begins.
func (m Marks) in(p approvals.Piece) []span {
	all := m[p.Pointer]
	if p.Start == 0 {
		return all
	}
	moved := make([]span, len(all))
	for i, s := range all {
		moved[i] = span{s.start - p.Start, s.end - p.Start, s.why}
	}
	return moved
}
