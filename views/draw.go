package views

import (
	"strconv"
	"time"

	"github.com/countersign/countersign/views/texts"
)

// Shape is the address of the level's mark in the sprite.
func (l Level) Shape() string {
	return "/static/icons.svg#lv-" + strconv.Itoa(int(min(l, LevelCritical)))
}

// Slug is the value of data-level, which the style sheets know.
func (l Level) Slug() string {
	return [...]string{"none", "low", "medium", "high", "critical"}[min(l, LevelCritical)]
}

// levelWords are the words of the levels, which the recorded texts know too.
var levelWords = [...]texts.Key{"", "LOW", "MEDIUM", "HIGH", "CRITICAL"}

// Word is the name of the level.
func (l Level) Word(say texts.Printer) string {
	return say.Key(levelWords[min(l, LevelCritical)])
}

// rank is read out in place of the shape's number.
func (l Level) rank(say texts.Printer) string {
	return say.Say("Level %d of 4,", int(min(l, LevelCritical)))
}

// Slug is the value of data-tone, which the style sheets know.
func (t Tone) Slug() string {
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

// UTC is an exact time for people, from its form for machines: what stands behind a
// time that is told as "4 min ago".
func UTC(say texts.Printer, iso string) string {
	at, err := time.Parse(time.RFC3339Nano, iso)
	if err != nil {
		return iso
	}
	at = at.UTC()
	return say.Key(moments[at.Month()-1], at.Format("2"), at.Format("2006"), at.Format("15:04:05"))
}

// dash draws the ring: so much of a circumference of 100.
func (t TimeLeft) dash() string { return strconv.Itoa(max(0, min(t.Percent, 100))) + " 100" }

// Sign stands before a line of a difference.
func (c Change) Sign() string { return [...]string{" ", "+", "−"}[c] }

// SwitchIcon goes with the state of a switch, so that colour is never alone.
func SwitchIcon(t Tone) Icon {
	switch t {
	case ToneOK:
		return IconCheck
	case ToneWarn:
		return IconAlert
	default:
		return IconInfo
	}
}
