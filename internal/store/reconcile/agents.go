package reconcile

import (
	"fmt"

	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/organisation"
	"github.com/countersign/countersign/internal/store/tables"
)

// verifyAgents holds agents and their keys against the events: whoever owns an agent, or
// made a key of it, does not decide what it asks, and a key that nobody made would ask in
// its name.
func (t Checks) verifyAgents(size int64) (at int64, problem string, err error) {
	logged := logstate.Agents{Of: map[string]*logstate.Agent{}}
	if err := t.EachEvent(logged.Apply, "kind IN ?", logstate.AgentKinds); err != nil {
		return 0, "", err
	}
	if at, problem, err := t.agentsMismatch(logged, size, ""); problem != "" || err != nil {
		return at, problem, err
	}
	return t.haltMismatch(logged, size)
}

// agentsMismatch names the first thing that the tables have otherwise.
func (t Checks) agentsMismatch(logged logstate.Agents, size int64, agent string) (at int64, problem string, err error) {
	rows, err := t.org.AgentRows(agent)
	if err != nil {
		return 0, "", err
	}
	stored := make(map[string]bool, len(rows))
	for _, r := range rows {
		stored[r.AgentID] = true
		a := logged.Of[r.AgentID]
		if a == nil {
			return size, fmt.Sprintf("the agent %s is in the database, but no event says that it was created", r.AgentID), nil
		}
		stopped := ""
		if r.StoppedAt != nil {
			stopped = logstate.Joined(tables.Instant(r.StoppedAt), r.StoppedBy, r.StopReason)
		}
		made := logstate.Joined(r.Name, r.OwnerID, r.CreatedBy, tables.Instant(&r.CreatedAt))
		if problem := firstDifference([]comparison{{"name, owner, maker or beginning", made, a.Made}, {"stop", stopped, a.Stopped}, {"contact or address of tickets", logstate.Joined(r.Contact, r.TicketLink), a.Described}}); problem != "" {
			return a.At, fmt.Sprintf("the agent %s: %s", r.AgentID, problem), nil
		}
	}
	keys, err := t.org.KeyRows(agent)
	if err != nil {
		return 0, "", err
	}
	for _, r := range keys {
		var k *logstate.Key
		if a := logged.Of[r.AgentID]; a != nil {
			k = a.Keys[r.KeyID]
			delete(a.Keys, r.KeyID)
		}
		if k == nil {
			return size, fmt.Sprintf("the key %s of the agent %s is in the database, but no event says that it was created", r.KeyID, r.AgentID), nil
		}
		if problem := keyMismatch(k, r); problem != "" {
			return k.At, fmt.Sprintf("the key %s of the agent %s: %s", r.KeyID, r.AgentID, problem), nil
		}
	}
	for id, a := range logged.Of {
		if !stored[id] {
			return a.At, fmt.Sprintf("the agent %s was created but is missing from the database", id), nil
		}
		for key, k := range a.Keys {
			return k.At, fmt.Sprintf("the key %s of the agent %s was created but is missing from the database", key, id), nil
		}
	}
	return 0, "", nil
}

// keyMismatch names the first thing that a key has otherwise.
func keyMismatch(k *logstate.Key, r organisation.AgentKeyRow) string {
	by, is := r.CreatedBy, tables.SHA256(r.KeyHash)
	if !k.Kept && by == "" {
		by = k.By // the column is younger than the key
	}
	if k.Is == "" {
		is = ""
	}
	return firstDifference([]comparison{
		{"agent, scopes or beginning", logstate.Joined(r.AgentID, r.Scopes, tables.Instant(&r.CreatedAt)), k.Made},
		{"maker", by, k.By},
		{"end", tables.Instant(r.ExpiresAt), k.Expires},
		{"revocation", tables.Instant(r.RevokedAt), k.Ended},
		{"hash", is, k.Is},
	})
}

// haltMismatch names what the tables have otherwise about all agents being stopped.
func (t Checks) haltMismatch(logged logstate.Agents, size int64) (at int64, problem string, err error) {
	rows, err := t.org.HaltRows()
	if err != nil {
		return 0, "", err
	}
	stored := ""
	if len(rows) > 0 {
		stored = logstate.Joined(tables.Instant(&rows[0].HaltedAt), rows[0].HaltedBy, rows[0].Reason)
	}
	if logged.HaltAt == 0 {
		logged.HaltAt = size
	}
	if problem := firstDifference([]comparison{{"stop of all agents", stored, logged.Halt}}); problem != "" {
		return logged.HaltAt, problem, nil
	}
	return 0, "", nil
}
