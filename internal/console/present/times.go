package present

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// Times, as a reader writes them.

// months are the names in which a time is told.
var months = [...]texts.Key{
	"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
}

var shortMonths = [...]texts.Key{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}

// InWords is a time in a form, a layout of package time: each language has its own
// layouts and its own months.
func InWords(say texts.Printer, form texts.Key, t time.Time) string {
	if say == (texts.Printer{}) {
		return t.Format(string(form)) // package time speaks English
	}
	layout, month := say.Key(form), months[t.Month()-1]
	before, after, ok := strings.Cut(layout, "January")
	if !ok {
		before, after, ok = strings.Cut(layout, "Jan")
		month = shortMonths[t.Month()-1]
	}
	if !ok {
		return t.Format(layout)
	}
	return t.Format(before) + say.Key(month) + t.Format(after)
}

// SayAt is a text of ours with the times among its arguments told in a form. The page shows
// them by the reader's clock.
func SayAt(say texts.Printer, form, key texts.Key, args ...any) (all []views.Run) {
	var times []time.Time
	for i, arg := range args {
		if t, ok := arg.(time.Time); ok {
			args[i], times = InWords(say, form, t), append(times, t)
		}
	}
	rest := say.Key(key, args...)
	for _, t := range times {
		said := InWords(say, form, t)
		if before, after, ok := strings.Cut(rest, said); ok {
			all, rest = append(append(all, untrusted.Runs(before)...), views.Run{Text: said, At: t.UTC().Format(IsoForm)}), after
		}
	}
	return append(all, untrusted.Runs(rest)...)
}

// WithMoments shows the times of a text, of which all are the runs, by the reader's clock.
func WithMoments(say texts.Printer, all []views.Run, text fault.Text) (told []views.Run) {
	moments := text.Moments()
	for _, r := range all {
		for len(moments) > 0 && r.Kind == views.RunText {
			before, after, ok := strings.Cut(r.Text, moments[0].String())
			if !ok {
				break
			}
			told = append(append(told, untrusted.Runs(before)...), TimeRuns(say, DateForm, moments[0].Time)...)
			r.Text, moments = after, moments[1:]
		}
		if r.Text != "" {
			told = append(told, r)
		}
	}
	return told
}

// TimeRuns is a time by itself.
func TimeRuns(say texts.Printer, form texts.Key, t time.Time) []views.Run {
	return []views.Run{{Text: InWords(say, form, t), At: t.UTC().Format(IsoForm)}}
}

// Duration is "4:07" or "1:04:07", rounded up: at 0:00 it is over. From two days on it is "12 days".
func Duration(say texts.Printer, d time.Duration) string {
	s := int64(math.Ceil(max(d, 0).Seconds()))
	switch {
	case d >= InDays:
		return say.Say("%d days", s/86_400)
	case s < 3600:
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// TimeLeft is the ring and the time beside it; nothing once it is decided.
func TimeLeft(say texts.Printer, a approvals.Approval, now time.Time) views.TimeLeft {
	if a.Status.Final() {
		return views.TimeLeft{}
	}
	return TimeBetween(say, a.CreatedAt, a.ExpiresAt, now)
}

// TimeBetween is the same of what waits.
func TimeBetween(say texts.Printer, created, expires, now time.Time) views.TimeLeft {
	left, whole := max(expires.Sub(now), 0), expires.Sub(created)
	t := views.TimeLeft{
		Expires: expires.Format(IsoForm), Start: created.Format(IsoForm), Text: Duration(say, left),
		Soon: left < 2*time.Minute || left*5 < whole && left < InDays,
	}
	if whole > 0 {
		t.Percent = int(min(left*100/whole, 100))
	}
	return t
}

// Moment is a time for a table; empty for none.
func Moment(say texts.Printer, t *time.Time) (text, iso string) {
	if t == nil {
		return "", ""
	}
	return InWords(say, DateForm, *t), t.Format(IsoForm)
}

// LastUse is how long a use is past: known to the minute.
func LastUse(say texts.Printer, t *time.Time, now time.Time) (text, iso string) {
	if t == nil {
		return "", ""
	}
	switch d := now.Sub(*t); {
	case d < 2*tenants.UsageStep:
		text = say.Say("just now")
	case d < time.Hour:
		text = say.Say("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		text = say.Say("%d h ago", int(d.Hours()))
	default:
		text = say.Say("%d days ago", int(d.Hours()/24))
	}
	return text, t.Format(IsoForm)
}

func LongDay(say texts.Printer, day string) string {
	return dayAs(say, day, texts.Key("2 January 2006"))
}

func ShortDay(say texts.Printer, day string) string { return dayAs(say, day, texts.Key("2 Jan")) }

// PolicyDay is where the time of day matters less.
const PolicyDay texts.Key = "2 Jan 2006, 15:04 UTC"

// DayOf is day and time, with the year where it is another one.
func DayOf(say texts.Printer, t, now time.Time) string {
	if t.Year() != now.Year() {
		return InWords(say, texts.Key("2 Jan 2006 15:04:05"), t)
	}
	return InWords(say, dayForm, t)
}

// dayAs writes a day of a report.
func dayAs(say texts.Printer, day string, form texts.Key) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return InWords(say, form, t)
}
