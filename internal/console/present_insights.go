package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
)

// farBehind is how many events the figures may lack before the page says so.
const farBehind = 500

func (i insightsOf) view() views.Insights {
	v := views.Insights{Summary: "What your agents asked for, and what became of it.", Problems: problemsOf(i.address)}
	for _, days := range approvals.InsightDays() {
		v.Windows = append(v.Windows, views.Window{
			Label: fmt.Sprintf("Last %d days", days), URL: i.at(days), Here: i.address.ok() && days == i.days,
		})
	}
	if i.member.May(auth.ReadPeople) {
		v.Links = append(v.Links, views.Link{Label: "Quiz statistics", URL: itemsURL(i.member.Tenant)})
	}
	if !i.address.ok() {
		return v
	}
	all := i.report.Days
	v.Summary = fmt.Sprintf("%s to %s, days in UTC. Compared with the %d days before.", longDay(all[0]), longDay(all[len(all)-1]), i.days)
	if i.report.Size-i.report.Counted > farBehind {
		v.Note = fmt.Sprintf("These figures count the first %s of %s entries of the audit trail; the rest is being counted now. Load the page again in a minute.", grouped(i.report.Counted), grouped(i.report.Size))
	}
	if i.report.Empty() {
		v.Empty = i.empty()
		return v
	}
	v.Stats, v.Alerts = i.stats(), i.alerts()
	for _, f := range i.figures() {
		var download *views.Download
		if i.member.May(auth.ExportAudit) {
			download = &views.Download{
				URL: insightsURL(i.member.Tenant) + ".csv", Label: "CSV of " + strings.ToLower(f.title[:1]) + f.title[1:],
				Fields: append([]views.HiddenField{{Name: "figure", Value: f.id}}, i.address.hidden()...),
			}
		}
		v.Figures = append(v.Figures, f.view(download))
	}
	return v
}

// at is the address of the page on so many days.
func (i insightsOf) at(days int) string {
	if days == approvals.InsightDays()[1] {
		return insightsURL(i.member.Tenant)
	}
	return insightsURL(i.member.Tenant) + "?days=" + strconv.Itoa(days)
}

func (i insightsOf) empty() *views.Empty {
	e := &views.Empty{
		Title: fmt.Sprintf("Nothing happened in the last %d days", i.days),
		Text: runs("As soon as an agent submits an action, it is counted here within seconds: how risky actions are and what becomes of them, how long people take to decide, " +
			"and which rules and patterns are worth the attention that they cost."),
	}
	all := approvals.InsightDays()
	switch last := all[len(all)-1]; {
	case i.member.May(auth.ManageAgents):
		e.Action = &views.Link{Label: "Create an agent", URL: "/t/" + i.member.Tenant + "/settings/agents/new"}
	case i.days != last:
		e.Action = &views.Link{Label: fmt.Sprintf("Look at the last %d days", last), URL: i.at(last)}
	}
	return e
}

func longDay(day string) string { return dayAs(day, "2 January 2006") }

func shortDay(day string) string { return dayAs(day, "2 Jan") }

// dayAs writes a day of a report.
func dayAs(day, form string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return t.Format(form)
}

func (i insightsOf) stats() []views.Stat {
	now, was := i.report.Total, i.report.Before
	held := shareCell(now.Held(), now.Ended())
	return []views.Stat{
		{Label: "Actions submitted", Value: grouped(now.Submitted), Note: before(grouped(was.Submitted), was)},
		{Label: "Held for a person", Value: held.Text, Note: held.Note + " that ended"},
		{Label: "Approved of those decided", Value: shareCell(now.Approved, now.Decided()).Text, Note: before(shareCell(was.Approved, was.Decided()).Text, was)},
		{Label: "Median time to decide", Value: timeCell(now, 0.5).Text, Note: before(timeCell(was, 0.5).Text, was)},
		{Label: "Fast approvals", Value: grouped(now.Fast), Note: "of " + grouped(now.Approved) + " by people"},
		{Label: "Blocked by the policy", Value: grouped(now.Blocked), Note: before(grouped(was.Blocked), was)},
		{Label: "Expired", Value: grouped(now.Expired), Note: before(grouped(was.Expired), was)},
		{Label: "Mean score", Value: scoreCell(now.MeanScore(), now.Scored > 0).Text, Note: before(scoreCell(was.MeanScore(), was.Scored > 0).Text, was)},
	}
}

