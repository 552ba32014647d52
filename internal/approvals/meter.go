package approvals

import (
	"time"

	"github.com/countersign/countersign/internal/scoring/level"
)

// Meter counts what happened, after its commit. It must not block.
type Meter interface {
	// Submitted is a new approval, with the status that the policy gave it.
	Submitted(s Status, l level.Level)
	// Decided is an approval that became final, the policy's own included.
	Decided(s Status, l level.Level)
	// Assessed is a dry run, with the status that the policy would give.
	Assessed(s Status, l level.Level)
	// Scored is how long the models read one new action.
	Scored(took time.Duration)
}

// unmetered is the Meter of a Service that was given none.
type unmetered struct{}

func (unmetered) Submitted(Status, level.Level) {}
func (unmetered) Decided(Status, level.Level)   {}
func (unmetered) Assessed(Status, level.Level)  {}
func (unmetered) Scored(time.Duration)          {}

// changed tells after the commit that a may have become final.
func (s *Service) changed(a Approval) {
	if a.Status.Final() {
		s.meter.Decided(a.Status, a.Assessment.Level)
	}
	s.live.Publish(a.Tenant, a.ID)
}
