package approvals

import (
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
)

// What an assessment is given beside the action, the policy and the record.

// inputsOf are those of a call that an agent makes now.
func inputsOf(r Reader, agent auth.Agent) (scoring.Inputs, error) {
	environment, err := r.AgentEnvironment(agent.ID)
	return scoring.Inputs{Agent: agent.Name, At: r.Now(), Environment: environment}, err
}

// inputs are those that a is assessed again with: as they were recorded, but for the
// time and the agent's environment, which are those of now. So what an entry of the
// registry lowered until then, or a binding that ended, lowers nothing any more.
func (a Approval) inputs(r Reader) (in scoring.Inputs, err error) {
	in = a.Assessment.Inputs
	in.Agent, in.At = a.Agent.Name, r.Now()
	in.Environment, err = r.AgentEnvironment(a.Agent.ID)
	return in, err
}
