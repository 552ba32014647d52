package present

import (
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

func CoachOf(say texts.Printer, m auth.Member, c approvals.Coached) *views.Coach {
	v := &views.Coach{Summary: say.Say("None yet. Functions appear here once people have approved them at least %d times in %d days without a denial, edit, failure or incident. Code, deletions, money and permissions never do.", approvals.CoachApprovals, approvals.CoachDays)}
	if len(c.Suggestions) > 0 {
		v.Summary = say.Say("People approved these at least %d times in %d days without a denial, edit, failure or incident. A registry entry could approve them automatically.", approvals.CoachApprovals, approvals.CoachDays)
	}
	for _, s := range c.Suggestions {
		row := views.CoachRow{Function: Headline(say, s.Function), Agent: Flat(say, s.AgentName), Approved: Grouped(say, s.Approved), Held: Grouped(say, s.Held)}
		if m.May(auth.ProposePolicy) {
			row.Propose = urls.Entry(m.Tenant, s.Newest)
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}
