package console

import (
	"slices"
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// A large act is read on several pages: ?section=2 is one of them, ?section=json
// its canonical JSON. Without it the page is the first that its reader has not
// acknowledged.

const jsonSection = -1

// sectionAsked reads which section an address names; 0 where none is named that
// could be.
func sectionAsked(c call) int {
	asked := c.QueryParam("section")
	if asked == "json" {
		return jsonSection
	}
	n, err := strconv.Atoi(asked)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// acknowledge takes "I have read section 2" and leads to the next one.
func (s *Console) acknowledge(c call) error {
	id, err := s.requestID(c)
	if err != nil {
		return err
	}
	if err = c.unlocked(); err == nil {
		var in approvals.AcknowledgeInput
		if in, err = acknowledgeForm(c); err == nil {
			err = s.approvals.Acknowledge(c.Request().Context(), c.member, id, in)
		}
	}
	if err != nil {
		return s.refused(c, err, typed{})
	}
	return goTo(c, requestURL(c.member.Tenant, id)+"#sections")
}

func acknowledgeForm(c call) (in approvals.AcknowledgeInput, err error) {
	in.Digest = c.field("digest")
	if in.Section, err = strconv.Atoi(c.field("section")); err != nil {
		return in, fault.Member(fault.InvalidForm, "section", "the section is the number that the page carries")
	}
	if in.Version, err = strconv.ParseInt(c.field("version"), 10, 64); err != nil {
		return in, fault.Member(fault.InvalidForm, "version", "the version is the number that the page carries")
	}
	return in, nil
}

// sectionShown is the section that a page shows, 1-based, or jsonSection.
func sectionShown(v approvals.Review, asked int) int {
	switch missing := v.Unread(); {
	case !v.Reading.Large():
		return 1
	case asked == jsonSection, 0 < asked && asked <= len(v.Reading.Sections):
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
	return canDecide(v.Stage) && v.Stage != approvals.StageLocked && v.Stage != approvals.StageSigned
}

// partsOf is the way through the sections; nil where there is but one.
func partsOf(say texts.Printer, v approvals.Review, section int, locked bool) *review.Parts {
	if !v.Reading.Large() {
		return nil
	}
	url := requestURL(v.Tenant, v.ID)
	p := &review.Parts{
		Now: section, Of: len(v.Reading.Sections), RawURL: url + "?section=json", RawSize: bytesOf(say, len(v.Action.Act().Canonical())),
		Raw: section == jsonSection, Digest: v.ShownDigest, Version: strconv.FormatInt(v.Version, 10),
	}
	for n := range v.Reading.Sections {
		_, read := v.SectionsRead[n+1]
		p.Items = append(p.Items, review.Part{URL: url + "?section=" + strconv.Itoa(n+1), Read: read})
	}
	if !mayAcknowledge(v) {
		return p
	}
	p.Left = sectionsRead(say, len(v.SectionsRead), p.Of)
	if _, read := v.SectionsRead[section]; !read && section != jsonSection && !locked {
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
func layOut(c *review.Card, v approvals.Review, section int, pen *pen, d *facts.Difference, last scoring.Action) {
	act := v.Action.Act()
	a := &review.Arguments{Shown: pen.say.Say("%d values, all shown", len(facts.Leaves(v.Action.Arguments())))}
	c.Arguments = a
	large := v.Reading.Large()
	var drawn map[string]bool
	if section == 1 {
		c.Edits, drawn = editsOf(pen.say, v.Action.Files(), v.Action.At)
	}
	if large {
		a.Shown = pen.say.Say("in %d sections", len(v.Reading.Sections))
	}
	changes := map[string]facts.ValueChange{}
	if d != nil {
		a.Compared, a.Difference = true, difference(pen.say, d.Count())
		for _, change := range d.Values {
			changes[change.Now.Pointer] = change
		}
	}
	if !large || section == jsonSection {
		defer func() { // the values come first, where not everything can be coloured
			a.Raw, a.RawSize, a.RawOpen = pen.json(pretty(act)), bytesOf(pen.say, len(act.Canonical())), large
		}()
	}
	if section == jsonSection {
		return
	}
	for _, p := range v.Reading.Sections[section-1] {
		if p.Pointer == "/code" || p.Pointer == "/content" {
			c.Blocks = append(c.Blocks, blockOf(p, v, pen, d, last))
			continue
		}
		change, compared := changes[p.Pointer]
		if d == nil || !compared {
			row := argumentRow(v.Action.Arguments(), p, pen, nil)
			if drawn[p.Pointer] && !large && !slices.ContainsFunc(row.Value, func(r views.Run) bool { return r.Kind == views.RunHidden || r.Kind == views.RunOdd }) {
				row.Folded = pen.say.Say("As sent, %s", sizeOf(pen.say, p.Text))
			}
			a.Rows = append(a.Rows, row)
			continue
		}
		row := comparedRow(v.Action.Arguments(), p, pen, change)
		if size := len(change.Was.Text); (!whole(p) || size > approvals.SectionBytes) && len(row.Was) > 0 {
			row.Was, row.WasNote, row.WasInPart = nil, pen.say.Say("another text, %d bytes", size), false
		}
		a.Rows = append(a.Rows, row)
	}
	if d == nil || section != len(v.Reading.Sections) {
		return
	}
	for _, change := range d.Values {
		if change.How == facts.Removed {
			a.Rows = append(a.Rows, goneRow(pen.say, last, change.Was))
		}
	}
	if d.Code == facts.Removed {
		c.Blocks = append(c.Blocks, review.Block{
			ID: "code", Title: pen.say.Say("Code"), Size: pen.say.Say("none"), Difference: pen.say.Say("The last similar call had code"), Was: runs(last.Code()), WasSize: sizeOf(pen.say, last.Code()),
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
func blockOf(p approvals.Piece, v approvals.Review, pen *pen, d *facts.Difference, last scoring.Action) review.Block {
	title := map[string]string{"/code": pen.say.Say("Code"), "/content": pen.say.Say("Content")}[p.Pointer]
	w := pen.write(p, nil)
	b := review.Block{ID: p.Pointer[1:], Title: title, Size: sizeOf(pen.say, p.Text), Text: orEmpty(w.runs), Notes: w.notes, ShownAs: pen.say.Key(languageWords[w.language]), Findings: findings(pen.say, p.Text, w.runs)}
	if note := pieceNote(pen.say, p); note != "" {
		b.Findings = append(b.Findings, note)
	}
	if p.Pointer == "/code" && d != nil {
		b.Difference = codeDifference(pen.say, d.Code)
		if d.Code == facts.Changed && p.Last {
			b.Was, b.WasSize = runs(last.Code()), sizeOf(pen.say, last.Code())
			if whole(p) {
				var added, removed int
				b.Lines, added, removed = changedLines(pen.say, last.Code(), p.Text)
				b.LinesNote = pen.say.Say("%d lines added", added) + ", " + pen.say.Say("%d lines removed", removed)
			}
		}
	}
	return b
}

// argumentRow is one value of the arguments, or a piece of it, in which changes are
// new.
func argumentRow(arguments canon.Value, p approvals.Piece, pen *pen, changes []changeSpan) review.ArgumentRow {
	w := pen.write(p, changes)
	row := review.ArgumentRow{
		Act: true, Whole: p.Pointer == argumentsRoot,
		Type: p.Type, Value: w.runs, ShownAs: pen.say.Key(languageWords[w.language]), Findings: findings(pen.say, p.Text, w.runs),
	}
	row.Name, row.Notes = pen.name(arguments, p.Pointer)
	row.Notes = append(row.Notes, w.notes...)
	if p.Type == "string" && p.Text == "" {
		row.Findings = []string{pen.say.Say("An empty text")}
	}
	if note := pieceNote(pen.say, p); note != "" {
		row.Findings = append(row.Findings, note)
	}
	return row
}

// comparedRow is argumentRow beside what the value was before: where both are texts
// that have much in common, only the words that differ are marked.
func comparedRow(arguments canon.Value, p approvals.Piece, pen *pen, change facts.ValueChange) review.ArgumentRow {
	var removed, added []changeSpan
	inPart := false
	if change.How == facts.Changed && whole(p) && p.Type == "string" && change.Was.Type == "string" && len(change.Was.Text) <= approvals.SectionBytes && max(len(change.Was.Text), len(p.Text)) >= longText {
		removed, added, inPart = changedWords(change.Was.Text, p.Text)
	}
	row := argumentRow(arguments, p, pen, added)
	compare(pen.say, &row, change)
	if inPart {
		row.Was, row.WasInPart = styled(change.Was.Text, style{changes: removed}), true
	}
	return row
}

// in are the matched stretches of a piece, counted from where it begins.
func (m marks) in(p approvals.Piece) []span {
	all := m.of(p.Pointer)
	if p.Start == 0 {
		return all
	}
	moved := make([]span, len(all))
	for i, s := range all {
		moved[i] = span{s.start - p.Start, s.end - p.Start, s.why}
	}
	return moved
}
