package store

import (
	"fmt"
	"maps"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/tenants"
)

// toldAgents is what the events say of agents, their keys, and whether all are stopped.
type toldAgents struct {
	Of     map[string]*toldAgent
	Halt   string // since when, by whom and why; "" where they may act
	HaltAt int64
	Kept   bool // from here on the tables say who made a key
}

type toldAgent struct {
	At            int64 // of the last event
	Made, Stopped string
	Described     string // whom to ask, and where its tickets are
	Keys          map[string]*toldKey
}

type toldKey struct {
	At                           int64
	Made, By, Expires, Ended, Is string // Is: the sum of its hash; "" in events of before they had it
	Kept                         bool
}

// agentKinds are what it listens to.
var agentKinds = []audit.Kind{
	audit.TenantCreated, audit.ModeStated, audit.AgentCreated, audit.AgentKeyRotated, audit.AgentKeyRevoked, audit.AgentKeyExpiry,
	audit.AgentStopped, audit.AgentStarted, audit.AgentDescribed, audit.AgentsStopped, audit.AgentsResumed,
}

// replayAgents holds agents and their keys against the events: whoever owns an agent, or
// made a key of it, does not decide what it asks, and a key that nobody made would ask in
// its name.
func (t *tx) replayAgents(size int64) (at int64, problem string, err error) {
	told := toldAgents{Of: map[string]*toldAgent{}}
	for last := int64(-1); ; {
		events, err := t.eventsAfter(last, authorityBatch, agentKinds...)
		if err != nil {
			return 0, "", err
		}
		for _, e := range events {
			last = e.Index
			told.hear(e)
		}
		if len(events) < authorityBatch {
			break
		}
	}
	if at, problem, err := t.agentsContradict(told, size, ""); problem != "" || err != nil {
		return at, problem, err
	}
	return t.haltContradicts(told, size)
}

// one is what is told of one agent, for a comparison that may take from it until nothing is left.
func (told toldAgents) one(agent string) toldAgents {
	all := told.Of
	told.Of = map[string]*toldAgent{}
	if a := all[agent]; a != nil {
		c := *a
		c.Keys = maps.Clone(a.Keys)
		told.Of[agent] = &c
	}
	return told
}

// hear adds one event.
func (told *toldAgents) hear(e audit.Event) {
	d, at := e.Data, audit.FormatTime(e.At)
	switch e.Kind {
	case audit.TenantCreated, audit.ModeStated:
		told.Kept = told.Kept || !d.Get("single_person_mode").IsAbsent()
		return
	case audit.AgentsStopped:
		told.Halt, told.HaltAt = joined(at, e.Actor.ID, d.Get("reason").Text()), e.Index
		return
	case audit.AgentsResumed:
		told.Halt, told.HaltAt = "", e.Index
		return
	case audit.AgentCreated:
		told.Of[e.Agent] = &toldAgent{Keys: map[string]*toldKey{}, Described: joined("", ""), Made: joined(d.Get("name").Text(), d.Get("owner").Text(), maker(e), at)}
	default:
	}
	a := told.Of[e.Agent]
	if a == nil {
		return
	}
	a.At = e.Index
	key := a.Keys[d.Get("key").Text()]
	switch e.Kind {
	case audit.AgentCreated, audit.AgentStarted:
		a.Stopped = ""
		a.add(e, told.Kept)
	case audit.AgentKeyRotated:
		a.replace(e)
		a.add(e, told.Kept)
	case audit.AgentStopped:
		a.Stopped = joined(at, e.Actor.ID, d.Get("reason").Text())
		for _, k := range a.Keys {
			k.end(e)
		}
	case audit.AgentDescribed:
		a.Described = joined(d.Get("contact").Text(), d.Get("ticket_link").Text())
	case audit.AgentKeyRevoked:
		if key != nil {
			key.end(e)
		}
	default:
		if key != nil {
			key.At, key.Expires = e.Index, d.Get("expires_at").Text()
		}
	}
}

// maker is who the tables say made an agent, or a key: nobody for the sample agent, whose
// key nobody has.
func maker(e audit.Event) string {
	if e.Data.Get("sample").Bool() || e.Data.Get("key_sum").IsAbsent() && e.Data.Get("name").Text() == tenants.SampleAgent {
		return ""
	}
	return e.Actor.ID
}

// add adds the key that an event tells of.
func (a *toldAgent) add(e audit.Event, kept bool) {
	d := e.Data
	a.Keys[d.Get("key").Text()] = &toldKey{
		At: e.Index, Made: joined(e.Agent, d.Get("scopes").Text(), audit.FormatTime(e.At)), By: maker(e), Kept: kept,
		Expires: d.Get("expires_at").Text(), Is: d.Get("key_sum").Text(),
	}
}

