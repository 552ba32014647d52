package trailui

import (
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// pointsFigure is the trend of the pattern model, from 0 to 100.
func (i insightsOf) pointsFigure() figure {
	now, was := i.report.Total, i.report.Before
	f := figure{
		id: "points", title: i.say.Say("Pattern score by day"), chart: views.ChartLines, unit: views.UnitPoints, wide: true,
		about: i.say.Say("Mean pattern score of actions ended each day, from 0 to 100, including those with no match. Over the period: %s, %s. The band works like the score's.", pointsCell(i.say, now.MeanPoints(), now.Evaluated > 0).Text, movedText(i.say, now, was)),
		heads: []views.FigureHead{{Label: i.say.Say("Day")}, {Label: i.say.Say("Mean pattern score"), Hue: views.HueAccent}, {Label: i.say.Say("Upper bound"), Hue: views.HueFaint, Edge: true}, {Label: i.say.Say("Lower bound"), Hue: views.HueFaint, Edge: true}, {Label: i.say.Say("Actions")}},
		none:  i.say.Say("Nothing ended in this period."),
	}
	if now.Evaluated == 0 {
		return f
	}
	f.rows = i.daily(func(n int) []views.FigureCell {
		d := i.report.Points[n]
		return []views.FigureCell{pointsCell(i.say, d.Mean, d.Scored > 0), pointsCell(i.say, d.High, d.Banded), pointsCell(i.say, d.Low, d.Banded), countCell(i.say, d.Scored)}
	})
	for n, d := range i.report.Points {
		switch side := d.Outside(); {
		case side > 0:
			f.rows[n].mark, f.rows[n].why = i.say.Say("above its band"), i.say.Say("More, or more severe, pattern matches than usual.")
		case side < 0:
			f.rows[n].mark, f.rows[n].why = i.say.Say("below its band"), i.say.Say("Fewer pattern matches than usual.")
		}
	}
	return f
}

// severityHues are those of patterns.Severities.
var severityHues = []views.Hue{views.HueCritical, views.HueHigh, views.HueMedium, views.HueLow}

// severityFigure is the distribution of the pattern score by the worst severity that matched.
func (i insightsOf) severityFigure() figure {
	f := figure{
		id: "severity", title: i.say.Say("Pattern score by severity"), chart: views.ChartStack, unit: views.UnitCount,
		about: i.say.Say("Actions that ended, by their pattern score and the worst severity of the patterns that matched."),
		heads: []views.FigureHead{{Label: i.say.Say("Pattern score")}},
		none:  i.say.Say("No pattern matched in what ended in this period."),
	}
	for n, severity := range patterns.Severities() {
		f.heads = append(f.heads, views.FigureHead{Label: present.Sentence(present.SeverityWord(i.say, severity)), Hue: severityHues[n]})
	}
	f.heads = append(f.heads, views.FigureHead{Label: i.say.Say("No match")})
	found := false
	for n := range 10 {
		to := 10*n + 9
		if n == 9 {
			to = patterns.MaxScore
		}
		row := figureRow{name: i.say.Say("%s to %s", strconv.Itoa(10*n), strconv.Itoa(to)), short: strconv.Itoa(10 * n)}
		for k, tenths := range i.report.BySeverity {
			row.cells = append(row.cells, countCell(i.say, tenths[n]))
			found = found || tenths[n] > 0 && k < len(severityHues)
		}
		f.rows = append(f.rows, row)
	}
	if !found {
		f.rows = nil
	}
	return f
}

// movedText says how the mean pattern score moved against the window before.
func movedText(say texts.Printer, now, was approvals.Tally) string {
	if now.Evaluated == 0 || was.Evaluated == 0 {
		return say.Say("nothing to compare with")
	}
	return say.Say("%s compared with the previous period", changeText(now.MeanPoints()-was.MeanPoints()))
}

// changeText is a difference in points, with its sign.
func changeText(by float64) string {
	text := strconv.FormatFloat(by, 'f', 1, 64)
	switch {
	case text == "0.0" || text == "-0.0":
		return "±0.0"
	case by > 0:
		return "+" + text
	}
	return "−" + text[1:]
}

func changeCell(say texts.Printer, now, was approvals.Tally) views.FigureCell {
	if now.Evaluated == 0 || was.Evaluated == 0 {
		return present.NoFigure()
	}
	by := now.MeanPoints() - was.MeanPoints()
	return views.FigureCell{Text: changeText(by), Value: strconv.FormatFloat(by, 'f', 2, 64)}
}
