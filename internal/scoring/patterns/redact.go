package patterns

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Span is one stretch of a value that is replaced by a mask.
type Span struct {
	Start, End int    // bytes of the original value, End exclusive
	ID         string // of the pattern that the mask names

	// shift is how much longer the masked text is than the original up to End, so
	// that a place is translated without walking over all spans before it.
	shift int
}

// Mask is what is put in place of the span.
func (s Span) Mask() string { return maskBegin + s.ID + maskEnd }

// Spans says what is masked, by the JSON pointer of the value: sorted, and not
// overlapping. Redactions makes it.
type Spans map[string][]Span

// Redactions collects what the matches mask: all occurrences of each pattern
// whose own action is redact, or block in the category secrets, whatever action
// the record names. Names of members are never rewritten. Overlapping spans
// become one, which carries the id of the pattern with the worst severity (among
// equals the one that sorts first), so the order of the matches changes nothing.
// Give it the matches as they were found, not what Distinct made of them.
func Redactions(matches []Match) Spans {
	spans := Spans{}
	worst := map[string]int{}
	for _, m := range matches {
		if !m.Masks() {
			continue
		}
		worst[m.ID] = max(worst[m.ID], m.Severity.rank())
		for _, p := range m.Places {
			if !p.Key && p.Start < p.End {
				spans[p.Pointer] = append(spans[p.Pointer], Span{Start: p.Start, End: p.End, ID: m.ID})
			}
		}
	}
	for pointer, list := range spans {
		spans[pointer] = join(list, func(a, b string) string {
			if c := cmp.Or(cmp.Compare(worst[b], worst[a]), strings.Compare(a, b)); c <= 0 {
				return a
			}
			return b
		})
	}
	return spans
}

func join(list []Span, name func(a, b string) string) []Span {
	slices.SortFunc(list, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), strings.Compare(a.ID, b.ID))
	})
	joined := list[:0]
	for _, s := range list {
		if n := len(joined); n > 0 && s.Start < joined[n-1].End {
			joined[n-1].End = max(joined[n-1].End, s.End)
			joined[n-1].ID = name(joined[n-1].ID, s.ID)
			continue
		}
		joined = append(joined, s)
	}
	shift := 0
	for i, s := range joined {
		shift += len(s.Mask()) - (s.End - s.Start)
		joined[i].shift = shift
	}
	return joined
}

// Mask returns the tree with every span replaced by [REDACTED:pattern-id], in
// string values and in numbers; a number of which something is masked becomes a
// string, because a JSON number can carry no mask. The pointers are those of the
// tree's values ("/arguments/card" in an action, "" for the tree itself).
// Names of members, booleans and all other values stay as they are.
func Mask(tree canon.Value, spans Spans) canon.Value {
	if len(spans) == 0 {
		return tree
	}
	root := &step{}
	for pointer, list := range spans {
		at := root
		if pointer != "" {
			for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
				at = at.child(token)
			}
		}
		at.spans = list
	}
	return root.mask(tree)
}

// step is a node on the way to masked values. Only these ways are walked, so a
// long name costs its length once and not once per value below it.
type step struct {
	spans []Span
	below map[string]*step // by escaped token
}

func (s *step) child(token string) *step {
	if s.below == nil {
		s.below = map[string]*step{}
	}
	if s.below[token] == nil {
		s.below[token] = &step{}
	}
	return s.below[token]
}

func (s *step) mask(v canon.Value) canon.Value {
	switch v.Kind() {
	case canon.KindString:
		if len(s.spans) > 0 {
			return canon.String(replace(v.Text(), s.spans))
		}
	case canon.KindNumber:
		if len(s.spans) > 0 {
			return canon.String(replace(v.Number(), s.spans))
		}
	case canon.KindArray:
		if s.below == nil {
			return v
		}
		elements := make([]canon.Value, 0, v.Len())
		for i, e := range v.Elements() {
			elements = append(elements, s.below[strconv.Itoa(i)].maskBelow(e))
		}
		return canon.Array(elements...)
	case canon.KindObject:
		if s.below == nil {
			return v
		}
		members := make([]canon.Member, 0, v.Len())
		for name, m := range v.Members() {
			members = append(members, canon.Member{Name: name, Value: s.below[canon.PointerEscape(name)].maskBelow(m)})
		}
		return canon.Object(members...)
	case canon.KindAbsent, canon.KindNull, canon.KindBool:
	}
	return v
}

// maskBelow is mask, for a step that may not be there.
func (s *step) maskBelow(v canon.Value) canon.Value {
	if s == nil {
		return v
	}
	return s.mask(v)
}

// Text is the value at a pointer with its spans replaced.
func (s Spans) Text(pointer, text string) string { return replace(text, s[pointer]) }

// replace puts masks in place of sorted spans that do not overlap. Spans beyond
// the text are cut to it; one that begins or ends inside a character takes all
// of it, because half a character is no text.
func replace(text string, spans []Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		start, end := whole(text, s.Start, s.End)
		if start = max(start, at); start >= end {
			continue
		}
		b.WriteString(text[at:start])
		b.WriteString(s.Mask())
		at = end
	}
	if at == 0 {
		return text
	}
	b.WriteString(text[at:])
	return b.String()
}

// whole cuts a range to the text and widens it to whole characters.
func whole(text string, start, end int) (int, int) {
	start = min(max(start, 0), len(text))
	end = min(max(end, start), len(text))
	if start == end {
		return start, end
	}
	for start > 0 && start < len(text) && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return start, end
}

// Touches reports whether a stretch of a value overlaps something masked: a
// masked value is no fact.
func (s Spans) Touches(pointer string, start, end int) bool {
	list := s[pointer]
	i := firstAfter(list, start)
	return i < len(list) && list[i].Start < end
}

// Place translates a place in the original value into the masked one. A stretch
// that begins or ends inside a mask takes in all of it. Places in names of
// members stay, because these are never rewritten.
func (s Spans) Place(p scan.Place) scan.Place {
	list := s[p.Pointer]
	if p.Key || len(list) == 0 {
		return p
	}
	p.Start, p.End = translate(list, p.Start, false), translate(list, p.End, true)
	return p
}

// Places is Place for each of them.
func (s Spans) Places(places []scan.Place) []scan.Place {
	translated := make([]scan.Place, len(places))
	for i, p := range places {
		translated[i] = s.Place(p)
	}
	return translated
}

// Matches translates the places of matches, those that are masked included:
// their place is then the mask. This is what a record may store.
func (s Spans) Matches(matches []Match) []Match {
	translated := slices.Clone(matches)
	for i := range translated {
		translated[i].Places = s.Places(matches[i].Places)
	}
	return translated
}

// Evidence translates the places of other models' evidence.
func (s Spans) Evidence(evidence []scan.Evidence) []scan.Evidence {
	translated := slices.Clone(evidence)
	for i := range translated {
		translated[i].Places = s.Places(evidence[i].Places)
	}
	return translated
}

// firstAfter is the index of the first span that ends after a byte.
func firstAfter(list []Span, at int) int {
	i, _ := slices.BinarySearchFunc(list, at, func(s Span, at int) int {
		if s.End <= at {
			return -1
		}
		return 1
	})
	return i
}

// translate takes a byte of the original to the masked text; inside a span, to
// the beginning of its mask, or to its end.
func translate(list []Span, at int, toEnd bool) int {
	i := firstAfter(list, at)
	before := 0
	if i > 0 {
		before = list[i-1].shift
	}
	if i == len(list) || at <= list[i].Start {
		return at + before
	}
	if toEnd {
		return list[i].End + list[i].shift
	}
	return list[i].Start + before
}