// before is what a number was in the window before this one.
func before(value string, was approvals.Tally) string {
	if was == (approvals.Tally{}) {
		return "no earlier figures"
	}
	return "was " + value
}

// alerts tell of the last day whose score left its band, and of sessions that rose.
func (i insightsOf) alerts() []views.Notice {
	var all []views.Notice
	for n := len(i.report.Trend) - 1; n >= 0; n-- {
		if d := i.report.Trend[n]; d.Outside() > 0 {
			all = append(all, views.Notice{
				Tone: views.ToneWarn, Icon: views.IconAlert, Title: "Scores rose on " + longDay(d.Day),
				Text:   runs(fmt.Sprintf("The mean was %.3f over %s, above the band that the days before make (%.3f to %.3f).", d.Mean, plural(int(d.Scored), "action"), d.Low, d.High)),
				Action: &views.Link{Label: "Score by day", URL: "#figure-scores"},
			})
			break
		}
	}
	rose := 0
	for _, s := range i.report.Sessions {
		if s.Rose {
			rose++
		}
	}
	if rose > 0 {
		all = append(all, views.Notice{
			Tone: views.ToneWarn, Icon: views.IconAlert, Title: counted(rose, "session stands", "sessions stand") + " out",
			Text:   runs("Scores there are higher than chance makes them, compared with the rest of the organisation."),
			Action: &views.Link{Label: "Sessions by score", URL: "#figure-sessions"},
		})
	}
	return all
}

// figures are all of the page, in its order.
func (i insightsOf) figures() []figure {
	if i.report.Empty() {
		return nil
	}
	all := []figure{
		i.levelFigure(), i.outcomeFigure(), i.timeFigure(), i.timeLevelFigure(), i.trendFigure(), i.fastFigure(), i.calibrationFigure(), i.sessionFigure(),
		i.rateFigure("rules", "Rules", "Rule", "rule", i.report.Rules),
		i.rateFigure("patterns", "Patterns", "Pattern", "pattern", i.report.Patterns),
		i.rateFigure("functions", "Functions", "Function", "function", i.report.Functions),
	}
	if i.member.May(auth.ReadPeople) {
		all = append(all, i.operatorFigure())
	}
	return all
}

// daily makes a row of each day.
func (i insightsOf) daily(cells func(n int) []views.FigureCell) []figureRow {
	var rows []figureRow
	for n, d := range i.report.Days {
		rows = append(rows, figureRow{name: longDay(d), day: d, short: shortDay(d), cells: cells(n)})
	}
	return rows
}

func levelHues() []views.Hue {
	return []views.Hue{views.HueLow, views.HueMedium, views.HueHigh, views.HueCritical}
}

func (i insightsOf) levelFigure() figure {
	f := figure{
		id: "levels", title: "Actions by day and level", chart: views.ChartStack, unit: views.UnitCount,
		about: "How many actions were submitted on each day, by the level that they had then.",
		heads: []views.FigureHead{{Label: "Day"}},
	}
	for n, l := range level.All() {
		f.heads = append(f.heads, views.FigureHead{Label: l.String(), Hue: levelHues()[n]})
	}
	f.heads = append(f.heads, views.FigureHead{Label: "All"})
	f.rows = i.daily(func(n int) []views.FigureCell {
		var cells []views.FigureCell
		var all int64
		for _, k := range i.report.Levels[n] {
			all += k
			cells = append(cells, countCell(k))
		}
		return append(cells, countCell(all))
	})
	return f
}

