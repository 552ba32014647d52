package tenants

import (
	"context"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// Which environment an agent works in. What it does where nothing matters is held at lower
// floors (scoring/effects), so binding an agent is a weakening like one of the policy: it
// needs a second admin, and where there is none the typed slug. Ending a binding needs
// nobody else.

// Binding is an environment that somebody asked to bind an agent to.
type Binding struct {
	Environment string
	By          string // person id
	Reason      string
	At          time.Time
}

// NewBinding is what somebody asks for.
type NewBinding struct {
	Environment string // "" ends the binding
	Reason      string // 1 to 500 characters
	// Typed is the tenant's slug where nobody else could look; ignored everywhere else.
	Typed string
}

// check is the binding as it is kept.
func (in NewBinding) check(a Agent) (NewBinding, error) {
	in.Environment = strings.ToLower(strings.TrimSpace(in.Environment))
	if in.Environment != "" && !scoring.EnvironmentName(in.Environment) {
		return in, fault.Member(fault.InvalidForm, "environment", "an environment is 1 to 64 lower-case letters, digits, '.', '_' or '-', beginning and ending with a letter or digit (for example staging)")
	}
	if in.Environment == a.Environment {
		return in, fault.Member(fault.InvalidForm, "environment", "nothing would change: this is what %s is bound to", a.Name)
	}
	var err error
	in.Reason, err = because(in.Reason, true)
	return in, err
}

// weakens reports whether calls could pass more easily by it. A name that no policy knows
// as non-production yet could become one.
func (in NewBinding) weakens() bool {
	return in.Environment != "" && !facts.IsProduction(in.Environment)
}

// BindAgent binds an agent to an environment, or asks for it: asked says that somebody else
// has to accept it. What was asked before is replaced.
func (s *Service) BindAgent(ctx context.Context, m auth.Member, id string, in NewBinding) (asked bool, err error) {
	err = s.writeFor(ctx, m, auth.ManageAgents, func(w Writer, m auth.Member) error {
		a, err := w.Agent(id)
		if err != nil {
			return err
		}
		in, err := in.check(a)
		if err != nil {
			return err
		}
		if asked = false; !in.weakens() {
			return a.bind(w, personActor(m), in.Environment, member("reason", canon.String(in.Reason)))
		}
		others, err := changers(w, m.Person.ID)
		if err != nil {
			return err
		}
		if len(others) == 0 && m.May(auth.ChangePolicy) {
			if strings.TrimSpace(in.Typed) != m.Tenant {
				return fault.Member(fault.InvalidForm, "typed", "this may lower what the agent's calls are held at, and nobody else in %s could look at it; type %s to do it alone", m.Tenant, m.Tenant)
			}
			return a.bind(w, personActor(m), in.Environment, member("reason", canon.String(in.Reason)), member("single_person", canon.Bool(true)))
		}
		asked = true
		if err := w.AskBinding(id, Binding{Environment: in.Environment, By: m.Person.ID, Reason: in.Reason}); err != nil {
			return err
		}
		return w.Append(a.event(audit.AgentBindingAsked, personActor(m), member("environment", canon.String(in.Environment)), member("reason", canon.String(in.Reason))))
	})
	return asked, err
}

// AcceptBinding binds an agent as somebody else asked: environment is what was looked at.
func (s *Service) AcceptBinding(ctx context.Context, m auth.Member, id, environment string) error {
	return s.writeFor(ctx, m, auth.ChangePolicy, func(w Writer, m auth.Member) error {
		a, err := w.Agent(id)
		if err != nil {
			return err
		}
		switch {
		case a.Asked == nil || a.Asked.Environment != environment:
			return fault.New(fault.Changed, "nobody asks for this any more; look at the agent again")
		case a.Asked.By == m.Person.ID:
			return fault.New(fault.NotEligible, "you asked for this, so somebody else has to accept it")
		}
		return a.bind(w, personActor(m), environment, member("reason", canon.String(a.Asked.Reason)), member("asked_by", canon.String(a.Asked.By)))
	})
}

// DropBinding takes back, or refuses, what was asked.
func (s *Service) DropBinding(ctx context.Context, m auth.Member, id string) error {
	return s.changeAgent(ctx, m, id, func(w Writer, a Agent) error {
		if a.Asked == nil {
			return fault.New(fault.Changed, "nobody asks for a binding of %s any more", a.Name)
		}
		if err := w.AskBinding(id, Binding{}); err != nil {
			return err
		}
		return w.Append(a.event(audit.AgentBindingDropped, personActor(m), member("environment", canon.String(a.Asked.Environment)), member("asked_by", canon.String(a.Asked.By))))
	})
}

// BindFromOutside is BindAgent on the command line: whoever can run it reaches the
// database anyway.
func (s *Service) BindFromOutside(ctx context.Context, tenant, name string, in NewBinding) error {
	if err := s.exists(ctx, tenant); err != nil {
		return err
	}
	return s.store.Write(ctx, tenant, func(w Writer) error {
		all, err := w.Agents()
		if err != nil {
			return err
		}
		for _, a := range all {
			if a.Name != name {
				continue
			}
			if a, err = w.Agent(a.ID); err != nil { // held until the commit
				return err
			}
			in, err := in.check(a)
			if err != nil {
				return err
			}
			return a.bind(w, system, in.Environment, member("reason", canon.String(in.Reason)))
		}
		return fault.New(fault.Missing, "%s has no agent %.60q", tenant, name)
	})
}

// bind writes the binding, and with it ends what was asked.
func (a Agent) bind(w Writer, by audit.Actor, environment string, data ...canon.Member) error {
	if err := w.BindAgent(a.ID, environment); err != nil {
		return err
	}
	return w.Append(a.event(audit.AgentBound, by, append(data, member("environment", canon.String(environment)), member("was", canon.String(a.Environment)))...))
}
