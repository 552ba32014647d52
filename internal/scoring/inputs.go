package scoring

import (
	"time"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// Inputs are what an assessment is given beside the action, the policy and the agent's
// record: it is a pure function of all of them. They are recorded with it.
type Inputs struct {
	// CallNumber is 1 and the number of earlier calls of the same agent, session and
	// function that were spent and not reported failed.
	CallNumber int `json:"call_number"`
	// At is the database's clock, by which entries of the function registry end.
	At time.Time `json:"at,omitzero"`
	// Agent is the agent's name, by which entries of the function registry are for it.
	Agent string `json:"agent,omitempty"`
	// Environment is the one that an admin bound the agent to.
	Environment string `json:"environment,omitempty"`
	// Tool is the tool as an admin imported it for the agent.
	Tool *effects.Tool `json:"tool,omitempty"`
	// Remembered is the denial or the block of an act like it that holds it.
	Remembered *Remembered `json:"remembered,omitempty"`
	// Workspace is the folder that an admin bound the agent to, and Memory what it wrote
	// there before. Of that only what the call asks about (Examination.Asks) is recorded.
	Workspace *workspace.Binding `json:"workspace,omitempty"`
	Memory    *workspace.Memory  `json:"memory,omitempty"`
}

// Given is e with the inputs; without them there are none, but for the call number that
// Assess gets.
func (e Examination) Given(in Inputs) Examination {
	e = e.In(in.Workspace)
	e.inputs = in
	return e
}