func (i insightsOf) outcomeFigure() figure {
	f := figure{
		id: "outcomes", title: "What became of them", chart: views.ChartStack, unit: views.UnitCount,
		about: "How actions ended, on the day on which they ended. The chart shows those that were held for a person; the table also has what the policy let through or blocked.",
		heads: []views.FigureHead{
			{Label: "Day"},
			{Label: "Approved", Hue: views.HueLow},
			{Label: "Changes requested", Hue: views.HueMedium},
			{Label: "Denied", Hue: views.HueHigh},
			{Label: "Expired", Hue: views.HueInk},
			{Label: "Cancelled", Hue: views.HueFaint},
			{Label: "Let through"},
			{Label: "Blocked"},
		},
		rows: i.daily(func(n int) []views.FigureCell {
			t := i.report.Daily[n]
			return []views.FigureCell{countCell(t.Approved), countCell(t.ChangesRequested), countCell(t.Denied), countCell(t.Expired), countCell(t.Cancelled), countCell(t.Allowed), countCell(t.Blocked)}
		}),
	}
	if i.report.Total.Held() == 0 { // then the rest of the table is what there is to see
		f.about = "How actions ended, on the day on which they ended. None was held for a person and ended since, so the chart shows what the policy let through or blocked."
		for n := range f.heads {
			f.heads[n].Hue = map[string]views.Hue{"Let through": views.HueLow, "Blocked": views.HueCritical}[f.heads[n].Label]
		}
	}
	return f
}

// undecided stands where there are no times.
const undecided = "No person decided anything in this window. Times appear with the first decision."

func (i insightsOf) timeFigure() figure {
	f := figure{
		id: "times", title: "Time to decide by day", chart: views.ChartLines, unit: views.UnitSeconds,
		about: "From the submission to a person's decision: half of the decisions were faster than the median, nine in ten faster than the upper line. Both are read from a histogram, so they are about right.",
		heads: []views.FigureHead{{Label: "Day"}, {Label: "Median", Hue: views.HueAccent}, {Label: "90 %", Hue: views.HueHigh}, {Label: "Decisions"}},
		none:  undecided,
	}
	if i.report.Total.Waited > 0 {
		f.rows = i.daily(func(n int) []views.FigureCell {
			t := i.report.Daily[n]
			return []views.FigureCell{timeCell(t, 0.5), timeCell(t, 0.9), countCell(t.Waited)}
		})
	}
	return f
}

func (i insightsOf) timeLevelFigure() figure {
	f := figure{
		id: "times-by-level", title: "Time to decide by level", chart: views.ChartPair, unit: views.UnitSeconds,
		about: "The same times over the whole window, by the level of what was decided.",
		heads: []views.FigureHead{{Label: "Level"}, {Label: "Median", Hue: views.HueAccent}, {Label: "90 %", Hue: views.HueHigh}, {Label: "Decisions"}, {Label: "Approved"}},
		none:  undecided,
	}
	if i.report.Total.Waited == 0 {
		return f
	}
	for _, r := range i.report.ByLevel {
		f.rows = append(f.rows, figureRow{name: r.Value, short: r.Value, cells: []views.FigureCell{timeCell(r.Tally, 0.5), timeCell(r.Tally, 0.9), countCell(r.Waited), approvedCell(r.Tally)}})
	}
	return f
}

