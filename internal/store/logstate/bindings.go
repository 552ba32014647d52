package logstate

import (
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

// BindingKinds are what a Binding follows from.
var BindingKinds = []audit.Kind{audit.AgentBound, audit.AgentBindingAsked, audit.AgentBindingDropped}

// Binding is what the events say about one agent.
type Binding struct {
	At           int64 // of the last event
	Bound, Asked tenants.Bound
	By           string // who asked, and when
}

// BoundIn is what an event says of a binding.
func BoundIn(e audit.Event) tenants.Bound {
	return tenants.Bound{
		Environment: e.Data.Get("environment").Text(),
		Workspace:   workspace.Binding{Folder: e.Data.Get("workspace").Text(), Sandboxed: e.Data.Get("sandboxed").Bool()},
	}
}

// ApplyBinding adds one event.
func ApplyBinding(logged map[string]Binding, e audit.Event) {
	b := logged[e.Agent]
	b.At, b.Asked, b.By = e.Index, tenants.Bound{}, ""
	switch e.Kind {
	case audit.AgentBound:
		b.Bound = BoundIn(e)
	case audit.AgentBindingAsked:
		b.Asked, b.By = BoundIn(e), Joined(e.Actor.ID, audit.FormatTime(e.At), e.Data.Get("reason").Text())
	default:
	}
	logged[e.Agent] = b
}
