package console

import (
	"math"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// figure is a table of the insights page before it is a view or a file.
type figure struct {
	id, title, about string
	alert            *views.Notice
	chart            views.ChartKind
	unit             views.Unit
	wide             bool
	heads            []views.FigureHead
	rows             []figureRow
	none, more       string
	act              *views.Link // to what would change it
}

// figureRow is one row; its name may be an agent's text.
type figureRow struct {
	name, day, short string
	note, mark, why  string
	url              string
	change           *views.Link
	cells            []views.FigureCell
}

// view is the figure as the page shows it.
func (f figure) view(say texts.Printer, download *views.Download) views.Figure {
	v := views.Figure{
		ID: f.id, Title: f.title, About: f.about, Alert: f.alert, Chart: f.chart, Unit: f.unit, Heads: f.heads,
		Wide: f.wide, More: f.more, None: f.none, Download: download, Act: f.act,
	}
	for _, r := range f.rows {
		v.Rows = append(v.Rows, views.FigureRow{
			Name: headline(say, r.name), Day: r.day, Short: r.short, URL: r.url, Note: r.note, Change: r.change, Mark: r.mark, Why: r.why, Cells: r.cells,
		})
	}
	return v
}

// write sends the rows: numbers as they are, not as words.
func (f figure) write(table *audit.CSV) {
	heads := make([]string, len(f.heads))
	for n, h := range f.heads {
		heads[n] = strings.ToLower(h.Label)
	}
	table.Row(heads...)
	for _, r := range f.rows {
		cells := []string{r.name}
		if r.day != "" {
			cells[0] = r.day
		}
		for _, c := range r.cells {
			cells = append(cells, c.Value)
		}
		table.Row(cells...)
	}
}

// What stands in cells.

func countCell(say texts.Printer, n int64) views.FigureCell {
	return views.FigureCell{Text: grouped(say, n), Value: strconv.FormatInt(n, 10)}
}

// noFigure stands where there is nothing to count; a file has an empty cell.
func noFigure() views.FigureCell { return views.FigureCell{Text: views.NoFigure} }

// figureRuns is the number of a cell as a fact.
func figureRuns(say texts.Printer, c views.FigureCell) []views.Run {
	if c.Text == views.NoFigure {
		return untrusted.Runs(say.Say("None yet"))
	}
	return untrusted.Runs(c.Text)
}

func scoreCell(say texts.Printer, score float64, known bool) views.FigureCell {
	if !known {
		return noFigure()
	}
	return views.FigureCell{Text: strconv.FormatFloat(score, 'f', 3, 64), Value: strconv.FormatFloat(score, 'f', 6, 64)}
}

// pointsCell is a mean on the scale of the pattern model, from 0 to 100.
func pointsCell(say texts.Printer, points float64, known bool) views.FigureCell {
	if !known {
		return noFigure()
	}
	return views.FigureCell{Text: strconv.FormatFloat(points, 'f', 1, 64), Value: strconv.FormatFloat(points, 'f', 2, 64)}
}

// peakCell is one score of the pattern model.
func peakCell(say texts.Printer, points int64, known bool) views.FigureCell {
	if !known {
		return noFigure()
	}
	return countCell(say, points)
}

// sumCell is the pattern score of so many matches, with how many of each severity.
func sumCell(say texts.Printer, w patterns.Weighing, c patterns.Counts, known bool) views.FigureCell {
	if !known {
		return noFigure()
	}
	_, score := w.Score(c)
	return views.FigureCell{Text: strconv.Itoa(score), Value: strconv.Itoa(score), Note: foundText(say, c)}
}

// foundText says how many matches there are of each severity that there is.
func foundText(say texts.Printer, c patterns.Counts) string {
	var all []string
	for _, one := range []struct {
		n    int
		text texts.Key
	}{{c.Critical, texts.Key("%d critical")}, {c.High, texts.Key("%d high")}, {c.Medium, texts.Key("%d medium")}, {c.Low, texts.Key("%d low")}} {
		if one.n > 0 {
			all = append(all, say.Key(one.text, one.n))
		}
	}
	if len(all) == 0 {
		return say.Say("no matches")
	}
	return strings.Join(all, ", ")
}

// timeCell is a time from a histogram.
func timeCell(say texts.Printer, t approvals.Tally, quantile float64) views.FigureCell {
	seconds, ok := t.Quantile(quantile)
	if !ok {
		return noFigure()
	}
	return views.FigureCell{Text: say.Say("about %s", lasting(say, seconds)), Value: strconv.FormatFloat(seconds, 'f', 1, 64)}
}

// lasting is a time in words, in two of its units at most.
func lasting(say texts.Printer, seconds float64) string {
	s := int64(math.Round(seconds))
	switch {
	case seconds < 9.95:
		return say.Say("%s s", strconv.FormatFloat(seconds, 'f', 1, 64))
	case s < 60:
		return say.Say("%s s", strconv.FormatInt(s, 10))
	case s < 3600:
		return spanText(say, texts.Key("%s min"), texts.Key("%s min %s s"), s/60, s%60)
	default:
		return spanText(say, texts.Key("%s h"), texts.Key("%s h %s min"), s/3600, s%3600/60)
	}
}

// shareCell is k of n, with what it is a share of.
func shareCell(say texts.Printer, k, n int64) views.FigureCell {
	if n == 0 {
		return noFigure()
	}
	share := float64(k) / float64(n)
	return views.FigureCell{Text: percent(share), Value: fraction(share), Note: say.Say("%d of %d", k, n)}
}

// approvedCell is how much of what people decided they approved.
func approvedCell(say texts.Printer, t approvals.Tally) views.FigureCell {
	share, low, high, ok := t.ApprovedShare()
	if !ok {
		return noFigure()
	}
	return views.FigureCell{
		Text: percent(share), Value: fraction(share), Barred: true, Bar: int(math.Round(100 * share)),
		Note: say.Say("%d of %d, %s to %s", t.Approved, t.Decided(), percent(low), percent(high)),
	}
}

// spanText is a time in two units, or in the larger one where nothing is left.
func spanText(say texts.Printer, whole, both texts.Key, large, small int64) string {
	if small == 0 {
		return say.Key(whole, strconv.FormatInt(large, 10))
	}
	return say.Key(both, strconv.FormatInt(large, 10), strconv.FormatInt(small, 10))
}