func (i insightsOf) fastFigure() figure {
	fast := func(l level.Level) string {
		return strconv.FormatFloat(approvals.FastSeconds(l), 'f', -1, 64) + " s at " + l.String()
	}
	f := figure{
		id: "fast", title: "Fast approvals and expiries", chart: views.ChartPair, unit: views.UnitCount,
		about: "An approval is fast when it came less than " + fast(level.Medium) + ", " + fast(level.High) + " or " + fast(level.Critical) + " after the operator first saw the request: " +
			"twice the minimum review time of a new organisation. An expiry is a request that nobody decided in time.",
		heads: []views.FigureHead{{Label: "Day"}, {Label: "Fast approvals", Hue: views.HueMedium}, {Label: "Expired", Hue: views.HueInk}, {Label: "Approved"}},
		none:  "No person approved anything in this window, and nothing expired.",
	}
	if i.report.Total.Approved+i.report.Total.Expired > 0 {
		f.rows = i.daily(func(n int) []views.FigureCell {
			t := i.report.Daily[n]
			return []views.FigureCell{countCell(t.Fast), countCell(t.Expired), countCell(t.Approved)}
		})
	}
	return f
}

func (i insightsOf) trendFigure() figure {
	f := figure{
		id: "scores", title: "Score by day", chart: views.ChartLines, unit: views.UnitScore, wide: true,
		about: "The mean score of what ended on a day, from 0 to 1. The band is the mean of the 28 days before and three standard deviations to either side (a Shewhart control chart); it needs 7 days of at least 5 actions. A day of at least 5 actions outside of it is marked.",
		heads: []views.FigureHead{{Label: "Day"}, {Label: "Mean score", Hue: views.HueAccent}, {Label: "Upper edge of the band", Hue: views.HueFaint, Edge: true}, {Label: "Lower edge of the band", Hue: views.HueFaint, Edge: true}, {Label: "Actions"}},
	}
	f.rows = i.daily(func(n int) []views.FigureCell {
		d := i.report.Trend[n]
		return []views.FigureCell{scoreCell(d.Mean, d.Scored > 0), scoreCell(d.High, d.Banded), scoreCell(d.Low, d.Banded), countCell(d.Scored)}
	})
	for n, d := range i.report.Trend {
		switch side := d.Outside(); {
		case side > 0:
			f.rows[n].mark, f.rows[n].why = "above its band", "Actions were riskier than the days before suggest."
		case side < 0:
			f.rows[n].mark, f.rows[n].why = "below its band", "Actions were less risky than the days before suggest."
		}
	}
	return f
}

func (i insightsOf) calibrationFigure() figure {
	f := figure{
		id: "calibration", title: "Calibration of the score", chart: views.ChartPair, unit: views.UnitShare,
		about: "If the score measures risk, people refuse more of what scores higher. Refused is the share of decisions that were a denial or a request for changes; failed is the share of reports in which the agent said that the action failed.",
		heads: []views.FigureHead{
			{Label: "Score"},
			{Label: "Refused", Hue: views.HueHigh},
			{Label: "Failed", Hue: views.HueInk},
			{Label: "Ended"},
			{Label: "Let through"},
			{Label: "Approved"},
			{Label: "Denied"},
			{Label: "Changes requested"},
			{Label: "Blocked"},
			{Label: "Expired"},
			{Label: "Cancelled"},
		},
	}
	if i.report.Total.Decided()+i.report.Total.Failed == 0 {
		f.chart = views.ChartNone // nobody refused anything, and nothing failed
	}
	for n, t := range i.report.Scores {
		name := fmt.Sprintf("%.1f to %.1f", float64(n)/10, float64(n+1)/10)
		f.rows = append(f.rows, figureRow{name: name, short: fmt.Sprintf("%.1f", float64(n)/10), cells: []views.FigureCell{
			shareCell(t.Denied+t.ChangesRequested, t.Decided()), shareCell(t.Failed, t.Failed+t.Succeeded), countCell(t.Ended()), countCell(t.Allowed), countCell(t.Approved),
			countCell(t.Denied), countCell(t.ChangesRequested), countCell(t.Blocked), countCell(t.Expired), countCell(t.Cancelled),
		}})
	}
	return f
}

