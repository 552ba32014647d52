package logstate

import (
	"maps"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/tenants"
)

// Agents is what the events say of agents, their keys, and whether all are stopped.
type Agents struct {
	Of     map[string]*Agent
	Halt   string // since when, by whom and why; "" where they may act
	HaltAt int64
	Kept   bool // from here on the tables say who made a key
}

// Agent is what the events say of one agent.
type Agent struct {
	At            int64 // of the last event
	Made, Stopped string
	Described     string // whom to ask, and where its tickets are
	Keys          map[string]*Key
}

// Key is what they say of one of its keys.
type Key struct {
	At                           int64
	Made, By, Expires, Ended, Is string // Is: the sum of its hash; "" in events of before they had it
	Kept                         bool
}

// AgentKinds are what Agents follow from.
var AgentKinds = []audit.Kind{
	audit.TenantCreated, audit.ModeStated, audit.AgentCreated, audit.AgentKeyRotated, audit.AgentKeyRevoked, audit.AgentKeyExpiry,
	audit.AgentStopped, audit.AgentStarted, audit.AgentDescribed, audit.AgentsStopped, audit.AgentsResumed,
}

// One is what is logged of one agent, for a comparison that may take from it until nothing is left.
func (logged Agents) One(agent string) Agents {
	all := logged.Of
	logged.Of = map[string]*Agent{}
	if a := all[agent]; a != nil {
		c := *a
		c.Keys = maps.Clone(a.Keys)
		logged.Of[agent] = &c
	}
	return logged
}

// Apply adds one event.
func (logged *Agents) Apply(e audit.Event) {
	d, at := e.Data, audit.FormatTime(e.At)
	switch e.Kind {
	case audit.TenantCreated, audit.ModeStated:
		logged.Kept = logged.Kept || !d.Get("single_person_mode").IsAbsent()
		return
	case audit.AgentsStopped:
		logged.Halt, logged.HaltAt = Joined(at, e.Actor.ID, d.Get("reason").Text()), e.Index
		return
	case audit.AgentsResumed:
		logged.Halt, logged.HaltAt = "", e.Index
		return
	case audit.AgentCreated:
		logged.Of[e.Agent] = &Agent{Keys: map[string]*Key{}, Described: Joined("", ""), Made: Joined(d.Get("name").Text(), d.Get("owner").Text(), maker(e), at)}
	default:
	}
	a := logged.Of[e.Agent]
	if a == nil {
		return
	}
	a.At = e.Index
	key := a.Keys[d.Get("key").Text()]
	switch e.Kind {
	case audit.AgentCreated, audit.AgentStarted:
		a.Stopped = ""
		a.add(e, logged.Kept)
	case audit.AgentKeyRotated:
		a.replace(e)
		a.add(e, logged.Kept)
	case audit.AgentStopped:
		a.Stopped = Joined(at, e.Actor.ID, d.Get("reason").Text())
		for _, k := range a.Keys {
			k.end(e)
		}
	case audit.AgentDescribed:
		a.Described = Joined(d.Get("contact").Text(), d.Get("ticket_link").Text())
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
func (a *Agent) add(e audit.Event, kept bool) {
	d := e.Data
	a.Keys[d.Get("key").Text()] = &Key{
		At: e.Index, Made: Joined(e.Agent, d.Get("scopes").Text(), audit.FormatTime(e.At)), By: maker(e), Kept: kept,
		Expires: d.Get("expires_at").Text(), Is: d.Get("key_sum").Text(),
	}
}

// replace ends the keys in whose place a new one stands: at once, or at a time.
func (a *Agent) replace(e audit.Event) {
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

func (k *Key) end(e audit.Event) {
	if k.Ended == "" {
		k.At, k.Ended = e.Index, audit.FormatTime(e.At)
	}
}
