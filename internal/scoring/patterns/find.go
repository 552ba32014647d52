package patterns

import (
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/scan"
)

const (
	// maxPlaces is how many places of a pattern that masks nothing are kept: they
	// are evidence for a person.
	maxPlaces = 20
	// maxUnbounded is how many occurrences of an expression without a bounded
	// length are told apart in one text. Each may cost a pass over the rest, so
	// where there are more, the last one reaches to the end of the text.
	maxUnbounded = 100
)

// subject is a segment made ready for many patterns.
type subject struct {
	scan.Segment
	plain  reading
	normal reading // where hidden
	back   func(start, end int) (int, int)
	hidden bool          // the normalised copy differs
	bare   bareReading   // the third copy; for patterns that mask nothing
	read   *scan.Reading // all of that as the other models get it
	which  [2]int        // of its copies, the normalised and the third one
	member scan.Subject  // the name of the value's member, once somebody asked
	asked  bool
}

// reading is one of the two copies with what the cheap filters ask.
type reading struct {
	scan.Subject
	text   string
	digits int // in the longest number
	ats    int
	ascii  bool
	masks  []scan.Span // what an earlier Mask put there
	// possible says which expressions of the library may match; nil for all.
	possible scan.Set
}

func newSubject(p *scan.Passage) subject {
	r := &p.Reading
	s := subject{Segment: p.Segment, plain: newReading(r.Plain()), read: r}
	normal, bare := r.Copies()
	s.which = [2]int{normal.Which, bare.Which}
	if normal.Which > 0 {
		s.normal, s.back, s.hidden = newReading(normal.Subject), normal.Back, true
	}
	if bare.Which > 0 {
		s.bare = bareReading{newReading(bare.Subject), bare.Back, true}
	}
	return s
}

// bareReading is a reading of scan.Bare, where that differs from the others.
type bareReading struct {
	reading
	back  func(start, end int) (int, int)
	there bool
}

func newReading(of scan.Subject) reading {
	text := of.String()
	r := reading{Subject: of, text: text, digits: longestNumber(text), ats: strings.Count(text, "@"), ascii: of.IsASCII()}
	if strings.Contains(text, maskBegin) {
		for _, loc := range masked.FindAllStringIndex(text, -1) {
			r.masks = append(r.masks, scan.Span{Start: loc[0], End: loc[1]})
		}
	}
	return r
}

// longestNumber is how many digits the longest number has. One space or hyphen may
// stand between two groups of it.
func longestNumber(text string) int {
	longest := 0
	for i := 0; i < len(text); i++ {
		if !isDigit(text[i]) {
			continue
		}
		digits := 0
		for {
			from := i
			for i < len(text) && isDigit(text[i]) {
				i++
			}
			digits += i - from
			if i+1 >= len(text) || text[i] != ' ' && text[i] != '-' || !isDigit(text[i+1]) {
				break
			}
			i++
		}
		longest = max(longest, digits)
	}
	return longest
}

const (
	maskBegin = "[REDACTED:"
	maskEnd   = "]"
)

// masked is what Mask writes. Nothing is found inside of it, so that masking
// twice changes nothing; all it can hide is one id of a pattern.
var masked = regexp.MustCompile(`\[REDACTED:[a-z0-9-]{1,64}\]`)

// WithoutMasks puts a text where a secret was masked.
func WithoutMasks(s, instead string) string { return masked.ReplaceAllLiteralString(s, instead) }

// name is that of the value's member.
func (s *subject) name() scan.Subject {
	if !s.asked {
		s.member, s.asked = scan.NewSubject(memberName(s.Pointer)), true
	}
	return s.member
}

// occurrence is a place of a pattern in one segment.
type occurrence struct {
	scan.Span
	obfuscated bool // only in the normalised copy
}

