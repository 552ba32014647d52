package notices

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/deciders"
)

// Team is people who are called together, or one after the other.
type Team struct {
	ID   string `json:"id"` // "tem_" + UUIDv7 in hex
	Name string `json:"name"`
	// Members are ids of people, in the order in which they are on call.
	Members  []string  `json:"members"`
	Rotation *Rotation `json:"rotation,omitempty"` // nil: nobody is on call
}

// Rotation says who of a team is on call. Turns are counted by the clock of the zone, so a
// hand-over stays at its time of day when the clock is changed: that turn is an hour longer
// or shorter.
type Rotation struct {
	Hours  int    `json:"hours"`  // of a turn
	Starts string `json:"starts"` // the day of the first turn, "2026-05-31"
	At     string `json:"at"`     // the hand-over, "09:00"
	Zone   string `json:"zone"`
	// Instead is who takes a day in place of whose turn it is: from the hand-over on that
	// day to the same time on the next.
	Instead []Instead `json:"instead,omitempty"`
}

// Instead is one person for one day.
type Instead struct {
	Day    string `json:"day"`
	Person string `json:"person"`
}

// Turn is one person on call.
type Turn struct {
	Person string
	Until  time.Time // UTC
	// Instead says that they took a day.
	Instead bool
}

const (
	maxTurn    = 24 * 365 // hours
	maxMembers = 50
	maxInstead = 100
)

// check refuses what is no team. The names of the fields are those of the form.
func (t Team) check() error {
	switch {
	case strings.TrimSpace(t.Name) == "":
		return fault.Member(fault.InvalidForm, "name", "give the team a name, for example Payments")
	case len(t.Members) == 0:
		return fault.Member(fault.InvalidForm, "members", "choose at least one person")
	case len(t.Members) > maxMembers:
		return fault.Member(fault.InvalidForm, "members", "%d people are too many; at most %d are accepted", len(t.Members), maxMembers)
	case t.Rotation == nil:
		return nil
	}
	r := t.Rotation
	if r.Hours < 1 || r.Hours > maxTurn {
		return fault.Member(fault.InvalidForm, "length", "a turn lasts from an hour to %d days", maxTurn/24)
	}
	if _, err := time.Parse(dayFormat, r.Starts); err != nil {
		return fault.Member(fault.InvalidForm, "starts", "%.20q isn't a day; enter one like 2026-05-31", r.Starts)
	}
	if _, err := minutes(r.At); err != nil {
		return fault.Member(fault.InvalidForm, "at", "%.20q isn't a time of day; enter one like 09:00", r.At)
	}
	if len(r.Instead) > maxInstead {
		return fault.Member(fault.InvalidForm, "day", "%d days are already taken, which is the limit", maxInstead)
	}
	return checkZone("zone", r.Zone)
}

// following is the team with the people of the one of the same name that decides, where there is
// one: in the order in which they take turns, and then the others.
func (t Team) following(s deciders.Settings) Team {
	if !s.HasTeam(t.Name) {
		return t
	}
	now := s.Members(t.Name)
	in := slices.DeleteFunc(slices.Clone(t.Members), func(id string) bool { return !slices.Contains(now, id) })
	t.Members = append(in, slices.DeleteFunc(now, func(id string) bool { return slices.Contains(in, id) })...)
	return t
}

// OnCall is who of the team is on call; ok is false where nobody is: there is no rotation, or
// its first turn has not begun.
func (t Team) OnCall(now time.Time) (turn Turn, ok bool) {
	r := t.Rotation
	if r == nil || len(t.Members) == 0 || r.Hours < 1 {
		return turn, false
	}
	zone, err := time.LoadLocation(r.Zone)
	if err != nil {
		return turn, false
	}
	start, err := time.Parse(dayFormat+" "+clockFormat, r.Starts+" "+r.At)
	if err != nil {
		return turn, false
	}
	if taken, until, ok := r.instead(now, zone, start); ok {
		return Turn{Person: taken, Until: until.UTC(), Instead: true}, true
	}
	length := time.Duration(r.Hours) * time.Hour
	begins := func(n int64) time.Time { return instant(start.Add(time.Duration(n)*length), zone) }
	n := int64(onClock(now, zone).Sub(start) / length)
	for n > 0 && now.Before(begins(n)) {
		n--
	}
	for !now.Before(begins(n + 1)) {
		n++
	}
	if now.Before(begins(0)) {
		return turn, false
	}
	turn = Turn{Person: t.Members[n%int64(len(t.Members))], Until: begins(n + 1).UTC()}
	for _, i := range r.Instead { // a day that somebody took ends a turn sooner
		if day, err := time.Parse(dayFormat, i.Day); err == nil {
			if from := instant(onDay(day, start), zone); from.After(now) && from.Before(turn.Until) {
				turn.Until = from.UTC()
			}
		}
	}
	return turn, true
}

// onDay is a day at the time of day of another instant.
func onDay(day, at time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
}

// instead is who took the day in which now is.
func (r Rotation) instead(now time.Time, zone *time.Location, handOver time.Time) (person string, until time.Time, ok bool) {
	for _, i := range r.Instead {
		day, err := time.Parse(dayFormat, i.Day)
		if err != nil {
			continue
		}
		from := onDay(day, handOver)
		begins, ends := instant(from, zone), instant(from.AddDate(0, 0, 1), zone)
		if !now.Before(begins) && now.Before(ends) {
			return i.Person, ends, true
		}
	}
	return "", time.Time{}, false
}

// isOver reports whether a day ended everywhere, with the hand-over on the next.
func isOver(day string, now time.Time) bool {
	return day < now.UTC().AddDate(0, 0, -3).Format(dayFormat)
}

// Taken are the days that somebody took and that are not over.
func (r Rotation) Taken(now time.Time) []Instead {
	return slices.DeleteFunc(slices.Clone(r.Instead), func(i Instead) bool { return isOver(i.Day, now) })
}

// withInstead is the rotation with who takes a day; nobody gives it back. Days that are over
// go: they would fill the list one day.
func (r Rotation) withInstead(day, person string, now time.Time) Rotation {
	r.Instead = slices.DeleteFunc(r.Taken(now), func(i Instead) bool { return i.Day == day })
	if person != "" {
		r.Instead = append(r.Instead, Instead{Day: day, Person: person})
	}
	slices.SortFunc(r.Instead, func(a, b Instead) int { return strings.Compare(a.Day, b.Day) })
	return r
}
