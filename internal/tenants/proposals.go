package tenants

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Proposal is a policy that waits for somebody who may accept it. What was proposed
// never changes; it ends once.
type Proposal struct {
	ID        string // "ppl_" + UUIDv7 in hex: sorts by time
	Base      int64  // version it was made from; it can be accepted while that is current
	Policy    scoring.Policy
	Reason    string
	Author    auth.Person
	CreatedAt time.Time
	Weakens   []string // members that would become weaker; empty: none

	State    ProposalState
	ClosedAt *time.Time // nil while open
	ClosedBy auth.Person
	Answer   string // why it was rejected
}

// ProposalState is where a proposal is.
type ProposalState string

const (
	ProposalOpen      ProposalState = "open"
	ProposalAccepted  ProposalState = "accepted"
	ProposalRejected  ProposalState = "rejected"
	ProposalWithdrawn ProposalState = "withdrawn"
)

// MaxProposals is how many a tenant may have open, and maxOwn how many one person:
// somebody has to read them.
const (
	MaxProposals = 100
	maxOwn       = 10
)

// Proposals lists the open ones, oldest first.
func (s *Service) Proposals(ctx context.Context, m auth.Member) (open []Proposal, err error) {
	if err := allow(m, auth.ReadPolicy); err != nil {
		return nil, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		open, err = r.Proposals()
		return err
	})
	return open, err
}

// Proposal is one of them, open or not. fault.Missing.
func (s *Service) Proposal(ctx context.Context, m auth.Member, id string) (p Proposal, err error) {
	if err := allow(m, auth.ReadPolicy); err != nil {
		return p, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		p, err = r.Proposal(id)
		return err
	})
	return p, err
}

// propose stores a draft that was compared.
func (d *draft) propose(w Writer, m auth.Member) (Proposal, error) {
	open, err := w.Proposals()
	if err != nil {
		return Proposal{}, err
	}
	own := 0
	for _, one := range open {
		if one.Author.ID == m.Person.ID {
			own++
		}
	}
	if own >= maxOwn || len(open) >= MaxProposals {
		return Proposal{}, fault.Member(fault.InvalidForm, "policy", "%d proposals are open, %d of them yours. The limits are %d and %d, so withdraw or close some first", len(open), own, MaxProposals, maxOwn)
	}
	p := Proposal{
		ID: auth.NewID("ppl"), Base: d.base, Policy: d.policy, Reason: d.reason, Author: m.Person, CreatedAt: w.Now(),
		Weakens: d.weakens, State: ProposalOpen,
	}
	if err := w.CreateProposal(p); err != nil {
		return p, err
	}
	sum, err := d.policy.SHA256()
	if err != nil {
		return p, err
	}
	return p, w.Append(audit.Event{Kind: audit.PolicyProposed, Actor: personActor(m), Data: canon.Object(append(d.data(),
		member("proposal", canon.String(p.ID)), member("policy_sha256", canon.String(sum)))...)})
}

// AcceptProposal makes a proposal the next version, while its base is still the current
// one: somebody who may change the policy and cannot be its author.
// Faults: Changed when the base moved or the proposal has ended, NotEligible for who may
// not accept it yet, InvalidMember when this program no longer takes the policy.
func (s *Service) AcceptProposal(ctx context.Context, m auth.Member, id string) (v PolicyVersion, err error) {
	err = s.closeProposal(ctx, m, auth.ChangePolicy, id, func(w Writer, p Proposal) (Proposal, audit.Event, error) {
		var told audit.Event
		d, err := newDraft(Change{Base: p.Base, Policy: p.Policy, Reason: p.Reason}, p.Author)
		if err != nil {
			return p, told, err
		}
		if err := d.compare(w); err != nil {
			return p, told, err
		}
		p.Weakens = d.weakens // as it is compared today
		if err := mayAccept(w, m, p); err != nil {
			return p, told, err
		}
		if err := s.held(w, m.Tenant); err != nil {
			return p, told, err
		}
		p.State = ProposalAccepted
		v, told, err = d.apply(w, personActor(m), PolicyVersion{Author: p.Author, Accepted: m.Person}, p.ID)
		return p, told, err
	})
	return v, err
}

