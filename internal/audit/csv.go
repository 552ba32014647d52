package audit

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// CSV writes a table for spreadsheets: RFC 4180 with every cell quoted, lines end
// with CR LF, UTF-8. Cells are made harmless first, because programs take a cell
// that begins with = + - @ for a formula and run it:
//
//   - a cell that begins so, also behind white space, gets an apostrophe in front
//     (OWASP, "CSV Injection");
//   - characters that cannot be seen or turn the text around are written as \u202e,
//     line breaks as \n, so that one row is one line.
//
// So a cell is for reading. What has to be exact is in the JSON lines.
type CSV struct {
	w *bufio.Writer
}

// NewCSV returns a writer of rows. Call Flush at the end.
func NewCSV(w io.Writer) *CSV { return &CSV{bufio.NewWriter(w)} }

// Row writes one row. The error is Flush's to tell.
func (c *CSV) Row(cells ...string) {
	for i, cell := range cells {
		if i > 0 {
			_ = c.w.WriteByte(',')
		}
		_ = c.w.WriteByte('"')
		_, _ = c.w.WriteString(strings.ReplaceAll(Harmless(cell), `"`, `""`))
		_ = c.w.WriteByte('"')
	}
	_, _ = c.w.WriteString("\r\n")
}

// Flush writes what is left and returns the first error of all rows.
func (c *CSV) Flush() error { return c.w.Flush() }

// formulas are the characters that make a spreadsheet calculate, with their
// full-width forms, which some programs take for the same.
const formulas = "=+-@＝＋－＠\t\r\n"

// Harmless is a text as CSV writes it into a cell, before the quotes.
func Harmless(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 1)
	begin := strings.TrimLeftFunc(s, func(r rune) bool { return r == ' ' || drawsNothing(r) && !strings.ContainsRune(formulas, r) })
	if r, _ := utf8.DecodeRuneInString(begin); begin != "" && strings.ContainsRune(formulas, r) {
		b.WriteByte('\'')
	}
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r != ' ' && drawsNothing(r):
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// drawsNothing reports whether a character cannot be seen, or changes how its
// neighbours are drawn.
func drawsNothing(r rune) bool {
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// eventHead names the columns of the trail.
var eventHead = []string{
	"index", "time", "kind", "actor kind", "actor", "actor id", "what", "level", "function", "agent", "agent id", "approval", "data", "leaf", "effect",
}

// EventHead writes the first row of a table of events.
func (c *CSV) EventHead() { c.Row(slices.Concat(eventHead, PatternHead)...) }

// Event writes an event as one row. One without its leaf is sealed for who takes it.
func (c *CSV) Event(r Record, names Names) {
	e := r.Event
	actor, agent := "", ""
	if e.Actor.ID != "" {
		actor = names(e.Actor.Kind, e.Actor.ID)
	}
	if e.Agent != "" {
		agent = names("agent", e.Agent)
	}
	leaf := "sealed"
	if r.Leaf != nil {
		leaf = hex.EncodeToString(r.Leaf)
	}
	c.Row(append([]string{
		strconv.FormatInt(e.Index, 10), FormatTime(e.At), string(e.Kind), e.Actor.Kind, actor, e.Actor.ID, e.Sentence(names),
		e.Level, e.Function, agent, e.Agent, e.Approval, string(e.Data.Canonical()), leaf, e.Effect,
	}, PatternCells(e.Data.Get("treatment").Get("patterns"))...)...)
}
