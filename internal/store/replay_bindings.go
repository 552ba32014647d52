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

var bindingKinds = []audit.Kind{audit.AgentBound, audit.AgentBindingAsked, audit.AgentBindingDropped}

// toldBinding is what the events say about one agent.
type toldBinding struct {
	At           int64 // of the last event
	Bound, Asked tenants.Bound
	By           string // who asked, and when
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
// are held at.
func (t *tx) replayBindings(size int64) (at int64, problem string, err error) {
	told := map[string]toldBinding{}
	for last := int64(-1); ; {
		events, err := t.eventsAfter(last, bindingBatch, bindingKinds...)
		if err != nil {
			return 0, "", err
		}
		for _, e := range events {
			last = e.Index
			hearBinding(told, e)
		}
		if len(events) < bindingBatch {
			return t.bindingsContradict(told, size, "")
		}
	}
}

// hearBinding adds one event.
func hearBinding(told map[string]toldBinding, e audit.Event) {
	b := told[e.Agent]
	b.At, b.Asked, b.By = e.Index, tenants.Bound{}, ""
	switch e.Kind {
	case audit.AgentBound:
		b.Bound = toldBound(e)
	case audit.AgentBindingAsked:
		b.Asked, b.By = toldBound(e), joined(e.Actor.ID, audit.FormatTime(e.At), e.Data.Get("reason").Text())
	default:
	}
	told[e.Agent] = b
}

// bindingsContradict names the first thing that the tables have otherwise. "" are all agents.
func (t *tx) bindingsContradict(told map[string]toldBinding, size int64, agent string) (at int64, problem string, err error) {
	rows, err := t.agentRows(agent)
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		b, ok := told[r.AgentID]
		if !ok {
			b.At = size
		}
		bound, asked, by := r.bound(), tenants.Bound{}, ""
		if r.AskedAt != nil {
			asked, by = r.askedFor(), joined(r.AskedBy, instant(r.AskedAt), r.AskedReason)
		}
		if problem := firstDifference([]said{
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
