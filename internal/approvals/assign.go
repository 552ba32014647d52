package approvals

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Asking somebody else to decide. Like a claim it is courtesy: it decides nothing and keeps
// nobody from deciding. It holds for as long as the request waits, and since nobody knows
// whether the person is there, it holds no call back as a claim does.

// assignedFor is how much longer than its request an assignment holds: as much as anybody
// can extend it.
const assignedFor = 24 * time.Hour

// Assignee is somebody who may decide a request, by their id and name.
type Assignee struct{ Person, Name string }

// assignees are the others who may decide a now: not its owner, not who signed it, not who
// failed its questions. They are for an operator who may refuse it, as more time is: whose
// agent asks must not choose who decides.
func (e eligibility) assignees(r Reader, a Approval) (all []Assignee, err error) {
	if !e.mayRefuse {
		return nil, nil
	}
	for _, p := range e.able {
		failed := 0
		if a.Treatment.Challenge == scoring.ChallengeQuiz {
			if failed, err = r.FailedAttempts(a, p.Person, r.Now().Add(-failuresCount)); err != nil {
				return nil, err
			}
		}
		if failed < maxAttempts {
			all = append(all, p)
		}
	}
	return all, nil
}

// Assign asks another person to decide. from is the person who was on it, as this operator
// saw; empty for nobody. Where that is no longer so it is fault.Changed.
func (s *Service) Assign(ctx context.Context, m auth.Member, id, to, from string) error {
	var written bool
	err := s.store.Write(ctx, m.Tenant, func(w Writer) error {
		written = false
		a, who, err := refusable(w, m, id)
		if err != nil {
			return err
		}
		able, err := who.assignees(w, a)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(able, func(p Assignee) bool { return p.Person == to }) {
			return fault.Member(fault.InvalidForm, "to", "choose someone who can decide this request; reload the page for the current list")
		}
		held, err := holder(w, id)
		switch {
		case err != nil:
			return err
		case held.Person == to: // it is theirs already, taken or assigned
			return nil
		case held.Person != from:
			return s.heldByAnother(held)
		}
		c := Claim{Approval: id, Person: to, By: m.Person.ID, At: w.Now(), Until: a.ExpiresAt.Add(assignedFor)}
		if err := w.Claim(c, from); err != nil {
			return err
		}
		written = true
		return w.Append(a.event(audit.Assigned, personActor(m), member("to", canon.String(to)), member("from", text(from))))
	})
	if written && err == nil {
		s.live.Publish(m.Tenant, id)
	}
	return err
}

// heldByAnother says that a request is no longer whose the form said.
func (s *Service) heldByAnother(held Claim) error {
	if held.Person == "" {
		return fault.New(fault.Changed, "the claim has ended; claim it again")
	}
	if held.By != "" {
		return fault.New(fault.Changed, "this is assigned to %s now; take over if you need to", held.Name)
	}
	return fault.New(fault.Changed, "%s has claimed this; take over if you need to", held.Name)
}
