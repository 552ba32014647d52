package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// trustBatch is how many events or rows are read at once.
const trustBatch = 500

// causes says what sort of incident an event is that tells of one.
var causes = map[audit.Kind]trust.Cause{
	audit.IncidentRecorded: trust.Incident, audit.Denied: trust.DeniedHigh, audit.AgentStopped: trust.Stopped,
	audit.AgentKeyRevoked: trust.KeyRevoked, audit.AgentKeyRotated: trust.KeyRevoked,
}

// toldTrust is what the events say is known of one agent's calls.
type toldTrust struct {
	Last   int64 // index of the last event that says something
	Counts map[trustKey]trustCounts
	Loss   string // "" for none
}

type trustKey struct{ Function, Day, Person string }

type trustCounts struct{ Succeeded, Failed, Denied int64 }

// replayTrust holds the record of each agent's calls against the events that it was
// learned from: who adds to it by hand, takes a failure or an incident out of it, or
// makes an incident older than what was let through after it, is found. It keeps one
// agent's record in memory.
func (t *tx) replayTrust(size int64) (at int64, problem string, err error) {
	last := ""
	for {
		var agents []string
		if err := t.of("agents").Where("agent_id > ?", last).Order("agent_id").Limit(trustBatch).Pluck("agent_id", &agents).Error; err != nil {
			return 0, "", err
		}
		for _, agent := range agents {
			last = agent
			told, err := t.toldTrust(agent)
			if err != nil {
				return 0, "", err
			}
			if told.Last < 0 {
				told.Last = size // what contradicts no single event
			}
			if problem, err := t.trustContradicts(agent, told); problem != "" || err != nil {
				return told.Last, fmt.Sprintf("the record of the agent %s: %s", agent, problem), err
			}
		}
		if len(agents) < trustBatch {
			return 0, "", nil
		}
	}
}

// trustKinds are what it listens to.
func trustKinds() []audit.Kind {
	return append(slices.Collect(maps.Keys(causes)), audit.Reported, audit.Blocked, audit.ChangesRequested)
}

// toldTrust reads the events of an agent in order.
func (t *tx) toldTrust(agent string) (toldTrust, error) {
	told := toldTrust{Last: -1, Counts: map[trustKey]trustCounts{}}
	last := int64(-1)
	for {
		events, err := t.eventsIn(t.of("audit_events").Where("agent_id = ? AND idx > ? AND kind IN ?", agent, last, trustKinds()).Order("idx"), trustBatch)
		if err != nil {
			return told, err
		}
		for _, e := range events {
			last = e.Index
			told.hear(e)
		}
		if len(events) < trustBatch {
			return told, nil
		}
	}
}

// hear adds one event.
func (r *toldTrust) hear(e audit.Event) {
	if at := e.TrustLost(); at != "" {
		r.Last = e.Index
		reason := ""
		if e.Kind == audit.IncidentRecorded || e.Kind == audit.AgentStopped {
			reason = e.Data.Get("reason").Text()
		}
		clear(r.Counts)
		r.Loss = lossText(at, string(causes[e.Kind]), e.Approval, e.Actor.ID, reason)
	}
	if l, ok := e.Learned(); ok {
		r.Last = e.Index
		k := trustKey{e.Function, l.Day, l.Person}
		c := r.Counts[k]
		r.Counts[k] = trustCounts{c.Succeeded + l.Succeeded, c.Failed + l.Failed, c.Denied + l.Denied}
	}
}

// lossText keeps its parts apart with what stands in none of them: a word that moves from
// one into the next is another text.
func lossText(at, cause, approval, person, reason string) string {
	return strings.Join([]string{at, cause, approval, person, reason}, "\x00")
}

// trustContradicts names the first thing that the tables have otherwise than what
// was told, of which it leaves nothing.
func (t *tx) trustContradicts(agent string, told toldTrust) (problem string, err error) {
	var losses []trustLossRow
	if err := t.of("trust_losses").Where("agent_id = ?", agent).Find(&losses).Error; err != nil {
		return "", err
	}
	stored := ""
	for _, l := range losses {
		stored = lossText(instant(&l.LostAt), l.Cause, l.ApprovalID, l.PersonID, l.Reason)
	}
	if problem := firstDifference([]said{{"loss", stored, told.Loss}}); problem != "" {
		return problem, nil
	}
	last := trustKey{}
	for {
		var rows []trustRow
		err := t.of("trust_evidence").Where("agent_id = ? AND (function, day, person_id) > (?, ?, ?)", agent, last.Function, last.Day, last.Person).
			Order("function, day, person_id").Limit(trustBatch).Find(&rows).Error
		if err != nil {
			return "", err
		}
		for _, r := range rows {
			last = trustKey{r.Function, r.Day, r.PersonID}
			got := trustCounts{r.Succeeded, r.Failed, r.Denied}
			if c := told.Counts[last]; c != got {
				return fmt.Sprintf("for %.80q on %s by %q the database has %s, but its events say %s", r.Function, r.Day, r.PersonID, got, c), nil
			}
			delete(told.Counts, last)
		}
		if len(rows) < trustBatch {
			break
		}
	}
	for k, c := range told.Counts {
		return fmt.Sprintf("for %.80q on %s by %q the database has nothing, but its events say %s", k.Function, k.Day, k.Person, c), nil
	}
	return "", nil
}

func (c trustCounts) String() string {
	return fmt.Sprintf("%d succeeded, %d failed, %d denied", c.Succeeded, c.Failed, c.Denied)
}
