package approvals

import (
	"strings"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// moved says what is no more as it was when a was assessed: with that it was assessed as,
// under this version of the policy, and is treated more strictly.
func (a Approval) moved(as scoring.Assessment, version int64) fault.Text {
	was, now := a.Assessment.Inputs, as.Inputs
	var all []fault.Text
	if version != a.PolicyVersion {
		all = append(all, fault.Textf("the policy changed"))
	}
	switch {
	case was.Environment == now.Environment:
	case now.Environment == "":
		all = append(all, fault.Textf("the agent is no longer bound to the environment %s", was.Environment))
	default:
		all = append(all, fault.Textf("the agent was bound to another environment"))
	}
	switch {
	case was.Workspace == nil && now.Workspace == nil, was.Workspace != nil && now.Workspace != nil && *was.Workspace == *now.Workspace:
	case now.Workspace == nil:
		all = append(all, fault.Textf("the agent is no longer bound to a workspace"))
	default:
		all = append(all, fault.Textf("the agent was bound to another workspace"))
	}
	if (was.Tool == nil) != (now.Tool == nil) || was.Tool != nil && *was.Tool != *now.Tool {
		all = append(all, fault.Textf("the imported tool changed"))
	}
	if entry := a.Assessment.Floor.Entry; entry != "" && entry != as.Floor.Entry && len(all) == 0 {
		all = append(all, fault.Textf("the registry entry %s ended", entry))
	}
	if since := a.writtenSince(as); len(since) > 0 {
		all = append(all, fault.Textf("files the agent has written since then change what it does: %s", strings.Join(since, "; ")))
	}
	if len(all) == 0 {
		return fault.Textf("what it depends on changed")
	}
	return fault.Join(all, "; ")
}
