package store

import (
	"fmt"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/tenants"
)

// toolsBatch is how many events are read at once. Each may name some hundred tools.
const toolsBatch = 50

// toldTools is what the newest event says of an agent's tools.
type toldTools struct {
	at  int64
	sum string // "" in events of before they had it: what is stored stands for them
}

// replayTools holds the imported tools of agents against the events: a tool that is described
// otherwise than somebody accepted it, or that raises nothing any more, lowers what its calls
// are held at. "" are all agents.
func (t *tx) replayTools(size int64, agent string) (at int64, problem string, err error) {
	told, err := t.toldTools(agent)
	if err != nil {
		return 0, "", err
	}
	var agents []string
	if err := t.ofAgent("imported_tools", agent).Distinct("agent_id").Order("agent_id").Pluck("agent_id", &agents).Error; err != nil {
		return 0, "", err
	}
	for _, id := range agents {
		if _, ok := told[id]; !ok {
			return size, fmt.Sprintf("the agent %s has tools in the database, but no event says that they were imported", id), nil
		}
	}
	for id, e := range told {
		if e.sum == "" {
			continue
		}
		all, err := t.ImportedTools(id)
		if err != nil {
			return 0, "", err
		}
		if tenants.ToolsSum(all) != e.sum {
			return e.at, fmt.Sprintf("the stored tools of the agent %s don't match its events", id), nil
		}
	}
	return 0, "", nil
}

func (t *tx) toldTools(agent string) (map[string]toldTools, error) {
	told := map[string]toldTools{}
	kinds := []audit.Kind{audit.ToolsImported, audit.ToolsRemoved}
	if agent != "" { // the newest is enough
		var rows []auditEventRow
		if err := t.of("audit_events").Where("agent_id = ? AND kind IN ?", agent, kinds).Order("+idx DESC").Limit(1).Find(&rows).Error; err != nil {
			return nil, err
		}
		events, err := t.heard(rows)
		for _, e := range events {
			told[e.Agent] = toldTools{e.Index, e.Data.Get("tools_sum").Text()}
		}
		return told, err
	}
	for last := int64(-1); ; {
		events, err := t.eventsOf(t.ofAgent("audit_events", agent).Where("idx > ? AND kind IN ?", last, kinds), toolsBatch)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			last = e.Index
			told[e.Agent] = toldTools{e.Index, e.Data.Get("tools_sum").Text()}
		}
		if len(events) < toolsBatch {
			return told, nil
		}
	}
}
