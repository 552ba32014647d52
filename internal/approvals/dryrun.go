package approvals

import (
	"context"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/headline"
)

// DryRun is what would come of an action, were it submitted now. There is no
// approval behind it, so nobody can decide it and nothing can be spent.
type DryRun struct {
	// Status is what the policy, and what was allowed ahead, would make of it: Approved,
	// Blocked or Pending.
	Status              Status
	Digest, ShownDigest string // as in Approval
	Assessment          scoring.Assessment
	Treatment           scoring.Treatment
	Headline            headline.Headline
	Asks                scoring.ChallengeKind // what an operator would get
	Needed              []deciders.Needed     // who would have to approve it
	PolicyVersion       int64
	CallNumber          int // the one that the next submission would get
}

// Assess scores an action as Submit would. It stores the event that says so, and the
// record of the evaluation: who tried what before submitting it can be found. Only what
// is spent counts as a call, so that trying makes nothing look familiar; and nothing was
// asked for, so that it does not count in the score of the session.
func (s *Service) Assess(ctx context.Context, agent auth.Agent, action scoring.Action) (DryRun, error) {
	exam, err := s.examine(ctx, agent, action, "")
	if err != nil {
		return DryRun{}, err
	}
	var a Approval // as it would be; it is never stored
	var asks scoring.ChallengeKind
	err = s.store.WriteAs(ctx, agent, callOf(action), func(w Writer) error {
		if exam, err = s.underNow(w, agent, action, "", exam); err != nil {
			return err
		}
		calls, err := w.Calls(agent.ID, action.SessionID(), action.Function())
		if err != nil {
			return err
		}
		given, err := inputsOf(w, agent, action.Function())
		if err != nil {
			return err
		}
		if exam.Examination, err = remembering(w, exam.Examination, given, agent.ID, ""); err != nil {
			return err
		}
		if exam.Examination, err = trusting(w, exam.Examination, agent.ID, action.Function(), calls+1); err != nil {
			return err
		}
		proposed := s.propose(agent, Submission{Action: action}, exam, calls+1, w.Now())
		if a, err = proposed.foretold(w, action); err != nil {
			return err
		}
		if _, err := w.KeepEvaluation(a.evaluation(true)); err != nil {
			return err
		}
		if asks, err = s.asks(w, a); err != nil {
			return err
		}
		if a, err = a.Judged(w); err != nil {
			return err
		}
		return w.Append(a.assessedEvent())
	})
	if err != nil {
		return DryRun{}, err
	}
	s.meter.Assessed(a.Status, a.Assessment.Level)
	return DryRun{
		Status: a.Status, Digest: a.Digest, ShownDigest: a.ShownDigest,
		Assessment: a.Assessment, Treatment: a.Treatment, Headline: a.Subject().Headline, Asks: asks, Needed: a.Needed, PolicyVersion: exam.version, CallNumber: a.CallNumber,
	}, nil
}

// assessedEvent names no approval: there is none.
func (a Approval) assessedEvent() audit.Event {
	a.ID = ""
	return a.event(audit.AssessmentMade, a.agentActor(),
		member("dry_run", canon.Bool(true)),
		member("evaluation_id", canon.String(a.Assessment.Patterns.EvaluationID)),
		member("status", canon.String(string(a.Status))),
		member("digest", canon.String(a.Digest)),
		member("shown_digest", canon.String(a.ShownDigest)),
		member("session", text(a.Session)),
		member("call_number", canon.Int(int64(a.CallNumber))),
		member("treatment", a.treatmentData()),
	)
}
