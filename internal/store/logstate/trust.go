package logstate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// Causes says what sort of incident an event is that tells of one.
var Causes = map[audit.Kind]trust.Cause{
	audit.IncidentRecorded: trust.Incident, audit.Denied: trust.DeniedHigh, audit.AgentStopped: trust.Stopped,
	audit.AgentKeyRevoked: trust.KeyRevoked, audit.AgentKeyRotated: trust.KeyRevoked,
}

// Trust is what the events say is known of one agent's calls.
type Trust struct {
	Last   int64 // index of the last event that says something
	Counts map[TrustKey]TrustCounts
	Loss   string // "" for none
}

// TrustKey is what is counted by itself.
type TrustKey struct{ Function, Day, Person string }

// TrustCounts are calls by how they ended.
type TrustCounts struct{ Succeeded, Failed, Denied int64 }

// TrustKinds are what Trust follows from.
func TrustKinds() []audit.Kind {
	return append(slices.Collect(maps.Keys(Causes)), audit.Reported, audit.Blocked, audit.ChangesRequested)
}

// Apply adds one event.
func (r *Trust) Apply(e audit.Event) {
	if at := e.TrustLost(); at != "" {
		r.Last = e.Index
		reason := ""
		if e.Kind == audit.IncidentRecorded || e.Kind == audit.AgentStopped {
			reason = e.Data.Get("reason").Text()
		}
		clear(r.Counts)
		r.Loss = LossText(at, string(Causes[e.Kind]), e.Approval, e.Actor.ID, reason)
	}
	if l, ok := e.Learned(); ok {
		r.Last = e.Index
		k := TrustKey{e.Function, l.Day, l.Person}
		c := r.Counts[k]
		r.Counts[k] = TrustCounts{c.Succeeded + l.Succeeded, c.Failed + l.Failed, c.Denied + l.Denied}
	}
}

// LossText keeps its parts apart with what stands in none of them: a word that moves from
// one into the next is another text.
func LossText(at, cause, approval, person, reason string) string {
	return strings.Join([]string{at, cause, approval, person, reason}, "\x00")
}

func (c TrustCounts) String() string {
	return fmt.Sprintf("%d succeeded, %d failed, %d denied", c.Succeeded, c.Failed, c.Denied)
}
