package scoring

import (
	"time"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
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
	// Remembered is what was decided of an act like it before.
	Remembered *Remembered `json:"remembered,omitempty"`
}

// Remembered is a denial or a block that holds its like.
type Remembered struct {
	Approval string      `json:"approval"` // its id
	Verdict  string      `json:"verdict"`  // "deny" or "block"
	Level    level.Level `json:"level"`    // that it had
	At       time.Time   `json:"at"`
	By       string      `json:"by"` // the person's name, or "policy"
	Reason   string      `json:"reason,omitempty"`
	// Times is how often acts like it were asked for since, this one not counted.
	Times int `json:"times,omitempty"`
}

// Given is e with the inputs; without them there are none, but for the call number that
// Assess gets.
func (e Examination) Given(in Inputs) Examination {
	e.inputs = in
	return e
}
