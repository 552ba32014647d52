package trailui

import (
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
	"github.com/countersign/countersign/views/trail"
)

// itemsOf is the report on questions before it has words.
type itemsOf struct {
	say     texts.Printer
	member  auth.Member
	address *filter.Address
	days    int
	report  approvals.ItemReport
	names   tenants.Names
}

// maxItemRows bounds a table of the page; the file has all of them.
const maxItemRows = 200

func (i itemsOf) view() trail.ItemStatistics {
	v := trail.ItemStatistics{
		Summary: i.say.Say("How well quiz questions measure understanding."),
		Back:    views.Link{Label: i.say.Say("Insights"), URL: urls.Insights(i.member.Tenant)}, Problems: filter.ProblemsOf(i.address),
	}
	for _, days := range approvals.ItemDays() {
		v.Windows = append(v.Windows, views.Window{
			Label: i.say.Say("Last %d days", days), URL: i.at(days), Here: i.address.OK() && days == i.days,
		})
	}
	if !i.address.OK() {
		return v
	}
	if i.report.Quizzes == 0 {
		v.Empty = i.empty()
		return v
	}
	if i.member.May(auth.ExportAudit) {
		for _, list := range []struct{ name, label string }{
			{"questions", i.say.Say("Export questions as CSV")}, {"operators", i.say.Say("Export operators as CSV")},
		} {
			v.Downloads = append(v.Downloads, views.Download{
				URL: "/t/" + i.member.Tenant + "/insights/" + list.name + ".csv", Label: list.label, Fields: i.address.Hidden(),
			})
		}
	}
	v.Summary += " " + i.say.Say("%d quizzes on closed requests.", i.report.Quizzes)
	if i.report.Cut {
		v.Note = present.SayAt(i.say, clockDay, texts.Key("Counts only the latest %d quizzes, since %s. Choose a shorter period to see all of them."), i.report.Quizzes, i.report.Since)
	}
	v.Questions, v.Operators = i.questions(), i.operators()
	return v
}

// clockDay is a moment with its day.
const clockDay texts.Key = "2 January 2006, 15:04 UTC"

// at is the address of the report on so many days.
func (i itemsOf) at(days int) string {
	if days == approvals.ItemDays()[1] {
		return urls.Items(i.member.Tenant)
	}
	return urls.Items(i.member.Tenant) + "?days=" + strconv.Itoa(days)
}

func (i itemsOf) empty() *views.Empty {
	e := &views.Empty{
		Title: i.say.Say("No quizzes answered in the last %d days", i.days),
		Text:  untrusted.Runs(i.say.Say("When the policy requires a quiz, approving takes three correct answers. Answers are counted here once a request ends: which questions are too easy or too hard, and how long people take. Open requests are left out so nothing reveals which answer was wrong.")),
	}
	if all := approvals.ItemDays(); i.days != all[len(all)-1] {
		last := all[len(all)-1]
		e.Action = &views.Link{Label: i.say.Say("View the last %d days", last), URL: i.at(last)}
	}
	return e
}

// questionKinds are what questions ask for: the roles of values, and the effect.
var questionKinds = map[string]texts.Key{
	"target": texts.Key("target"), "given": texts.Key("what is given"), "recipient": texts.Key("recipient"), "manner": texts.Key("manner"), "amount": texts.Key("amount"),
	"count": texts.Key("count"), "where": texts.Key("place"), "flag": texts.Key("flag"), "value": texts.Key("value"), "effect": texts.Key("effect"),
}

func (i itemsOf) questions() trail.ItemTable {
	t := trail.ItemTable{
		ID: "questions", Title: i.say.Say("Questions"),
		Caption: i.say.Say("How often each question was answered correctly, with its 95% confidence range. Suspicious questions come first, then those most often answered wrong."),
		Heads:   []string{i.say.Say("Question"), i.say.Say("Asked"), i.say.Say("Correct"), i.say.Say("Correct"), i.say.Say("Correct on first attempt"), i.say.Say("Median time")},
	}
	for n, q := range i.report.Questions {
		if n == maxItemRows {
			t.More = moreRows(i.say, len(i.report.Questions), texts.Key("First %d of %d questions. Export to see all."))
			break
		}
		share, low, high := q.Share()
		row := trail.ItemRow{Name: untrusted.InEnglish(present.Headline(i.say, q.Prompt)), Note: i.say.Key(questionKinds[q.Kind]), Cells: []trail.ItemCell{
			{Text: present.Grouped(i.say, q.Asked)},
			{Text: present.Grouped(i.say, q.Right)},
			{Text: present.Percent(share), Note: i.say.Say("%s to %s", present.Percent(low), present.Percent(high))},
			{Text: present.Grouped(i.say, q.RightFirst), Note: i.say.Say("of %d", q.AskedFirst)},
			{Text: medianOf(i.say, q.Seconds, q.Timed)},
		}}
		switch q.Suspicion {
		case approvals.TooEasy:
			row.Mark, row.Why = i.say.Say("too easy"), i.say.Say("Asked %d times and always answered correctly in under 3 s: people can answer it without reading.", q.Asked)
		case approvals.TooHard:
			row.Mark, row.Why = i.say.Say("too hard"), i.say.Say("Fewer than half of %d answers were correct: the page or the question may be unclear.", q.Asked)
		case approvals.NotSuspicious:
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (i itemsOf) operators() trail.ItemTable {
	t := trail.ItemTable{
		ID: "operators", Title: i.say.Say("Operators"),
		Caption: i.say.Say("Each operator's quizzes. After two failed attempts, someone else has to approve the request."),
		Heads:   []string{i.say.Say("Operator"), i.say.Say("Quizzes"), i.say.Say("Passed on first attempt"), i.say.Say("Passed on second attempt"), i.say.Say("Locked out"), i.say.Say("Median time a question")},
	}
	for n, o := range i.report.Operators {
		if n == maxItemRows {
			t.More = moreRows(i.say, len(i.report.Operators), texts.Key("First %d of %d operators. Export to see all."))
			break
		}
		t.Rows = append(t.Rows, trail.ItemRow{Name: present.Headline(i.say, i.names.Of("person", o.Person)), Cells: []trail.ItemCell{
			{Text: present.Grouped(i.say, o.Quizzes)},
			{Text: present.Grouped(i.say, o.PassedFirst)},
			{Text: present.Grouped(i.say, o.PassedSecond)},
			{Text: present.Grouped(i.say, o.LockedOut)},
			{Text: medianOf(i.say, o.Seconds, o.Timed)},
		}})
	}
	return t
}

func moreRows(say texts.Printer, all int, some texts.Key) string {
	return say.Key(some, maxItemRows, all)
}

func medianOf(say texts.Printer, seconds float64, of int) string {
	if of == 0 {
		return say.Say("unknown")
	}
	return say.Say("%s s", timed(seconds, of))
}