// placesIn finds where the pattern matches, in order, not overlapping. first is the
// place of its first expression among those of the library.
func (m *matcher) placesIn(s *subject, first int) []occurrence {
	if m.member != nil && (s.Key || !m.member.Match(s.name())) {
		return nil
	}
	spans := m.spansIn(&s.plain, first)
	found := make([]occurrence, len(spans))
	for i, span := range spans {
		found[i].Span = span
	}
	found = merge(found)
	if s.hidden {
		plain := len(found)
		for _, span := range m.spansIn(&s.normal, first) {
			start, end := s.back(span.Start, span.End)
			// What the copy shows may reach further than what the original showed, and
			// a mask has to cover both.
			found = append(found, occurrence{scan.Span{Start: start, End: end}, !overlapsAny(found[:plain], start, end)})
		}
		found = merge(found)
	}
	// What is masked has to stand in the text as whoever stole it would use it, so
	// quotes and backslashes are left where they are.
	if len(found) == 0 && s.bare.there && !m.Masks() {
		for _, span := range m.spansIn(&s.bare.reading, first) {
			start, end := s.bare.back(span.Start, span.End)
			found = append(found, occurrence{scan.Span{Start: start, End: end}, true})
		}
	}
	return merge(found)
}

func (m *matcher) spansIn(r *reading, first int) []scan.Span {
	if r.digits < m.MinDigits || r.ats < m.MinAts || m.NonASCII && r.ascii {
		return nil
	}
	var found []scan.Span
	for k, re := range m.regexes {
		if r.possible != nil && !r.possible.Has(first+k) {
			continue
		}
		spans := re.Find(r.Subject, m.most())
		if m.most() == maxUnbounded && len(spans) == maxUnbounded {
			spans[len(spans)-1].End = len(r.text)
		}
		if m.check != nil {
			spans = m.checked(r.text, spans)
		}
		if found == nil {
			found = spans
			continue
		}
		found = append(found, spans...)
	}
	return slices.DeleteFunc(found, func(s scan.Span) bool {
		return s.Start >= s.End || insideAny(r.masks, s)
	})
}

// most is how many occurrences of one expression are looked for in one text;
// negative for all.
func (m *matcher) most() int {
	switch {
	case m.check == nil && !m.Masks():
		return maxPlaces
	case m.bounded:
		return -1
	default:
		return maxUnbounded
	}
}

// checked keeps the spans that pass the pattern's check. What lies inside of one
// that passed is not looked at again, which keeps checks that read on linear.
func (m *matcher) checked(text string, spans []scan.Span) []scan.Span {
	passed := spans[:0]
	covered := 0
	for _, s := range spans {
		if s.End <= covered {
			continue
		}
		if len(passed) == maxPlaces && !m.Masks() {
			break
		}
		if span, ok := m.check(text, s); ok {
			passed = append(passed, span)
			covered = span.End
		}
	}
	return passed
}

// merge sorts occurrences and joins the overlapping ones.
func merge(found []occurrence) []occurrence {
	if order := func(a, b occurrence) int { return bySpan(a.Span, b.Span) }; !slices.IsSortedFunc(found, order) {
		slices.SortStableFunc(found, order)
	}
	merged := found[:0]
	for _, o := range found {
		if n := len(merged); n > 0 && o.Start < merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, o.End)
			merged[n-1].obfuscated = merged[n-1].obfuscated && o.obfuscated
			continue
		}
		merged = append(merged, o)
	}
	return merged
}

func bySpan(a, b scan.Span) int {
	if a.Start != b.Start {
		return a.Start - b.Start
	}
	return a.End - b.End
}

// overlapsAny looks among sorted occurrences that do not overlap each other.
func overlapsAny(sorted []occurrence, start, end int) bool {
	i, _ := slices.BinarySearchFunc(sorted, start, func(o occurrence, start int) int {
		if o.End <= start {
			return -1
		}
		return 1
	})
	return i < len(sorted) && sorted[i].Start < end
}

func insideAny(sorted []scan.Span, s scan.Span) bool {
	i, _ := slices.BinarySearchFunc(sorted, s.Start, func(mask scan.Span, start int) int {
		if mask.End <= start {
			return -1
		}
		return 1
	})
	return i < len(sorted) && sorted[i].Start <= s.Start && s.End <= sorted[i].End
}

// memberName is the last step of a JSON pointer, unescaped.
func memberName(pointer string) string {
	name := pointer[strings.LastIndexByte(pointer, '/')+1:]
	return strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
}

func escapePointer(name string) string { return canon.PointerEscape(name) }
