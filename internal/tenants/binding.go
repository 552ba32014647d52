package tenants

import (
	"context"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// Where an agent works: in which environment, and in which folder. What it does where
// nothing matters is held at lower floors (scoring/effects), and inside of a workspace it
// is not asked (scoring/workspace), so binding an agent is a weakening like one of the
// policy: it needs a second admin, and where there is none the typed slug. Ending a binding
// needs nobody else.

// Bound is what an agent is bound to. Where that is both, the higher level counts.
type Bound struct {
	Environment string            // "" for none
	Workspace   workspace.Binding // the zero Binding for none
}

// Folder is the workspace, nil for none.
func (b Bound) Folder() *workspace.Binding {
	if b.Workspace == (workspace.Binding{}) {
		return nil
	}
	return &b.Workspace
}

// Data is b as events tell it.
func (b Bound) Data() []canon.Member {
	data := []canon.Member{member("environment", canon.String(b.Environment))}
	if w := b.Folder(); w != nil {
		data = append(data, member("workspace", canon.String(w.Folder)), member("sandboxed", canon.Bool(w.Sandboxed)))
	}
	return data
}

// Binding is what somebody asked to bind an agent to.
type Binding struct {
	Bound
	By     string // person id
	Reason string
	At     time.Time
}

// NewBinding is what somebody asks for.
type NewBinding struct {
	Bound         // in place of what it is bound to
	Reason string // 1 to 500 characters
	// Typed is the tenant's slug where nobody else could look; ignored everywhere else.
	Typed string
}

// check is the binding as it is kept.
func (in NewBinding) check(a Agent) (NewBinding, error) {
	if err := unnamed("environment", in.Environment); err != nil {
		return in, err
	}
	in.Environment = strings.ToLower(strings.TrimSpace(in.Environment))
	if in.Environment != "" && !scoring.EnvironmentName(in.Environment) {
		return in, fault.Member(fault.InvalidForm, "environment", "an environment is 1 to 64 lowercase letters, digits, '.', '_' or '-', beginning and ending with a letter or digit (for example staging)")
	}
	if err := unnamed("workspace", in.Workspace.Folder); err != nil {
		return in, err
	}
	var err error
	if w := in.Workspace; w != (workspace.Binding{}) {
		if in.Workspace, err = workspace.NewBinding(strings.TrimSpace(w.Folder), w.Sandboxed); err != nil {
			return in, err
		}
	}
	if in.Bound == a.Bound {
		return in, fault.Member(fault.InvalidForm, "environment", "nothing would change: this is what %s is bound to", a.Name)
	}
	in.Reason, err = because(in.Reason, true)
	return in, err
}

// Weakens reports whether calls could pass more easily by b than they did. A name that no
// policy knows as non-production yet could become one. Of two bindings the higher level
// counts, so that ending one of them may weaken as well as making it; what weakens nothing
// is to end both, and to take a folder for no sandbox any more.
func (b Bound) Weakens(was Bound) bool {
	now := b
	if facts.IsProduction(now.Environment) {
		now.Environment = ""
	}
	less := was
	less.Workspace.Sandboxed = false
	return now != (Bound{}) && b != less
}

// CheckBinding is what a binding would make of the agent; it changes nothing.
func (s *Service) CheckBinding(ctx context.Context, m auth.Member, id string, in NewBinding) (to Bound, err error) {
	if err := allow(m, auth.ManageAgents); err != nil {
		return to, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		a, err := r.Agent(id)
		if err != nil {
			return err
		}
		in, err := in.check(a)
		to = in.Bound
		return err
	})
	return to, err
}

// BindAgent binds an agent, or asks for it: asked says that somebody else has to accept it.
// What was asked before is replaced.
func (s *Service) BindAgent(ctx context.Context, m auth.Member, id string, in NewBinding) (asked bool, err error) {
	err = s.writeHeld(ctx, m, auth.ManageAgents, func(w Writer, m auth.Member) error {
		a, err := w.Agent(id)
		if err != nil {
			return err
		}
		in, err := in.check(a)
		if err != nil {
			return err
		}
		if asked = false; !in.Weakens(a.Bound) {
			return a.bind(w, personActor(m), in.Bound, member("reason", canon.String(in.Reason)))
		}
		st, err := w.Authority()
		if err != nil {
			return err
		}
		if st.Policy(m.Person.ID, true) == authority.Alone && m.May(auth.ChangePolicy) {
			if strings.TrimSpace(in.Typed) != m.Tenant {
				return fault.Member(fault.InvalidForm, "typed", "this may hold less of what the agent does, and no one else in %s can review it; type %s to do it alone", m.Tenant, m.Tenant)
			}
			return a.bind(w, personActor(m), in.Bound, member("reason", canon.String(in.Reason)), member("single_person", canon.Bool(true)))
		}
		asked = true
		if err := w.AskBinding(id, Binding{Bound: in.Bound, By: m.Person.ID, Reason: in.Reason}); err != nil {
			return err
		}
		return w.Append(a.event(audit.AgentBindingAsked, personActor(m), append(in.Data(), member("reason", canon.String(in.Reason)))...))
	})
	return asked, err
}

