package console

import (
	"fmt"
	"math"
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
)

// itemsOf is the report on questions before it has words.
type itemsOf struct {
	member  auth.Member
	address *listAddress
	days    int
	report  approvals.ItemReport
	names   tenants.Names
}

// maxItemRows bounds a table of the page; the file has all of them.
const maxItemRows = 200

func (i itemsOf) view() views.ItemStatistics {
	v := views.ItemStatistics{
		Summary: "How well the questions of quizzes measure whether a request was understood.",
		Back:    views.Link{Label: "Insights", URL: insightsURL(i.member.Tenant)}, Problems: problemsOf(i.address),
	}
	for _, days := range approvals.ItemDays() {
		v.Windows = append(v.Windows, views.Window{
			Label: fmt.Sprintf("Last %d days", days), URL: i.at(days), Here: i.address.ok() && days == i.days,
		})
	}
	if !i.address.ok() {
		return v
	}
	if i.report.Quizzes == 0 {
		v.Empty = i.empty()
		return v
	}
	if i.member.May(auth.ExportAudit) {
		for _, list := range []string{"questions", "operators"} {
			v.Downloads = append(v.Downloads, views.Download{
				URL: "/t/" + i.member.Tenant + "/insights/" + list + ".csv", Label: "Export " + list + " as CSV", Fields: i.address.hidden(),
			})
		}
	}
	v.Summary += " " + counted(i.report.Quizzes, "quiz", "quizzes") + " of requests that ended."
	if i.report.Cut {
		v.Note = "Only the newest " + grouped(int64(i.report.Quizzes)) + " quizzes are counted, those since " + i.report.Since.Format(clockDay) + " UTC. A shorter window may have all of its quizzes."
	}
	v.Questions, v.Operators = i.questions(), i.operators()
	return v
}

// clockDay is a moment with its day.
const clockDay = "2 January 2006, 15:04"

// at is the address of the report on so many days.
func (i itemsOf) at(days int) string {
	if days == approvals.ItemDays()[1] {
		return itemsURL(i.member.Tenant)
	}
	return itemsURL(i.member.Tenant) + "?days=" + strconv.Itoa(days)
}

func (i itemsOf) empty() *views.Empty {
	e := &views.Empty{
		Title: fmt.Sprintf("No quiz was answered in the last %d days", i.days),
		Text: runs("Where the policy asks for a quiz, three questions stand before an approval. Once such a request has ended, its answers are counted here: " +
			"which questions are too easy or too hard, and how long operators take. Requests that still wait are left out, so that nothing tells which answer was wrong."),
	}
	if all := approvals.ItemDays(); i.days != all[len(all)-1] {
		last := all[len(all)-1]
		e.Action = &views.Link{Label: fmt.Sprintf("Look at the last %d days", last), URL: i.at(last)}
	}
	return e
}

func (i itemsOf) questions() views.ItemTable {
	t := views.ItemTable{
		ID: "questions", Title: "Questions",
		Caption: "Each question with how often it was answered right. The share stands above the range in which it lies with 95 % confidence. Suspicious questions come first, then those answered wrong most often.",
		Heads:   []string{"Question", "Asked", "Right", "Share right", "Right at first attempt", "Median time"},
	}
	for n, q := range i.report.Questions {
		if n == maxItemRows {
			t.More = moreRows(len(i.report.Questions), "questions")
			break
		}
		share, low, high := q.Share()
		row := views.ItemRow{Name: headline(q.Prompt), Note: flat(q.Kind), Cells: []views.ItemCell{
			{Text: grouped(int64(q.Asked))},
			{Text: grouped(int64(q.Right))},
			{Text: percent(share), Note: percent(low) + " to " + percent(high)},
			{Text: grouped(int64(q.RightFirst)), Note: "of " + grouped(int64(q.AskedFirst))},
			{Text: medianOf(q.Seconds, q.Timed)},
		}}
		switch q.Suspicion {
		case approvals.TooEasy:
			row.Mark, row.Why = "too easy", fmt.Sprintf("Asked %s times and always answered right in under 3 s: it can be answered without reading.", grouped(int64(q.Asked)))
		case approvals.TooHard:
			row.Mark, row.Why = "too hard", fmt.Sprintf("Fewer than half of %s answers were right: the page may not show it clearly, or the question is not clear.", grouped(int64(q.Asked)))
		case approvals.NotSuspicious:
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (i itemsOf) operators() views.ItemTable {
	t := views.ItemTable{
		ID: "operators", Title: "Operators",
		Caption: "Each operator's quizzes. After two failed ones, somebody else has to approve the request.",
		Heads:   []string{"Operator", "Quizzes", "Passed at first attempt", "Passed at second attempt", "Locked out", "Median time a question"},
	}
	for n, o := range i.report.Operators {
		if n == maxItemRows {
			t.More = moreRows(len(i.report.Operators), "operators")
			break
		}
		t.Rows = append(t.Rows, views.ItemRow{Name: headline(i.names.Of("person", o.Person)), Cells: []views.ItemCell{
			{Text: grouped(int64(o.Quizzes))},
			{Text: grouped(int64(o.PassedFirst))},
			{Text: grouped(int64(o.PassedSecond))},
			{Text: grouped(int64(o.LockedOut))},
			{Text: medianOf(o.Seconds, o.Timed)},
		}})
	}
	return t
}

func moreRows(all int, what string) string {
	return fmt.Sprintf("These are the first %d of %s %s; the exported file has all of them.", maxItemRows, grouped(int64(all)), what)
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(int64(n)) + " " + many
}

func percent(f float64) string { return strconv.Itoa(int(math.Round(100*f))) + " %" }

func medianOf(seconds float64, of int) string {
	if of == 0 {
		return "not known"
	}
	return timed(seconds, of) + " s"
}
