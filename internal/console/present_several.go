package console

import (
	"fmt"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// selectingOf is the queue with boxes: the first rows of it, highest level first.
func selectingOf(q queueOf, own tenants.Reasons, sel selecting) review.Selecting {
	s := review.Selecting{
		Live: q.rows(""), Search: queueURL(q.tenant), Query: q.filter.text, URL: queueURL(q.tenant) + "/deny",
		Reason: review.ReasonForm{Text: sel.reason, Reasons: reasonsFor(q.say, own, approvals.VerdictDeny)},
	}
	if f := sel.fault; f != nil {
		s.Errors = []views.FieldError{{Text: because(q.say, f) + "."}}
		if f.Member == "reason" {
			s.Errors[0].Field, s.Reason.Error = "reason", because(q.say, f)+"."
		}
	}
	known := make(map[string]approvals.Line, len(q.page.Lines))
	for _, l := range q.page.Lines {
		known[l.ID] = l
	}
	list := q.view()
	s.Empty = list.Empty
	shown := 0
	for _, g := range list.Groups {
		group := review.SelectGroup{Title: g.Title, Note: g.Note}
		for _, row := range g.Rows {
			shown++
			group.Rows = append(group.Rows, selectRowOf(row, known[row.ID], sel.ticked[row.ID]))
		}
		s.Groups = append(s.Groups, group)
	}
	s.Note = q.say.Say("Showing %d of %s pending requests.", shown, countText(q.say, q.page.Total))
	if q.page.Next != nil {
		s.Note += " " + q.say.Say("Search to find others, or come back after these.")
	}
	return s
}

func selectRowOf(row review.QueueRow, l approvals.Line, ticked bool) review.SelectRow {
	r := review.SelectRow{ID: "pick-" + row.ID, Pick: pickValue(l), Checked: ticked, URL: row.URL, Level: row.Level, Sentence: row.Sentence, Left: row.Left}
	for _, text := range []string{row.Agent, row.Environment, row.Alike, row.Given} {
		if text != "" {
			r.Sub = append(r.Sub, text)
		}
	}
	return r
}

// outcomeWords say in short why one of several was not decided.
var outcomeWords = map[fault.Code]texts.Key{
	fault.AlreadyDecided: texts.Key("already decided"), fault.Changed: texts.Key("changed"), fault.StricterNow: texts.Key("changed"), fault.Expired: texts.Key("expired"),
	fault.NotEligible: texts.Key("not eligible"), fault.Missing: texts.Key("not found"), fault.ChallengeRequired: texts.Key("needs more"),
}

// batchRow is what became of one; while its reader answers questions, not what it says.
func batchRow(say texts.Printer, tenant string, o approvals.Outcome, covered bool) review.BatchRow {
	r := review.BatchRow{Level: views.LevelLow, Sentence: untrusted.Runs(say.Say("Request not found"))}
	if o.Approval.ID != "" {
		r.URL, r.Level, r.Sentence = requestURL(tenant, o.ID), levelOf(o.Approval.Assessment.Level), headlineOf(say, o.Approval.Subject().Row())
		if covered {
			r.Sentence = untrusted.Runs(say.Say("A request"))
		}
	}
	if o.Refused == nil {
		r.State, r.Tone, r.Icon = say.Key(endWords[o.Approval.Status]), verdictTone(o.Approval.Status), views.IconCheck
		if r.Tone == views.ToneBad {
			r.Icon = views.IconX
		}
		if o.Approval.Status == approvals.Pending {
			r.State, r.Note = say.Say("approved by you"), untrusted.Runs(say.Say("%s. It takes effect with the last approval.", given(say, o.Approval)))
		}
		return r
	}
	r.State, r.Tone, r.Icon = say.Key(outcomeWords[o.Refused.Code]), views.ToneWarn, views.IconInfo
	if r.State == "" {
		r.State = say.Say("not decided")
	}
	r.Note = untrusted.Runs(because(say, o.Refused) + ".")
	return r
}

func batchRows(say texts.Printer, tenant string, all []approvals.Outcome, covered bool) (rows []review.BatchRow, done int) {
	for _, o := range all {
		rows = append(rows, batchRow(say, tenant, o, covered))
		if o.Refused == nil {
			done++
		}
	}
	return rows, done
}

// denialsOf says what became of what was ticked.
func denialsOf(say texts.Printer, tenant string, all []approvals.Outcome, covered bool) review.Batch {
	b := review.Batch{Back: views.Link{Label: say.Say("Go to the queue"), URL: queueURL(tenant)}, Again: &views.Link{Label: say.Say("Deny more"), URL: selectURL(tenant)}}
	var done int
	b.Rows, done = batchRows(say, tenant, all, covered)
	b.Title = say.Say("%d requests denied", done)
	b.Summary = say.Say("Each has its own decision and audit entry.")
	if rest := len(all) - done; rest > 0 {
		b.Summary = say.Say("%d requests weren't denied. Each shows why.", rest)
	}
	return b
}

// alikeOf says what became of identical requests.
func alikeOf(say texts.Printer, tenant string, all []approvals.Outcome, covered bool) review.Batch {
	b := review.Batch{Back: views.Link{Label: say.Say("Go to the queue"), URL: queueURL(tenant)}}
	var done int
	b.Rows, done = batchRows(say, tenant, all, covered)
	b.Title = say.Say("%d of %d identical requests approved", done, len(all))
	b.Summary = say.Say("Each has its own decision, approval and audit entry.")
	if done < len(all) {
		b.Summary = say.Say("%d requests weren't approved. Each shows why.", len(all)-done)
	}
	return b
}

// alsoOf offers to decide identical requests too; nil where there are none, and
// before the questions are answered.
func alsoOf(say texts.Printer, v approvals.Review, t typed) *review.Also {
	n := len(v.Twins)
	if n == 0 || v.Kind == scoring.ChallengeQuiz && v.Stage != approvals.StagePassed {
		return nil
	}
	also := &review.Also{
		Count: n + 1, Value: twinsValue(v.Twins), Checked: t.also, Runs: approvals.Runs(n + 1),
		Label: say.Say("Approve the %d identical requests too (runs %d times)", n, n+1),
		Name:  fmt.Sprintf("consequence-%d", len(v.Confirmation.Consequences)+1),
	}
	if n == 1 {
		also.Label = say.Say("Approve the identical request too (runs twice)")
	}
	for _, number := range t.ticked {
		also.RunsChecked = also.RunsChecked || number == len(v.Confirmation.Consequences)+1
	}
	return also
}
