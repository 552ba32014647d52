package review

import (
	"strconv"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// The score bar is 600 units wide, a gap of 2 between its segments.

func barX(thousandths int) int { return max(0, min(thousandths, 1000)) * 600 / 1000 }

func barWidth(from, to int) int { return max(0, barX(to)-barX(from)-2) }

// decimal writes thousandths as the scale does: "0.3" would not line up.
func decimal(thousandths, digits int) string {
	return strconv.FormatFloat(float64(thousandths)/1000, 'f', digits, 64)
}

// label says the bar in words, and which bounds the score reached.
func (b ScoreBar) label(say texts.Printer) string {
	return say.Key(b.crossed(), decimal(b.Score, 3), decimal(b.Medium, 2), decimal(b.High, 2), decimal(b.Critical, 2))
}

// from is where the level begins that it was raised to.
func (b ScoreBar) from() int {
	switch b.Raised {
	case views.LevelMedium:
		return b.Medium
	case views.LevelHigh:
		return b.High
	default:
		return b.Critical
	}
}

// raised is the way from the score to the level, with its point.
func (b ScoreBar) raised() string {
	start, end := barX(b.Score)+3, max(barX(b.Score)+8, barX(b.from())+4)

	return "M" + strconv.Itoa(start) + " 12H" + strconv.Itoa(end) + "m-5 -3l5 3l-5 3"
}

func (b ScoreBar) crossed() texts.Key {
	switch {
	case b.Score >= b.Critical:
		return "Score %s on a scale from 0 to 1, with bounds at %s, %s and %s; it reaches that of CRITICAL"
	case b.Score >= b.High:
		return "Score %s on a scale from 0 to 1, with bounds at %s, %s and %s; it reaches that of HIGH"
	case b.Score >= b.Medium:
		return "Score %s on a scale from 0 to 1, with bounds at %s, %s and %s; it reaches that of MEDIUM"
	}
	return "Score %s on a scale from 0 to 1, with bounds at %s, %s and %s; it reaches none"
}

// width draws a contribution against the largest one, so that bars compare as figures do.
func (f Factor) width() string {
	return decimal(max(0, min(f.Thousandths, f.Most))*100_000/max(1, f.Most), 1)
}

// idle are the factors that add nothing, and busy the others.
func (h Held) idle() (names []string) {
	for _, f := range h.Factors {
		if f.Thousandths <= 0 {
			names = append(names, f.Name)
		}
	}

	return names
}

func (h Held) busy() (all []Factor) {
	for _, f := range h.Factors {
		if f.Thousandths > 0 {
			all = append(all, f)
		}
	}

	return all
}

// answering says that nothing of the action may be in the page, whatever the
// caller left in the struct.
func (r Request) answering() bool { return r.Decision != nil && r.Decision.Ask == AskQuiz }

// step numbers the last step of the confirmation, which shifts when there are no
// consequences to tick.
func (e Explicit) step() string {
	if len(e.Consequences) == 0 {
		return "2"
	}

	return "3"
}

func (e Explicit) typedHint() texts.Key {
	if e.Tail {
		return "These are its last 24 characters. The full value is shown above."
	}

	return "Type it exactly, so a lookalike can't slip past."
}