func (i insightsOf) sessionFigure() figure {
	f := figure{
		id: "sessions", title: "Sessions by score", wide: true,
		about: "The sessions with the highest mean score among the latest 2,000. One stands out when the mean of at least 5 of its actions is above its limit: three standard errors above the organisation's mean, which chance exceeds about once in a thousand times.",
		heads: []views.FigureHead{{Label: "Session"}, {Label: "Actions"}, {Label: "Mean score"}, {Label: "Highest score"}, {Label: "Limit"}},
		none:  "No agent named a session in this window.",
	}
	for _, s := range i.report.Sessions {
		r := figureRow{name: s.Session, note: "Agent " + flat(i.names.Of("agent", s.Agent)), cells: []views.FigureCell{
			countCell(s.Scored), scoreCell(s.Mean, true), scoreCell(s.Peak, true), scoreCell(s.Limit, true),
		}}
		if s.Rose {
			r.mark, r.why = "stands out", "Its actions score higher than chance makes them."
		}
		f.rows = append(f.rows, r)
	}
	return f
}

// nearlyAlways: so often decided and so nearly always approved, a rule costs
// attention and buys little.
const (
	nearlyAlways  = 0.95
	alwaysDecided = 20
)

// rateFigure is how often something fired and what people made of it.
func (i insightsOf) rateFigure(id, title, head, word string, all []approvals.Rollup) figure {
	f := figure{
		id: id, title: title, wide: true,
		about: "How often each " + word + " was part of an action that ended, and how much of what people decided they approved, above the range in which that share lies with 95 % confidence. " +
			"A " + word + " that is approved nearly always costs attention and buys little.",
		heads: []views.FigureHead{
			{Label: head},
			{Label: "Ended"},
			{Label: "Held"},
			{Label: "Approved of those decided"},
			{Label: "Denied"},
			{Label: "Changes requested"},
			{Label: "Expired"},
			{Label: "Fast approvals"},
			{Label: "Median time"},
		},
		none: "No " + word + " was part of an action that ended in this window.",
	}
	for _, r := range all {
		if r.Ended() == 0 {
			continue // submitted only, or reported only
		}
		row := figureRow{name: r.Value, cells: []views.FigureCell{
			countCell(r.Ended()), countCell(r.Held()), approvedCell(r.Tally), countCell(r.Denied), countCell(r.ChangesRequested), countCell(r.Expired), countCell(r.Fast), timeCell(r.Tally, 0.5),
		}}
		switch {
		case r.Others:
			row.name = "All others"
		case r.Value == "":
			row.name = "No " + word
		}
		if share, _, _, _ := r.ApprovedShare(); r.Decided() >= alwaysDecided && share >= nearlyAlways {
			row.mark, row.why = "nearly always approved", "It may be too strict for what you do."
		}
		f.rows = append(f.rows, row)
	}
	if len(all) == approvals.InsightValues {
		f.more = fmt.Sprintf("These are the %d that ended most.", approvals.InsightValues)
	}
	return f
}

func (i insightsOf) operatorFigure() figure {
	f := figure{
		id: "operators", title: "Review by operator", wide: true,
		about: "What each person decided, a signature among several included. The median time is that of the review: from the first look at the request to the decision. Many approvals and short times are a reason to look closer, and no proof of anything.",
		heads: []views.FigureHead{{Label: "Operator"}, {Label: "Decided"}, {Label: "Approved"}, {Label: "Denied"}, {Label: "Changes requested"}, {Label: "Fast approvals"}, {Label: "Median time of review"}},
		none:  "No person decided anything in this window.",
	}
	for _, r := range i.report.Operators {
		name := i.names.Of("person", r.Value)
		if r.Others {
			name = "All others"
		}
		f.rows = append(f.rows, figureRow{name: name, cells: []views.FigureCell{
			countCell(r.Decided()), approvedCell(r.Tally), countCell(r.Denied), countCell(r.ChangesRequested), countCell(r.Fast), timeCell(r.Tally, 0.5),
		}})
	}
	return f
}
