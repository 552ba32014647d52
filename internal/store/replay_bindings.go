package store

import (
	"fmt"

	"github.com/countersign/countersign/internal/audit"
)

// bindingBatch is how many events about bindings are read at once.
const bindingBatch = 200

// toldBinding is what the events say about one agent's environment.
type toldBinding struct {
	at                 int64 // of the last event
	environment, asked string
}

// replayBindings holds the environments that agents are bound to, and those that are asked
// for, against the events: a binding that nobody made would lower what an agent's calls
// are held at.
func (t *tx) replayBindings(size int64) (at int64, problem string, err error) {
	told := map[string]toldBinding{}
	for last := int64(-1); ; {
		events, err := t.eventsAfter(last, bindingBatch, audit.AgentBound, audit.AgentBindingAsked, audit.AgentBindingDropped)
		if err != nil {
			return 0, "", err
		}
		for _, e := range events {
			b := told[e.Agent]
			b.at, b.asked = e.Index, ""
			switch e.Kind {
			case audit.AgentBound:
				b.environment = e.Data.Get("environment").Text()
			case audit.AgentBindingAsked:
				b.asked = e.Data.Get("environment").Text()
			default:
			}
			told[e.Agent], last = b, e.Index
		}
		if len(events) < bindingBatch {
			break
		}
	}
	var rows []agentRow
	if err := t.of("agents").Find(&rows).Error; err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		b, ok := told[r.AgentID]
		if !ok {
			b.at = size
		}
		asked := ""
		if r.AskedAt != nil {
			asked = r.AskedEnvironment
		}
		if problem := firstDifference([]said{{"environment", r.Environment, b.environment}, {"environment that is asked for", asked, b.asked}}); problem != "" {
			return b.at, fmt.Sprintf("the agent %s: %s", r.AgentID, problem), nil
		}
	}
	return 0, "", nil
}
