package console

import (
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/views"
)

// What a request comes from and what came of it: the request for changes that it
// answers, what answers it, and what an operator made of it.

// chainOf are the requests of a chain of revisions, oldest first. One whose quiz
// the reader is answering names verb and kind only.
func chainOf(v approvals.Review, asking map[string]bool) []views.TrailStep {
	if len(v.Chain) == 0 {
		return nil
	}
	var steps []views.TrailStep
	if first := v.Chain[0]; first.Revises != "" {
		steps = append(steps, views.TrailStep{Text: runs("Earlier requests of this chain"), URL: requestURL(v.Tenant, first.Revises)})
	}
	for _, a := range v.Chain {
		about := subjectOf(a)
		if asking[a.ID] {
			about.sentence = about.hidden
		}
		step := views.TrailStep{
			Text: headline(about.sentence), Note: strings.ToLower(verdictWords[a.Status]),
			End: a.CreatedAt.Format(clockForm), Level: levelOf(a.Assessment.Level), Current: a.ID == v.ID,
		}
		if a.Decision != nil {
			step.Note += " by " + decidedBy(a)
			if a.Decision.Reason != "" && a.Status == approvals.ChangesRequested {
				step.Note += ": “" + gist(a.Decision.Reason) + "”"
			}
		}
		if step.Current {
			step.Note += ", you are here"
		} else {
			step.URL = requestURL(a.Tenant, a.ID)
		}
		steps = append(steps, step)
	}
	return steps
}

// supersededNotice says that something answers what is open here.
func supersededNotice(v approvals.Review) (views.Notice, bool) {
	by := v.SupersededBy()
	if by == nil {
		return views.Notice{}, false
	}
	return views.Notice{
		Icon: views.IconLayers, Title: "Superseded by a revision", Tone: views.ToneAccent,
		Text:   runs("The agent answered with another request, which is " + strings.ToLower(verdictWords[by.Status]) + "."),
		Action: &views.Link{Label: "Show the revision", URL: requestURL(v.Tenant, by.ID)},
	}, true
}

// editedNotice says that somebody changed what is read here.
func editedNotice(a approvals.Approval) views.Notice {
	last := a.Edits[len(a.Edits)-1]
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconSettings, Title: last.Name + " edited the arguments at " + last.At.Format(momentForm),
		Text: runs("What you read is what it is now; what the agent proposed stands below. This is version " + strconv.FormatInt(a.Version, 10) +
			" of the request; a decision on an earlier one does not count."),
		Action: &views.Link{Label: "Show it as it is now", URL: requestURL(a.Tenant, a.ID)},
	}
}

// versionNotices say why a pending request is not the one that came in.
func versionNotices(a approvals.Approval) []views.Notice {
	var all []views.Notice
	if a.Proposed != nil {
		all = append(all, editedNotice(a))
	}
	if edits := len(a.Edits); edits == 0 || a.Edits[edits-1].Version < a.Version {
		all = append(all, changedNotice(a))
	}
	return all
}

// comparisonsOf are the differences to what an act came from.
func comparisonsOf(v approvals.Review) []views.Comparison {
	var all []views.Comparison
	if v.Proposed != nil {
		all = append(all, editedOf(v))
	}
	if before := v.Answers(); before != nil {
		all = append(all, revisedOf(v, *before))
	}
	return all
}

// editedOf tells proposed → edited → decided → what the agent runs.
func editedOf(v approvals.Review) views.Comparison {
	proposed := v.Approval
	proposed.Action = v.Proposed.Action
	c := views.Comparison{ID: "edited", Title: "Edited before approval", Column: "Proposed by the agent", None: "In the end nothing is changed."}
	c.Steps = append(c.Steps, views.TrailStep{
		Text: runs("Proposed by " + v.Agent.Name), Note: shortDigest(v.Proposed.Digest), End: v.CreatedAt.Format(clockForm),
	})
	for _, e := range v.Edits {
		c.Steps = append(c.Steps, views.TrailStep{Text: runs("Edited by " + e.Name), Note: shortDigest(e.Digest) + ", version " + strconv.FormatInt(e.Version, 10), End: e.At.Format(clockForm)})
	}
	if v.Decision != nil {
		c.Steps = append(c.Steps, views.TrailStep{
			Text: runs(verdictWords[v.Status] + " by " + decidedBy(v.Approval)), Note: shortDigest(v.Digest), End: v.Decision.DecidedAt.Format(clockForm),
		})
	}
	if v.Effective() != nil {
		c.Steps = append(c.Steps, views.TrailStep{Text: runs("Effective: what the agent may run"), Note: shortDigest(v.Digest) + ", which the grant is for", Current: true})
	} else {
		c.Steps[len(c.Steps)-1].Current = true
	}
	compareWith(&c, v, proposed)
	return c
}

// revisedOf says what the agent made of the request for changes.
func revisedOf(v approvals.Review, before approvals.Approval) views.Comparison {
	c := views.Comparison{
		ID: "revised", Title: "What it answers", Column: "The request before", None: "The call is the same as before.",
		Link: &views.Link{Label: "Show the request before", URL: requestURL(v.Tenant, before.ID)},
	}
	if d := before.Decision; d != nil {
		c.Note = append(runs(sentence(decidedBy(before))+" asked for changes at "+d.DecidedAt.Format(momentForm)+": "), quoted(d.Reason)...)
	}
	compareWith(&c, v, before)
	return c
}

// compareWith fills in what differs from another act: its arguments, its function,
// its environment and its code.
func compareWith(c *views.Comparison, v approvals.Review, other approvals.Approval) {
	was, err := other.Parsed()
	if err != nil { // an edited row; audit verify says so
		c.None = "The other act cannot be read any more."
		return
	}
	for _, one := range []struct{ name, now, was string }{
		{"function", v.Action.Function(), was.Function()}, {"environment", v.Action.Environment(), was.Environment()},
	} {
		if one.now != one.was {
			row := views.ArgumentRow{Name: runs("the " + one.name), Type: one.name, Value: orNone(one.now), Differs: true, Was: runs(one.was)}
			if one.was == "" {
				row.WasNote = "none"
			}
			c.Rows = append(c.Rows, row)
		}
	}
	pen := plainPen()
	d := v.Action.Difference(nil, was, nil)
	for _, change := range d.Values {
		switch change.How {
		case facts.Same:
		case facts.Removed:
			c.Rows = append(c.Rows, goneRow(was, change.Was))
		default:
			piece := approvals.Piece{Pointer: change.Now.Pointer, Type: change.Now.Type, Text: change.Now.Text, Last: true}
			row := comparedRow(v.Action.Arguments(), piece, pen, change)
			row.Act = false // it stands in the table of the act already
			c.Rows = append(c.Rows, row)
		}
	}
	if d.Code != facts.Same {
		c.Rows = append(c.Rows, codeRow(v.Action, was))
	}
	if n := len(c.Rows); n == 1 {
		c.Chip = "1 differs"
	} else if n > 1 {
		c.Chip = grouped(int64(n)) + " differ"
	}
}

func orNone(text string) []views.Run {
	if text == "" {
		return runs("none")
	}
	return runs(text)
}

func codeRow(now, was scoring.Action) views.ArgumentRow {
	row := views.ArgumentRow{Name: runs("the code"), Type: "code", Value: orNone(now.Code()), Differs: true, Was: runs(was.Code())}
	if was.Code() == "" {
		row.WasNote = "none"
	}
	return row
}