// replace ends the keys in whose place a new one stands: at once, or at a time.
func (a *toldAgent) replace(e audit.Event) {
	end := e.Data.Get("replaced_until").Text()
	for _, id := range e.Data.Get("replaced").Elements() {
		switch k := a.Keys[id.Text()]; {
		case k == nil:
		case end == audit.FormatTime(e.At):
			k.end(e)
		case k.Expires == "" || end < k.Expires:
			k.At, k.Expires = e.Index, end
		}
	}
}

func (k *toldKey) end(e audit.Event) {
	if k.Ended == "" {
		k.At, k.Ended = e.Index, audit.FormatTime(e.At)
	}
}

// ofAgent begins a statement on the rows of an agent; "" are those of all.
func (t *tx) ofAgent(table, agent string) *gorm.DB {
	q := t.of(table)
	if agent != "" {
		q = q.Where("agent_id = ?", agent)
	}
	return q
}

// agentsContradict names the first thing that the tables have otherwise.
func (t *tx) agentsContradict(told toldAgents, size int64, agent string) (at int64, problem string, err error) {
	rows, err := t.agentRows(agent)
	if err != nil {
		return 0, "", err
	}
	stored := make(map[string]bool, len(rows))
	for _, r := range rows {
		stored[r.AgentID] = true
		a := told.Of[r.AgentID]
		if a == nil {
			return size, fmt.Sprintf("the agent %s is in the database, but no event says that it was created", r.AgentID), nil
		}
		stopped := ""
		if r.StoppedAt != nil {
			stopped = joined(instant(r.StoppedAt), r.StoppedBy, r.StopReason)
		}
		made := joined(r.Name, r.OwnerID, r.CreatedBy, instant(&r.CreatedAt))
		if problem := firstDifference([]said{{"name, owner, maker or beginning", made, a.Made}, {"stop", stopped, a.Stopped}, {"contact or address of tickets", joined(r.Contact, r.TicketLink), a.Described}}); problem != "" {
			return a.At, fmt.Sprintf("the agent %s: %s", r.AgentID, problem), nil
		}
	}
	keys, err := t.keyRows(agent)
	if err != nil {
		return 0, "", err
	}
	for _, r := range keys {
		var k *toldKey
		if a := told.Of[r.AgentID]; a != nil {
			k = a.Keys[r.KeyID]
			delete(a.Keys, r.KeyID)
		}
		if k == nil {
			return size, fmt.Sprintf("the key %s of the agent %s is in the database, but no event says that it was created", r.KeyID, r.AgentID), nil
		}
		if problem := k.contradicts(r); problem != "" {
			return k.At, fmt.Sprintf("the key %s of the agent %s: %s", r.KeyID, r.AgentID, problem), nil
		}
	}
	for id, a := range told.Of {
		if !stored[id] {
			return a.At, fmt.Sprintf("the agent %s was created but is missing from the database", id), nil
		}
		for key, k := range a.Keys {
			return k.At, fmt.Sprintf("the key %s of the agent %s was created but is missing from the database", key, id), nil
		}
	}
	return 0, "", nil
}

// contradicts names the first thing that a key has otherwise.
func (k *toldKey) contradicts(r agentKeyRow) string {
	by, is := r.CreatedBy, sha256Hex(r.KeyHash)
	if !k.Kept && by == "" {
		by = k.By // the column is younger than the key
	}
	if k.Is == "" {
		is = ""
	}
	return firstDifference([]said{
		{"agent, scopes or beginning", joined(r.AgentID, r.Scopes, instant(&r.CreatedAt)), k.Made},
		{"maker", by, k.By},
		{"end", instant(r.ExpiresAt), k.Expires},
		{"revocation", instant(r.RevokedAt), k.Ended},
		{"hash", is, k.Is},
	})
}

// haltContradicts names what the tables have otherwise about all agents being stopped.
func (t *tx) haltContradicts(told toldAgents, size int64) (at int64, problem string, err error) {
	rows, err := t.haltRows()
	if err != nil {
		return 0, "", err
	}
	stored := ""
	if len(rows) > 0 {
		stored = joined(instant(&rows[0].HaltedAt), rows[0].HaltedBy, rows[0].Reason)
	}
	if told.HaltAt == 0 {
		told.HaltAt = size
	}
	if problem := firstDifference([]said{{"stop of all agents", stored, told.Halt}}); problem != "" {
		return told.HaltAt, problem, nil
	}
	return 0, "", nil
}
