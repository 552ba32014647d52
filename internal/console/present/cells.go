package present

import (
	"math"
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// NoFigure stands where there is nothing to count; a file has an empty cell.
func NoFigure() views.FigureCell { return views.FigureCell{Text: views.NoFigure} }

// FigureRuns is the number of a cell as a fact.
func FigureRuns(say texts.Printer, c views.FigureCell) []views.Run {
	if c.Text == views.NoFigure {
		return untrusted.Runs(say.Say("None yet"))
	}
	return untrusted.Runs(c.Text)
}

// TimeCell is a time from a histogram.
func TimeCell(say texts.Printer, t approvals.Tally, quantile float64) views.FigureCell {
	seconds, ok := t.Quantile(quantile)
	if !ok {
		return NoFigure()
	}
	return views.FigureCell{Text: say.Say("about %s", Lasting(say, seconds)), Value: strconv.FormatFloat(seconds, 'f', 1, 64)}
}

// Lasting is a time in words, in two of its units at most.
func Lasting(say texts.Printer, seconds float64) string {
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

// ShareCell is k of n, with what it is a share of.
func ShareCell(say texts.Printer, k, n int64) views.FigureCell {
	if n == 0 {
		return NoFigure()
	}
	share := float64(k) / float64(n)
	return views.FigureCell{Text: Percent(share), Value: Fraction(share), Note: say.Say("%d of %d", k, n)}
}

// spanText is a time in two units, or in the larger one where nothing is left.
func spanText(say texts.Printer, whole, both texts.Key, large, small int64) string {
	if small == 0 {
		return say.Key(whole, strconv.FormatInt(large, 10))
	}
	return say.Key(both, strconv.FormatInt(large, 10), strconv.FormatInt(small, 10))
}

func Fraction(f float64) string { return strconv.FormatFloat(f, 'f', 4, 64) }

func Percent(f float64) string { return strconv.Itoa(int(math.Round(100*f))) + " %" }
