package scan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
)

// Place is a stretch of one original value of the action body.
type Place struct {
	// Pointer is the JSON pointer (RFC 6901) of the value: "/arguments/sql", "/code".
	Pointer string `json:"pointer"`
	// Start and End are bytes of the original string, End exclusive. For a
	// number or boolean they count in its canonical form.
	Start int `json:"start"`
	End   int `json:"end"`
	// Key says that the bytes are those of the member's name (unescaped), not of its value.
	Key bool `json:"key,omitempty"`
}

// Evidence is why a model says what it says: which pattern, where, in words.
type Evidence struct {
	Pattern string  `json:"pattern"`
	Places  []Place `json:"places"`
	Why     string  `json:"why"`
}

// Obfuscated is the Pattern of the evidence that a model adds when something
// matched only in the Normal or the Bare copy of a text.
const Obfuscated = "obfuscated text"

// Disguised is the evidence that goes with found, when that was found in the
// copies only.
func Disguised(found []Evidence) Evidence {
	e := Evidence{
		Pattern: Obfuscated,
		Places:  []Place{},
		Why:     "found only after removing invisible characters, quotes and other marks that change nothing, and folding look-alikes",
	}
	for _, f := range found {
		e.Places = append(e.Places, f.Places...)
	}
	return e
}

// Segment is one text that models read: a string, number or boolean leaf, or
// the name of a member. Text is never empty when Arguments made it.
type Segment struct {
	Pointer string // of the leaf, or of the member whose name Text is
	Key     bool
	Text    string // numbers in canonical form, booleans as true and false
}

// Place is the stretch of the segment from start to end.
func (s Segment) Place(start, end int) Place {
	return Place{Pointer: s.Pointer, Start: start, End: end, Key: s.Key}
}

// NamesMemberOf reports whether the segment is the name of a member of the value at a
// pointer, not of one further down.
func (s Segment) NamesMemberOf(pointer string) bool {
	return s.Key && strings.LastIndexByte(s.Pointer, '/') == len(pointer)
}

// Arguments lists the texts of a value depth first in canonical order: object
// members as RFC 8785 sorts them, the name before its value, arrays as they
// stand. Null and empty strings add nothing. pointer is where the value stands
// in the action ("/arguments").
//
// The pointers of a value that passed canon.Parse come to a few MiB at most,
// because the gate bounds their sum.
func Arguments(args canon.Value, pointer string) []Segment {
	var w walker
	w.value(args, pointer)
	return w.segments
}

type walker struct{ segments []Segment }

func (w *walker) value(v canon.Value, pointer string) {
	switch v.Kind() {
	case canon.KindString:
		w.add(pointer, false, v.Text())
	case canon.KindNumber:
		w.add(pointer, false, v.Number())
	case canon.KindBool:
		w.add(pointer, false, strconv.FormatBool(v.Bool()))
	case canon.KindArray:
		for i, element := range v.Elements() {
			w.value(element, pointer+"/"+strconv.Itoa(i))
		}
	case canon.KindObject:
		for name, member := range v.Members() {
			below := pointer + "/" + canon.PointerEscape(name)
			w.add(below, true, name)
			w.value(member, below)
		}
	case canon.KindAbsent, canon.KindNull:
	}
}

func (w *walker) add(pointer string, key bool, text string) {
	if text != "" {
		w.segments = append(w.segments, Segment{Pointer: pointer, Key: key, Text: text})
	}
}

// Text is several segments read as one string, in which each byte still knows
// where it came from.
type Text struct {
	joined   string
	segments []Segment
	starts   []int // where each segment begins in joined
}

// Join puts single spaces between the segments; empty ones add nothing. The Text takes
// over the list.
func Join(segments []Segment) Text {
	segments = slices.DeleteFunc(segments, func(s Segment) bool { return s.Text == "" })
	t := Text{segments: segments, starts: make([]int, len(segments))}
	if len(segments) == 1 {
		t.joined = segments[0].Text
		return t
	}
	size := 0
	for i, s := range segments {
		t.starts[i] = size
		size += len(s.Text) + 1
	}
	var b strings.Builder
	b.Grow(size)
	for i, s := range segments {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.Text)
	}
	t.joined = b.String()
	return t
}

// String is the joined text.
func (t Text) String() string { return t.joined }

// Places says where the bytes from start to end of the joined text stand: one
// Place for each segment of which at least one byte is meant, in order.
func (t Text) Places(start, end int) []Place {
	// The first segment that ends after start.
	lo, hi := 0, len(t.segments)
	for lo < hi {
		mid := (lo + hi) / 2
		if t.starts[mid]+len(t.segments[mid].Text) > start {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	var places []Place
	for i := lo; i < len(t.segments) && t.starts[i] < end; i++ {
		s := t.segments[i]
		places = append(places, s.Place(max(start-t.starts[i], 0), min(end-t.starts[i], len(s.Text))))
	}
	return places
}
