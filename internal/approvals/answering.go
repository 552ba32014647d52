package approvals

import (
	"context"
	"maps"
	"slices"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// While somebody answers a quiz, the request that it asks about is out of sight, and so are
// the others of its agent, which may be the same act or the one before it. Nothing is compared
// with anything: a text that is left out where a value stands in it would tell that value. The
// requests of other agents stay as they are, and of the pages of the console those that show
// no such request (console, covered.go).

// Asked are the requests whose quiz somebody answers now, with the agent of each.
type Asked map[string]string

// Covers reports whether the requests of an agent are out of sight.
func (a Asked) Covers(agent string) bool {
	return slices.Contains(slices.Collect(maps.Values(a)), agent)
}

// Answering are the requests whose quiz this person answers now.
func (s *Service) Answering(ctx context.Context, m auth.Member) (asking Asked, err error) {
	if !m.May(auth.Decide) {
		return nil, nil // who may not decide answers nothing
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		asking, err = answering(r, m)
		return err
	})
	return asking, err
}

func answering(r Reader, m auth.Member) (Asked, error) {
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
	asking := Asked{}
	for _, l := range lines {
		is, err := isAsking(r, m, Approval{ID: l.ID, Status: l.Status, Version: l.Version, ShownDigest: l.ShownDigest})
		if err != nil {
			return nil, err
		}
		if is {
			asking[l.ID] = l.Agent.ID
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
func (l *Line) cover(asking Asked) {
	_, l.Asking = asking[l.ID]
	l.Covered = asking.Covers(l.Agent.ID)
}
