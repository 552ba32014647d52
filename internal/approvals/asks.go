package approvals

import (
	"context"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
)

// What is asked of an operator is not always what the policy says for the level: somebody who
// decides alone types the target where there is no quiz. Agents are told what will really be
// asked, as far as that is the same for all who could decide.

// asks is the challenge that whoever may decide a will get: the policy's where several get
// different ones, or nobody may decide yet.
func (s *Service) asks(r Reader, a Approval) (scoring.ChallengeKind, error) {
	if a.Status != Pending {
		return a.Treatment.Challenge, nil
	}
	state, err := r.Authority()
	if err != nil {
		return "", err
	}
	own, err := a.own(r)
	if err != nil {
		return "", err
	}
	kinds := map[scoring.ChallengeKind]bool{}
	for _, p := range state.People {
		m := auth.Member{Tenant: a.Tenant, Person: auth.Person{ID: p.ID, Name: p.Name}, Roles: []auth.Role{auth.Operator}}
		if e := a.eligible(m, state, own); e.may {
			kinds[e.challenge] = true
		}
	}
	kind := a.Treatment.Challenge
	if len(kinds) == 1 {
		for only := range kinds {
			kind = only
		}
	}
	return kind, nil
}

// telling is a with what an operator will be asked, and with the questions to the agent. Where
// that cannot be read any more, since the server stops, what the policy says for the level is told.
func (s *Service) telling(ctx context.Context, a Approval, err error) (Approval, error) {
	if err != nil || !a.mayHaveQuestions() {
		return a, err
	}
	_ = s.store.Read(ctx, a.Tenant, func(r Reader) (err error) {
		if a.Asks, err = s.asks(r, a); err == nil {
			a, err = a.questioned(r)
		}
		return err
	})
	return a, nil
}

// tellingAll is that for views, with the headline: a view has no action, so each is read, one
// after the other.
func (s *Service) tellingAll(r Reader, page []AgentView) error {
	ids := make([]string, len(page))
	for i, v := range page {
		ids[i] = v.ID
	}
	questions, err := r.Questions(ids...)
	if err != nil {
		return err
	}
	for i, v := range page {
		page[i].Questions = questions[v.ID]
		a, err := r.Approval(v.ID)
		if err != nil {
			return err
		}
		page[i].Headline = a.Subject().Headline
		if page[i].Asks, err = s.asks(r, a); err != nil {
			return err
		}
	}
	return nil
}
