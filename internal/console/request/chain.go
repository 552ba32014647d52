package request

import (
	"slices"
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
	shown "github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// What a request comes from and what came of it: the request for changes that it
// answers, what answers it, and what an operator made of it.

// chainOf are the requests of a chain of revisions, oldest first.
func chainOf(say texts.Printer, v approvals.Review, withdrew map[string]string) []views.TrailStep {
	if len(v.Chain) == 0 {
		return nil
	}
	var steps []views.TrailStep
	if first := v.Chain[0]; first.Revises != "" {
		steps = append(steps, views.TrailStep{Text: untrusted.Runs(say.Say("Earlier requests of this chain")), URL: urls.Request(v.Tenant, first.Revises)})
	}
	for _, a := range v.Chain {
		step := views.TrailStep{
			Text: present.HeadlineOf(say, a.Subject().Row(shown.MaxLine)), Note: say.Key(present.EndWords[a.Status]),
			End: a.CreatedAt.Format(present.ClockForm), EndISO: a.CreatedAt.Format(present.IsoForm), Level: present.LevelOf(a.Assessment.Level), Current: a.ID == v.ID,
		}
		if a.Decision != nil {
			step.Note = endedBy(say, a, withdrew)
			if a.Decision.Reason != "" && a.Status == approvals.ChangesRequested {
				step.Note += ": “" + Gist(say, a.Decision.Reason) + "”"
			}
		}
		if step.Current {
			step.Note = say.Say("%s, you're here", step.Note)
		} else {
			step.URL = urls.Request(a.Tenant, a.ID)
		}
		steps = append(steps, step)
	}
	return steps
}

// supersededNotice says that something answers what is open here.
func supersededNotice(say texts.Printer, v approvals.Review) (views.Notice, bool) {
	by := v.SupersededBy()
	if by == nil {
		return views.Notice{}, false
	}
	return views.Notice{
		Icon: views.IconLayers, Title: say.Say("Superseded by a revision"), Tone: views.ToneAccent,
		Text:   untrusted.Runs(say.Say("The agent submitted a revision, which is %s.", say.Key(present.EndWords[by.Status]))),
		Action: &views.Link{Label: say.Say("Show the revision"), URL: urls.Request(v.Tenant, by.ID)},
	}, true
}

// NewerOf says that the agent asked again for the same target, and what differs there.
func NewerOf(say texts.Printer, a, newer approvals.Approval) *review.Newer {
	n := &review.Newer{URL: urls.Request(newer.Tenant, newer.ID), Difference: changesTo(say, a, newer)}
	n.Notice = views.Notice{
		Icon: views.IconLayers, Tone: views.ToneWarn, Title: say.Say("Newer request, %s", say.Key(present.EndWords[newer.Status])),
		Text:   slices.Concat(untrusted.Runs(say.Say("The agent has asked again for the same function and target. What differs:")), untrusted.Runs(" "), n.Difference),
		Action: &views.Link{Label: say.Say("Show the newer request"), URL: n.URL},
	}
	return n
}

// olderNotice says that what the agent asked before for the same target still waits: whoever approves
// that later undoes this.
func olderNotice(say texts.Printer, v approvals.Review) views.Notice {
	return views.Notice{
		Icon: views.IconLayers, Tone: views.ToneWarn, Title: say.Say("Older request, still waiting"),
		Text:   slices.Concat(untrusted.Runs(say.Say("The agent asked before for the same function and target. What differs there:")), untrusted.Runs(" "), changesTo(say, v.Approval, *v.OlderRequest)),
		Action: &views.Link{Label: say.Say("Show the older request"), URL: urls.Request(v.Tenant, v.OlderRequest.ID)},
	}
}

const (
	changesSaid = 3  // so many changes are said, the others counted
	changeRunes = 40 // and so much of each value
)

// changesTo is for example "version → v42, replicas removed".
func changesTo(say texts.Printer, a, newer approvals.Approval) []views.Run {
	was, err := a.Parsed()
	now, err2 := newer.Parsed()
	if err != nil || err2 != nil { // an edited row; audit verify says so
		return untrusted.Runs(say.Say("The other action is no longer readable."))
	}
	var all [][]views.Run
	d := now.Difference(was)
	for _, c := range d.Values {
		switch c.How {
		case facts.Same:
		case facts.Removed:
			all = append(all, slices.Concat(untrusted.NameOf(was.Arguments(), c.Was.Pointer), untrusted.Runs(" "+say.Say("removed"))))
		default:
			value := present.Trim(c.Now.Text, changeRunes)
			if value != c.Now.Text {
				value += "…"
			}
			all = append(all, slices.Concat(untrusted.NameOf(now.Arguments(), c.Now.Pointer), untrusted.Runs(" → "), orNone(say, value)))
		}
	}
	if d.Code != facts.Same {
		all = append(all, untrusted.Runs(say.Say("the code")))
	}
	var runs []views.Run
	for i, one := range all[:min(len(all), changesSaid)] {
		if i > 0 {
			runs = append(runs, untrusted.Runs(", ")...)
		}
		runs = append(runs, one...)
	}
	switch rest := len(all) - changesSaid; {
	case rest > 0:
		runs = append(runs, untrusted.Runs(" "+say.Say("and %d more", rest))...)
	case len(all) == 0:
		runs = untrusted.Runs(say.Say("nothing in its arguments"))
	}
	return runs
}

// editedNotice says that somebody changed what is read here.
func editedNotice(say texts.Printer, a approvals.Approval) views.Notice {
	last := a.Edits[len(a.Edits)-1]
	return present.Titled(views.Notice{
		Tone: views.ToneWarn, Icon: views.IconSettings,
		Text:   untrusted.Runs(say.Say("You're reading the edited version; the agent's original is below. This is version %s of the request. Decisions on earlier versions don't count.", strconv.FormatInt(a.Version, 10))),
		Action: &views.Link{Label: say.Say("Show latest"), URL: urls.Request(a.Tenant, a.ID)},
	}, present.SayAt(say, present.MomentForm, texts.Key("%s edited the arguments at %s"), last.Name, last.At))
}

// versionNotices say why a pending request is not the one that came in.
func versionNotices(say texts.Printer, a approvals.Approval) []views.Notice {
	var all []views.Notice
	if a.Proposed != nil {
		all = append(all, editedNotice(say, a))
	}
	if edits := len(a.Edits); edits == 0 || a.Edits[edits-1].Version < a.Version {
		all = append(all, ChangedNotice(say, a))
	}
	return all
}

// comparisonsOf are the differences to what an act came from.
func comparisonsOf(say texts.Printer, v approvals.Review) []review.Comparison {
	var all []review.Comparison
	if v.Proposed != nil {
		all = append(all, editedOf(say, v))
	}
	if before := v.Answers(); before != nil {
		all = append(all, revisedOf(say, v, *before))
	}
	return all
}

// editedOf tells proposed → edited → decided → what the agent runs.
func editedOf(say texts.Printer, v approvals.Review) review.Comparison {
	proposed := v.Approval
	proposed.Action = v.Proposed.Action
	c := review.Comparison{ID: "edited", Title: say.Say("Edited before approval"), Column: say.Say("Proposed by the agent"), None: say.Say("No net change.")}
	c.Steps = append(c.Steps, views.TrailStep{
		Text: untrusted.Runs(say.Say("Proposed by %s", v.Agent.Name)), Note: shortDigest(v.Proposed.Digest), End: v.CreatedAt.Format(present.ClockForm), EndISO: v.CreatedAt.Format(present.IsoForm),
	})
	for _, e := range v.Edits {
		c.Steps = append(c.Steps, views.TrailStep{Text: untrusted.Runs(say.Say("Edited by %s", e.Name)), Note: say.Say("%s, version %s", shortDigest(e.Digest), strconv.FormatInt(e.Version, 10)), End: e.At.Format(present.ClockForm), EndISO: e.At.Format(present.IsoForm)})
	}
	if v.Decision != nil {
		c.Steps = append(c.Steps, views.TrailStep{
			Text: untrusted.Runs(say.Key(present.VerdictBy[v.Status], present.DecidedBy(say, v.Approval))), Note: shortDigest(v.Digest), End: v.Decision.DecidedAt.Format(present.ClockForm), EndISO: v.Decision.DecidedAt.Format(present.IsoForm),
		})
	}
	if v.Effective() != nil {
		c.Steps = append(c.Steps, views.TrailStep{Text: untrusted.Runs(say.Say("Effective: what the agent can run")), Note: say.Say("%s, which this approval covers", shortDigest(v.Digest)), Current: true})
	} else {
		c.Steps[len(c.Steps)-1].Current = true
	}
	compareWith(say, &c, v, proposed)
	return c
}

// revisedOf says what the agent made of the request for changes.
func revisedOf(say texts.Printer, v approvals.Review, before approvals.Approval) review.Comparison {
	c := review.Comparison{
		ID: "revised", Title: say.Say("Changes since the last request"), Column: say.Say("Previous request"), None: say.Say("The call hasn't changed."),
		Link: &views.Link{Label: say.Say("Show the previous request"), URL: urls.Request(v.Tenant, before.ID)},
	}
	if d := before.Decision; d != nil {
		c.Note = append(present.SayAt(say, present.MomentForm, texts.Key("%s requested changes at %s: "), present.Sentence(present.DecidedBy(say, before)), d.DecidedAt), Quoted(d.Reason)...)
	}
	compareWith(say, &c, v, before)
	return c
}

// compareWith fills in what differs from another act: its arguments, its function,
// its environment and its code.
func compareWith(say texts.Printer, c *review.Comparison, v approvals.Review, other approvals.Approval) {
	was, err := other.Parsed()
	if err != nil { // an edited row; audit verify says so
		c.None = say.Say("The other action is no longer readable.")
		return
	}
	for _, one := range []struct{ name, words, now, was string }{
		{"function", say.Say("the function"), v.Action.Function(), was.Function()},
		{"environment", say.Say("the environment"), v.Action.Environment(), was.Environment()},
	} {
		if one.now != one.was {
			row := review.ArgumentRow{Name: untrusted.Runs(one.words), Type: one.name, Value: orNone(say, one.now), Differs: true, Was: untrusted.Runs(one.was)}
			if one.was == "" {
				row.WasNote = say.Say("none")
			}
			c.Rows = append(c.Rows, row)
		}
	}
	values := untrusted.PlainRenderer(say)
	d := v.Action.Difference(was)
	for _, change := range d.Values {
		switch change.How {
		case facts.Same:
		case facts.Removed:
			c.Rows = append(c.Rows, goneRow(say, was, change.Was))
		default:
			piece := approvals.Piece{Pointer: change.Now.Pointer, Type: change.Now.Type, Text: change.Now.Text, Last: true}
			row := comparedRow(v.Action.Arguments(), piece, values, change)
			row.Act = false // it stands in the table of the act already
			c.Rows = append(c.Rows, row)
		}
	}
	if d.Code != facts.Same {
		c.Rows = append(c.Rows, codeRow(say, v.Action, was))
	}
	if n := len(c.Rows); n > 0 {
		c.Chip = say.Say("%d differ", n)
	}
}

func orNone(say texts.Printer, text string) []views.Run {
	if text == "" {
		return untrusted.Runs(say.Say("none"))
	}
	return untrusted.Runs(text)
}

func codeRow(say texts.Printer, now, was scoring.Action) review.ArgumentRow {
	row := review.ArgumentRow{Name: untrusted.Runs(say.Say("the code")), Type: "code", Value: orNone(say, now.Code()), Differs: true, Was: untrusted.Runs(was.Code())}
	if was.Code() == "" {
		row.WasNote = say.Say("none")
	}
	return row
}

// endedBy says within a sentence how a request ended, and for a yes that was withdrawn by whom and why.
func endedBy(say texts.Printer, a approvals.Approval, withdrew map[string]string) string {
	if by := withdrew[a.ID]; by != "" {
		return say.Say("withdrawn by %s: “%s”", by, Gist(say, a.Grant.VoidReason))
	}
	return present.EndedBy(say, a)
}

// Gist is the beginning of a reason, for a list.
func Gist(say texts.Printer, reason string) string {
	if begin := present.Trim(reason, 80); begin != reason {
		return present.Flat(say, begin) + "…"
	}
	return present.Flat(say, reason)
}
