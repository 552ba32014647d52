package trailui

import (
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/views"
)

// causeFigure says what holds the calls of each agent, and where that can be changed.
func (i insightsOf) causeFigure() figure {
	f := figure{
		id: "causes", title: i.say.Say("Held per 60 calls, by agent and cause"), wide: true,
		about: i.say.Say("What held calls in these %d days, most common first. If several things held a call, only the most telling counts. Each row says what would change it.", len(i.report.Days)),
		heads: []views.FigureHead{
			{Label: i.say.Say("Agent and cause")},
			{Label: i.say.Say("Held per 60 calls")},
			{Label: i.say.Say("Held")},
			{Label: i.say.Say("The agent's calls")},
			{Label: i.say.Say("Approval rate")},
			{Label: i.say.Say("Denied")},
			{Label: i.say.Say("Expired")},
			{Label: i.say.Say("Median time")},
		},
		none: i.say.Say("No held calls ended in this period."),
	}
	for _, h := range i.report.HeldBy {
		row := figureRow{name: i.say.Say("All others"), cells: []views.FigureCell{
			perSixtyCell(i, h), countCell(i.say, h.Held()), callsCell(i, h), approvedCell(i.say, h.Tally), countCell(i.say, h.Denied), countCell(i.say, h.Expired), present.TimeCell(i.say, h.Tally, 0.5),
		}}
		if !h.Others {
			row.name = i.say.Say("%s · %s", i.names.Of("agent", h.Agent), present.CauseWords(i.say, h.Cause))
			row.change = present.CauseLink(i.say, i.member, h.Agent, h.Cause)
		}
		if share, _, _, _ := h.ApprovedShare(); h.Decided() >= alwaysDecided && share >= nearlyAlways {
			row.mark, row.why = i.say.Say("nearly always approved"), i.say.Say("It may be too strict for your work.")
		}
		f.rows = append(f.rows, row)
	}
	if len(i.report.HeldBy) == approvals.InsightValues {
		f.more = i.say.Say("Top %d by held calls.", approvals.InsightValues)
	}
	return f
}

// perSixtyCell is how many of 60 calls were held.
func perSixtyCell(i insightsOf, h approvals.HeldBy) views.FigureCell {
	n, ok := h.Per60()
	if !ok {
		return views.FigureCell{Text: i.say.Say("unknown")}
	}
	return views.FigureCell{Text: perSixty(n), Value: strconv.FormatFloat(n, 'f', 2, 64)}
}

func callsCell(i insightsOf, h approvals.HeldBy) views.FigureCell {
	if h.Calls == 0 {
		return views.FigureCell{Text: i.say.Say("unknown")}
	}
	return countCell(i.say, h.Calls)
}
