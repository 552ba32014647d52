package storetest

import (
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/tenants"
)

// What an agent is bound to is what its events say, and nothing else.
func testBindingsHold(t *testing.T, w world) {
	p := w.acme
	err := w.Store.Tenants().Write(t.Context(), p.tenant, func(to tenants.Writer) error {
		told := func(kind audit.Kind, environment string) audit.Event {
			return audit.Event{Kind: kind, Actor: audit.Actor{Kind: "system"}, Agent: p.agent.ID, Data: canon.Object(canon.Member{Name: "environment", Value: canon.String(environment)})}
		}
		if err := to.BindAgent(p.agent.ID, "staging"); err != nil {
			return err
		}
		if err := to.AskBinding(p.agent.ID, tenants.Binding{Environment: "dev", By: p.ada.ID, Reason: "x"}); err != nil {
			return err
		}
		return to.Append(told(audit.AgentBound, "staging"), told(audit.AgentBindingAsked, "dev"))
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
	} {
		w.mustRaw(t, "UPDATE agents SET "+edit[0]+" WHERE agent_id = '%s'", p.agent.ID)
		holds(what, false)
		w.mustRaw(t, "UPDATE agents SET "+edit[1]+" WHERE agent_id = '%s'", p.agent.ID)
	}
	holds("put back", true)
}
