package notices

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/long"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

// Who is on call, by the minute of the hand-over, also where the clock is changed: in Berlin
// on 2026-03-29 (02:00 becomes 03:00) and on 2026-10-25 (03:00 becomes 02:00).
func TestOnCall(t *testing.T) {
	t.Parallel()
	daily := Rotation{Hours: 24, Starts: "2026-03-27", At: "09:00", Zone: "Europe/Berlin"}
	night := Rotation{Hours: 24, Starts: "2026-03-27", At: "02:30", Zone: "Europe/Berlin"}
	autumn := Rotation{Hours: 24, Starts: "2026-10-24", At: "02:30", Zone: "Europe/Berlin"}
	shifts := Rotation{Hours: 12, Starts: "2026-03-28", At: "08:00", Zone: "Europe/Berlin"}
	weekly := Rotation{Hours: 168, Starts: "2026-01-05", At: "09:00", Zone: "America/New_York"}
	for _, c := range []struct {
		name     string
		rotation Rotation
		now      string
		person   string // "" for nobody
		until    string
	}{
		{"before the first turn", daily, "2026-03-27T07:59:59Z", "", ""},
		{"the first minute", daily, "2026-03-27T08:00:00Z", "ada", "2026-03-28T08:00:00Z"},
		{"the last second of a turn", daily, "2026-03-28T07:59:59Z", "ada", "2026-03-28T08:00:00Z"},
		{"the hand-over", daily, "2026-03-28T08:00:00Z", "ben", "2026-03-29T07:00:00Z"},
		{"the turn with 23 hours ends at nine", daily, "2026-03-29T06:59:59Z", "ben", "2026-03-29T07:00:00Z"},
		{"after the clock was set forward", daily, "2026-03-29T07:00:00Z", "mei", "2026-03-30T07:00:00Z"},
		{"it begins again", daily, "2026-03-30T07:00:00Z", "ada", "2026-03-31T07:00:00Z"},
		{"before a hand-over that the clock never shows", night, "2026-03-29T01:29:59Z", "ben", "2026-03-29T01:30:00Z"},
		{"a hand-over that the clock never shows", night, "2026-03-29T01:30:00Z", "mei", "2026-03-30T00:30:00Z"},
		{"before a hand-over that the clock shows twice", autumn, "2026-10-25T00:29:59Z", "ada", "2026-10-25T00:30:00Z"},
		{"the first time it shows it", autumn, "2026-10-25T00:30:00Z", "ben", "2026-10-26T01:30:00Z"},
		{"the clock is before it again, and nobody hands back", autumn, "2026-10-25T01:10:00Z", "ben", "2026-10-26T01:30:00Z"},
		{"the second time it shows it", autumn, "2026-10-25T01:30:00Z", "ben", "2026-10-26T01:30:00Z"},
		{"a night shift with 11 hours", shifts, "2026-03-28T19:00:00Z", "ben", "2026-03-29T06:00:00Z"},
		{"the day shift after it", shifts, "2026-03-29T06:00:00Z", "mei", "2026-03-29T18:00:00Z"},
		{"a week over the change in New York", weekly, "2026-03-09T12:59:59Z", "mei", "2026-03-09T13:00:00Z"},
		{"the week after it", weekly, "2026-03-09T13:00:00Z", "ada", "2026-03-16T13:00:00Z"},
		{"years later", weekly, "2031-06-02T13:00:00Z", "", "2031-06-09T13:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			team := Team{Members: []string{"ada", "ben", "mei"}, Rotation: &c.rotation}
			turn, ok := team.OnCall(at(t, c.now))
			if c.until == "" {
				if ok {
					t.Errorf("%+v is on call, want nobody", turn)
				}
				return
			}
			if !ok || c.person != "" && turn.Person != c.person || !turn.Until.Equal(at(t, c.until)) {
				t.Errorf("on call is %+v (%v), want %q until %s", turn, ok, c.person, c.until)
			}
		})
	}
}

// A turn never goes back, and its end is when the next begins: every ten minutes of weeks in
// which the clock is changed.
func TestOnCallNeverGoesBack(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"} {
		for _, hours := range []int{1, 5, 12, 24} {
			for _, day := range []string{"2026-03-05", "2026-03-27", "2026-10-01", "2026-10-22"} {
				team := Team{Members: []string{"a", "b", "c", "d", "e"}, Rotation: &Rotation{Hours: hours, Starts: day, At: "02:30", Zone: zone}}
				now := at(t, day+"T00:00:00Z").Add(36 * time.Hour)
				last, _ := team.OnCall(now)
				for end := now.Add(8 * 24 * time.Hour); now.Before(end); now = now.Add(10 * time.Minute) {
					turn, ok := team.OnCall(now)
					switch same := turn == last; {
					case !ok:
						t.Fatalf("%s, %d hours: nobody at %s", zone, hours, now)
					case same && !now.Before(last.Until), !same && now.Before(last.Until):
						t.Fatalf("%s, %d hours: at %s %+v follows %+v", zone, hours, now, turn, last)
					}
					last = turn
				}
			}
		}
	}
}

