package trailui

import (
	"math"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/console/present"
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
			Name: present.Headline(say, r.name), Day: r.day, Short: r.short, URL: r.url, Note: r.note, Change: r.change, Mark: r.mark, Why: r.why, Cells: r.cells,
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
	return views.FigureCell{Text: present.Grouped(say, n), Value: strconv.FormatInt(n, 10)}
}

func scoreCell(say texts.Printer, score float64, known bool) views.FigureCell {
	if !known {
		return present.NoFigure()
	}
	return views.FigureCell{Text: strconv.FormatFloat(score, 'f', 3, 64), Value: strconv.FormatFloat(score, 'f', 6, 64)}
}

// pointsCell is a mean on the scale of the pattern model, from 0 to 100.
func pointsCell(say texts.Printer, points float64, known bool) views.FigureCell {
	if !known {
		return present.NoFigure()
	}
	return views.FigureCell{Text: strconv.FormatFloat(points, 'f', 1, 64), Value: strconv.FormatFloat(points, 'f', 2, 64)}
}

// peakCell is one score of the pattern model.
func peakCell(say texts.Printer, points int64, known bool) views.FigureCell {
	if !known {
		return present.NoFigure()
	}
	return countCell(say, points)
}

// sumCell is the pattern score of so many matches, with how many of each severity.
func sumCell(say texts.Printer, w patterns.Weighing, c patterns.Counts, known bool) views.FigureCell {
	if !known {
		return present.NoFigure()
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

// approvedCell is how much of what people decided they approved.
func approvedCell(say texts.Printer, t approvals.Tally) views.FigureCell {
	share, low, high, ok := t.ApprovedShare()
	if !ok {
		return present.NoFigure()
	}
	return views.FigureCell{
		Text: present.Percent(share), Value: present.Fraction(share), Barred: true, Bar: int(math.Round(100 * share)),
		Note: say.Say("%d of %d, %s to %s", t.Approved, t.Decided(), present.Percent(low), present.Percent(high)),
	}
}
