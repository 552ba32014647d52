package tenants_test

import (
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

func (v *town) bound(id string) tenants.Agent {
	v.t.Helper()
	l, err := v.Agent(v.t.Context(), v.people["adam"], id)
	must(v.t, err)
	return l.Agents[0]
}

// Binding an agent needs two admins; ending it needs one.
func TestBindAgent(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam, eve := v.people["adam"], v.people["alma"]
	_, a := v.make("bot")
	staging := tenants.NewBinding{Bound: tenants.Bound{Environment: " Staging "}, Reason: "it only sees test data"}
	for what, in := range map[string]tenants.NewBinding{
		"no name":   {Bound: tenants.Bound{Environment: "a b"}, Reason: "x"},
		"no reason": {Bound: tenants.Bound{Environment: "staging"}},
		"no change": {Reason: "x"},
	} {
		_, err := v.BindAgent(t.Context(), adam, a.ID, in)
		wantFault(t, what, err, fault.InvalidForm)
	}
	_, err := v.BindAgent(t.Context(), v.people["ada"], a.ID, staging)
	wantFault(t, "an operator", err, fault.Denied)
	_, err = v.BindAgent(t.Context(), v.people["rita"], a.ID, staging)
	wantFault(t, "an admin elsewhere", err, fault.Missing)

	asked, err := v.BindAgent(t.Context(), adam, a.ID, staging)
	must(t, err)
	if b := v.bound(a.ID); !asked || b.Environment != "" || b.Asked == nil || b.Asked.Environment != "staging" || b.Asked.By != adam.Person.ID {
		t.Errorf("asked %v, it is %+v", asked, b)
	}
	v.last(audit.AgentBindingAsked, adam)
	wantFault(t, "one's own", v.AcceptBinding(t.Context(), adam, a.ID, tenants.Bound{Environment: "staging"}), fault.NotEligible)
	wantFault(t, "another one", v.AcceptBinding(t.Context(), eve, a.ID, tenants.Bound{Environment: "dev"}), fault.Changed)
	wantFault(t, "an operator accepts", v.AcceptBinding(t.Context(), v.people["ada"], a.ID, tenants.Bound{Environment: "staging"}), fault.Denied)
	must(t, v.DropBinding(t.Context(), eve, a.ID))
	v.last(audit.AgentBindingDropped, eve)
	wantFault(t, "what was dropped", v.AcceptBinding(t.Context(), eve, a.ID, tenants.Bound{Environment: "staging"}), fault.Changed)

	_, err = v.BindAgent(t.Context(), adam, a.ID, staging)
	must(t, err)
	must(t, v.AcceptBinding(t.Context(), eve, a.ID, tenants.Bound{Environment: "staging"}))
	if b := v.bound(a.ID); b.Environment != "staging" || b.Asked != nil {
		t.Errorf("it is %+v", b)
	}
	if e := v.last(audit.AgentBound, eve); e.Data.Get("environment").Text() != "staging" || e.Data.Get("asked_by").Text() != adam.Person.ID || e.Agent != a.ID {
		t.Errorf("the event says %s", e.Data.Canonical())
	}
	asked, err = v.BindAgent(t.Context(), adam, a.ID, tenants.NewBinding{Bound: tenants.Bound{Environment: "eu-production"}, Reason: "it moved"})
	if b := v.bound(a.ID); err != nil || asked || b.Environment != "eu-production" {
		t.Errorf("to production: asked %v, %v, %+v", asked, err, b)
	}
	asked, err = v.BindAgent(t.Context(), adam, a.ID, tenants.NewBinding{Reason: "over"})
	if b := v.bound(a.ID); err != nil || asked || b.Environment != "" {
		t.Errorf("to none: asked %v, %v, %+v", asked, err, b)
	}
}

// Where nobody else could look, the organisation's short name is typed, and the trail says
// that one person did it.
func TestBindAgentAlone(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	v.alone()
	adam := v.people["adam"]
	_, a := v.make("bot")
	in := tenants.NewBinding{Bound: tenants.Bound{Environment: "staging"}, Reason: "x"}
	_, err := v.BindAgent(t.Context(), adam, a.ID, in)
	wantFault(t, "nothing typed", err, fault.InvalidForm)
	in.Typed = adam.Tenant
	asked, err := v.BindAgent(t.Context(), adam, a.ID, in)
	must(t, err)
	if e := v.last(audit.AgentBound, adam); asked || !e.Data.Get("single_person").Bool() {
		t.Errorf("asked %v, the event says %s", asked, e.Data.Canonical())
	}
	must(t, v.BindFromOutside(t.Context(), adam.Tenant, "bot", tenants.NewBinding{Reason: "x"}))
	if b := v.bound(a.ID); b.Environment != "" {
		t.Errorf("it is %+v", b)
	}
	wantFault(t, "no agent", v.BindFromOutside(t.Context(), adam.Tenant, "bot2", in), fault.Missing)
}

// A workspace is bound as an environment is, and the refusals say what is wrong with a path.
func TestBindAgentToAWorkspace(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam, eve := v.people["adam"], v.people["alma"]
	_, a := v.make("bot")
	to := func(folder string, sandboxed bool) tenants.NewBinding {
		return tenants.NewBinding{Bound: tenants.Bound{Workspace: workspace.Binding{Folder: folder, Sandboxed: sandboxed}}, Reason: "it writes the shop"}
	}
	for _, folder := range []string{"shop", "/", "~", "/home/ada", "/srv/../etc"} {
		_, err := v.BindAgent(t.Context(), adam, a.ID, to(folder, false))
		wantFault(t, folder, err, fault.InvalidForm)
		if err != nil && fault.As(err).Member != "workspace" {
			t.Errorf("%s: it is about %s", folder, fault.As(err).Member)
		}
		wantFault(t, folder+", on command line", v.BindFromOutside(t.Context(), adam.Tenant, "bot", to(folder, false)), fault.InvalidForm)
	}
	if got, err := v.CheckBinding(t.Context(), adam, a.ID, to(" /srv/shop/ ", true)); err != nil || got != to("/srv/shop", true).Bound {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err := v.CheckBinding(t.Context(), v.people["ada"], a.ID, to("/srv/shop", true))
	wantFault(t, "an operator looks", err, fault.Denied)

	asked, err := v.BindAgent(t.Context(), adam, a.ID, to("/srv/shop", true))
	must(t, err)
	if b := v.bound(a.ID); !asked || b.Folder() != nil || b.Asked == nil || b.Asked.Bound != to("/srv/shop", true).Bound {
		t.Errorf("asked %v, it is %+v", asked, b)
	}
	wantFault(t, "a sandbox was looked at, and no other", v.AcceptBinding(t.Context(), eve, a.ID, to("/srv/shop", false).Bound), fault.Changed)
	must(t, v.AcceptBinding(t.Context(), eve, a.ID, to("/srv/shop", true).Bound))
	if b := v.bound(a.ID); b.Bound != to("/srv/shop", true).Bound || b.Asked != nil {
		t.Errorf("it is %+v", b)
	}
	if e := v.last(audit.AgentBound, eve); e.Data.Get("workspace").Text() != "/srv/shop" || !e.Data.Get("sandboxed").Bool() {
		t.Errorf("the event says %s", e.Data.Canonical())
	}
	must(t, v.BindFromOutside(t.Context(), adam.Tenant, "bot", tenants.NewBinding{Reason: "x"}))
	if b := v.bound(a.ID); b.Bound != (tenants.Bound{}) {
		t.Errorf("it is %+v", b)
	}
}

// Of two bindings the higher level counts: ending one of them may weaken, too.
func TestWhatWeakensABinding(t *testing.T) {
	t.Parallel()
	none, staging, production := tenants.Bound{}, tenants.Bound{Environment: "staging"}, tenants.Bound{Environment: "eu-production"}
	shop := tenants.Bound{Workspace: workspace.Binding{Folder: "/srv/shop"}}
	box := tenants.Bound{Workspace: workspace.Binding{Folder: "/srv/shop", Sandboxed: true}}
	both, elsewhere := box, tenants.Bound{Workspace: workspace.Binding{Folder: "/srv/web"}}
	both.Environment = "staging"
	for _, c := range []struct {
		name     string
		was, now tenants.Bound
		want     bool
	}{
		{"an environment", none, staging, true},
		{"a workspace", none, shop, true},
		{"production", staging, production, false},
		{"to nothing", both, none, false},
		{"a folder that is a sandbox", shop, box, true},
		{"no sandbox any more", box, shop, false},
		{"another folder", shop, elsewhere, true},
		{"one of two", both, staging, true},
		{"the other of two", both, box, true},
	} {
		if got := c.now.Weakens(c.was); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}
