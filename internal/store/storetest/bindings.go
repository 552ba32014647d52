package storetest

import (
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

// What an agent is bound to is what its events say, and nothing else.
func testBindingsHold(t *testing.T, w world) {
	p := w.acme
	bound := tenants.Bound{Environment: "staging", Workspace: workspace.Binding{Folder: "/srv/shop", Sandboxed: true}}
	asked := tenants.Bound{Environment: "dev", Workspace: workspace.Binding{Folder: "/srv/web"}}
	err := w.Store.Tenants().Write(t.Context(), p.tenant, func(to tenants.Writer) error {
		told := func(kind audit.Kind, b tenants.Bound) audit.Event {
			return audit.Event{Kind: kind, Actor: audit.Actor{Kind: "person", ID: p.ada.ID}, Agent: p.agent.ID, Data: canon.Object(append(b.Data(), canon.Member{Name: "reason", Value: canon.String("x")})...)}
		}
		if err := to.BindAgent(p.agent.ID, bound); err != nil {
			return err
		}
		if err := to.AskBinding(p.agent.ID, tenants.Binding{Bound: asked, By: p.ada.ID, Reason: "x"}); err != nil {
			return err
		}
		if a, err := to.Agent(p.agent.ID); err != nil || a.Bound != bound || a.Asked == nil || a.Asked.Bound != asked {
			t.Errorf("got %+v, %v", a, err)
		}
		return to.Append(told(audit.AgentBound, bound), told(audit.AgentBindingAsked, asked))
	})
	if err != nil {
		t.Fatal(err)
	}
	holds := func(what string, want bool) {
		t.Helper()
		if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || r.OK != want {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
	}
	holds("as it is", true)
	for what, edit := range map[string][2]string{
		"another environment":    {"environment = 'sandbox'", "environment = 'staging'"},
		"none":                   {"environment = ''", "environment = 'staging'"},
		"another that is asked":  {"asked_environment = 'sandbox'", "asked_environment = 'dev'"},
		"nothing asked any more": {"asked_environment = ''", "asked_environment = 'dev'"},
		"another folder":         {"workspace = '/srv'", "workspace = '/srv/shop'"},
		"no folder":              {"workspace = ''", "workspace = '/srv/shop'"},
		"no sandbox":             {"sandboxed = FALSE", "sandboxed = TRUE"},
		"another folder asked":   {"asked_workspace = '/srv'", "asked_workspace = '/srv/web'"},
		"a sandbox asked":        {"asked_sandboxed = TRUE", "asked_sandboxed = FALSE"},
		"somebody else asks":     {"asked_by = 'per_else'", "asked_by = '" + p.ada.ID + "'"},
	} {
		w.mustRaw(t, "UPDATE agents SET "+edit[0]+" WHERE agent_id = '%s'", p.agent.ID)
		holds(what, false)
		w.mustRaw(t, "UPDATE agents SET "+edit[1]+" WHERE agent_id = '%s'", p.agent.ID)
	}
	holds("put back", true)
}
