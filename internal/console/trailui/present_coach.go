package trailui

import (
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/views"
)

// What the coach says, on the page of functions and in the insights.

// tiring says how often people are asked, and how much of that the coach could take away.
func (i insightsOf) tiring() []views.Stat {
	all := []views.Stat{{
		Label: i.say.Say("Could be approved automatically"), Value: present.ShareCell(i.say, int64(i.coached.Saved), int64(i.coached.Held)).Text,
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
