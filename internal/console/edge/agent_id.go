package edge

import (
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// AgentID returns the agent of the path; what cannot be one is nobody.
func AgentID(c Call) (string, error) {
	if id := c.Param("agent"); auth.IsID("agt", id) {
		return id, nil
	}
	return "", fault.New(fault.Missing, "there is no agent with this ID in this organisation")
}
