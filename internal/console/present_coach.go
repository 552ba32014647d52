package console

import (
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What the coach says, on the page of functions and in the insights.

func coachOf(say texts.Printer, m auth.Member, c approvals.Coached) *views.Coach {
	v := &views.Coach{Summary: say.Say("None yet. Functions appear here once people have approved them at least %d times in %d days without a denial, edit, failure or incident. Code, deletions, money and permissions never do.", approvals.CoachApprovals, approvals.CoachDays)}
	if len(c.Suggestions) > 0 {
		v.Summary = say.Say("People approved these at least %d times in %d days without a denial, edit, failure or incident. A registry entry could approve them automatically.", approvals.CoachApprovals, approvals.CoachDays)
	}
	for _, s := range c.Suggestions {
		row := views.CoachRow{Function: headline(say, s.Function), Agent: flat(say, s.AgentName), Approved: grouped(say, s.Approved), Held: grouped(say, s.Held)}
		if m.May(auth.ProposePolicy) {
			row.Propose = entryURL(m.Tenant, s.Newest)
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// tiring says how often people are asked, and how much of that the coach could take away.
func (i insightsOf) tiring() []views.Stat {
	all := []views.Stat{{
		Label: i.say.Say("Could be approved automatically"), Value: shareCell(i.say, int64(i.coached.Saved), int64(i.coached.Held)).Text,
		Note: i.say.Say("%d of %d held in %d days", i.coached.Saved, i.coached.Held, approvals.HeldDays),
	}}
	if n := len(i.report.Operators); n > 0 { // empty for those who may not read about people
		perDay := float64(i.report.Total.Held()) / float64(len(i.report.Days)) / float64(n)
		all = append(all, views.Stat{
			Label: i.say.Say("Held per day and operator"), Value: strconv.FormatFloat(perDay, 'f', 1, 64),
			Note: i.say.Say("%d operators decided", n),
		})
	}
	return all
}
