package tenants

import (
	"context"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
)

// The way from an empty organisation to one that works.

// Guide says how far an organisation is on it.
type Guide struct {
	Closed    bool // by this person
	Asked     bool // there is a request
	Decided   bool // a person decided one
	Agent     bool // there is an agent of their own
	Called    bool // one of those used its key
	Used      bool // an approval was used
	Colleague bool // there is a second member, or somebody is invited
}

// Done says that nothing is left to do.
func (g Guide) Done() bool { return g.Asked && g.Decided && g.Agent && g.Used && g.Colleague }

// SampleAgent is the name of the agent in whose name samples are sent.
const SampleAgent = "sample-agent"

// Guide reads it for a person.
func (s *Service) Guide(ctx context.Context, m auth.Member) (g Guide, err error) {
	if err := allow(m, auth.ReadAgents); err != nil {
		return g, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		g, err = r.Guide(m.Person.ID)
		return err
	})
	return g, err
}

// CloseGuide is a person who needs it no longer.
func (s *Service) CloseGuide(ctx context.Context, m auth.Member) error {
	return s.writeFor(ctx, m, auth.ReadAgents, func(w Writer, m auth.Member) error { return w.CloseGuide(m.Person.ID) })
}

// Sample returns the agent in whose name a sample is sent, and makes it the first time.
// It belongs to nobody, and nobody ever sees its key: so whoever asks for a sample did not
// make what it asks, and may decide it like any other.
func (s *Service) Sample(ctx context.Context, m auth.Member) (a auth.Agent, err error) {
	err = s.writeFor(ctx, m, auth.ManageAgents, func(w Writer, m auth.Member) error {
		all, err := w.Agents()
		if err != nil {
			return err
		}
		for _, one := range all {
			if one.Name == SampleAgent && one.CreatedBy == "" {
				keys, err := working(w, one.ID)
				if err != nil {
					return err
				}
				if a = one.Agent; len(keys) > 0 {
					a.KeyID, a.Scopes = keys[0].ID, keys[0].Scopes
				}
				return nil
			}
		}
		k, err := newKey(auth.NewID("key"), nil, 0)
		if err != nil {
			return err
		}
		a = auth.Agent{Tenant: m.Tenant, ID: auth.NewID("agt"), Name: SampleAgent, KeyID: k.ID, Scopes: k.Scopes}
		k.Agent = a.ID
		if err := w.CreateAgent(Agent{Agent: a}); err != nil {
			return err
		}
		if err := k.add(w); err != nil {
			return err
		}
		return w.Append(Agent{Agent: a}.event(audit.AgentCreated, personActor(m),
			append(k.data(), member("name", canon.String(a.Name)), member("sample", canon.Bool(true)))...))
	})
	return a, err
}
