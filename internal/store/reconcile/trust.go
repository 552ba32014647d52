package reconcile

import (
	"fmt"

	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// trustBatch is how many rows are read at once.
const trustBatch = 500

// verifyTrust holds the record of each agent's calls against the events that it was
// learned from: who adds to it by hand, takes a failure or an incident out of it, or
// makes an incident older than what was let through after it, is found. It keeps one
// agent's record in memory.
func (t Checks) verifyTrust(size int64) (at int64, problem string, err error) {
	return t.eachAgent(func(agent string) (int64, string, error) {
		logged := logstate.Trust{Last: -1, Counts: map[logstate.TrustKey]logstate.TrustCounts{}}
		if err := t.EachEvent(logged.Apply, "agent_id = ? AND kind IN ?", agent, logstate.TrustKinds()); err != nil {
			return 0, "", err
		}
		if logged.Last < 0 {
			logged.Last = size // what contradicts no single event
		}
		problem, err := t.trustMismatch(agent, logged)
		return logged.Last, about("the record of the agent "+agent, problem), err
	})
}

// eachAgent asks of one agent after the other until one has a problem.
func (t Checks) eachAgent(ask func(agent string) (at int64, problem string, err error)) (at int64, problem string, err error) {
	var agents []string
	err = t.Of("agents").Order("agent_id").Pluck("agent_id", &agents).Error
	for _, agent := range agents {
		if err != nil || problem != "" {
			break
		}
		at, problem, err = ask(agent)
	}
	return at, problem, err
}

// about says what a problem is one of; "" for none.
func about(what, problem string) string {
	if problem == "" {
		return ""
	}
	return what + ": " + problem
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
