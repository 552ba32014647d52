package worktime

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// berlin is an office with a break at noon on Fridays.
func berlin(change ...func(*Settings)) Settings {
	s := Default()
	s.Enabled, s.Zone, s.Friday, s.Holidays = true, "Europe/Berlin", "09:00–12:00, 13:00 - 15:00", []string{"2026-12-25 Christmas Day"}
	for _, c := range change {
		c(&s)
	}
	return s
}

func TestEnd(t *testing.T) {
	t.Parallel()
	off := berlin(func(s *Settings) { s.Enabled = false })
	night := berlin(func(s *Settings) { s.Saturday, s.Sunday = "22:00-24:00", "00:00-06:00" })
	gap := berlin(func(s *Settings) { s.Sunday = "02:15-02:45, 03:15-05:00" })
	rare := berlin(func(s *Settings) { *s = Settings{Enabled: true, Zone: "UTC", Monday: "09:00-10:00"} })
	for name, c := range map[string]struct {
		of   Settings
		from string
		life time.Duration
		want string
	}{
		"off":                           {off, "2026-11-28T03:00:00Z", time.Hour, "2026-11-28T04:00:00Z"},
		"within a day":                  {berlin(), "2026-11-30T09:30:00+01:00", time.Hour, "2026-11-30T10:30:00+01:00"},
		"over a night":                  {berlin(), "2026-11-30T16:30:00+01:00", time.Hour, "2026-12-01T09:30:00+01:00"},
		"over a break":                  {berlin(), "2026-12-04T11:30:00+01:00", time.Hour, "2026-12-04T13:30:00+01:00"},
		"over a weekend":                {berlin(), "2026-12-04T14:30:00+01:00", time.Hour, "2026-12-07T09:30:00+01:00"},
		"submitted at night":            {berlin(), "2026-12-01T03:00:00+01:00", time.Hour, "2026-12-01T10:00:00+01:00"},
		"over Christmas":                {berlin(), "2026-12-24T16:59:00+01:00", 2 * time.Minute, "2026-12-28T09:01:00+01:00"},
		"at the end of hours":           {berlin(), "2026-11-30T09:00:00+01:00", 8 * time.Hour, "2026-11-30T17:00:00+01:00"},
		"at the end of them, submitted": {berlin(), "2026-11-30T17:00:00+01:00", time.Second, "2026-12-01T09:00:01+01:00"},
		"clocks set forward at night":   {night, "2026-03-28T23:00:00+01:00", 5 * time.Hour, "2026-03-29T05:00:00+02:00"},
		"clocks set back at night":      {night, "2026-10-24T23:00:00+02:00", 5 * time.Hour, "2026-10-25T03:00:00+01:00"},
		"hours that a day doesn't have": {gap, "2026-03-28T12:00:00+01:00", time.Minute, "2026-03-29T03:16:00+02:00"},
		"hours that it has twice":       {gap, "2026-10-25T02:00:00+02:00", time.Hour, "2026-10-25T02:45:00+01:00"},
		"longer than there are":         {rare, "2026-11-30T09:00:00Z", 720 * time.Hour, "2027-05-24T10:00:00Z"},
	} {
		from, _ := time.Parse(time.RFC3339, c.from)
		want, _ := time.Parse(time.RFC3339, c.want)
		if got := c.of.End(from, c.life); !got.Equal(want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Settings)
		at     string
	}{
		"fine":                    {func(*Settings) {}, ""},
		"no days, but off":        {func(s *Settings) { *s = Settings{Zone: "UTC"} }, ""},
		"no days":                 {func(s *Settings) { *s = Settings{Enabled: true, Zone: "UTC"} }, "/monday"},
		"no zone":                 {func(s *Settings) { s.Zone = "" }, "/zone"},
		"the server's zone":       {func(s *Settings) { s.Zone = "Local" }, "/zone"},
		"no such zone":            {func(s *Settings) { s.Zone = "Europe/Bonn" }, "/zone"},
		"backwards":               {func(s *Settings) { s.Tuesday = "17:00-09:00" }, "/tuesday"},
		"no time":                 {func(s *Settings) { s.Tuesday = "9-5" }, "/tuesday"},
		"over each other":         {func(s *Settings) { s.Tuesday = "09:00-12:00, 11:00-13:00" }, "/tuesday"},
		"no date":                 {func(s *Settings) { s.Holidays = []string{"25 December"} }, "/holidays"},
		"holidays all along":      {func(s *Settings) { s.Holidays = dates("2026-12-01", 40) }, "/holidays"},
		"a long holiday":          {func(s *Settings) { s.Holidays = dates("2026-12-01", 28) }, ""},
		"more than are accepted":  {func(s *Settings) { s.Holidays = make([]string, MaxHolidays+1) }, "/holidays"},
		"a name that is too long": {func(s *Settings) { s.Holidays = []string{"2026-12-25 " + strings.Repeat("x", MaxHoliday)} }, "/holidays"},
	} {
		wrong := berlin(c.change).Problems()
		if (len(wrong) > 0) != (c.at != "") || len(wrong) > 0 && wrong[0].Member != c.at {
			t.Errorf("%s: %v, want one at %q", name, wrong, c.at)
		}
	}
}

