package effects

import "github.com/countersign/countersign/internal/canon"

// Input is what is read of an action.
type Input struct {
	Function  string
	Arguments canon.Value // an object, an array, or Absent
	Code      string
	Docstring string
	Hints     canon.Value // an object or Absent
	// Environment is what the call itself says of it.
	Environment string
}

// Reading is what was read of a call, whoever makes it. It never changes.
type Reading struct {
	effects []Effect
}

// Given is what the effects of a call depend on beside the call.
type Given struct {
	// OwnDomains are those of the organisation: messages to them stay inside.
	OwnDomains []string
	// Tool is the tool as an admin imported it for this agent; nil where nobody did.
	Tool *Tool
	// Named is what the policy's function registry says in place of the name; "" for nothing.
	Named Kind
}

// Tool is what an admin accepted of a tool of an imported server.
type Tool struct {
	Name     string `json:"name"`
	Effect   Kind   `json:"effect,omitempty"`    // as the admin corrected it; "" for what is read
	ReadOnly bool   `json:"read_only,omitempty"` // the server's annotation readOnlyHint
}

// Examine reads a call.
func Examine(in Input) Reading { return Reading{} }

// Effects are those of the call, the worst kind first; never none.
func (r Reading) Effects(given Given) []Effect {
	return []Effect{{Kind: Unknown, Breadth: One, Evidence: []Evidence{{Pointer: "/function", Why: "no known verb"}}}}
}