// AcceptBinding binds an agent as somebody else asked: seen is what was looked at.
func (s *Service) AcceptBinding(ctx context.Context, m auth.Member, id string, seen Bound) error {
	return s.writeFor(ctx, m, auth.ChangePolicy, func(w Writer, m auth.Member) error {
		a, err := w.Agent(id)
		if err != nil {
			return err
		}
		switch {
		case a.Asked == nil || a.Asked.Bound != seen:
			return fault.New(fault.Changed, "this request is no longer open; reload the agent")
		}
		st, err := w.Authority()
		if err != nil {
			return err
		}
		opened, err := w.Openings([]string{a.AskedAs()})
		if err != nil {
			return err
		}
		author := st.Find(a.Asked.By)
		if err := consents(st, auth.Person{ID: author.ID, Name: author.Name}, m, opened[a.AskedAs()]); err != nil {
			return err
		}
		if err := s.held(w, m.Tenant); err != nil {
			return err
		}
		return a.bind(w, personActor(m), seen, member("reason", canon.String(a.Asked.Reason)), member("asked_by", canon.String(a.Asked.By)))
	})
}

// DropBinding takes back, or refuses, what was asked.
func (s *Service) DropBinding(ctx context.Context, m auth.Member, id string) error {
	return s.changeAgent(ctx, m, id, func(w Writer, a Agent) error { return a.drop(w, m) })
}

// ObjectBinding refuses what was asked, as somebody who may object to it: where there is no
// other admin, these are operators.
func (s *Service) ObjectBinding(ctx context.Context, m auth.Member, id, reason string) error {
	why, err := because(reason, true)
	if err != nil {
		return err
	}
	return s.writeFor(ctx, m, auth.ProposePolicy, func(w Writer, m auth.Member) error {
		a, err := w.Agent(id)
		if err != nil {
			return err
		}
		if a.Asked != nil {
			st, err := w.Authority()
			if err != nil {
				return err
			}
			if err := objects(st, a.Asked.By, m); err != nil {
				return err
			}
		}
		return a.drop(w, m, member("reason", canon.String(why)))
	})
}

func (a Agent) drop(w Writer, m auth.Member, more ...canon.Member) error {
	if a.Asked == nil {
		return fault.New(fault.Changed, "there's no open request to bind %s", a.Name)
	}
	if err := w.AskBinding(a.ID, Binding{}); err != nil {
		return err
	}
	data := append(a.Asked.Data(), member("asked_by", canon.String(a.Asked.By)))
	return w.Append(a.event(audit.AgentBindingDropped, personActor(m), append(data, more...)...))
}

// BindFromOutside is BindAgent on the command line: whoever can run it reaches the
// database anyway.
func (s *Service) BindFromOutside(ctx context.Context, tenant, name string, in NewBinding) error {
	if err := s.exists(ctx, tenant); err != nil {
		return err
	}
	return s.store.Write(ctx, tenant, func(w Writer) error {
		a, err := agentNamed(w, tenant, name)
		if err != nil {
			return err
		}
		if in, err = in.check(a); err != nil {
			return err
		}
		return a.bind(w, system, in.Bound, member("reason", canon.String(in.Reason)))
	})
}

// agentNamed is an agent by its name, held until the commit.
func agentNamed(w Writer, tenant, name string) (Agent, error) {
	all, err := w.Agents()
	if err != nil {
		return Agent{}, err
	}
	for _, a := range all {
		if a.Name == name {
			return w.Agent(a.ID)
		}
	}
	return Agent{}, fault.New(fault.Missing, "%s has no agent %.60q", tenant, name)
}

// bind writes the binding, and with it ends what was asked.
func (a Agent) bind(w Writer, by audit.Actor, to Bound, data ...canon.Member) error {
	if err := w.BindAgent(a.ID, to); err != nil {
		return err
	}
	data = append(append(data, to.Data()...), member("was", canon.String(a.Environment)))
	if was := a.Folder(); was != nil {
		data = append(data, member("was_workspace", canon.String(was.Folder)), member("was_sandboxed", canon.Bool(was.Sandboxed)))
	}
	return w.Append(a.event(audit.AgentBound, by, data...))
}
