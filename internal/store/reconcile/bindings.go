package reconcile

import (
	"fmt"
	"strconv"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// inSandbox says whether a folder is a sandbox, as it is compared.
func inSandbox(b tenants.Bound) string { return strconv.FormatBool(b.Workspace.Sandboxed) }

// verifyBindings holds what agents are bound to, and what is asked
// for, against the events: a binding that nobody made would lower what an agent's calls
// are held at.
func (t Checks) verifyBindings(size int64) (at int64, problem string, err error) {
	logged := map[string]logstate.Binding{}
	if err := t.EachEvent(func(e audit.Event) { logstate.ApplyBinding(logged, e) }, "kind IN ?", logstate.BindingKinds); err != nil {
		return 0, "", err
	}
	return t.bindingsMismatch(logged, size, "")
}

// bindingsMismatch names the first thing that the tables have otherwise. "" are all agents.
func (t Checks) bindingsMismatch(logged map[string]logstate.Binding, size int64, agent string) (at int64, problem string, err error) {
	rows, err := t.org.AgentRows(agent)
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		b, ok := logged[r.AgentID]
		if !ok {
			b.At = size
		}
		bound, asked, by := r.Bound(), tenants.Bound{}, ""
		if r.AskedAt != nil {
			asked, by = r.AskedFor(), logstate.Joined(r.AskedBy, tables.Instant(r.AskedAt), r.AskedReason)
		}
		if problem := firstDifference([]comparison{
			{"environment", bound.Environment, b.Bound.Environment},
			{"environment that is asked for", asked.Environment, b.Asked.Environment},
			{"workspace", bound.Workspace.Folder, b.Bound.Workspace.Folder},
			{"workspace that is asked for", asked.Workspace.Folder, b.Asked.Workspace.Folder},
			{"person who asks, when and why", by, b.By},
			{"sandbox", inSandbox(bound), inSandbox(b.Bound)},
			{"sandbox that is asked for", inSandbox(asked), inSandbox(b.Asked)},
		}); problem != "" {
			return b.At, fmt.Sprintf("the agent %s: %s", r.AgentID, problem), nil
		}
	}
	return 0, "", nil
}
