package approvals

import (
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
)

// What an assessment is given beside the action, the policy and the record.

// inputsOf are those of a call that an agent makes now.
func inputsOf(r Reader, agent auth.Agent) scoring.Inputs {
	return scoring.Inputs{Agent: agent.Name, At: r.Now()}
}

// inputs are those that a is assessed again with: as they were recorded, but for the
// time, which is that of now, so that what an entry of the registry lowered until then is
// not lowered any more.
func (a Approval) inputs(r Reader) scoring.Inputs {
	in := a.Assessment.Inputs
	in.Agent, in.At = a.Agent.Name, r.Now()
	return in
}
