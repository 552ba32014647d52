package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// inScript are the words of a shell text that its commands only print, look for or keep.
// Where a command of it may run or move what others print or write, there are none.
func (t *textTools) inScript(s scripted) []scan.Place {
	if len(s.script.Unreadable) > 0 || slices.ContainsFunc(s.script.Commands, t.mayRun) {
		return nil
	}
	var places []scan.Place
	for _, c := range s.script.Commands {
		for _, span := range t.inCommand(c) {
			if span.Start >= 0 && span.Start < span.End && span.End <= len(s.text) && !readsOtherwise(s.text[span.Start:span.End]) {
				places = append(places, scan.Place{Pointer: s.at, Start: span.Start, End: span.End})
			}
		}
	}
	return places
}

// mayRun reports whether a command may run what another one prints, or put it where it is
// run.
func (t *textTools) mayRun(c shell.Command) bool {
	program := strings.ToLower(c.Program())
	switch {
	case c.Role != shell.Program, len(c.Wrappers) > 0, len(c.Assigns) > 0, t.Runners[program], len(c.Words) > 0 && program == "":
		return true
	case (c.From >= 0 || c.Input != nil) && !t.Filters[program]:
		return true
	case program == "tee" && slices.ContainsFunc(c.Words[1:], func(w shell.Word) bool { return !strings.HasPrefix(w.Text, "-") && !t.isProse(w.Text) }):
		return true
	}
	return slices.ContainsFunc(c.Redirects, func(d shell.Redirect) bool {
		return d.Op != "<" && (!d.File.Literal || !isSink(d.File.Text) && !t.isProse(d.File.Text))
	})
}

// inCommand are the bytes of a command's words that are texts, and of what it reads.
func (t *textTools) inCommand(c shell.Command) []scan.Span {
	if len(c.Words) == 0 {
		return nil
	}
	var spans []scan.Span
	if c.Input != nil && c.Input.Literal {
		spans = append(spans, scan.Span{Start: c.Input.Start, End: c.Input.End})
	}
	program := strings.ToLower(c.Program())
	if t.Commands.All[program] {
		return append(spans, together(c.Words[1:])...)
	}
	cut := taken(program, c.Words[1:])
	for _, o := range cut.Options {
		switch {
		case !o.IsProse() || !o.Value.Literal:
		case o.ValueAt == o.At:
			spans = append(spans, scan.Span{Start: o.Word.Start, End: o.Word.End})
		default:
			spans = append(spans, scan.Span{Start: o.Value.Start, End: o.Value.End})
		}
	}
	if program == "git" && cut.First() == "grep" {
		spans = append(spans, together(c.Words[cut.At[0]+2:])...)
	}
	return spans
}

// together are the places of words that are known, neighbours as one.
func together(words []shell.Word) (spans []scan.Span) {
	known := false
	for _, w := range words {
		switch n := len(spans); {
		case !w.Literal:
		case known && w.Start >= spans[n-1].End:
			spans[n-1].End = w.End
		default:
			spans = append(spans, scan.Span{Start: w.Start, End: w.End})
		}
		known = w.Literal
	}
	return spans
}

// readsOtherwise reports whether a shell of Windows could end a quoted text where bash
// does not: nobody knows which shell it is.
func readsOtherwise(raw string) bool {
	return strings.Contains(raw, `\"`) || strings.Contains(raw, `\'`) || strings.ContainsAny(raw, "‘’‚‛“”„") ||
		strings.Contains(raw, "'") && strings.ContainsAny(raw, "&|")
}
