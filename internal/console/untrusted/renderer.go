package untrusted

import (
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// ArgumentsRoot is the JSON pointer of an act's arguments.
const ArgumentsRoot = "/arguments"

// Renderer draws the values of one page: what matched in them is marked and numbered,
// what is in a language is coloured, what differs is told. All of it is bounded by the
// page, and none of it is part of the text (docs/reading.md).
type Renderer struct {
	Say         texts.Printer
	marks       Marks
	languages   languages
	notes       notes
	highlighter *highlighter
}

// NewRenderer draws the values of an act, in which marks matched.
func NewRenderer(say texts.Printer, a scoring.Action, marks Marks) *Renderer {
	return &Renderer{Say: say, marks: marks, languages: languagesOf(a), notes: notes{say: say, first: map[string]int{}}, highlighter: newHighlighter()}
}

// PlainRenderer only numbers and compares: for texts that stand beside the act.
func PlainRenderer(say texts.Printer) *Renderer {
	return &Renderer{Say: say, notes: notes{say: say, first: map[string]int{}}, highlighter: &highlighter{}}
}

// Places are where the reasons are marked first, by their words.
func (r *Renderer) Places() map[string]int { return r.notes.first }

// Value is a value as it is drawn.
type Value struct {
	Runs    []views.Run
	Notes   []views.Note
	ShownAs string // the language in which it is coloured; empty without one
}

// Value draws a value or a piece of one.
func (r *Renderer) Value(piece approvals.Piece) Value { return r.value(piece, nil) }

// Changed draws a text beside what it was before. Where the two have much in common, the words
// that differ are marked in both; was is nil where they have not, or are short.
func (r *Renderer) Changed(piece approvals.Piece, before string) (now Value, was []views.Run) {
	if max(len(before), len(piece.Text)) >= longText {
		if removed, added, ok := changedWords(before, piece.Text); ok {
			return r.value(piece, added), styled(before, style{changes: removed})
		}
	}
	return r.value(piece, nil), nil
}

func (r *Renderer) value(piece approvals.Piece, changes []changeSpan) Value {
	as := style{changes: changes}
	var v Value
	as.marks, v.Notes = r.notes.of(piece.Text, wholeWords(piece.Text, r.marks.in(piece)))
	if l := r.languages.of(piece); l != languageNone {
		if as.tokens = r.highlighter.tokens(l, piece.Text); as.tokens != nil {
			v.ShownAs = r.Say.Key(languageWords[l])
		}
	}
	v.Runs = styled(piece.Text, as)
	return v
}

// maxRaw is up to where the JSON of an act is coloured: all of it stands in the open
// above already.
const maxRaw = 2 << 10

// JSON draws the canonical JSON of an act.
func (r *Renderer) JSON(text string) []views.Run {
	if len(text) > maxRaw {
		return Runs(text)
	}
	return styled(text, style{tokens: r.highlighter.tokens(languageJSON, text)})
}

// Name draws the name of a value. What matched in it is told with the value.
func (r *Renderer) Name(arguments canon.Value, pointer string) ([]views.Run, []views.Note) {
	name := pathOf(arguments, pointer)
	marks, list := r.notes.of(name, r.marks.ofKey(pointer, name))
	return styled(name, style{marks: marks}), slices.Clone(list)
}
