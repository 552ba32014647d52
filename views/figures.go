package views

import "strconv"

// firstRows are those of a table without a chart that are seen before one asks for all; see insights.css.
const firstRows = 5

// Stat is one number of the window, and what it was before.
type Stat struct{ Label, Value, Note string }

// ChartKind is how the rows of a figure are drawn.
type ChartKind string

const (
	// ChartNone draws nothing: the table says it all.
	ChartNone ChartKind = ""
	// ChartStack puts the columns on top of each other.
	ChartStack ChartKind = "stack"
	// ChartPair puts two columns beside each other.
	ChartPair ChartKind = "pair"
	// ChartLines draws a line through each column.
	ChartLines ChartKind = "lines"
)

// Unit is what the numbers of a chart count.
type Unit string

const (
	// UnitCount is a number of things.
	UnitCount Unit = "count"
	// UnitSeconds is a time.
	UnitSeconds Unit = "seconds"
	// UnitShare is between 0 and 1, shown as percent.
	UnitShare Unit = "share"
	// UnitScore is between 0 and 1.
	UnitScore Unit = "score"
	// UnitPoints is between 0 and 100.
	UnitPoints Unit = "points"
)

// Hue is the colour of a column; the words of the legend and the order tell columns
// apart as well.
type Hue string

// The hues: those of the levels for levels and for what went well or ill, and three
// of none.
const (
	HueLow      Hue = "low"
	HueMedium   Hue = "medium"
	HueHigh     Hue = "high"
	HueCritical Hue = "critical"
	HueAccent   Hue = "accent"
	HueInk      Hue = "ink"
	HueFaint    Hue = "faint"
	HueMid      Hue = "mid"  // between accent and paper
	HuePale     Hue = "pale" // between ink and paper
)

// Figure is a table, and the chart that is drawn from it in the browser: the table
// is all the data that there is. Without script it is open and there is no chart.
type Figure struct {
	ID, Title string
	// About says in a sentence what the numbers are.
	About string
	Alert *Notice
	Chart ChartKind
	Unit  Unit
	Heads []FigureHead // the first is that of the row headers
	Rows  []FigureRow
	// Wide takes the whole width of the page.
	Wide bool
	// More says that not all rows are here, and None that there are none.
	More, None string
	Download   *Download
	// Act leads to what one would change; nil for nothing.
	Act *Link
}

// FigureHead is one column.
type FigureHead struct {
	Label string
	// Hue, where it is not empty, draws the column.
	Hue Hue
	// Edge draws it as the edge of a band.
	Edge bool
}

// FigureRow is what one row says.
type FigureRow struct {
	Name []Run
	// Day is the day that the row is about, as 2006-01-02; empty for none.
	Day string
	// Short is the name as it stands under the chart.
	Short string
	// URL leads to what the row is about; empty for nothing.
	URL string
	// Note stands under the name.
	Note string
	// Change leads to what would make the number another one; nil for nothing.
	Change *Link
	// Mark asks for attention, Why says why; empty for nothing.
	Mark, Why string
	Cells     []FigureCell // as many as there are heads behind the first
}

// NoFigure is where there is nothing to count.
const NoFigure = "–"

// FigureCell is a number.
type FigureCell struct {
	// Text is the number in words, or NoFigure; Value is the number itself, empty for none.
	Text, Value string
	Note        string
	// Bar, from 0 to 100, draws the share beside the text; Barred says so.
	Barred bool
	Bar    int
}

// series are the heads that are drawn.
func (f Figure) series() []FigureHead {
	var all []FigureHead
	for _, h := range f.Heads {
		if h.Hue != "" {
			all = append(all, h)
		}
	}
	return all
}

func (f Figure) drawn() bool { return f.Chart != ChartNone && len(f.Rows) > 0 }

func (c FigureCell) width() string { return strconv.Itoa(max(0, min(c.Bar, 100))) }

// Window is one span of time that a report can cover.
type Window struct {
	Label, URL string
	Here       bool
}
