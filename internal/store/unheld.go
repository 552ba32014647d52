package store

import (
	"fmt"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
)

// What a decision goes by is held against the trail where it is made, by the code that
// verifies the whole of it: whoever can write to the tables makes nobody an operator, no
// agent somebody else's, and no signature that nobody gave.

// Unheld says what the tables have otherwise than the trail of a pending approval, of how
// it was read, or of who may decide it; "" where they agree.
func (t *tx) Unheld(approval, agent string) (problem string, err error) {
	rows, err := t.stored("approvals.approval_id = ?", approval)
	if err != nil {
		return "", err
	}
	if problem, err = t.unheldJudgement(agent); problem != "" || err != nil {
		return problem, err
	}
	return first(
		func() (int64, string, error) { return t.replayRows(rows, 0) },
		func() (int64, string, error) { return t.replayReviewsOf([]string{approval}, 0) },
		func() (int64, string, error) { return t.replayAgents(0, agent) },
		func() (int64, string, error) { return t.replayAuthority(0) })
}

// UnheldAuthority is Unheld for what waits for somebody else, and who may accept it.
func (t *tx) UnheldAuthority() (problem string, err error) {
	return first(t.newestPolicy,
		func() (int64, string, error) { return t.replayAuthority(0) },
		func() (int64, string, error) { return t.replayProposals(0) },
		func() (int64, string, error) { return t.replayBindings(0, "") },
		func() (int64, string, error) { return t.replayTools(0, "") })
}

// UnheldStanding is Unheld for a standing grant that would be used.
func (t *tx) UnheldStanding(id string) (problem string, err error) {
	row, err := one[standingRow](t.of("standing_grants").Where("standing_id = ?", id), "no such standing approval")
	if err != nil {
		return "", err
	}
	// The trail of a busy agent is long, and a grant has few events in it: so the database
	// looks for its id in their bytes, which are canonical.
	events, err := t.eventsOf(t.of("audit_events").
		Where("agent_id = ? AND kind IN ?", row.AgentID, []audit.Kind{audit.StandingCreated, audit.StandingUsed, audit.StandingRevoked}).
		Where("bytes LIKE ?", `%"standing":"`+id+`"%`), approvals.MaxStandingUses+2)
	if err != nil {
		return unbroken("", err)
	}
	told := map[string]*toldStanding{}
	for _, e := range events {
		hearStanding(told, e)
	}
	e := told[id]
	if e == nil {
		return fmt.Sprintf("the standing grant %s is in the database, but no event says that it was created", id), nil
	}
	return row.contradicts(e), nil
}
