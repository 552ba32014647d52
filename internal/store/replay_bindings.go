package store

import (
	"fmt"
	"strconv"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

// bindingBatch is how many events about bindings are read at once.
const bindingBatch = 200

// toldBinding is what the events say about one agent.
type toldBinding struct {
	at           int64 // of the last event
	bound, asked tenants.Bound
	by           string // who asked, and when
}

// toldBound is what an event says of a binding.
func toldBound(e audit.Event) tenants.Bound {
	return tenants.Bound{
		Environment: e.Data.Get("environment").Text(),
		Workspace:   workspace.Binding{Folder: e.Data.Get("workspace").Text(), Sandboxed: e.Data.Get("sandboxed").Bool()},
	}
}

// inSandbox says whether a folder is a sandbox, as it is compared.
func inSandbox(b tenants.Bound) string { return strconv.FormatBool(b.Workspace.Sandboxed) }

// replayBindings holds what agents are bound to, and what is asked
// for, against the events: a binding that nobody made would lower what an agent's calls
// are held at. "" are all agents.
func (t *tx) replayBindings(size int64, agent string) (at int64, problem string, err error) {
	told := map[string]toldBinding{}
	for last := int64(-1); ; {
		events, err := t.fewOf(agent, last, bindingBatch, audit.AgentBound, audit.AgentBindingAsked, audit.AgentBindingDropped)
		if err != nil {
			return 0, "", err
		}
		for _, e := range events {
			b := told[e.Agent]
			b.at, b.asked, b.by = e.Index, tenants.Bound{}, ""
			switch e.Kind {
			case audit.AgentBound:
				b.bound = toldBound(e)
			case audit.AgentBindingAsked:
				b.asked, b.by = toldBound(e), joined(e.Actor.ID, audit.FormatTime(e.At))
			default:
			}
			told[e.Agent], last = b, e.Index
		}
		if len(events) < bindingBatch {
			break
		}
	}
	var rows []agentRow
	if err := t.ofAgent("agents", agent).Find(&rows).Error; err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		b, ok := told[r.AgentID]
		if !ok {
			b.at = size
		}
		bound, asked, by := r.bound(), tenants.Bound{}, ""
		if r.AskedAt != nil {
			asked, by = r.askedFor(), joined(r.AskedBy, instant(r.AskedAt))
		}
		if problem := firstDifference([]said{
			{"environment", bound.Environment, b.bound.Environment},
			{"environment that is asked for", asked.Environment, b.asked.Environment},
			{"workspace", bound.Workspace.Folder, b.bound.Workspace.Folder},
			{"workspace that is asked for", asked.Workspace.Folder, b.asked.Workspace.Folder},
			{"person who asks, and when", by, b.by},
			{"sandbox", inSandbox(bound), inSandbox(b.bound)},
			{"sandbox that is asked for", inSandbox(asked), inSandbox(b.asked)},
		}); problem != "" {
			return b.at, fmt.Sprintf("the agent %s: %s", r.AgentID, problem), nil
		}
	}
	return 0, "", nil
}
