package logstate

import (
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
)

// StandingKinds are what a Standing follows from.
var StandingKinds = []audit.Kind{audit.StandingCreated, audit.StandingUsed, audit.StandingRevoked}

// Standing is what the events say about one standing grant.
type Standing struct {
	At                   int64 // of the last event
	Made, Revoked, Usage string
	Used, Uses           int64
	Ends                 time.Time
	For                  []string // the approvals that it gave
}

// over reports whether nobody can use it any more.
func (g *Standing) over(now time.Time) bool {
	return g.Revoked != "" || g.Used >= g.Uses || g.Ends.Before(now)
}

// Stands reports whether an agent has one that it can use.
func (s *State) Stands(agent string, now time.Time) bool {
	for _, g := range s.Standing {
		if strings.HasPrefix(g.Made, agent+" ") && !g.over(now) {
			return true
		}
	}
	return false
}

// ApplyStanding adds one event.
func ApplyStanding(logged map[string]*Standing, e audit.Event) {
	id, d := e.Data.Get("standing").Text(), e.Data
	g := logged[id]
	switch {
	case e.Kind == audit.StandingCreated:
		uses, _ := d.Get("uses").Int64()
		ends, _ := time.Parse(time.RFC3339Nano, d.Get("ends_at").Text())
		logged[id] = &Standing{At: e.Index, Uses: uses, Ends: ends, Made: Joined(
			e.Agent, d.Get("agent_name").Text(), d.Get("agent_owner").Text(), e.Function, d.Get("pattern_sha256").Text(), d.Get("uses").Number(),
			d.Get("ends_at").Text(), d.Get("from").Text(), e.Actor.ID, audit.FormatTime(e.At), fmt.Sprint(d.Get("single_person").Bool()), d.Get("reason").Text(), d.Get("session").Text(), d.Get("effects").Text(), d.Get("scope").Text())}
	case g == nil:
	case e.Kind == audit.StandingUsed:
		g.At, g.Used, g.Usage, g.For = e.Index, g.Used+1, audit.FormatTime(e.At), append(g.For, e.Approval)
	default:
		g.At, g.Revoked = e.Index, Joined(e.Actor.ID, audit.FormatTime(e.At), d.Get("reason").Text())
	}
}
