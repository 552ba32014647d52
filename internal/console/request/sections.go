package request

import (
	"slices"
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// A large act is read on several pages: ?section=2 is one of them, ?section=json
// its canonical JSON. Without it the page is the first that its reader has not
// acknowledged.

const JSONSection = -1

// sectionShown is the section that a page shows, 1-based, or jsonSection.
func sectionShown(v approvals.Review, asked int) int {
	switch missing := v.Unread(); {
	case !v.Reading.Large():
		return 1
	case asked == JSONSection, 0 < asked && asked <= len(v.Reading.Sections):
		return asked
	case len(missing) > 0 && mayAcknowledge(v):
		return missing[0]
	default:
		return 1
	}
}

// mayAcknowledge says who an acknowledgement means something for: whoever may still
// approve.
func mayAcknowledge(v approvals.Review) bool {
	return CanDecide(v.Stage) && v.Stage != approvals.StageLocked && v.Stage != approvals.StageSigned
}

// partsOf is the way through the sections; nil where there is but one.
func partsOf(say texts.Printer, v approvals.Review, section int, locked bool) *review.Parts {
	if !v.Reading.Large() {
		return nil
	}
	url := urls.Request(v.Tenant, v.ID)
	p := &review.Parts{
		Now: section, Of: len(v.Reading.Sections), RawURL: url + "?section=json", RawSize: present.BytesOf(say, len(v.Action.Act().Canonical())),
		Raw: section == JSONSection, Digest: v.ShownDigest, Version: strconv.FormatInt(v.Version, 10),
	}
	for n := range v.Reading.Sections {
		_, read := v.SectionsRead[n+1]
		p.Items = append(p.Items, review.Part{URL: url + "?section=" + strconv.Itoa(n+1), Read: read})
	}
	if !mayAcknowledge(v) {
		return p
	}
	p.Left = sectionsRead(say, len(v.SectionsRead), p.Of)
	if _, read := v.SectionsRead[section]; !read && section != JSONSection && !locked {
		p.Ack = url + "/acknowledge"
	}
	return p
}

// sectionsRead says how many of the sections are read.
func sectionsRead(say texts.Printer, read, of int) string {
	return say.Say("%d of %d sections read", read, of)
}

// unreadNote says why approve is closed while sections are unread; "" where none is.
func unreadNote(say texts.Printer, v approvals.Review) string {
	missing := v.Unread()
	if len(missing) == 0 {
		return ""
	}
	of := len(v.Reading.Sections)
	return say.Say("To approve, read every section: %d of %d done. Next: section %s. You can deny at any time.", of-len(missing), of, strconv.Itoa(missing[0]))
}

// layOut fills the card with the pieces of one section, in reading order, and with
// what only the last approved call had behind the last of them.
func layOut(c *review.Card, v approvals.Review, section int, values *untrusted.Renderer, d *facts.Difference, last scoring.Action) {
	act := v.Action.Act()
	a := &review.Arguments{Shown: values.Say.Say("%d values, all shown", len(facts.Leaves(v.Action.Arguments())))}
	c.Arguments = a
	large := v.Reading.Large()
	var drawn map[string]bool
	if section == 1 {
		c.Edits, drawn = untrusted.Edits(values.Say, v.Action.Files(), v.Action.At)
	}
	if large {
		a.Shown = values.Say.Say("in %d sections", len(v.Reading.Sections))
	}
	changes := map[string]facts.ValueChange{}
	if d != nil {
		a.Compared, a.Difference = true, difference(values.Say, d.Count())
		for _, change := range d.Values {
			changes[change.Now.Pointer] = change
		}
	}
	if !large || section == JSONSection {
		defer func() { // the values come first, where not everything can be coloured
			a.Raw, a.RawSize, a.RawOpen = values.JSON(Pretty(act)), present.BytesOf(values.Say, len(act.Canonical())), large
		}()
	}
	if section == JSONSection {
		return
	}
	for _, p := range v.Reading.Sections[section-1] {
		if p.Pointer == "/code" || p.Pointer == "/content" {
			c.Blocks = append(c.Blocks, blockOf(p, v, values, d, last))
			continue
		}
		change, compared := changes[p.Pointer]
		if d == nil || !compared {
			row := argumentRow(v.Action.Arguments(), p, values, values.Value(p))
			if drawn[p.Pointer] && !large && !slices.ContainsFunc(row.Value, func(r views.Run) bool { return r.Kind == views.RunHidden || r.Kind == views.RunOdd }) {
				row.Folded = values.Say.Say("As sent, %s", present.SizeOf(values.Say, p.Text))
			}
			a.Rows = append(a.Rows, row)
			continue
		}
		row := comparedRow(v.Action.Arguments(), p, values, change)
		if size := len(change.Was.Text); (!whole(p) || size > approvals.SectionBytes) && len(row.Was) > 0 {
			row.Was, row.WasNote, row.WasInPart = nil, values.Say.Say("another text, %d bytes", size), false
		}
		a.Rows = append(a.Rows, row)
	}
	if d == nil || section != len(v.Reading.Sections) {
		return
	}
	for _, change := range d.Values {
		if change.How == facts.Removed {
			a.Rows = append(a.Rows, goneRow(values.Say, last, change.Was))
		}
	}
	if d.Code == facts.Removed {
		c.Blocks = append(c.Blocks, review.Block{
			ID: "code", Title: values.Say.Say("Code"), Size: values.Say.Say("none"), Difference: values.Say.Say("The last similar call had code"), Was: untrusted.Runs(last.Code()), WasSize: present.SizeOf(values.Say, last.Code()),
		})
	}
}

// whole reports whether a piece is all of its value.
func whole(p approvals.Piece) bool { return p.Start == 0 && p.Last }

// pieceNote says which part of a long text stands here; "" for all of it.
func pieceNote(say texts.Printer, p approvals.Piece) string {
	if whole(p) {
		return ""
	}
	note := say.Say("Bytes %d to %d of a long text", p.Start+1, p.Start+len(p.Text))
	switch {
	case p.Last:
		return say.Say("%s; ends here", note)
	default:
		return say.Say("%s; continues in the next section", note)
	}
}

// blockOf is code or content, or a piece of it.
func blockOf(p approvals.Piece, v approvals.Review, values *untrusted.Renderer, d *facts.Difference, last scoring.Action) review.Block {
	title := map[string]string{"/code": values.Say.Say("Code"), "/content": values.Say.Say("Content")}[p.Pointer]
	w := values.Value(p)
	b := review.Block{ID: p.Pointer[1:], Title: title, Size: present.SizeOf(values.Say, p.Text), Text: untrusted.OrEmpty(w.Runs), Notes: w.Notes, ShownAs: w.ShownAs, Findings: untrusted.Findings(values.Say, p.Text, w.Runs)}
	if note := pieceNote(values.Say, p); note != "" {
		b.Findings = append(b.Findings, note)
	}
	if p.Pointer == "/code" && d != nil {
		b.Difference = codeDifference(values.Say, d.Code)
		if d.Code == facts.Changed && p.Last {
			b.Was, b.WasSize = untrusted.Runs(last.Code()), present.SizeOf(values.Say, last.Code())
			if whole(p) {
				var added, removed int
				b.Lines, added, removed = untrusted.ChangedLines(values.Say, last.Code(), p.Text)
				b.LinesNote = values.Say.Say("%d lines added", added) + ", " + values.Say.Say("%d lines removed", removed)
			}
		}
	}
	return b
}

// argumentRow is one value of the arguments, or a piece of it, as it is drawn.
func argumentRow(arguments canon.Value, p approvals.Piece, values *untrusted.Renderer, drawn untrusted.Value) review.ArgumentRow {
	row := review.ArgumentRow{
		Act: true, Whole: p.Pointer == untrusted.ArgumentsRoot,
		Type: p.Type, Value: drawn.Runs, ShownAs: drawn.ShownAs, Findings: untrusted.Findings(values.Say, p.Text, drawn.Runs),
	}
	row.Name, row.Notes = values.Name(arguments, p.Pointer)
	row.Notes = append(row.Notes, drawn.Notes...)
	if p.Type == "string" && p.Text == "" {
		row.Findings = []string{values.Say.Say("An empty text")}
	}
	if note := pieceNote(values.Say, p); note != "" {
		row.Findings = append(row.Findings, note)
	}
	return row
}

// comparedRow is argumentRow beside what the value was before: where both are texts
// that have much in common, only the words that differ are marked.
func comparedRow(arguments canon.Value, p approvals.Piece, values *untrusted.Renderer, change facts.ValueChange) review.ArgumentRow {
	var drawn untrusted.Value
	var was []views.Run
	if change.How == facts.Changed && whole(p) && p.Type == "string" && change.Was.Type == "string" && len(change.Was.Text) <= approvals.SectionBytes {
		drawn, was = values.Changed(p, change.Was.Text)
	} else {
		drawn = values.Value(p)
	}
	row := argumentRow(arguments, p, values, drawn)
	compare(values.Say, &row, change)
	if was != nil {
		row.Was, row.WasInPart = was, true
	}
	return row
}
