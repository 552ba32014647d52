package tenants

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// Agents: who they are, who made them, what they may.

// agentForm keeps names readable in one line of the queue.
var agentForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$`)

// NewAgent is what an admin decides about a new agent.
type NewAgent struct {
	Name string
	// Owner is a member of the tenant, by person id. Empty: whoever makes it.
	Owner  string
	Scopes []auth.Scope  // of its first key; auth.ScopeSubmit where none is named
	Life   time.Duration // of its first key; 0: it does not expire
	// KeyID is the id of the key to be made, chosen before: what is sent twice makes
	// one key.
	KeyID string

	enrolment string // the one that it came of; "" for none
}

// CreateAgent makes an agent on the command line and returns its key, which is
// shown once and never again. ownerEmail may be empty; otherwise it names a
// member of the tenant. The key has these scopes; auth.ScopeSubmit where none is
// named.
func (s *Service) CreateAgent(ctx context.Context, tenant, name, ownerEmail string, scopes ...auth.Scope) (string, auth.Agent, error) {
	if err := checkAgentName(name); err != nil {
		return "", auth.Agent{}, err
	}
	if _, err := auth.CheckScopes(scopes); err != nil {
		return "", auth.Agent{}, err
	}
	if err := s.exists(ctx, tenant); err != nil {
		return "", auth.Agent{}, err
	}
	owner, err := s.ownerByEmail(ctx, ownerEmail)
	if err != nil {
		return "", auth.Agent{}, err
	}
	in := NewAgent{Name: name, Owner: owner, Scopes: scopes, KeyID: auth.NewID("key")}
	return createAgent(tenant, in, system, func(fn func(w Writer) error) error { return s.store.Write(ctx, tenant, fn) })
}

// ownerByEmail is the person of an address; "" for none.
func (s *Service) ownerByEmail(ctx context.Context, email string) (string, error) {
	if email == "" {
		return "", nil
	}
	owner, _, err := s.store.PersonByEmail(ctx, address(email))
	if err != nil {
		return "", fault.Member(fault.InvalidForm, "owner", "no one with the address %s can sign in here; create the person first", email)
	}
	return owner.ID, nil
}

// checkOwner refuses an owner who is no member; "" is no owner.
func checkOwner(r Reader, tenant, owner string) error {
	if owner == "" {
		return nil
	}
	_, err := r.Membership(owner)
	if fault.Is(err, fault.Missing) {
		return fault.Member(fault.InvalidForm, "owner", "the owner must be a member of %s", tenant)
	}
	return err
}

// MakeAgent is CreateAgent in the console: whoever makes an agent owns it unless
// they name another member.
func (s *Service) MakeAgent(ctx context.Context, m auth.Member, in NewAgent) (string, auth.Agent, error) {
	if err := allow(m, auth.ManageAgents); err != nil {
		return "", auth.Agent{}, err
	}
	if in.Owner == "" {
		in.Owner = m.Person.ID
	}
	return createAgent(m.Tenant, in, personActor(m), func(fn func(w Writer) error) error {
		return s.writeHeld(ctx, m, auth.ManageAgents, func(w Writer, _ auth.Member) error { return fn(w) })
	})
}

// createAgent makes an agent through the door of whoever makes it.
func createAgent(tenant string, in NewAgent, by audit.Actor, write func(fn func(w Writer) error) error) (string, auth.Agent, error) {
	if err := checkAgentName(in.Name); err != nil {
		return "", auth.Agent{}, err
	}
	k, err := newKey(in.KeyID, in.Scopes, in.Life)
	if err != nil {
		return "", auth.Agent{}, err
	}
	a := Agent{Agent: auth.Agent{Tenant: tenant, ID: auth.NewID("agt"), Name: in.Name, Owner: in.Owner}, CreatedBy: by.ID}
	k.Agent, k.By = a.ID, by.ID
	err = write(func(w Writer) error {
		if err := checkOwner(w, tenant, a.Owner); err != nil {
			return err
		}
		if err := w.CreateAgent(a); err != nil {
			return err
		}
		if err := k.add(w); err != nil {
			return err
		}
		return w.Append(a.event(audit.AgentCreated, by, append(k.data(), member("name", canon.String(a.Name)), member("owner", text(a.Owner)), member("enrolment", text(in.enrolment)))...))
	})
	if err != nil {
		return "", auth.Agent{}, err
	}
	a.Agent.KeyID, a.Agent.Scopes = k.ID, k.Scopes
	return k.secret, a.Agent, nil
}

func checkAgentName(name string) error {
	if !agentForm.MatchString(name) {
		return fault.Member(fault.InvalidForm, "name", "an agent's name is 1 to 64 letters, digits, '.', '_', '@' or '-', starting with a letter or digit (for example support-triage)")
	}
	return unnamed("name", name)
}

// AuthenticateAgent says whose key this is. Every reason why it is nobody's has
// the same answer.
func (s *Service) AuthenticateAgent(ctx context.Context, key string) (auth.Agent, error) {
	unknown := fault.New(fault.Unauthorized, "the API key isn't known; send Authorization: Bearer csk_… with a key of an agent that wasn't revoked")
	tenant, hash, ok := auth.SplitAgentKey(key)
	if !ok {
		return auth.Agent{}, unknown
	}
	var a auth.Agent
	var now time.Time
	err := s.store.Read(ctx, tenant, func(r Reader) (err error) {
		a, err = r.AgentByKeyHash(hash)
		now = r.Now()
		return err
	})
	if fault.Is(err, fault.Missing) {
		return auth.Agent{}, unknown
	}
	if err == nil {
		s.usage.note(a, now)
	}
	return a, err
}

// AgentList is what the agents page shows.
type AgentList struct {
	Now    time.Time
	Agents []Agent // by name
	Keys   map[string][]Key
	Recent map[string]Activity // since ActivitySpan ago
	People map[string]auth.Person
	Halt   *Halt
	// Consent is where what is asked for the one agent is; nil where nothing is.
	Consent *Consent
}

// ActivitySpan is how far back Activity looks on the agents page, and activityLimit
// how much it counts there: an agent that did more did "more".
const (
	ActivitySpan  = 14 * 24 * time.Hour
	activityLimit = 1000
)

// Agents lists the tenant's agents with their keys.
func (s *Service) Agents(ctx context.Context, m auth.Member) (AgentList, error) {
	if err := allow(m, auth.ReadAgents); err != nil {
		return AgentList{}, err
	}
	return s.agents(ctx, m.Tenant)
}

func (s *Service) agents(ctx context.Context, tenant string) (AgentList, error) {
	l := AgentList{Keys: map[string][]Key{}, Recent: map[string]Activity{}}
	err := s.store.Read(ctx, tenant, func(r Reader) error {
		keys, err := r.AllKeys()
		if err != nil {
			return err
		}
		for _, k := range keys {
			l.Keys[k.Agent] = append(l.Keys[k.Agent], k)
		}
		if l.Agents, err = r.Agents(); err != nil {
			return err
		}
		return l.complete(r)
	})
	return l, err
}

// Agent is Agents with one agent only. fault.Missing.
func (s *Service) Agent(ctx context.Context, m auth.Member, id string) (AgentList, error) {
	if err := allow(m, auth.ReadAgents); err != nil {
		return AgentList{}, err
	}
	l := AgentList{Keys: map[string][]Key{}, Recent: map[string]Activity{}}
	err := s.store.Read(ctx, m.Tenant, func(r Reader) error {
		a, err := r.Agent(id)
		if err != nil {
			return err
		}
		l.Agents = []Agent{a}
		if l.Keys[id], err = r.Keys(id); err != nil {
			return err
		}
		return l.complete(r)
	})
	if err != nil || l.Agents[0].Asked == nil {
		return l, err
	}
	c, err := s.BindingConsent(ctx, m, l.Agents[0])
	l.Consent = &c
	return l, err
}

func (l *AgentList) complete(r Reader) (err error) {
	l.Now = r.Now()
	for _, a := range l.Agents {
		if l.Recent[a.ID], err = r.Activity(a.ID, l.Now.Add(-ActivitySpan), activityLimit); err != nil {
			return err
		}
	}
	members, err := r.Members()
	if err != nil {
		return err
	}
	l.People = make(map[string]auth.Person, len(members))
	for _, m := range members {
		l.People[m.Person.ID] = m.Person
	}
	l.Halt, err = r.Halt()
	return err
}

// Halt says whether all agents of the tenant are stopped; nil when they are not.
func (s *Service) Halt(ctx context.Context, m auth.Member) (h *Halt, err error) {
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		h, err = r.Halt()
		return err
	})
	return h, err
}

// StopAgent makes every key of an agent worthless. What it has open is ended by
// approvals.Service.Withdraw, which must be called afterwards.
func (s *Service) StopAgent(ctx context.Context, m auth.Member, id, reason string) error {
	reason, err := because(reason, true)
	if err != nil {
		return err
	}
	return s.changeAgent(ctx, m, id, func(w Writer, a Agent) error {
		keys, err := working(w, id)
		if err != nil {
			return err
		}
		if err := w.StopAgent(id, m.Person.ID, reason); fault.Is(err, fault.Changed) {
			return fault.New(fault.Changed, "%s is already stopped", a.Name)
		} else if err != nil {
			return err
		}
		lost, err := w.LoseTrust(id, trust.Loss{Cause: trust.Stopped, Reason: reason, Person: m.Person.ID})
		if err != nil {
			return err
		}
		return w.Append(a.event(audit.AgentStopped, personActor(m), member("reason", canon.String(reason)), member("keys", keyIDs(keys)), audit.TrustLost(lost)))
	})
}

// StartAgent lets a stopped agent act again, with a new key: the old ones stay
// dead. It returns that key, which is shown once.
func (s *Service) StartAgent(ctx context.Context, m auth.Member, id string, in NewKey) (secret string, err error) {
	if err := allow(m, auth.ManageAgents); err != nil {
		return "", err
	}
	k, err := newKey(in.ID, in.Scopes, in.Life)
	if err != nil {
		return "", err
	}
	k.Agent, k.By = id, m.Person.ID
	err = s.giveAgent(ctx, m, id, func(w Writer, a Agent) error {
		if err := k.add(w); err != nil {
			return err
		}
		if err := w.StartAgent(id); fault.Is(err, fault.Changed) {
			return fault.New(fault.Changed, "%s isn't stopped; to give it another key, rotate", a.Name)
		} else if err != nil {
			return err
		}
		return w.Append(a.event(audit.AgentStarted, personActor(m), k.data()...))
	})
	if err != nil {
		return "", err
	}
	return k.secret, nil
}

// RecordIncident says that an agent did what it should not have done: whatever made
// anybody trust it counts no more, at once. It stops nothing; StopAgent does.
func (s *Service) RecordIncident(ctx context.Context, m auth.Member, id, reason string) error {
	reason, err := because(reason, true)
	if err != nil {
		return err
	}
	return s.changeAgent(ctx, m, id, func(w Writer, a Agent) error {
		lost, err := w.LoseTrust(id, trust.Loss{Cause: trust.Incident, Reason: reason, Person: m.Person.ID})
		if err != nil {
			return err
		}
		return w.Append(a.event(audit.IncidentRecorded, personActor(m), member("reason", canon.String(reason)), audit.TrustLost(lost)))
	})
}

// changeAgent runs fn on an agent of the tenant.
func (s *Service) changeAgent(ctx context.Context, m auth.Member, id string, fn func(w Writer, a Agent) error) error {
	return s.writeFor(ctx, m, auth.ManageAgents, func(w Writer, _ auth.Member) error {
		a, err := w.Agent(id)
		if err != nil {
			return err
		}
		return fn(w, a)
	})
}

// giveAgent is changeAgent for what gives the agent something (writeHeld).
func (s *Service) giveAgent(ctx context.Context, m auth.Member, id string, fn func(w Writer, a Agent) error) error {
	return s.changeAgent(ctx, m, id, func(w Writer, a Agent) error {
		if err := s.held(w, m.Tenant); err != nil {
			return err
		}
		return fn(w, a)
	})
}

// StopAll is the kill switch: from its commit on no agent of the tenant may do
// anything but read its own approvals. typed is the tenant's slug, as a person
// typed it. The reason may be empty: stopping must not wait for words.
func (s *Service) StopAll(ctx context.Context, m auth.Member, typed, reason string) error {
	if err := allow(m, auth.StopAgents); err != nil {
		return err
	}
	if strings.TrimSpace(typed) != m.Tenant {
		return fault.Member(fault.InvalidForm, "slug", "type %s to confirm; nothing was stopped", m.Tenant)
	}
	return s.store.SayNo(ctx, m.Tenant, func(w Writer) error {
		m, err := Presently(w, m, auth.StopAgents)
		if err != nil {
			return err
		}
		return stopAll(w, m.Tenant, reason, personActor(m))
	})
}

// StopAllFromOutside is StopAll on the command line, for when nobody can sign in.
func (s *Service) StopAllFromOutside(ctx context.Context, tenant, reason string) error {
	if err := s.exists(ctx, tenant); err != nil {
		return err
	}
	return s.store.SayNo(ctx, tenant, func(w Writer) error { return stopAll(w, tenant, reason, system) })
}

// StopAsSaid stops all agents of an organisation that was restored, where somebody did so while
// its log was refused.
func StopAsSaid(w Writer, said audit.Event) error {
	err := stopAll(w, said.Tenant, said.Data.Get("reason").Text(), said.Actor)
	if fault.Is(err, fault.Changed) {
		return nil
	}
	return err
}

// ResumeFromOutside is Resume on the command line.
func (s *Service) ResumeFromOutside(ctx context.Context, tenant, reason string) error {
	if err := s.exists(ctx, tenant); err != nil {
		return err
	}
	return s.store.Write(ctx, tenant, func(w Writer) error { return resume(w, tenant, reason, system) })
}

// ListAgents is Agents on the command line.
func (s *Service) ListAgents(ctx context.Context, tenant string) (AgentList, error) {
	if err := s.exists(ctx, tenant); err != nil {
		return AgentList{}, err
	}
	return s.agents(ctx, tenant)
}

func stopAll(w Writer, tenant, reason string, by audit.Actor) error {
	reason, err := because(reason, false)
	if err != nil {
		return err
	}
	if err := w.HaltAgents(by.ID, reason); fault.Is(err, fault.Changed) {
		return fault.New(fault.Changed, "the agents of %s are already stopped", tenant)
	} else if err != nil {
		return err
	}
	return w.Append(audit.Event{Tenant: tenant, Kind: audit.AgentsStopped, Actor: by, Data: canon.Object(member("reason", text(reason)))})
}

// Resume ends StopAll.
func (s *Service) Resume(ctx context.Context, m auth.Member, reason string) error {
	return s.writeHeld(ctx, m, auth.ManageAgents, func(w Writer, m auth.Member) error {
		return resume(w, m.Tenant, reason, personActor(m))
	})
}

func resume(w Writer, tenant, reason string, by audit.Actor) error {
	reason, err := because(reason, true)
	if err != nil {
		return err
	}
	if err := w.Resume(); fault.Is(err, fault.Changed) {
		return fault.New(fault.Changed, "the agents of %s aren't stopped", tenant)
	} else if err != nil {
		return err
	}
	return w.Append(audit.Event{Tenant: tenant, Kind: audit.AgentsResumed, Actor: by, Data: canon.Object(member("reason", canon.String(reason)))})
}

// maxBecause bounds a reason, in characters.
const maxBecause = 500

// because checks a reason that is kept in the trail.
func because(reason string, required bool) (string, error) {
	reason = strings.TrimSpace(reason)
	if (required && reason == "") || utf8.RuneCountInString(reason) > maxBecause || canon.String(reason).Text() != reason {
		return "", fault.Member(fault.InvalidForm, "reason", "enter a reason of 1 to %d characters; it's kept in the audit trail", maxBecause)
	}
	return scoring.MaskText(reason), nil
}

// allow refuses what the member's roles do not allow. The console checks the same
// at its door; this is for whoever comes another way.
func allow(m auth.Member, p auth.Permission) error {
	if !m.May(p) {
		return fault.New(fault.Denied, "your roles in %s don't allow this; an admin can change them", m.Tenant)
	}
	return nil
}

func personActor(m auth.Member) audit.Actor { return audit.Actor{Kind: "person", ID: m.Person.ID} }

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

// instant is a time as the trail has it, or Absent.
func instant(t *time.Time) canon.Value {
	if t == nil {
		return canon.Value{}
	}
	return canon.String(audit.FormatTime(*t))
}

// event is about this agent.
func (a Agent) event(k audit.Kind, by audit.Actor, data ...canon.Member) audit.Event {
	return audit.Event{Tenant: a.Tenant, Kind: k, Actor: by, Agent: a.ID, Data: canon.Object(data...)}
}

// working are an agent's keys that open something.
func working(r Reader, agent string) ([]Key, error) {
	keys, err := r.Keys(agent)
	return slices.DeleteFunc(keys, func(k Key) bool { return !k.Works(r.Now()) }), err
}

func keyIDs(keys []Key) canon.Value {
	ids := make([]canon.Value, len(keys))
	for i, k := range keys {
		ids[i] = canon.String(k.ID)
	}
	return canon.Array(ids...)
}

// Owners are the people who can own an agent: the members, by name.
func (s *Service) Owners(ctx context.Context, m auth.Member) (all []auth.Person, err error) {
	if err := allow(m, auth.ManageAgents); err != nil {
		return nil, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		members, err := r.Members()
		for _, o := range members {
			all = append(all, o.Person)
		}
		return err
	})
	return all, err
}
