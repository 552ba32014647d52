package reconcile

import (
	"fmt"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/tenants"
)

// verifyTools holds the imported tools of agents against the events: a tool that is described
// otherwise than somebody accepted it, or that raises nothing any more, lowers what its calls
// are held at.
func (t Checks) verifyTools(size int64) (at int64, problem string, err error) {
	logged := map[string]logstate.Tools{}
	if err := t.EachEvent(func(e audit.Event) { logstate.ApplyTools(logged, e) }, "kind IN ?", logstate.ToolsKinds); err != nil {
		return 0, "", err
	}
	return t.toolsMismatch(logged, size, "")
}

// toolsMismatch names the first thing that the tables have otherwise. "" are all agents.
func (t Checks) toolsMismatch(logged map[string]logstate.Tools, size int64, agent string) (at int64, problem string, err error) {
	agents, err := t.agentsWithTools(agent)
	if err != nil {
		return 0, "", err
	}
	for _, id := range agents {
		if _, ok := logged[id]; !ok {
			return size, fmt.Sprintf("the agent %s has tools in the database, but no event says that they were imported", id), nil
		}
	}
	for id, e := range logged {
		if e.Sum == "" || agent != "" && id != agent {
			continue
		}
		all, err := t.org.ImportedTools(id)
		if err != nil {
			return 0, "", err
		}
		if tenants.ToolsSum(all) != e.Sum || e.All != "" && tenants.ToolsWhole(all) != e.All {
			return e.At, fmt.Sprintf("the stored tools of the agent %s don't match its events", id), nil
		}
	}
	return 0, "", nil
}

// agentsWithTools are those that have imported tools; of one agent, that one or none.
func (t Checks) agentsWithTools(agent string) (agents []string, err error) {
	if agent == "" {
		return agents, t.Of("imported_tools").Distinct("agent_id").Order("agent_id").Pluck("agent_id", &agents).Error
	}
	all, err := t.org.ImportedTools(agent)
	if len(all) > 0 {
		agents = []string{agent}
	}
	return agents, err
}
