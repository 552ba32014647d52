package views

import (
	"strconv"
	"time"

	"github.com/countersign/countersign/views/texts"
)

// shape is the address of the level's mark in the sprite.
func (l Level) shape() string {
	return "/static/icons.svg#lv-" + strconv.Itoa(int(min(l, LevelCritical)))
}

// slug is the value of data-level, which the style sheets know.
func (l Level) slug() string {
	return [...]string{"none", "low", "medium", "high", "critical"}[min(l, LevelCritical)]
}

// levelWords are the words of the levels, which the recorded texts know too.
var levelWords = [...]texts.Key{"", "LOW", "MEDIUM", "HIGH", "CRITICAL"}

func (l Level) word(say texts.Printer) string {
	return say.Key(levelWords[min(l, LevelCritical)])
}

// rank is read out in place of the shape's number.
func (l Level) rank(say texts.Printer) string {
	return say.Say("Level %d of 4,", int(min(l, LevelCritical)))
}

func (t Tone) slug() string {
	return [...]string{"", "ok", "warn", "bad", "accent"}[min(t, ToneAccent)]
}

var placeNames = [...]texts.Key{"", "Queue", "History", "Audit", "Insights", "Settings"}

// Label is what the navigation calls it.
func (p Place) Label(say texts.Printer) string { return say.Key(placeNames[min(p, PlaceSettings)]) }

func (p Place) icon() Icon {
	return [...]Icon{IconInfo, "queue", "history", "audit", "insights", "settings"}[min(p, PlaceSettings)]
}

// key is what follows g on the keyboard.
func (p Place) key() string {
	return [...]string{"", "q", "h", "a", "i", "s"}[min(p, PlaceSettings)]
}

// moments are the exact times of each month: a language may bend its name.
var moments = [...]texts.Key{
	"%s January %s, %s UTC", "%s February %s, %s UTC", "%s March %s, %s UTC", "%s April %s, %s UTC",
	"%s May %s, %s UTC", "%s June %s, %s UTC", "%s July %s, %s UTC", "%s August %s, %s UTC",
	"%s September %s, %s UTC", "%s October %s, %s UTC", "%s November %s, %s UTC", "%s December %s, %s UTC",
}

// utc is an exact time for people, from its form for machines: what stands behind a
// time that is told as "4 min ago".
func utc(say texts.Printer, iso string) string {
	at, err := time.Parse(time.RFC3339Nano, iso)
	if err != nil {
		return iso
	}
	at = at.UTC()
	return say.Key(moments[at.Month()-1], at.Format("2"), at.Format("2006"), at.Format("15:04:05"))
}

// dash draws the ring: so much of a circumference of 100.
func (t TimeLeft) dash() string { return strconv.Itoa(max(0, min(t.Percent, 100))) + " 100" }

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
	case LevelMedium:
		return b.Medium
	case LevelHigh:
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

// sign stands before a line of a difference.
func (c Change) sign() string { return [...]string{" ", "+", "−"}[c] }