func dates(from string, n int) (all []string) {
	at, _ := time.Parse(time.DateOnly, from)
	for i := range n {
		all = append(all, at.AddDate(0, 0, i).Format(time.DateOnly))
	}
	return all
}

// The end is monotone in both arguments, within working hours or at their end, and exactly the
// time that counts away; of a clock that always runs it is plain addition.
func TestEndOfAny(t *testing.T) {
	t.Parallel()
	hours := rapid.SampledFrom([]string{"", "09:00-17:00", "00:00-24:00", "22:00-24:00", "00:00-06:00, 08:15-08:16", "02:15-02:45, 03:00-03:30"})
	rapid.Check(t, func(t *rapid.T) {
		s := Settings{Enabled: true, Zone: rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "America/Sao_Paulo"}).Draw(t, "zone")}
		for _, d := range s.Days() {
			*d = hours.Draw(t, "hours")
		}
		second := rapid.Int64Range(1_500_000_000, 1_900_000_000)
		life := rapid.Int64Range(1, 200_000)
		from, more := time.Unix(second.Draw(t, "from"), 0), time.Duration(rapid.Int64Range(0, 700_000).Draw(t, "later"))*time.Second
		a, b := time.Duration(life.Draw(t, "life"))*time.Second, time.Duration(life.Draw(t, "more life"))*time.Second
		s.Holidays = dates(from.AddDate(0, 0, 1).Format(time.DateOnly), rapid.IntRange(0, 3).Draw(t, "holidays"))
		end := s.End(from, a)
		always := s
		for _, d := range always.Days() {
			*d = "00:00-24:00"
		}
		always.Holidays = nil
		if got := always.End(from, a); !got.Equal(from.Add(a)) {
			t.Fatalf("of a clock that always runs, %s and %s are %s", from, a, got)
		}
		c, ok := s.runs()
		if !ok {
			return // never open
		}
		inside := false
		for begin, ends := range c.open(from) {
			inside = inside || end.After(from.Add(begin)) && !end.After(from.Add(ends))
		}
		switch {
		case !inside:
			t.Fatalf("%s isn't within working hours", end)
		case s.End(from.Add(more), a).Before(end):
			t.Fatalf("from %s on it ends earlier than %s", from.Add(more), end)
		case s.End(from, a+b).Before(end):
			t.Fatalf("%s more and it ends earlier than %s", b, end)
		case s.Between(from, end) != a && end.Sub(from) < Longest-8*day:
			t.Fatalf("%s to %s are %s, want %s", from, end, s.Between(from, end), a)
		}
	})
}
