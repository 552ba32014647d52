package audit

import (
	"time"

	"github.com/countersign/countersign/internal/canon"
)

// What events tell of an agent's record (docs/trust.md), so that it can be counted
// again from the trail: one thing that was learned, or that all of it was lost.
const (
	learned = "trust"
	lost    = "trust_lost_at"
)

// Learned is one thing that was learned of an agent's calls of the event's function:
// on which day, from whom ("" for nobody), and how many of what.
type Learned struct {
	Day, Person               string
	Succeeded, Failed, Denied int64
}

// TrustLearned tells of l in the event that it was learned from.
func TrustLearned(l Learned) canon.Member {
	data := []canon.Member{{Name: "day", Value: canon.String(l.Day)}}
	if l.Person != "" {
		data = append(data, canon.Member{Name: "person", Value: canon.String(l.Person)})
	}
	for _, c := range []struct {
		name string
		n    int64
	}{{"succeeded", l.Succeeded}, {"failed", l.Failed}, {"denied", l.Denied}} {
		if c.n != 0 {
			data = append(data, canon.Member{Name: c.name, Value: canon.Int(c.n)})
		}
	}
	return canon.Member{Name: learned, Value: canon.Object(data...)}
}

// TrustLost tells that all that was learned of the event's agent was lost, and when.
func TrustLost(at time.Time) canon.Member {
	return canon.Member{Name: lost, Value: canon.String(FormatTime(at))}
}

// Learned reads what e tells was learned; false for nothing.
func (e Event) Learned() (l Learned, ok bool) {
	d := e.Data.Get(learned)
	if d.IsAbsent() {
		return l, false
	}
	number := func(name string) int64 { n, _ := d.Get(name).Int64(); return n }
	return Learned{d.Get("day").Text(), d.Get("person").Text(), number("succeeded"), number("failed"), number("denied")}, true
}

// TrustLost reads when e tells that everything was lost, as it is written; "" for not.
func (e Event) TrustLost() string { return e.Data.Get(lost).Text() }
