package trail

import (
	"context"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// AgentOverview is an agent as those who decide about it see it.
type AgentOverview struct {
	Name, Summary string
	Notices       []views.Notice
	Facts         []views.Fact
	// Links lead to its settings, as far as the reader may see them.
	Links []views.Link
	// Calls are what it asks most, first.
	Calls    []AgentCallRow
	Sessions []AgentSession
	// Grants are what it may do without asking.
	Grants views.SessionGrants
	// Record is its track record; nil for those who may not read about agents.
	Record *views.AgentRecord
	// Timeline is what people decided and what changed, newest first; All leads to the rest.
	Timeline []AuditRow
	All      []views.Link
}

// AgentCallRow is what became of its calls of one function.
type AgentCallRow struct {
	Function []views.Run
	URL      string // of the history; empty for none
	// Counts are asked, approved, denied, changes requested, blocked, expired, waiting.
	Counts []string
}

// AgentSession is one of its sessions.
type AgentSession struct {
	Name  []views.Run
	URL   string // empty for none
	Count string
	// When is for example "20 Nov 09:42:19", ISO the same as RFC 3339.
	When, ISO string
}

// agentCallHeads are the heads of what was counted, in the order of Counts.
func agentCallHeads(ctx context.Context) []string {
	return []string{
		texts.Say(ctx, "Asked"), texts.Say(ctx, "Approved"), texts.Say(ctx, "Denied"), texts.Say(ctx, "Changes requested"),
		texts.Say(ctx, "Blocked"), texts.Say(ctx, "Expired"), texts.Say(ctx, "Waiting"),
	}
}
