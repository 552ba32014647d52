// Package worktime is the clock of a request's life where only working hours count: pure, from
// the settings of a policy and an instant to another instant.
//
// The clock runs while the wall clock of a zone shows a time within the hours of that day. So a
// day on which clocks are set forward or back is as short or as long as it really is: what counts
// is elapsed time, not what the wall clock shows at its ends.
package worktime

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // so that zones are known where the machine has no list of them

	"github.com/countersign/countersign/internal/fault"
)

// Settings say when the clock runs. Each day has its hours as "09:00-12:30, 13:30-17:00", in
// ascending order; none is a day off.
type Settings struct {
	Enabled   bool   `json:"enabled" yaml:"enabled"`
	Zone      string `json:"zone" yaml:"zone"` // "Europe/Berlin"
	Monday    string `json:"monday" yaml:"monday"`
	Tuesday   string `json:"tuesday" yaml:"tuesday"`
	Wednesday string `json:"wednesday" yaml:"wednesday"`
	Thursday  string `json:"thursday" yaml:"thursday"`
	Friday    string `json:"friday" yaml:"friday"`
	Saturday  string `json:"saturday" yaml:"saturday"`
	Sunday    string `json:"sunday" yaml:"sunday"`
	// Holidays are dates, each with a name or without: "2026-12-25 Christmas Day".
	Holidays []string `json:"holidays" yaml:"holidays"`
}

// Default is off.
func Default() Settings {
	const day = "09:00-17:00"
	return Settings{Zone: "UTC", Monday: day, Tuesday: day, Wednesday: day, Thursday: day, Friday: day}
}

// OrDefault reads policies from before there were working hours.
func (s Settings) OrDefault() Settings {
	if s.Zone == "" && !s.Enabled {
		return Default()
	}
	return s
}

const (
	// MaxHours and MaxHoliday bound a day's hours and a holiday, in bytes.
	MaxHours, MaxHoliday = 100, 100
	MaxHolidays          = 200
	MaxZone              = 64
	day                  = 24 * time.Hour
	// maxClosed is the longest that holidays may stop the clock.
	maxClosed = 31 * day
	// Longest is the longest life in real time. The longest that a policy allows are 30 days; of
	// a week with 40 hours that is 18 weeks, to which holidays are added. After half a year nobody
	// knows any more what a request was about.
	Longest = 180 * day
)

// Days are the hours of each day, as time.Weekday counts, for who reads and writes them.
func (s *Settings) Days() [7]*string {
	return [7]*string{&s.Sunday, &s.Monday, &s.Tuesday, &s.Wednesday, &s.Thursday, &s.Friday, &s.Saturday}
}

// clock is what Settings say, read.
type clock struct {
	zone     *time.Location
	week     [7][]span
	holidays map[string]bool // by date
}

// span is a part of a day, from its midnight.
type span struct{ from, to time.Duration }

func (s Settings) read() (c clock, wrong []*fault.Error) {
	add := func(member, format string, args ...any) {
		wrong = append(wrong, fault.Member(fault.InvalidMember, member, format, args...))
	}
	var err error
	if c.zone, err = time.LoadLocation(s.Zone); err != nil || s.Zone == "" || s.Zone == "Local" || len(s.Zone) > MaxZone {
		add("/zone", "is %.40q; expected an IANA name, for example Europe/Berlin or UTC", s.Zone)
		c.zone = time.UTC
	}
	open := false
	for d, hours := range s.Days() {
		var ok bool
		if c.week[d], ok = spans(*hours); !ok {
			add("/"+strings.ToLower(time.Weekday(d).String()), "is %.60q; expected times in ascending order, for example 09:00-12:30, 13:30-17:00. A night is 22:00-24:00 and 00:00-06:00 on the next day", *hours)
		}
		open = open || len(c.week[d]) > 0
	}
	if s.Enabled && !open && len(wrong) == 0 {
		add("/monday", "is a day off, as are all others; expected hours on at least one day, because with none no time would ever count")
	}
	if len(s.Holidays) > MaxHolidays {
		add("/holidays", "has %d entries; at most %d are accepted", len(s.Holidays), MaxHolidays)
	}
	c.holidays = map[string]bool{}
	for _, h := range s.Holidays {
		date, _, _ := strings.Cut(h, " ")
		if _, err := time.Parse(time.DateOnly, date); err != nil || len(h) > MaxHoliday || strings.ContainsFunc(h, func(r rune) bool { return r < ' ' }) {
			add("/holidays", "has %.40q; expected a date with or without a name, for example 2026-12-25 Christmas Day", h)
		}
		c.holidays[date] = true
	}
	return c, wrong
}

