package reconcile

import (
	"fmt"

	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// trustBatch is how many events or rows are read at once.
const trustBatch = 500

// verifyTrust holds the record of each agent's calls against the events that it was
// learned from: who adds to it by hand, takes a failure or an incident out of it, or
// makes an incident older than what was let through after it, is found. It keeps one
// agent's record in memory.
func (t Checks) verifyTrust(size int64) (at int64, problem string, err error) {
	last := ""
	for {
		var agents []string
		if err := t.Of("agents").Where("agent_id > ?", last).Order("agent_id").Limit(trustBatch).Pluck("agent_id", &agents).Error; err != nil {
			return 0, "", err
		}
		for _, agent := range agents {
			last = agent
			logged, err := t.loggedTrust(agent)
			if err != nil {
				return 0, "", err
			}
			if logged.Last < 0 {
				logged.Last = size // what contradicts no single event
			}
			if problem, err := t.trustMismatch(agent, logged); problem != "" || err != nil {
				return logged.Last, fmt.Sprintf("the record of the agent %s: %s", agent, problem), err
			}
		}
		if len(agents) < trustBatch {
			return 0, "", nil
		}
	}
}

// Trust reads the events of an agent in order.
func (t Checks) loggedTrust(agent string) (logstate.Trust, error) {
	logged := logstate.Trust{Last: -1, Counts: map[logstate.TrustKey]logstate.TrustCounts{}}
	last := int64(-1)
	for {
		events, err := t.EventsIn(t.Of("audit_events").Where("agent_id = ? AND idx > ? AND kind IN ?", agent, last, logstate.TrustKinds()).Order("idx"), trustBatch)
		if err != nil {
			return logged, err
		}
		for _, e := range events {
			last = e.Index
			logged.Apply(e)
		}
		if len(events) < trustBatch {
			return logged, nil
		}
	}
}

// trustMismatch names the first thing that the tables have otherwise than what
// is logged, of which it leaves nothing.
func (t Checks) trustMismatch(agent string, logged logstate.Trust) (problem string, err error) {
	var losses []requests.TrustLossRow
	if err := t.Of("trust_losses").Where("agent_id = ?", agent).Find(&losses).Error; err != nil {
		return "", err
	}
	stored := ""
	for _, l := range losses {
		stored = logstate.LossText(tables.Instant(&l.LostAt), l.Cause, l.ApprovalID, l.PersonID, l.Reason)
	}
	if problem := firstDifference([]comparison{{"loss", stored, logged.Loss}}); problem != "" {
		return problem, nil
	}
	last := logstate.TrustKey{}
	for {
		var rows []requests.TrustRow
		err := t.Of("trust_evidence").Where("agent_id = ? AND (function, day, person_id) > (?, ?, ?)", agent, last.Function, last.Day, last.Person).
			Order("function, day, person_id").Limit(trustBatch).Find(&rows).Error
		if err != nil {
			return "", err
		}
		for _, r := range rows {
			last = logstate.TrustKey{Function: r.Function, Day: r.Day, Person: r.PersonID}
			got := logstate.TrustCounts{Succeeded: r.Succeeded, Failed: r.Failed, Denied: r.Denied}
			if c := logged.Counts[last]; c != got {
				return fmt.Sprintf("for %.80q on %s by %q the database has %s, but its events say %s", r.Function, r.Day, r.PersonID, got, c), nil
			}
			delete(logged.Counts, last)
		}
		if len(rows) < trustBatch {
			break
		}
	}
	for k, c := range logged.Counts {
		return fmt.Sprintf("for %.80q on %s by %q the database has nothing, but its events say %s", k.Function, k.Day, k.Person, c), nil
	}
	return "", nil
}
