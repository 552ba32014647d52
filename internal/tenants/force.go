package tenants

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// What waits for somebody else takes force by itself at the first moment when its waiting
// time has passed: nobody has to come back for it (docs/policy.md).

// PutInForce puts in force, in every tenant, what has waited long enough. Each of it is
// looked at again where it is written, so any number of servers may do so.
func (s *Service) PutInForce(ctx context.Context) error {
	all, err := s.store.Tenants(ctx)
	if err != nil {
		return fmt.Errorf("put in force: %w", err)
	}
	var failed []error
	for _, tenant := range all {
		if err := s.putInForce(ctx, tenant); err != nil {
			failed = append(failed, fmt.Errorf("put in force in %s: %w", tenant, err))
		}
	}
	return errors.Join(failed...)
}

func (s *Service) putInForce(ctx context.Context, tenant string) error {
	var due []string
	err := s.store.Read(ctx, tenant, func(r Reader) (err error) {
		due, err = waitedLongEnough(r)
		return err
	})
	if err != nil {
		return err
	}
	var failed []error
	for _, id := range due {
		err := s.store.Write(ctx, tenant, func(w Writer) error { return s.force(w, tenant, id) })
		if f := fault.As(err); f != nil && f.Kind() != fault.Internal {
			continue // it is not possible now, and whoever reads it is told why
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// waitedLongEnough are the subjects whose waiting time has passed, in the order in which
// they were asked for.
func waitedLongEnough(r Reader) ([]string, error) {
	l := Waiting{Consent: map[string]Consent{}}
	var err error
	if l.People, err = r.PeopleProposals(); err != nil {
		return nil, err
	}
	author, subjects, err := l.subjects(r)
	if err != nil || len(subjects) == 0 {
		return nil, err
	}
	st, err := r.Authority()
	if err != nil {
		return nil, err
	}
	opened, err := r.Openings(subjects)
	if err != nil {
		return nil, err
	}
	var due []string
	for _, id := range subjects {
		if st.Waits(author[id], opened[id]).Over {
			due = append(due, id)
		}
	}
	return due, nil
}

// force puts one of them in force, if that is due still.
func (s *Service) force(w Writer, tenant, subject string) error {
	author, err := authorOf(w, subject)
	if err != nil || author == "" {
		return err
	}
	st, err := w.Authority()
	if err != nil {
		return err
	}
	opened, err := w.Openings([]string{subject})
	if err != nil || !st.Waits(author, opened[subject]).Over {
		return err
	}
	if err := s.held(w, tenant); err != nil {
		return err
	}
	if id, isAgent := agentOf(subject); isAgent {
		return forceBinding(w, st, id)
	}
	if strings.HasPrefix(subject, "ppl_") {
		return forcePolicy(w, subject)
	}
	return forcePeople(w, st, tenant, subject)
}

func forcePeople(w Writer, st authority.State, tenant, id string) error {
	p, err := w.PeopleProposal(id)
	if err != nil || !st.Manages(p.Author.ID) {
		return err
	}
	p.State, p.Waited = ProposalAccepted, true
	told := p.accepted(tenant, system)
	err = p.carryOut(w, tenant, system)
	if fault.Is(err, fault.Changed) || fault.Is(err, fault.Missing) { // it can never be done any more
		p.State, p.Waited, p.Answer = ProposalWithdrawn, false, fault.As(err).Detail
		told, err = p.event(tenant, audit.PeopleWithdrawn, system, member("reason", canon.String(p.Answer))), p.drop(w)
	}
	if err != nil {
		return err
	}
	p.ClosedBy = auth.Person{}
	if err := w.ClosePeopleProposal(p); err != nil {
		return err
	}
	return w.Append(told)
}

func forcePolicy(w Writer, id string) error {
	p, err := w.Proposal(id)
	if err != nil {
		return err
	}
	d, err := newDraft(Change{Base: p.Base, Policy: p.Policy, Reason: p.Reason}, p.Author)
	if err != nil {
		return err
	}
	if err := d.compare(w); err != nil { // from an older version it is never accepted
		return err
	}
	_, told, err := d.apply(w, system, PolicyVersion{Author: p.Author}, p.ID, member("waited", canon.Bool(true)))
	if err != nil {
		return err
	}
	p.State = ProposalAccepted
	if err := w.CloseProposal(p); err != nil {
		return err
	}
	return w.Append(told)
}

func forceBinding(w Writer, st authority.State, id string) error {
	a, err := w.Agent(id)
	if err != nil || a.Asked == nil || !st.Manages(a.Asked.By) {
		return err
	}
	return a.bind(w, system, a.Asked.Bound, member("reason", canon.String(a.Asked.Reason)), member("asked_by", canon.String(a.Asked.By)), member("waited", canon.Bool(true)))
}

// held makes sure that who may do what, and what waits, is what the log says: whoever
// wrote to the tables gets nothing accepted. Otherwise fault.GrantUnproven, and an alarm.
func (s *Service) held(w Writer, tenant string) error {
	problem, err := w.AuthorityMismatch()
	if err != nil || problem == "" {
		return err
	}
	s.log.Error("nothing takes force: the tables are not what the audit trail says; somebody may have written to the database", "tenant", tenant, "problem", problem)
	return fault.New(fault.GrantUnproven, "the database doesn't match the audit trail, so nothing can be accepted. Tell whoever runs this server: “countersign audit verify” says what's wrong")
}
