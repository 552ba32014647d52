package settingsui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What an agent is bound to, an environment and a workspace: what that says, and how it is
// changed.

// bindingBasis is what decides how a binding is made and what it does.
type bindingBasis struct {
	judgement effects.Settings
	alone     bool // nobody else could accept one
}

func (s *Pages) bindingBasis(c edge.Call) (b bindingBasis, err error) {
	if !c.Member.May(auth.ReadPolicy) {
		return b, nil
	}
	v, err := s.Tenants.CurrentPolicy(c.Request().Context(), c.Member)
	if err != nil {
		return b, err
	}
	admins, err := s.Tenants.PolicyAdmins(c.Request().Context(), c.Member)
	b.judgement = v.Policy.JudgedBy()
	b.alone = !slices.ContainsFunc(admins, func(p auth.Person) bool { return p.ID != c.Member.Person.ID })
	return b, err
}

// bindingReplay is what a binding would have made of the agent's newest calls: the one that
// is looked at, or the one that somebody asks for; nil where there is none.
func (s *Pages) bindingReplay(c edge.Call, a tenants.Agent, f agentForm) (*views.Replay, error) {
	to := f.preview
	if to == nil && a.Asked != nil {
		to = &a.Asked.Bound
	}
	if to == nil || !c.Member.May(auth.ReadPolicy) {
		return nil, nil
	}
	r, err := s.Approvals.ReplayBinding(c.Request().Context(), c.Member, a.ID, *to, policyui.ReplayedActions)
	if err != nil {
		return nil, err
	}
	v := request.ReplayOf(c.Say, c.Member.Tenant, r)
	if r.Actions > 0 {
		v.Note = present.SayAt(c.Say, present.PolicyDay, texts.Key("the agent's newest actions since %s, scored again as it is bound now and as it would be"), r.Oldest)
	}
	v.Hint = c.Say.Say("Rows show the current level, columns the level when bound to %s.", boundTo(c.Say, *to))
	return v, nil
}

// does says what a binding to an environment does.
func (b bindingBasis) does(say texts.Printer, environment string) string {
	switch {
	case environment == "":
		return say.Say("counts as production")
	case !b.judgement.Floored():
		return say.Say("no effect: the policy has no floors")
	case b.judgement.IsNonproduction(environment):
		return say.Say("non-production: floors are lower")
	}
	return say.Say("not listed as non-production in the policy: no effect")
}

// lets says what a binding to a workspace does.
func (b bindingBasis) lets(say texts.Printer, w workspace.Binding) string {
	switch {
	case w.Folder == "":
		return say.Say("file changes are held like anything else")
	case !b.judgement.Floored():
		return say.Say("no effect: the policy has no floors")
	case w.Sandboxed:
		return say.Say("work inside is approved and its own code runs (sandbox)")
	}
	return say.Say("work inside is approved; its own code is held (no sandbox)")
}

// boundTo names what a binding is to.
func boundTo(say texts.Printer, b tenants.Bound) string {
	folder, name := present.Flat(say, b.Workspace.Folder), present.Flat(say, b.Environment)
	switch {
	case b == (tenants.Bound{}):
		return say.Say("nothing")
	case folder == "":
		return name
	case b.Environment == "" && b.Workspace.Sandboxed:
		return say.Say("the workspace %s, a sandbox", folder)
	case b.Environment == "":
		return say.Say("the workspace %s", folder)
	case b.Workspace.Sandboxed:
		return say.Say("the workspace %s, a sandbox, and to %s", folder, name)
	}
	return say.Say("the workspace %s and to %s", folder, name)
}

// doing says what all of a binding does.
func (b bindingBasis) doing(say texts.Printer, to tenants.Bound) string {
	var all []string
	if to.Environment != "" || to.Workspace.Folder == "" {
		all = append(all, b.does(say, to.Environment))
	}
	if to.Workspace.Folder != "" {
		all = append(all, b.lets(say, to.Workspace))
	}
	return strings.Join(all, "; ")
}

func bindingFacts(say texts.Printer, a tenants.Agent, b bindingBasis) []views.Fact {
	name, folder := a.Environment, a.Workspace.Folder
	if name == "" {
		name = say.Say("not bound")
	}
	if folder == "" {
		folder = say.Say("not bound")
	}
	return []views.Fact{
		{Label: say.Say("Environment"), Value: untrusted.Runs(name), Note: untrusted.Runs(b.does(say, a.Environment))},
		{Label: say.Say("Workspace"), Value: untrusted.Runs(folder), Note: untrusted.Runs(b.lets(say, a.Workspace)), Mono: a.Workspace.Folder != ""},
	}
}

// The panels that a way to them leads to: they stand far down on the page.
const acceptPanel, dropPanel = "accept-binding", "drop-binding"

