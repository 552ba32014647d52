package approvals

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// maxDetail bounds what an agent says about an outcome, in bytes.
const maxDetail = 4096

// Report stores what happened when the agent ran what was approved. The same
// report twice is one.
func (s *Service) Report(ctx context.Context, agent auth.Agent, id, status, detail string) (a Approval, err error) {
	if status != "succeeded" && status != "failed" {
		return a, fault.Member(fault.InvalidMember, "/status", "%.60q isn't an outcome; send succeeded or failed", status)
	}
	if len(detail) > maxDetail {
		return a, fault.Member(fault.InvalidMember, "/detail", "%d bytes is too large; send at most %d", len(detail), maxDetail)
	}
	err = s.writeAs(ctx, agent, func(w Writer) error {
		a, err = w.Approval(id)
		if a, err = own(a, agent, err); err != nil {
			return err
		}
		if a.Grant == nil || a.Grant.ConsumedAt == nil {
			return fault.New(fault.NotConsumed, "the grant wasn't consumed, so nothing can have run; consume it first")
		}
		masked, err := s.maskResult(w, a, detail)
		if err != nil {
			return err
		}
		e := Execution{Status: status, Detail: masked, ReportedAt: w.Now()}
		if old := a.Execution; old != nil {
			if old.Status == e.Status && old.Detail == e.Detail {
				return nil
			}
			return fault.New(fault.AlreadyReported, "%s was reported at %s and can't be changed", old.Status, old.ReportedAt.Format(time.RFC3339))
		}
		a.Execution = &e
		learned, err := a.learnReport(w) // holds the agent before the count of its calls, as Consume does
		if err != nil {
			return err
		}
		if err := w.Report(id, e); err != nil {
			return err
		}
		if status == "failed" {
			if err := a.failedFiles(w); err != nil {
				return err
			}
		}
		return w.Append(a.event(audit.Reported, a.agentActor(), append(learned, member("status", canon.String(status)), member("detail", text(masked)))...))
	})
	if err != nil {
		return Approval{}, err
	}
	s.live.Publish(agent.Tenant, id)
	return a, nil
}