// runs is the clock; ok is false where all time counts, because the settings are off or wrong.
func (s Settings) runs() (c clock, ok bool) {
	if !s.Enabled {
		return c, false
	}
	c, wrong := s.read()
	return c, len(wrong) == 0
}

// spans reads the hours of a day.
func spans(text string) (all []span, ok bool) {
	if len(text) > MaxHours {
		return nil, false
	}
	if strings.TrimSpace(text) == "" {
		return nil, true
	}
	at := time.Duration(-1)
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "–", "-"), ",") {
		from, to, _ := strings.Cut(part, "-")
		s := span{}
		var began, ended bool
		s.from, began = timeOfDay(from)
		s.to, ended = timeOfDay(to)
		if !began || !ended || s.from < at || s.to <= s.from {
			return nil, false
		}
		all, at = append(all, s), s.to
	}
	return all, true
}

// timeOfDay reads "09:00", and "24:00" as the end of a day.
func timeOfDay(text string) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	if text == "24:00" {
		return day, true
	}
	t, err := time.Parse("15:04", text)
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err == nil
}

// Problems lists what is wrong, with members relative to the settings.
func (s Settings) Problems() []*fault.Error {
	c, wrong := s.read()
	if !s.Enabled || len(wrong) > 0 {
		return wrong
	}
	for _, date := range slices.Sorted(maps.Keys(c.holidays)) {
		from, _ := time.ParseInLocation(time.DateOnly, date, c.zone)
		closed := Longest
		for begin := range c.open(from) {
			closed = begin
			break
		}
		if closed > maxClosed {
			return append(wrong, fault.Member(fault.InvalidMember, "/holidays", "leave no working hours for %d days from %s; expected some within %d days", int(closed/day), date, int(maxClosed/day)))
		}
	}
	return wrong
}

// open are the times in which the clock runs, from an instant on, in order, for Longest; each as
// what has passed by its begin and its end.
func (c clock) open(from time.Time) iter.Seq2[time.Duration, time.Duration] {
	return func(yield func(begin, end time.Duration) bool) {
		for at := time.Duration(0); at < Longest; {
			local := from.Add(at).In(c.zone)
			_, offset := local.Zone()
			year, month, date := local.Date()
			midnight := time.Date(year, month, date, 0, 0, 0, 0, time.UTC).Sub(from) - time.Duration(offset)*time.Second
			next := min(midnight+day, Longest)
			if _, changes := local.ZoneBounds(); !changes.IsZero() {
				next = min(next, changes.Sub(from)) // until then midnight is that of this offset
			}
			if !c.holidays[local.Format(time.DateOnly)] {
				for _, s := range c.week[local.Weekday()] {
					begin, end := max(midnight+s.from, at), min(midnight+s.to, next)
					if begin < end && !yield(begin, end) {
						return
					}
				}
			}
			at = next
		}
	}
}

// End is when so much working time is over from an instant on: within working hours, or at their
// end. It is at most Longest away, where it is the last end of working hours before. Where the
// settings are off, or wrong, all time counts.
func (s Settings) End(from time.Time, life time.Duration) time.Time {
	c, ok := s.runs()
	if !ok {
		return from.Add(life)
	}
	last := Longest
	for begin, end := range c.open(from) {
		if life <= end-begin {
			return from.Add(begin + life)
		}
		last, life = end, life-(end-begin)
	}
	return from.Add(last)
}

// Between is how much of the time between two instants counts.
func (s Settings) Between(from, to time.Time) (sum time.Duration) {
	whole := to.Sub(from)
	c, ok := s.runs()
	if !ok {
		return whole
	}
	for begin, end := range c.open(from) {
		sum += max(min(end, whole)-begin, 0)
	}
	return sum
}
