package views

import (
	"strconv"
	"time"
)

// shape is the address of the level's mark in the sprite.
func (l Level) shape() string {
	return "/static/icons.svg#lv-" + strconv.Itoa(int(min(l, LevelCritical)))
}

// slug is the value of data-level, which the style sheets know.
func (l Level) slug() string {
	return [...]string{"none", "low", "medium", "high", "critical"}[min(l, LevelCritical)]
}

func (l Level) word() string {
	return [...]string{"", "LOW", "MEDIUM", "HIGH", "CRITICAL"}[min(l, LevelCritical)]
}

// rank is read out in place of the shape's number.
func (l Level) rank() string { return "Level " + strconv.Itoa(int(min(l, LevelCritical))) + " of 4," }

func (t Tone) slug() string {
	return [...]string{"", "ok", "warn", "bad", "accent"}[min(t, ToneAccent)]
}

// Label is what the navigation calls it.
func (p Place) Label() string {
	return [...]string{"", "Queue", "History", "Audit", "Insights", "Settings"}[min(p, PlaceSettings)]
}

func (p Place) icon() Icon {
	return [...]Icon{IconInfo, "queue", "history", "audit", "insights", "settings"}[min(p, PlaceSettings)]
}

// key is what follows g on the keyboard.
func (p Place) key() string {
	return [...]string{"", "q", "h", "a", "i", "s"}[min(p, PlaceSettings)]
}

// utc is an exact time for people, from its form for machines: what stands behind a
// time that is told as "4 min ago".
func utc(iso string) string {
	at, err := time.Parse(time.RFC3339Nano, iso)
	if err != nil {
		return iso
	}
	return at.UTC().Format("2 January 2006, 15:04:05 UTC")
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

func (b ScoreBar) label() string {
	return "Score " + decimal(b.Score, 3) + " on a scale from 0 to 1, with bounds at " +
		decimal(b.Medium, 2) + ", " + decimal(b.High, 2) + " and " + decimal(b.Critical, 2) + "; " + b.crossed()
}

// crossed says which bounds the score reached.
func (b ScoreBar) crossed() string {
	switch {
	case b.Score >= b.Critical:
		return "it reaches that of CRITICAL"
	case b.Score >= b.High:
		return "it reaches that of HIGH"
	case b.Score >= b.Medium:
		return "it reaches that of MEDIUM"
	}
	return "it reaches none"
}

func (f Factor) width() string { return decimal(max(0, min(f.Thousandths, 1000))*100, 1) }

// answering says that nothing of the action may be in the page, whatever the
// caller left in the struct.
func (r Request) answering() bool { return r.Decision != nil && r.Decision.Ask == AskQuiz }

// refused says that a form stands open after a refusal. Approve is left out then:
// a second filled button under the first one invites the wrong click.
func (d Decision) refused() bool {
	return (d.Deny != nil && d.Deny.Open) || (d.Changes != nil && d.Changes.Open)
}

// step numbers the last step of the confirmation, which shifts when there are no
// consequences to tick.
func (e Explicit) step() string {
	if len(e.Consequences) == 0 {
		return "2"
	}

	return "3"
}

func (e Explicit) typedHint() string {
	if e.Tail {
		return "These are its last 24 characters; the whole of it stands in the facts above."
	}

	return "It is the one thing in this call that a mistake would make you regret."
}

// sign stands before a line of a difference.
func (c Change) sign() string { return [...]string{" ", "+", "−"}[c] }
