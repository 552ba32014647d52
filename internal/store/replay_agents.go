package store

import (
	"fmt"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/tenants"
)

// toldAgents is what the events say of agents, their keys, and whether all are stopped.
type toldAgents struct {
	of     map[string]*toldAgent
	halt   string // since when, by whom and why; "" where they may act
	haltAt int64
	kept   bool // from here on the tables say who made a key
}

type toldAgent struct {
	at            int64 // of the last event
	made, stopped string
	described     string // whom to ask, and where its tickets are
	keys          map[string]*toldKey
}

type toldKey struct {
	at                           int64
	made, by, expires, ended, is string // is: the sum of its hash; "" in events of before they had it
	kept                         bool
}

// agentKinds are what it listens to.
var agentKinds = []audit.Kind{
	audit.TenantCreated, audit.ModeStated, audit.AgentCreated, audit.AgentKeyRotated, audit.AgentKeyRevoked, audit.AgentKeyExpiry,
	audit.AgentStopped, audit.AgentStarted, audit.AgentDescribed, audit.AgentsStopped, audit.AgentsResumed,
}

// replayAgents holds agents and their keys against the events: whoever owns an agent, or
// made a key of it, does not decide what it asks, and a key that nobody made would ask in
// its name. "" are all agents.
func (t *tx) replayAgents(size int64, agent string) (at int64, problem string, err error) {
	told := toldAgents{of: map[string]*toldAgent{}}
	for last := int64(-1); ; {
		events, err := t.agentEvents(last, agent)
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
	if at, problem, err := t.agentsContradict(told, size, agent); problem != "" || err != nil {
		return at, problem, err
	}
	return t.haltContradicts(told, size)
}

// agentEvents reads the next events about an agent, and about all of them.
func (t *tx) agentEvents(last int64, agent string) ([]audit.Event, error) {
	if agent == "" {
		return t.eventsAfter(last, authorityBatch, agentKinds...)
	}
	q := t.of("audit_events").Where("agent_id IN ? AND kind IN ? AND +idx > ?", []string{"", agent}, agentKinds, last)
	return t.eventsIn(q.Order("+idx"), authorityBatch)
}

// hear adds one event.
func (told *toldAgents) hear(e audit.Event) {
	d, at := e.Data, audit.FormatTime(e.At)
	switch e.Kind {
	case audit.TenantCreated, audit.ModeStated:
		told.kept = told.kept || !d.Get("single_person_mode").IsAbsent()
		return
	case audit.AgentsStopped:
		told.halt, told.haltAt = joined(at, e.Actor.ID, d.Get("reason").Text()), e.Index
		return
	case audit.AgentsResumed:
		told.halt, told.haltAt = "", e.Index
		return
	case audit.AgentCreated:
		told.of[e.Agent] = &toldAgent{keys: map[string]*toldKey{}, described: joined("", ""), made: joined(d.Get("name").Text(), d.Get("owner").Text(), maker(e), at)}
	default:
	}
	a := told.of[e.Agent]
	if a == nil {
		return
	}
	a.at = e.Index
	key := a.keys[d.Get("key").Text()]
	switch e.Kind {
	case audit.AgentCreated, audit.AgentStarted:
		a.stopped = ""
		a.add(e, told.kept)
	case audit.AgentKeyRotated:
		a.replace(e)
		a.add(e, told.kept)
	case audit.AgentStopped:
		a.stopped = joined(at, e.Actor.ID, d.Get("reason").Text())
		for _, k := range a.keys {
			k.end(e)
		}
	case audit.AgentDescribed:
		a.described = joined(d.Get("contact").Text(), d.Get("ticket_link").Text())
	case audit.AgentKeyRevoked:
		if key != nil {
			key.end(e)
		}
	default:
		if key != nil {
			key.at, key.expires = e.Index, d.Get("expires_at").Text()
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
	a.keys[d.Get("key").Text()] = &toldKey{
		at: e.Index, made: joined(e.Agent, d.Get("scopes").Text(), audit.FormatTime(e.At)), by: maker(e), kept: kept,
		expires: d.Get("expires_at").Text(), is: d.Get("key_sum").Text(),
	}
}

// replace ends the keys in whose place a new one stands: at once, or at a time.
func (a *toldAgent) replace(e audit.Event) {
	end := e.Data.Get("replaced_until").Text()
	for _, id := range e.Data.Get("replaced").Elements() {
		switch k := a.keys[id.Text()]; {
		case k == nil:
		case end == audit.FormatTime(e.At):
			k.end(e)
		case k.expires == "" || end < k.expires:
			k.at, k.expires = e.Index, end
		}
	}
}

func (k *toldKey) end(e audit.Event) {
	if k.ended == "" {
		k.at, k.ended = e.Index, audit.FormatTime(e.At)
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
	var rows []agentRow
	if err := t.ofAgent("agents", agent).Order("agent_id").Find(&rows).Error; err != nil {
		return 0, "", err
	}
	stored := make(map[string]bool, len(rows))
	for _, r := range rows {
		stored[r.AgentID] = true
		a := told.of[r.AgentID]
		if a == nil {
			return size, fmt.Sprintf("the agent %s is in the database, but no event says that it was created", r.AgentID), nil
		}
		stopped := ""
		if r.StoppedAt != nil {
			stopped = joined(instant(r.StoppedAt), r.StoppedBy, r.StopReason)
		}
		made := joined(r.Name, r.OwnerID, r.CreatedBy, instant(&r.CreatedAt))
		if problem := firstDifference([]said{{"name, owner, maker or beginning", made, a.made}, {"stop", stopped, a.stopped}, {"contact or address of tickets", joined(r.Contact, r.TicketLink), a.described}}); problem != "" {
			return a.at, fmt.Sprintf("the agent %s: %s", r.AgentID, problem), nil
		}
	}
	var keys []agentKeyRow
	if err := t.ofAgent("agent_keys", agent).Order("key_id").Find(&keys).Error; err != nil {
		return 0, "", err
	}
	for _, r := range keys {
		var k *toldKey
		if a := told.of[r.AgentID]; a != nil {
			k = a.keys[r.KeyID]
			delete(a.keys, r.KeyID)
		}
		if k == nil {
			return size, fmt.Sprintf("the key %s of the agent %s is in the database, but no event says that it was created", r.KeyID, r.AgentID), nil
		}
		if problem := k.contradicts(r); problem != "" {
			return k.at, fmt.Sprintf("the key %s of the agent %s: %s", r.KeyID, r.AgentID, problem), nil
		}
	}
	for id, a := range told.of {
		if !stored[id] {
			return a.at, fmt.Sprintf("the agent %s was created but is missing from the database", id), nil
		}
		for key, k := range a.keys {
			return k.at, fmt.Sprintf("the key %s of the agent %s was created but is missing from the database", key, id), nil
		}
	}
	return 0, "", nil
}

// contradicts names the first thing that a key has otherwise.
func (k *toldKey) contradicts(r agentKeyRow) string {
	by, is := r.CreatedBy, sha256Hex(r.KeyHash)
	if !k.kept && by == "" {
		by = k.by // the column is younger than the key
	}
	if k.is == "" {
		is = ""
	}
	return firstDifference([]said{
		{"agent, scopes or beginning", joined(r.AgentID, r.Scopes, instant(&r.CreatedAt)), k.made},
		{"maker", by, k.by},
		{"end", instant(r.ExpiresAt), k.expires},
		{"revocation", instant(r.RevokedAt), k.ended},
		{"hash", is, k.is},
	})
}

// haltContradicts names what the tables have otherwise about all agents being stopped.
func (t *tx) haltContradicts(told toldAgents, size int64) (at int64, problem string, err error) {
	var rows []haltRow
	if err := t.of("agent_halts").Find(&rows).Error; err != nil {
		return 0, "", err
	}
	stored := ""
	if len(rows) > 0 {
		stored = joined(instant(&rows[0].HaltedAt), rows[0].HaltedBy, rows[0].Reason)
	}
	if told.haltAt == 0 {
		told.haltAt = size
	}
	if problem := firstDifference([]said{{"stop of all agents", stored, told.halt}}); problem != "" {
		return told.haltAt, problem, nil
	}
	return 0, "", nil
}
