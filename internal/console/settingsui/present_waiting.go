package settingsui

import (
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

// waitingOf is the list of what waits.
func waitingOf(say texts.Printer, m auth.Member, l tenants.Waiting, names tenants.Names, f *fault.Error) settings.WaitingSettings {
	s := settings.WaitingSettings{
		Items:   edge.SettingsItems(say, m, urls.PlaceWaiting),
		Summary: say.Say("Changes that need a second admin wait here until one accepts them. When the waiting time has passed, they take effect automatically."),
	}
	if f != nil {
		s.Notices = append(s.Notices, edge.NothingChanged(say, f))
	}
	for _, p := range l.People {
		s.Changes = append(s.Changes, peopleChange(say, m, p, l.Consent[p.ID]))
	}
	for _, p := range l.Policies {
		s.Changes = append(s.Changes, policyChange(say, m, p, l.Consent[p.ID]))
	}
	for _, a := range l.Bindings {
		s.Changes = append(s.Changes, bindingChange(say, m, a, l.Consent[a.AskedAs()], names))
	}
	if len(s.Changes) == 0 {
		s.None = say.Say("Nothing pending.")
	}
	return s
}

// policyChange is a proposal that weakens the policy. It is accepted here as on its own page:
// by whoever says that they have read what becomes weaker.
func policyChange(say texts.Printer, m auth.Member, p tenants.Proposal, c tenants.Consent) settings.WaitingChange {
	url := urls.Proposal(m.Tenant, p.ID)
	v := settings.WaitingChange{
		ID: p.ID, Title: say.Say("A weaker policy"), Open: &views.Link{Label: say.Say("Open the proposal"), URL: url},
		Facts: append([]views.Pair{{Label: say.Say("Would become weaker"), Value: untrusted.Runs(strings.Join(p.Weakens, ", ")), Mono: true}}, present.ConsentFacts(say, policyui.PersonName(p.Author), c)...),
	}
	if c.Accepting == authority.Accepts && m.May(auth.ChangePolicy) {
		v.Forms = append(v.Forms, views.PlainForm{
			URL: url + "/accept", Confirm: &views.BoxField{ID: policyui.FieldRead + "-" + p.ID, Name: policyui.FieldRead, Value: "1", Required: true, Label: say.Say("I've read the %d settings that would become weaker.", len(p.Weakens))},
			Button: views.Button{Label: say.Say("Accept"), Icon: views.IconCheck, Kind: "primary"},
		})
	}
	if c.MayObject && m.May(auth.ProposePolicy) {
		object := objection(say, m, p.ID, "2000")
		object.URL = url + "/reject"
		v.Forms = append(v.Forms, object)
	}
	return v
}

func peopleChange(say texts.Printer, m auth.Member, p tenants.PeopleProposal, c tenants.Consent) settings.WaitingChange {
	roles := strings.Join(present.RoleWords(say, p.Roles), ", ")
	who := policyui.PersonName(p.Person)
	v := settings.WaitingChange{ID: p.ID, Facts: present.ConsentFacts(say, policyui.PersonName(p.Author), c)}
	switch p.Act {
	case tenants.ActRoles:
		v.Title = say.Say("%s as %s", who, roles)
		v.Facts = append([]views.Pair{{Label: say.Say("Current roles"), Value: untrusted.Runs(strings.Join(present.RoleWords(say, p.From), ", "))}}, v.Facts...)
	case tenants.ActRemove:
		v.Title = say.Say("Remove %s", who)
		v.Facts = append([]views.Pair{{Label: say.Say("Why it's waiting"), Value: untrusted.Runs(say.Say("An open request needs their decision."))}}, v.Facts...)
	case tenants.ActReinstate:
		v.Title = say.Say("Reinstate %s as %s", who, roles)
	case tenants.ActInvite:
		v.Title = say.Say("Invite %s as %s", p.Email, roles)
	default:
		v.Title = say.Say("A password link for %s", who)
	}
	url := urls.Waiting(m.Tenant) + "/" + p.ID
	if m.May(auth.ManagePeople) && c.Accepting == authority.Accepts {
		v.Forms = append(v.Forms, views.PlainForm{URL: url + "/accept", Button: views.Button{Label: say.Say("Accept"), Icon: views.IconCheck, Kind: "primary"}})
	}
	if c.MayObject && m.May(auth.ProposePolicy) {
		v.Forms = append(v.Forms, objection(say, m, p.ID, "2000"))
	}
	if c.Own {
		v.Forms = append(v.Forms, views.PlainForm{URL: url + "/withdraw", Button: views.Button{Label: say.Say("Withdraw"), Icon: views.IconX}})
	}
	return v
}

// bindingChange is what is asked for an agent; who may not read agents reads all of it here.
func bindingChange(say texts.Printer, m auth.Member, a tenants.Agent, c tenants.Consent, names tenants.Names) settings.WaitingChange {
	v := settings.WaitingChange{
		ID: a.ID, Title: say.Say("The agent %s, bound to %s", a.Name, boundTo(say, a.Asked.Bound)),
		Facts: append([]views.Pair{{Label: say.Say("Reason"), Value: untrusted.Runs(a.Asked.Reason)}}, present.ConsentFacts(say, names.Of("person", a.Asked.By), c)...),
	}
	if m.May(auth.ReadAgents) {
		at := dropPanel
		if c.Accepting == authority.Accepts && m.May(auth.ChangePolicy) {
			at = acceptPanel
		}
		v.Open = &views.Link{Label: say.Say("Open the agent"), URL: urls.Agent(m.Tenant, a.ID) + "#" + at}
	}
	if c.MayObject && m.May(auth.ProposePolicy) {
		v.Forms = append(v.Forms, objection(say, m, a.ID, "500"))
	}
	return v
}

// objection is the form that ends a change which waits.
func objection(say texts.Printer, m auth.Member, id, most string) views.PlainForm {
	return views.PlainForm{
		URL:    urls.Waiting(m.Tenant) + "/" + id + "/object",
		Lines:  []views.LineField{{ID: "reason-" + id, Name: policyui.FieldReason, Label: say.Say("Reason"), Max: most, Required: true}},
		Button: views.Button{Label: say.Say("Object"), Icon: views.IconX},
	}
}
