package approvals

import (
	"context"

	"github.com/countersign/countersign/internal/auth"
)

// evaluationStep is how many evaluations WalkEvaluations holds at once.
const evaluationStep = 500

// Evaluated is the record of an evaluation as somebody reads it.
type Evaluated struct {
	Evaluation
	// Sealed says that its request waits and its score is sealed for the reader: everything
	// that was scanned is left out.
	Sealed bool
}

// WalkEvaluations calls fn for the records that are kept, newest first. Who takes so much
// out of the console needs the permission to export.
func (s *Service) WalkEvaluations(ctx context.Context, m auth.Member, q EvaluationQuery, fn func(Evaluated) error) error {
	if err := may(m, auth.ExportAudit); err != nil {
		return err
	}
	sealed, err := s.AllSealed(ctx, m)
	if err != nil {
		return err
	}
	q.Limit = evaluationStep
	for {
		var page []Evaluation
		err := s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
			page, err = r.Evaluations(q)
			return err
		})
		if err != nil {
			return err
		}
		for _, e := range page {
			one := Evaluated{Evaluation: e, Sealed: e.Approval != "" && sealed[e.Approval]}
			if one.Sealed {
				one.Evaluation = e.unscored()
			}
			if err := fn(one); err != nil {
				return err
			}
		}
		if len(page) < evaluationStep {
			return nil
		}
		q.Before = page[len(page)-1].ID
	}
}

// unscored is e without what the scan found.
func (e Evaluation) unscored() Evaluation {
	return Evaluation{
		ID: e.ID, At: e.At, Approval: e.Approval, DryRun: e.DryRun, Agent: e.Agent, Session: e.Session, ToolCall: e.ToolCall,
		LifecyclePoint: e.LifecyclePoint, Function: e.Function, PolicyVersion: e.PolicyVersion, LibraryVersion: e.LibraryVersion,
	}
}