// bindingPanels are the form, and the answer to what somebody asked.
func bindingPanels(say texts.Printer, m auth.Member, a tenants.Agent, l tenants.AgentList, b bindingBasis, f agentForm) (all []views.Panel) {
	url := urls.Agent(m.Tenant, a.ID) + "/bind"
	if a.Asked != nil {
		who := say.Say("Former member")
		if p, ok := l.People[a.Asked.By]; ok {
			who = p.Name
		}
		text := append(untrusted.Runs(say.Say("%s wants to bind it to %s", who, boundTo(say, a.Asked.Bound))+" ("+b.doing(say, a.Asked.Bound)+"): “"), untrusted.Runs(a.Asked.Reason)...)
		text = append(text, untrusted.Runs("”.")...)
		drop := views.PlainForm{URL: url + "/drop", Button: views.Button{Label: say.Say("Discard"), Icon: views.IconBan}}
		c := l.Consent
		if c != nil {
			text = append(append(append(text, untrusted.Runs(" "+say.Say("Waiting time:")+" ")...), present.WaitsOf(say, *c)...), views.Run{Text: "."})
		}
		if c != nil && c.Accepting == authority.Accepts && m.May(auth.ChangePolicy) {
			all = append(all, views.Panel{ID: acceptPanel, Title: say.Say("Accept the binding"), Text: text, Form: views.PlainForm{
				URL: url + "/accept", Hidden: boundHidden(a.Asked.Bound),
				Button: views.Button{Label: say.Say("Bind it to %s", boundTo(say, a.Asked.Bound)), Kind: "primary"},
			}})
			text = untrusted.Runs(say.Say("Nothing changes."))
		}
		all = append(all, views.Panel{ID: dropPanel, Title: say.Say("Withdraw the request"), Text: text, Form: drop})
	}
	if f.preview != nil { // the page is about this, then
		return []views.Panel{confirmBinding(say, m, a, b, f)}
	}
	if f.fault == nil {
		f.environment, f.workspace, f.sandboxed = a.Environment, cmp.Or(a.Workspace.Folder, f.offered), a.Workspace.Sandboxed
	}
	return append(all, views.Panel{
		ID: "bind", Title: say.Say("Bind"), Text: untrusted.Runs(say.Say("Bind the agent to where it works. Less is held then, so another admin has to approve. Removing a binding doesn't need approval. If both an environment and a workspace apply, the higher level wins.")),
		Form: views.PlainForm{
			URL: url + "/preview#replay", // far down on the page
			Lines: []views.LineField{
				{ID: "environment", Name: "environment", Label: say.Say("Environment (optional)"), Value: f.environment, Mono: true, Max: "64", Error: f.at(say, "environment"), Hint: say.Say("For example staging. A call's own environment can only make it stricter.")},
				{ID: "workspace", Name: "workspace", Label: say.Say("Workspace (optional)"), Value: f.workspace, Mono: true, Max: "400", Error: f.at(say, "workspace"), Hint: say.Say("The full path of its working folder, such as /srv/shop. The agent works freely inside it. Leaving it, destroying it or bringing in outside code is held.")},
				{ID: "bind-why", Name: "reason", Label: say.Say("Reason"), Value: f.reason, Required: true, Max: "500", Error: f.at(say, "reason")},
			},
			Groups: []views.BoxGroup{{ID: "sandboxed-group", Label: say.Say("The workspace"), Boxes: []views.BoxField{{
				ID: "sandboxed", Name: "sandboxed", Value: "yes", Label: say.Say("is a sandbox"), Checked: f.sandboxed,
				Note: say.Say("You confirm this; Countersign can't check it. Code there can only reach things that matter over the network: a container or virtual machine with no keys, no one else's files and no access to production. The agent's own code then runs without asking."),
			}}}},
			Button: views.Button{Label: say.Say("See what would change")},
		},
	})
}

// boundHidden carries a binding.
func boundHidden(b tenants.Bound) []views.Hidden {
	all := []views.Hidden{{Name: "environment", Value: b.Environment}, {Name: "workspace", Value: b.Workspace.Folder}}
	if b.Workspace.Sandboxed {
		all = append(all, views.Hidden{Name: "sandboxed", Value: "yes"})
	}
	return all
}

// confirmBinding makes the binding that was looked at.
func confirmBinding(say texts.Printer, m auth.Member, a tenants.Agent, b bindingBasis, f agentForm) views.Panel {
	form := views.PlainForm{
		URL: urls.Agent(m.Tenant, a.ID) + "/bind", Hidden: append(boundHidden(*f.preview), views.Hidden{Name: "reason", Value: f.reason}),
		Button: views.Button{Label: say.Say("Bind"), Kind: "primary"}, Cancel: &views.Link{Label: say.Say("Cancel"), URL: urls.Agent(m.Tenant, a.ID)},
	}
	text := say.Say("Effect: %s.", b.doing(say, *f.preview))
	switch {
	case !f.preview.Weakens(a.Bound):
		text += " " + say.Say("This doesn't weaken anything, so no one else needs to approve it.")
	case b.alone:
		text += " " + say.Say("No one else could review it, so the audit trail marks it.")
		form.Lines = []views.LineField{{ID: "bind-typed", Name: "typed", Label: say.Say("Type %s to do it alone", m.Tenant), Value: f.typed, Mono: true, Max: "40", Error: f.at(say, "typed")}}
	default:
		text += " " + say.Say("Another admin has to approve it.")
		form.Button.Label = say.Say("Request")
	}
	return views.Panel{ID: "bind", Title: say.Say("Bind it to %s", boundTo(say, *f.preview)), Text: untrusted.Runs(text), Form: form}
}