// A day that somebody took goes from hand-over to hand-over, whatever the turns.
func TestOnCallInstead(t *testing.T) {
	t.Parallel()
	r := Rotation{Hours: 168, Starts: "2026-05-04", At: "09:00", Zone: "UTC"}.withInstead("2026-05-06", "zoe", at(t, "2026-05-04T00:00:00Z"))
	team := Team{Members: []string{"ada", "ben"}, Rotation: &r}
	for now, want := range map[string]Turn{
		"2026-05-06T08:59:59Z": {Person: "ada", Until: at(t, "2026-05-06T09:00:00Z")},
		"2026-05-06T09:00:00Z": {Person: "zoe", Until: at(t, "2026-05-07T09:00:00Z"), Instead: true},
		"2026-05-07T08:59:59Z": {Person: "zoe", Until: at(t, "2026-05-07T09:00:00Z"), Instead: true},
		"2026-05-07T09:00:00Z": {Person: "ada", Until: at(t, "2026-05-11T09:00:00Z")},
	} {
		if got, ok := team.OnCall(at(t, now)); !ok || got != want {
			t.Errorf("at %s: %+v (%v), want %+v", now, got, ok, want)
		}
	}
	if later := r.withInstead("2026-05-12", "ben", at(t, "2026-05-11T00:00:00Z")).Instead; len(later) != 1 || later[0].Person != "ben" {
		t.Errorf("a day that is over stays in %v", later)
	}
	back := r.withInstead("2026-05-06", "", at(t, "2026-05-04T00:00:00Z"))
	team.Rotation = &back
	if got, _ := team.OnCall(at(t, "2026-05-06T10:00:00Z")); got.Person != "ada" || got.Instead {
		t.Errorf("after it was given back, on call is %+v", got)
	}
}

func TestHours(t *testing.T) {
	t.Parallel()
	night := Hours{From: "22:00", To: "07:00", Zone: "Europe/Berlin"}
	friday := Hours{Days: []time.Weekday{time.Friday}, From: "22:00", To: "07:00", Zone: "Europe/Berlin"}
	office := Hours{Days: []time.Weekday{1, 2, 3, 4, 5}, From: "09:00", To: "17:00", Zone: "America/New_York"}
	sunday := Hours{Days: []time.Weekday{time.Sunday}, From: "00:00", To: "00:00", Zone: "UTC"}
	for _, c := range []struct {
		name  string
		hours Hours
		now   string
		want  bool
	}{
		{"before them", night, "2026-05-05T19:59:59Z", false},
		{"their first minute", night, "2026-05-05T20:00:00Z", true},
		{"after midnight", night, "2026-05-06T04:59:59Z", true},
		{"their end", night, "2026-05-06T05:00:00Z", false},
		{"by the clock of winter", night, "2026-12-06T05:59:59Z", true},
		{"the night that begins on Friday", friday, "2026-05-08T21:00:00Z", true},
		{"its morning", friday, "2026-05-09T04:00:00Z", true},
		{"the morning of Friday", friday, "2026-05-08T04:00:00Z", false},
		{"the evening of Saturday", friday, "2026-05-09T21:00:00Z", false},
		{"in the office", office, "2026-05-06T13:00:00Z", true},
		{"on a weekend", office, "2026-05-09T14:00:00Z", false},
		{"the whole day", sunday, "2026-05-10T23:59:59Z", true},
		{"the day after it", sunday, "2026-05-11T00:00:00Z", false},
		{"no zone of this world", Hours{From: "00:00", To: "00:00", Zone: "Mars/Olympus"}, "2026-05-11T00:00:00Z", false},
	} {
		if got := c.hours.Within(at(t, c.now)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	for name, bad := range map[string]Hours{
		"days need hours": {Days: []time.Weekday{1}}, "no end": {From: "09:00", Zone: "UTC"}, "no time": {From: "25:00", To: "09:00", Zone: "UTC"},
		"no zone": {From: "09:00", To: "10:00"}, "the zone of the server": {From: "09:00", To: "10:00", Zone: "Local"},
	} {
		if bad.Check("") == nil {
			t.Errorf("hours with %s are accepted", name)
		}
	}
}
