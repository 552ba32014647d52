package approvals

import (
	"context"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Sealed says of which of these approvals the score is still sealed for m: those that
// wait for a quiz which m could take and has not passed. To people who decide
// nothing, nothing is sealed.
func (s *Service) Sealed(ctx context.Context, m auth.Member, ids []string) (map[string]bool, error) {
	if len(ids) == 0 {
		return map[string]bool{}, nil
	}
	return s.sealedOf(ctx, m, func(Reader) ([]string, error) { return ids, nil })
}

// AllSealed says it of every approval that there is: what does not wait is not sealed.
func (s *Service) AllSealed(ctx context.Context, m auth.Member) (map[string]bool, error) {
	return s.sealedOf(ctx, m, allWaiting)
}

func allWaiting(r Reader) (ids []string, err error) {
	for q := (LineQuery{Limit: 2000}); ; {
		lines, err := r.Waiting(q)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			ids = append(ids, l.ID)
		}
		if len(lines) < q.Limit {
			return ids, nil
		}
		last := lines[len(lines)-1].Place()
		q.After = &last
	}
}

func (s *Service) sealedOf(ctx context.Context, m auth.Member, which func(Reader) ([]string, error)) (sealed map[string]bool, err error) {
	sealed = map[string]bool{}
	if !m.May(auth.Decide) {
		return sealed, nil
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		ids, err := which(r)
		if err != nil {
			return err
		}
		all, err := r.ApprovalsOf(ids)
		if err != nil {
			return err
		}
		var asked []Approval
		for _, a := range all {
			asks, err := s.mustAnswer(r, m, a)
			if err != nil {
				return err
			}
			if sealed[a.ID] = false; asks {
				asked = append(asked, a)
			}
		}
		passed, err := r.LatestChallenges(idsOf(asked), m.Person.ID)
		for _, a := range asked {
			c, begun := passed[a.ID]
			sealed[a.ID] = !begun || !c.valid(a, m.Person.ID, scoring.ChallengeQuiz, ChallengePassed, r.Now())
		}
		return err
	})
	return sealed, err
}

func idsOf(all []Approval) []string {
	ids := make([]string, len(all))
	for i, a := range all {
		ids[i] = a.ID
	}
	return ids
}

func (s *Service) sealed(r Reader, m auth.Member, a Approval) (bool, error) {
	asks, err := s.mustAnswer(r, m, a)
	if err != nil || !asks {
		return false, err
	}
	c, err := r.LatestChallenge(a.ID, m.Person.ID)
	if fault.Is(err, fault.Missing) {
		return true, nil
	}
	return !c.valid(a, m.Person.ID, scoring.ChallengeQuiz, ChallengePassed, r.Now()), err
}

// mustAnswer reports whether m has to pass a quiz to approve a.
func (s *Service) mustAnswer(r Reader, m auth.Member, a Approval) (bool, error) {
	if a.Status.Final() {
		return false, nil
	}
	who, err := a.eligibleNow(r, m)
	return err == nil && who.may && who.challenge == scoring.ChallengeQuiz, err
}
