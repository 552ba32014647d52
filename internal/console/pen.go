package console

import (
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// pen writes the values of one page: what matched in them is marked and numbered,
// what is in a language is coloured, what differs is told. All of it is bounded by the
// page, and none of it is part of the text (docs/reading.md).
type pen struct {
	say         texts.Printer
	marks       marks
	tongues     tongues
	notes       notes
	highlighter *highlighter
}

func newPen(say texts.Printer, v approvals.Review) *pen {
	return &pen{
		say: say, marks: marksOf(say, v), tongues: tonguesOf(v.Action), notes: notes{say: say, first: map[string]int{}},
		highlighter: newHighlighter(),
	}
}

// plainPen only numbers and compares: for texts that stand beside the act.
func plainPen(say texts.Printer) *pen {
	return &pen{say: say, notes: notes{say: say, first: map[string]int{}}, highlighter: &highlighter{}}
}

// written is a value as it is drawn.
type written struct {
	runs     []views.Run
	notes    []views.Note
	language language // in which it is coloured
}

// write draws a value or a piece of one, in which changes are new.
func (p *pen) write(piece approvals.Piece, changes []changeSpan) written {
	as := style{changes: changes}
	var w written
	as.marks, w.notes = p.notes.of(piece.Text, wholeWords(piece.Text, p.marks.in(piece)))
	if l := p.tongues.of(piece); l != languageNone {
		if as.tokens = p.highlighter.tokens(l, piece.Text); as.tokens != nil {
			w.language = l
		}
	}
	w.runs = styled(piece.Text, as)
	return w
}

// maxRaw is up to where the JSON of an act is coloured: all of it stands in the open
// above already.
const maxRaw = 2 << 10

// json draws the canonical JSON of an act.
func (p *pen) json(text string) []views.Run {
	if len(text) > maxRaw {
		return runs(text)
	}
	return styled(text, style{tokens: p.highlighter.tokens(languageJSON, text)})
}

// name draws the name of a value. What matched in it is told with the value.
func (p *pen) name(arguments canon.Value, pointer string) ([]views.Run, []views.Note) {
	name := pathOf(arguments, pointer)
	marks, list := p.notes.of(name, p.marks.ofKey(pointer, name))
	return styled(name, style{marks: marks}), slices.Clone(list)
}
