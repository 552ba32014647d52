package console

import (
	"math"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/views"
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
}

// figureRow is one row; its name may be an agent's text.
type figureRow struct {
	name, day, short string
	note, mark, why  string
	cells            []views.FigureCell
}

// view is the figure as the page shows it.
func (f figure) view(download *views.Download) views.Figure {
	v := views.Figure{
		ID: f.id, Title: f.title, About: f.about, Alert: f.alert, Chart: f.chart, Unit: f.unit, Heads: f.heads,
		Wide: f.wide, More: f.more, None: f.none, Download: download,
	}
	for _, r := range f.rows {
		v.Rows = append(v.Rows, views.FigureRow{
			Name: headline(r.name), Day: r.day, Short: r.short, Note: r.note, Mark: r.mark, Why: r.why, Cells: r.cells,
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

func countCell(n int64) views.FigureCell {
	return views.FigureCell{Text: grouped(n), Value: strconv.FormatInt(n, 10)}
}

func scoreCell(score float64, known bool) views.FigureCell {
	if !known {
		return views.FigureCell{Text: "none"}
	}
	return views.FigureCell{Text: strconv.FormatFloat(score, 'f', 3, 64), Value: strconv.FormatFloat(score, 'f', 6, 64)}
}

// timeCell is a time from a histogram.
func timeCell(t approvals.Tally, quantile float64) views.FigureCell {
	seconds, ok := t.Quantile(quantile)
	if !ok {
		return views.FigureCell{Text: "none"}
	}
	return views.FigureCell{Text: "about " + lasting(seconds), Value: strconv.FormatFloat(seconds, 'f', 1, 64)}
}

// lasting is a time in words, in two of its units at most.
func lasting(seconds float64) string {
	s := int64(math.Round(seconds))
	switch {
	case seconds < 9.95:
		return strconv.FormatFloat(seconds, 'f', 1, 64) + " s"
	case s < 60:
		return strconv.FormatInt(s, 10) + " s"
	case s < 3600:
		return strings.TrimSuffix(strconv.FormatInt(s/60, 10)+" min "+strconv.FormatInt(s%60, 10)+" s", " 0 s")
	default:
		return strings.TrimSuffix(strconv.FormatInt(s/3600, 10)+" h "+strconv.FormatInt(s%3600/60, 10)+" min", " 0 min")
	}
}

// shareCell is k of n, with what it is a share of.
func shareCell(k, n int64) views.FigureCell {
	if n == 0 {
		return views.FigureCell{Text: "none"}
	}
	share := float64(k) / float64(n)
	return views.FigureCell{Text: percent(share), Value: fraction(share), Note: grouped(k) + " of " + grouped(n)}
}

// approvedCell is how much of what people decided they approved.
func approvedCell(t approvals.Tally) views.FigureCell {
	share, low, high, ok := t.ApprovedShare()
	if !ok {
		return views.FigureCell{Text: "none decided"}
	}
	return views.FigureCell{
		Text: percent(share), Value: fraction(share), Barred: true, Bar: int(math.Round(100 * share)),
		Note: grouped(t.Approved) + " of " + grouped(t.Decided()) + ", " + percent(low) + " to " + percent(high),
	}
}
