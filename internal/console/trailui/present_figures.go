package trailui

import (
	"fmt"
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// The figures of the insights page, one by one, in the order of the page.

// daily makes a row of each day.
func (i insightsOf) daily(cells func(n int) []views.FigureCell) []figureRow {
	var rows []figureRow
	for n, d := range i.report.Days {
		rows = append(rows, figureRow{name: present.LongDay(i.say, d), day: d, short: present.ShortDay(i.say, d), cells: cells(n)})
	}
	return rows
}

func levelHues() []views.Hue {
	return []views.Hue{views.HueLow, views.HueMedium, views.HueHigh, views.HueCritical}
}

func (i insightsOf) levelFigure() figure {
	f := figure{
		id: "levels", title: i.say.Say("Actions by day and level"), chart: views.ChartStack, unit: views.UnitCount,
		about: i.say.Say("Actions submitted per day, by their level at the time."),
		heads: []views.FigureHead{{Label: i.say.Say("Day")}},
	}
	for n, l := range level.All() {
		f.heads = append(f.heads, views.FigureHead{Label: present.LevelWord(i.say, l), Hue: levelHues()[n]})
	}
	f.heads = append(f.heads, views.FigureHead{Label: i.say.Say("All")})
	f.rows = i.daily(func(n int) []views.FigureCell {
		var cells []views.FigureCell
		var all int64
		for _, k := range i.report.Levels[n] {
			all += k
			cells = append(cells, countCell(i.say, k))
		}
		return append(cells, countCell(i.say, all))
	})
	return f
}

func (i insightsOf) outcomeFigure() figure {
	f := figure{
		id: "outcomes", title: i.say.Say("Outcomes"), chart: views.ChartStack, unit: views.UnitCount,
		about: i.say.Say("How held requests ended, by day. Approvals that were withdrawn count as cancelled. The table also includes what the policy approved or blocked."),
		heads: []views.FigureHead{
			{Label: i.say.Say("Day")},
			{Label: i.say.Say("Approved"), Hue: views.HueAccent},
			{Label: i.say.Say("Changes requested"), Hue: views.HueMid},
			{Label: i.say.Say("Denied"), Hue: views.HueInk},
			{Label: i.say.Say("Expired"), Hue: views.HueFaint},
			{Label: i.say.Say("Cancelled"), Hue: views.HuePale},
			{Label: i.say.Say("Auto-approved")},
			{Label: i.say.Say("Blocked")},
		},
		rows: i.daily(func(n int) []views.FigureCell {
			t := i.report.Daily[n]
			return []views.FigureCell{countCell(i.say, t.Approved), countCell(i.say, t.ChangesRequested), countCell(i.say, t.Denied), countCell(i.say, t.Expired), countCell(i.say, t.Cancelled), countCell(i.say, t.Allowed), countCell(i.say, t.Blocked)}
		}),
	}
	if i.report.Total.Held() == 0 { // then the rest of the table is what there is to see
		f.about = i.say.Say("How actions ended, by day. No held requests ended in this period, so the chart shows what the policy approved or blocked.")
		for n := range f.heads {
			f.heads[n].Hue = ""
		}
		f.heads[6].Hue, f.heads[7].Hue = views.HueMid, views.HueInk
	}
	return f
}

// undecided stands where there are no times.
func undecided(say texts.Printer) string {
	return say.Say("No decisions in this period.")
}

func (i insightsOf) timeFigure() figure {
	f := figure{
		id: "times", title: i.say.Say("Time to decide by day"), chart: views.ChartLines, unit: views.UnitSeconds,
		about: i.say.Say("From submission to a person's decision. Half were faster than the median, nine in ten faster than the upper line. Both are estimates from a histogram."),
		heads: []views.FigureHead{{Label: i.say.Say("Day")}, {Label: i.say.Say("Median"), Hue: views.HueAccent}, {Label: "90 %", Hue: views.HueInk}, {Label: i.say.Say("Decisions")}},
		none:  undecided(i.say),
	}
	if i.report.Total.Waited > 0 {
		f.rows = i.daily(func(n int) []views.FigureCell {
			t := i.report.Daily[n]
			return []views.FigureCell{present.TimeCell(i.say, t, 0.5), present.TimeCell(i.say, t, 0.9), countCell(i.say, t.Waited)}
		})
	}
	return f
}

func (i insightsOf) timeLevelFigure() figure {
	f := figure{
		id: "times-by-level", title: i.say.Say("Time to decide by level"), chart: views.ChartPair, unit: views.UnitSeconds,
		about: i.say.Say("The same times over the whole period, by level."),
		heads: []views.FigureHead{{Label: i.say.Say("Level")}, {Label: i.say.Say("Median"), Hue: views.HueAccent}, {Label: "90 %", Hue: views.HueInk}, {Label: i.say.Say("Decisions")}, {Label: i.say.Say("Approved")}},
		none:  undecided(i.say),
	}
	if i.report.Total.Waited == 0 {
		return f
	}
	for _, r := range i.report.ByLevel {
		name := present.LevelNamed(i.say, r.Value)
		f.rows = append(f.rows, figureRow{name: name, short: name, cells: []views.FigureCell{present.TimeCell(i.say, r.Tally, 0.5), present.TimeCell(i.say, r.Tally, 0.9), countCell(i.say, r.Waited), approvedCell(i.say, r.Tally)}})
	}
	return f
}

func (i insightsOf) fastFigure() figure {
	fast := func(l level.Level) string {
		return i.say.Say("%s s at %s", strconv.FormatFloat(approvals.FastSeconds(l), 'f', -1, 64), present.LevelWord(i.say, l))
	}
	f := figure{
		id: "fast", title: i.say.Say("Fast approvals and expiries"), chart: views.ChartPair, unit: views.UnitCount,
		about: i.say.Say("An approval is fast when it comes less than %s, %s or %s after the operator first saw the request: twice the default minimum review time. An expiry is a request no one decided in time.", fast(level.Medium), fast(level.High), fast(level.Critical)),
		heads: []views.FigureHead{{Label: i.say.Say("Day")}, {Label: i.say.Say("Fast approvals"), Hue: views.HueAccent}, {Label: i.say.Say("Expired"), Hue: views.HueInk}, {Label: i.say.Say("Approved")}},
		none:  i.say.Say("No approvals or expiries in this period."),
	}
	if i.report.Total.Approved+i.report.Total.Expired > 0 {
		f.rows = i.daily(func(n int) []views.FigureCell {
			t := i.report.Daily[n]
			return []views.FigureCell{countCell(i.say, t.Fast), countCell(i.say, t.Expired), countCell(i.say, t.Approved)}
		})
	}
	return f
}

func (i insightsOf) trendFigure() figure {
	f := figure{
		id: "scores", title: i.say.Say("Score by day"), chart: views.ChartLines, unit: views.UnitScore, wide: true,
		about: i.say.Say("Mean score of actions ended each day, from 0 to 1. Marked when unusually high or low: more than three standard deviations from the previous 28 days. Needs 7 days with at least 5 actions."),
		heads: []views.FigureHead{{Label: i.say.Say("Day")}, {Label: i.say.Say("Mean score"), Hue: views.HueAccent}, {Label: i.say.Say("Upper bound"), Hue: views.HueFaint, Edge: true}, {Label: i.say.Say("Lower bound"), Hue: views.HueFaint, Edge: true}, {Label: i.say.Say("Actions")}},
	}
	f.rows = i.daily(func(n int) []views.FigureCell {
		d := i.report.Trend[n]
		return []views.FigureCell{scoreCell(i.say, d.Mean, d.Scored > 0), scoreCell(i.say, d.High, d.Banded), scoreCell(i.say, d.Low, d.Banded), countCell(i.say, d.Scored)}
	})
	for n, d := range i.report.Trend {
		switch side := d.Outside(); {
		case side > 0:
			f.rows[n].mark, f.rows[n].why = i.say.Say("above its band"), i.say.Say("Actions were riskier than usual.")
		case side < 0:
			f.rows[n].mark, f.rows[n].why = i.say.Say("below its band"), i.say.Say("Actions were less risky than usual.")
		}
	}
	return f
}

func (i insightsOf) calibrationFigure() figure {
	f := figure{
		id: "calibration", title: i.say.Say("Calibration of the score"), chart: views.ChartPair, unit: views.UnitShare,
		about: i.say.Say("If the score measures risk, people refuse more of the higher scores. Refused: the share of decisions that were denials or change requests. Failed: the share of reported actions that failed."),
		heads: []views.FigureHead{
			{Label: i.say.Say("Score")},
			{Label: i.say.Say("Refused"), Hue: views.HueHigh},
			{Label: i.say.Say("Failed"), Hue: views.HueInk},
			{Label: i.say.Say("Ended")},
			{Label: i.say.Say("Auto-approved")},
			{Label: i.say.Say("Approved")},
			{Label: i.say.Say("Denied")},
			{Label: i.say.Say("Changes requested")},
			{Label: i.say.Say("Blocked")},
			{Label: i.say.Say("Expired")},
			{Label: i.say.Say("Cancelled")},
		},
	}
	if i.report.Total.Decided()+i.report.Total.Failed == 0 {
		f.chart = views.ChartNone // nobody refused anything, and nothing failed
	}
	for n, t := range i.report.Scores {
		name := i.say.Say("%s to %s", fmt.Sprintf("%.1f", float64(n)/10), fmt.Sprintf("%.1f", float64(n+1)/10))
		f.rows = append(f.rows, figureRow{name: name, short: fmt.Sprintf("%.1f", float64(n)/10), cells: []views.FigureCell{
			present.ShareCell(i.say, t.Denied+t.ChangesRequested, t.Decided()), present.ShareCell(i.say, t.Failed, t.Failed+t.Succeeded), countCell(i.say, t.Ended()), countCell(i.say, t.Allowed), countCell(i.say, t.Approved),
			countCell(i.say, t.Denied), countCell(i.say, t.ChangesRequested), countCell(i.say, t.Blocked), countCell(i.say, t.Expired), countCell(i.say, t.Cancelled),
		}})
	}
	return f
}

func (i insightsOf) sessionFigure() figure {
	f := figure{
		id: "sessions", title: i.say.Say("Sessions by score"), wide: true,
		about: i.say.Say("The sessions with the highest mean score among the latest 2,000. A session is unusual when the mean of at least 5 actions is more than three standard errors above the organisation's mean, which happens by chance about once in a thousand. The session score combines all its pattern matches, from 0 to 100. Mean pattern score and change cover this period and the previous one."),
		heads: []views.FigureHead{
			{Label: i.say.Say("Session")},
			{Label: i.say.Say("Actions")},
			{Label: i.say.Say("Mean score")},
			{Label: i.say.Say("Highest score")},
			{Label: i.say.Say("Limit")},
			{Label: i.say.Say("Session score")},
			{Label: i.say.Say("Mean pattern score")},
			{Label: i.say.Say("Change")},
			{Label: i.say.Say("Highest pattern score")},
		},
		none: i.say.Say("No sessions in this period."),
	}
	for _, s := range i.report.Sessions {
		r := figureRow{name: s.Session, url: urls.Session(i.member.Tenant, s.Agent, s.Session), note: i.say.Say("Agent %s", present.Flat(i.say, i.names.Of("agent", s.Agent))), cells: []views.FigureCell{
			countCell(i.say, s.Scored), scoreCell(i.say, s.Mean, true), scoreCell(i.say, s.Peak, true), scoreCell(i.say, s.Limit, true),
			sumCell(i.say, i.report.Weighing, s.Counts, s.Evaluated > 0), pointsCell(i.say, s.Now.MeanPoints(), s.Now.Evaluated > 0), changeCell(i.say, s.Now, s.Before), peakCell(i.say, s.PeakPoints, s.Evaluated > 0),
		}}
		switch {
		case s.Above:
			r.mark, r.why = i.say.Say("above %d", i.report.Alerts.Above), i.say.Say("Its pattern matches add up to more than your alert threshold.")
		case s.Rose:
			r.mark, r.why = i.say.Say("unusual"), i.say.Say("Its actions score higher than chance explains.")
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

// rateWords are the sentences of a rateFigure: about it, where it has no row, and of
// the row without a name.
type rateWords struct{ about, none, no texts.Key }

var (
	ruleRates = rateWords{
		texts.Key("How often each rule matched and how often people approved anyway, with the 95% confidence range. A rule that's nearly always approved costs attention for little benefit."),
		texts.Key("No rules matched in this period."), texts.Key("No rule"),
	}
	patternRates = rateWords{
		texts.Key("How often each pattern matched and how often people approved anyway, with the 95% confidence range. A pattern that's nearly always approved costs attention for little benefit."),
		texts.Key("No patterns matched in this period."), texts.Key("No pattern"),
	}
	functionRates = rateWords{
		texts.Key("How often each function was called and how often people approved it, with the 95% confidence range. A function that's nearly always approved costs attention for little benefit."),
		texts.Key("No functions in this period."), texts.Key("No function"),
	}
)

// rateFigure is how often something fired and what people made of it.
func (i insightsOf) rateFigure(id, title, head string, words rateWords, all []approvals.Rollup) figure {
	f := figure{
		id: id, title: title, wide: true,
		about: i.say.Key(words.about),
		heads: []views.FigureHead{
			{Label: head},
			{Label: i.say.Say("Ended")},
			{Label: i.say.Say("Held")},
			{Label: i.say.Say("Approval rate")},
			{Label: i.say.Say("Denied")},
			{Label: i.say.Say("Changes requested")},
			{Label: i.say.Say("Expired")},
			{Label: i.say.Say("Fast approvals")},
			{Label: i.say.Say("Median time")},
		},
		none: i.say.Key(words.none),
	}
	for _, r := range all {
		if r.Ended() == 0 {
			continue // submitted only, or reported only
		}
		row := figureRow{name: r.Value, cells: []views.FigureCell{
			countCell(i.say, r.Ended()), countCell(i.say, r.Held()), approvedCell(i.say, r.Tally), countCell(i.say, r.Denied), countCell(i.say, r.ChangesRequested), countCell(i.say, r.Expired), countCell(i.say, r.Fast), present.TimeCell(i.say, r.Tally, 0.5),
		}}
		switch {
		case r.Others:
			row.name = i.say.Say("All others")
		case r.Value == "":
			row.name = i.say.Key(words.no)
		case id == "functions":
			row.url = i.address.At(urls.Insights(i.member.Tenant), "function", r.Value)
		}
		if share, _, _, _ := r.ApprovedShare(); r.Decided() >= alwaysDecided && share >= nearlyAlways {
			row.mark, row.why = i.say.Say("nearly always approved"), i.say.Say("It may be too strict for your work.")
		}
		f.rows = append(f.rows, row)
	}
	if len(all) == approvals.InsightValues {
		f.more = i.say.Say("Top %d by outcomes.", approvals.InsightValues)
	}
	return f
}

func (i insightsOf) operatorFigure() figure {
	f := figure{
		id: "operators", title: i.say.Say("Review by operator"), wide: true,
		about: i.say.Say("Each person's decisions, including partial approvals. Median review time runs from first opening a request to deciding. Many quick approvals are a reason to look closer, not proof of a problem."),
		heads: []views.FigureHead{{Label: i.say.Say("Operator")}, {Label: i.say.Say("Decided")}, {Label: i.say.Say("Approved")}, {Label: i.say.Say("Denied")}, {Label: i.say.Say("Changes requested")}, {Label: i.say.Say("Fast approvals")}, {Label: i.say.Say("Median time of review")}},
		none:  i.say.Say("No decisions in this period."),
	}
	for _, r := range i.report.Operators {
		name := i.names.Of("person", r.Value)
		if r.Others {
			name = i.say.Say("All others")
		}
		row := figureRow{name: name, url: i.address.At(urls.Insights(i.member.Tenant), "person", r.Value), cells: []views.FigureCell{
			countCell(i.say, r.Decided()), approvedCell(i.say, r.Tally), countCell(i.say, r.Denied), countCell(i.say, r.ChangesRequested), countCell(i.say, r.Fast), present.TimeCell(i.say, r.Tally, 0.5),
		}}
		if r.Others {
			row.url = ""
		}
		f.rows = append(f.rows, row)
	}
	return f
}
