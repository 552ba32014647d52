package approvals

import (
	"context"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// While somebody answers a quiz, nothing else tells them what it asks for. A text that is
// left out where a value stands in it would tell that value, and so would a search that finds
// less than before. So nothing is compared with anything: every line is covered, and the
// console shows no other page that says what requests hold (console, covered.go).

// Answering are the requests whose quiz this person answers now.
func (s *Service) Answering(ctx context.Context, m auth.Member) (asking map[string]bool, err error) {
	if !m.May(auth.Decide) {
		return nil, nil // who may not decide answers nothing
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		asking, err = answering(r, m)
		return err
	})
	return asking, err
}

func answering(r Reader, m auth.Member) (map[string]bool, error) {
	if !m.May(auth.Decide) {
		return nil, nil
	}
	ids, err := r.Answering(m.Person.ID)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	lines, err := r.Lines(ids)
	if err != nil {
		return nil, err
	}
	asking := map[string]bool{}
	for _, l := range lines {
		is, err := isAsking(r, m, Approval{ID: l.ID, Status: l.Status, Version: l.Version, ShownDigest: l.ShownDigest})
		if err != nil {
			return nil, err
		}
		if is {
			asking[l.ID] = true
		}
	}
	return asking, nil
}

// isAsking reports whether this operator answers the quiz of a now.
func isAsking(r Reader, m auth.Member, a Approval) (bool, error) {
	if a.Status.Final() {
		return false, nil
	}
	c, err := r.LatestChallenge(a.ID, m.Person.ID)
	if fault.Is(err, fault.Missing) {
		return false, nil
	}
	return err == nil && c.valid(a, m.Person.ID, scoring.ChallengeQuiz, ChallengeOpen, r.Now()), err
}

// cover says of a line whether its reader, who answers these, sees what it says.
func (l *Line) cover(asking map[string]bool) {
	l.Asking, l.Covered = asking[l.ID], len(asking) > 0
}
