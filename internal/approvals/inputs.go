package approvals

import (
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
)

// What an assessment is given beside the action, the policy and the record.

// inputsOf are those of a call that an agent makes now.
func inputsOf(r Reader, agent auth.Agent, function string) (scoring.Inputs, error) {
	return asOfNow(r, agent.ID, agent.Name, function, scoring.Inputs{})
}

// inputs are those that a is assessed again with: as they were recorded, but for the
// time, what the agent is bound to and the imported tool, which are those of now. So what an
// entry of the registry lowered until then, a binding that ended, or what was accepted of
// a tool that its server describes otherwise by now, lowers nothing any more.
func (a Approval) inputs(r Reader) (scoring.Inputs, error) {
	return asOfNow(r, a.Agent.ID, a.Agent.Name, a.Function, a.Assessment.Inputs)
}

func asOfNow(r Reader, id, agent, function string, in scoring.Inputs) (scoring.Inputs, error) {
	in.Agent, in.At = agent, r.Now()
	bound, err := r.AgentBound(id)
	if err != nil {
		return in, err
	}
	in.Environment, in.Workspace = bound.Environment, bound.Folder()
	in.Tool, err = r.ImportedTool(id, function)
	return in, err
}