// mayAccept refuses whoever may not accept a proposal now. What weakens nothing, any
// other admin could do as well at once.
func mayAccept(w Writer, m auth.Member, p Proposal) error {
	if len(p.Weakens) == 0 {
		return nil
	}
	st, err := w.Authority()
	if err != nil {
		return err
	}
	opened, err := w.Openings([]string{p.ID})
	if err != nil {
		return err
	}
	return consents(st, p.Author, m, opened[p.ID])
}

// ProposalConsent is where a proposal is, as m sees it; it remembers that m saw it.
func (s *Service) ProposalConsent(ctx context.Context, m auth.Member, p Proposal) (c Consent, err error) {
	if p.State == ProposalOpen && len(p.Weakens) > 0 {
		if _, err := s.Saw(ctx, m, p.ID); err != nil {
			return c, err
		}
	}
	return s.consent(ctx, m, p.ID, p.Author.ID)
}

// BindingConsent is ProposalConsent for a binding that is asked for an agent.
func (s *Service) BindingConsent(ctx context.Context, m auth.Member, a Agent) (c Consent, err error) {
	if _, err := s.Saw(ctx, m, a.AskedAs()); err != nil {
		return c, err
	}
	return s.consent(ctx, m, a.AskedAs(), a.Asked.By)
}

func (s *Service) consent(ctx context.Context, m auth.Member, subject, author string) (c Consent, err error) {
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		st, err := r.Authority()
		if err != nil {
			return err
		}
		opened, err := r.Openings([]string{subject})
		c = consentOf(st, author, m, opened[subject])
		return err
	})
	return c, err
}

// RejectProposal ends a proposal without a version, and says why.
func (s *Service) RejectProposal(ctx context.Context, m auth.Member, id, reason string) error {
	why, err := checkReason(reason)
	if err != nil {
		return err
	}
	return s.closeProposal(ctx, m, auth.ProposePolicy, id, func(w Writer, p Proposal) (Proposal, audit.Event, error) {
		st, err := w.Authority()
		if err != nil {
			return p, audit.Event{}, err
		}
		if !st.Manages(m.Person.ID) && !st.MayObject(p.Author.ID, m.Person.ID) {
			return p, audit.Event{}, fault.New(fault.Denied, "your roles in %s don't allow this; an admin can change them", m.Tenant)
		}
		p.State, p.Answer = ProposalRejected, why
		return p, audit.Event{Kind: audit.ProposalRejected, Actor: personActor(m), Data: canon.Object(
			member("proposal", canon.String(p.ID)), member("author", text(p.Author.ID)), member("reason", canon.String(why)))}, nil
	})
}

// WithdrawProposal is its author taking it back.
func (s *Service) WithdrawProposal(ctx context.Context, m auth.Member, id string) error {
	return s.closeProposal(ctx, m, auth.ProposePolicy, id, func(w Writer, p Proposal) (Proposal, audit.Event, error) {
		if p.Author.ID != m.Person.ID {
			return p, audit.Event{}, fault.New(fault.NotEligible, "%s proposed this; an admin can reject it", p.Author.Name)
		}
		p.State = ProposalWithdrawn
		return p, audit.Event{Kind: audit.ProposalWithdrawn, Actor: personActor(m), Data: canon.Object(member("proposal", canon.String(p.ID)))}, nil
	})
}

// closeProposal ends an open proposal as end says, if m may do that now.
func (s *Service) closeProposal(ctx context.Context, m auth.Member, need auth.Permission, id string, end func(Writer, Proposal) (Proposal, audit.Event, error)) error {
	return s.writeFor(ctx, m, need, func(w Writer, m auth.Member) error {
		p, err := w.Proposal(id)
		if err != nil {
			return err
		}
		if p.State != ProposalOpen {
			return closed(p)
		}
		p, told, err := end(w, p)
		if err != nil {
			return err
		}
		p.ClosedBy = m.Person
		if err := w.CloseProposal(p); err != nil {
			return err
		}
		return w.Append(told)
	})
}

// closed says what became of a proposal that is not open any more.
func closed(p Proposal) error {
	switch p.State {
	case ProposalAccepted:
		return fault.New(fault.Changed, "this proposal was already accepted by %s", p.ClosedBy.Name)
	case ProposalRejected:
		return fault.New(fault.Changed, "this proposal was already rejected by %s", p.ClosedBy.Name)
	default:
		return fault.New(fault.Changed, "this proposal was already withdrawn by %s", p.ClosedBy.Name)
	}
}
