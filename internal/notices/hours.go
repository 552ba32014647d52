package notices

import (
	"slices"
	"time"
	_ "time/tzdata" // so that zones are known where the machine has no list of them

	"github.com/countersign/countersign/internal/fault"
)

// Hours are a part of the week, by the clock of a place. The zero value is no hours: what it
// means says who has them.
type Hours struct {
	// Days are those on which the hours begin; none is every day.
	Days []time.Weekday `json:"days,omitempty"`
	// From and To are times of day, "22:00". Where To is not after From they end on the next
	// day; the same twice is a whole day.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	Zone string `json:"zone,omitempty"` // "Europe/Berlin"
}

// Set reports whether there are hours.
func (h Hours) Set() bool { return h.From != "" || h.To != "" }

const (
	clockFormat = "15:04"
	dayFormat   = "2006-01-02"
)

// Check refuses what are no hours. at begins the names of the fields: at+"from".
func (h Hours) Check(at string) error {
	if !h.Set() {
		if len(h.Days) > 0 {
			return fault.Member(fault.InvalidForm, at+"from", "days need hours; enter a start and an end, for example 09:00 and 17:00")
		}
		return nil
	}
	if h.From == "" {
		return fault.Member(fault.InvalidForm, at+"from", "enter when the hours begin, for example 22:00")
	}
	if _, err := minutes(h.From); err != nil {
		return fault.Member(fault.InvalidForm, at+"from", "%.20q isn't a time of day; enter one like 22:00", h.From)
	}
	if h.To == "" {
		return fault.Member(fault.InvalidForm, at+"to", "enter when the hours end, for example 07:00")
	}
	if _, err := minutes(h.To); err != nil {
		return fault.Member(fault.InvalidForm, at+"to", "%.20q isn't a time of day; enter one like 07:00", h.To)
	}
	return checkZone(at+"zone", h.Zone)
}

// checkZone refuses what is no time zone. "Local" is the server's, which nobody sees.
func checkZone(field, name string) error {
	if name == "" {
		return fault.Member(fault.InvalidForm, field, "enter a time zone, for example Europe/Berlin or UTC")
	}
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return fault.Member(fault.InvalidForm, field, "%.40q isn't a time zone; use an IANA name, for example Europe/Berlin or UTC", name)
	}
	return nil
}

// minutes is a time of day as minutes after midnight.
func minutes(clock string) (int, error) {
	t, err := time.Parse(clockFormat, clock)
	return t.Hour()*60 + t.Minute(), err
}

// Within reports whether at is in these hours: From counts, To does not. What cannot be read
// holds no time.
func (h Hours) Within(at time.Time) bool {
	zone, err := time.LoadLocation(h.Zone)
	if err != nil {
		return false
	}
	from, err := minutes(h.From)
	if err != nil {
		return false
	}
	to, err := minutes(h.To)
	if err != nil {
		return false
	}
	local := at.In(zone)
	now := local.Hour()*60 + local.Minute()
	if from < to {
		return h.begins(local.Weekday()) && from <= now && now < to
	}
	yesterday := (local.Weekday() + 6) % 7
	return now >= from && h.begins(local.Weekday()) || now < to && h.begins(yesterday)
}

func (h Hours) begins(d time.Weekday) bool { return len(h.Days) == 0 || slices.Contains(h.Days, d) }

// instant is when the clock of a zone first shows this, given as if it were UTC. Where it
// never does, because it is set forward, it is as if it were not set yet.
func instant(clock time.Time, zone *time.Location) time.Time {
	const day = 24 * time.Hour
	_, before := clock.Add(-day).In(zone).Zone()
	_, after := clock.Add(day).In(zone).Zone()
	first := clock.Add(-time.Duration(before) * time.Second)
	if second := clock.Add(-time.Duration(after) * time.Second); !shows(first, clock, zone) && shows(second, clock, zone) {
		return second
	}
	return first
}

// shows reports whether the clock of a zone shows this at an instant.
func shows(at, clock time.Time, zone *time.Location) bool { return onClock(at, zone).Equal(clock) }

// onClock is what the clock of a zone shows, as if it were UTC.
func onClock(at time.Time, zone *time.Location) time.Time {
	l := at.In(zone)
	return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), l.Second(), l.Nanosecond(), time.UTC)
}
