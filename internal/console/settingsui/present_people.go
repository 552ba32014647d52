package settingsui

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

// at is the message for a field, or empty.
func (f personForm) at(say texts.Printer, member string) string {
	if f.fault == nil || f.fault.Member != member {
		return ""
	}
	return present.Because(say, f.fault)
}

func (f personForm) errors(say texts.Printer, ids map[string]string) []views.FieldError {
	if f.fault == nil {
		return nil
	}
	return []views.FieldError{{Text: present.Because(say, f.fault), Field: ids[f.fault.Member]}}
}

// roleNames are the roles within a sentence, and roleTitles at the beginning of one.
var (
	roleTitles = map[auth.Role]texts.Key{auth.Operator: texts.Key("Operator"), auth.Compliance: texts.Key("Compliance"), auth.Admin: texts.Key("Admin")}
)

// peopleOf is the list.
func peopleOf(say texts.Printer, m auth.Member, l tenants.PeopleList, away []tenants.Absence, f personForm) settings.PeopleSettings {
	s := settings.PeopleSettings{
		Items: edge.SettingsItems(say, m, urls.PlacePeople), Summary: say.Say("%d members", len(l.Members)),
	}
	if n := len(l.Invitations); n > 0 {
		s.Summary += ", " + say.Say("%d open invitations", n)
	}
	if f.fault != nil {
		s.Notices = append(s.Notices, edge.NothingChanged(say, f.fault))
	}
	manage := m.May(auth.ManagePeople)
	if manage {
		s.Invite = urls.People(m.Tenant) + "/new"
	}
	names := map[string]string{}
	for _, o := range l.Members {
		names[o.Person.ID] = o.Person.Name
		row := settings.PersonRow{Person: *present.PersonOf(o.Person), URL: urls.Person(m.Tenant, o.Person.ID), Roles: present.RoleWords(say, o.Roles)}
		row.Person.You = o.Person.ID == m.Person.ID
		if is, ok := tenants.AbsenceOf(away, o.Person.ID); ok {
			row.Away = present.Away(say, is)
		}
		row.SignedIn, row.SignedInISO = present.Moment(say, o.LastSignIn)
		row.Joined, row.JoinedISO = present.Moment(say, &o.JoinedAt)
		s.Rows = append(s.Rows, row)
	}
	for _, k := range l.Invitations {
		row := settings.InvitedRow{Email: k.Email, Roles: present.RoleWords(say, k.Roles), By: names[k.By]}
		if row.By == "" {
			row.By = say.Say("former member; the link doesn't work")
		}
		row.Expires, row.ExpiresISO = present.Moment(say, &k.ExpiresAt)
		if manage {
			row.Withdraw = &views.PlainForm{
				URL:    urls.People(m.Tenant) + "/invitations/" + k.ID + "/withdraw",
				Button: views.Button{Label: say.Say("Withdraw"), Icon: views.IconX},
			}
		}
		s.Invited = append(s.Invited, row)
	}
	return s
}

// roleBoxes offer the roles, with what each may.
func roleBoxes(say texts.Printer, chosen []auth.Role, wrong string) []views.BoxGroup {
	notes := map[auth.Role]string{
		auth.Operator:   say.Say("decides on requests"),
		auth.Compliance: say.Say("reads everything, exports, verifies"),
		auth.Admin:      say.Say("manages policy, agents and people; decides only if also an operator"),
	}
	g := views.BoxGroup{ID: "roles", Label: say.Say("Roles"), Error: wrong}
	for _, r := range auth.Roles() {
		word := string(r)
		g.Boxes = append(g.Boxes, views.BoxField{
			ID: "role-" + word, Name: "role", Value: word, Label: say.Key(roleTitles[r]),
			Note: notes[r], Checked: slices.Contains(chosen, r),
		})
	}
	return []views.BoxGroup{g}
}

func ticketHidden() []views.Hidden {
	return []views.Hidden{{Name: "ticket", Value: auth.NewID("tkt")}}
}

// inviteOf is the form of an invitation.
func inviteOf(say texts.Printer, m auth.Member, f personForm) settings.InviteSettings {
	back := views.Link{Label: say.Say("People"), URL: urls.People(m.Tenant)}
	return settings.InviteSettings{
		Items: edge.SettingsItems(say, m, urls.PlacePeople), Back: back,
		Errors: f.errors(say, map[string]string{"email": "email", "roles": "role-operator"}),
		Form: views.PlainForm{
			URL: urls.People(m.Tenant), Hidden: ticketHidden(),
			Lines:  []views.LineField{{ID: "email", Name: "email", Label: say.Say("Email"), Type: "email", Value: f.email, Required: true, Max: "254", Error: f.at(say, "email")}},
			Groups: roleBoxes(say, f.roles, f.at(say, "roles")),
			Button: views.Button{Label: say.Say("Create invitation"), Kind: "primary"}, Cancel: &views.Link{Label: say.Say("Cancel"), URL: back.URL},
		},
	}
}

// invitedOf is the page with the link of an invitation.
func invitedOf(say texts.Printer, m auth.Member, k tenants.Ticket, link string) settings.LinkShown {
	return settings.LinkShown{
		Items: edge.SettingsItems(say, m, urls.PlacePeople), Title: say.Say("Invitation for %s", k.Email),
		Warn: views.Notice{
			Tone: views.ToneWarn, Icon: "key", Title: say.Say("Shown once"),
			Text: untrusted.Runs(say.Say("Send it privately: whoever opens it first can join with this address. Earlier invitations to the address no longer work.")),
		},
		Link: views.Secret{ID: "link", Label: say.Say("Link for %s", k.Email), Value: link},
		Facts: []views.Fact{
			{Label: say.Say("Works until"), Value: present.TimeRuns(say, present.DateForm, k.ExpiresAt), Note: untrusted.Runs(say.Say("once, only while you're an admin here"))},
			{Label: say.Say("Joins as"), Value: untrusted.Runs(strings.Join(present.RoleWords(say, k.Roles), ", "))},
		},
		Done: views.Link{Label: say.Say("Done"), URL: urls.People(m.Tenant)},
	}
}

// linkWaits says of a link that it works only once somebody else accepted it.
func linkWaits(say texts.Printer, m auth.Member, k tenants.Ticket, v settings.LinkShown) settings.LinkShown {
	if !k.Waits {
		return v
	}
	v.Facts = append([]views.Fact{{
		Label: say.Say("Doesn't work yet"), Value: untrusted.Runs(say.Say("another admin has to accept it")),
		Note: untrusted.Runs(say.Say("or the waiting time has to pass once one of them has seen it; see Waiting changes")),
	}}, v.Facts[1:]...)
	v.Done = views.Link{Label: say.Say("Done"), URL: urls.Waiting(m.Tenant)}
	return v
}

// personPageOf is one member.
func personPageOf(say texts.Printer, m auth.Member, is tenants.Membership, f personForm) settings.PersonSettings {
	last := untrusted.Runs(say.Say("not yet"))
	if is.LastSignIn != nil {
		last = present.TimeRuns(say, present.DateForm, *is.LastSignIn)
	}
	s := settings.PersonSettings{
		Items: edge.SettingsItems(say, m, urls.PlacePeople), Back: views.Link{Label: say.Say("People"), URL: urls.People(m.Tenant)},
		Name: is.Person.Name, Summary: present.SayAt(say, present.DateForm, texts.Key("Member of %s since %s."), m.Tenant, is.JoinedAt),
		Errors: f.errors(say, map[string]string{"roles": "role-operator", "sure": "sure", "from": "away-from", "until": "away-until", "deputy": "away-deputy"}),
		Facts: []views.Fact{
			{Label: say.Say("Email"), Value: untrusted.Runs(is.Person.Email)},
			{Label: say.Say("Roles"), Value: untrusted.Runs(strings.Join(present.RoleWords(say, is.Roles), ", "))},
			{Label: say.Say("Last sign-in"), Value: last},
			{Label: say.Say("ID in the trail"), Value: untrusted.Runs(is.Person.ID), Mono: true},
		},
	}
	if p := is.Suspended; p != nil {
		s.Notices = append(s.Notices, views.Notice{
			Tone: views.ToneWarn, Icon: views.IconBan, Title: say.Say("Suspended"),
			Text: append(append(present.SayAt(say, present.DateForm, texts.Key("Suspended since %s. Roles once reinstated: %s."), p.At, strings.Join(present.RoleWords(say, p.Roles), ", ")), views.Run{Text: " "}), untrusted.Runs(p.Reason)...),
		})
	}
	if m.May(auth.ManagePeople) {
		s.Panels = personPanels(say, m, is, f)
	}
	return s
}

func personPanels(say texts.Printer, m auth.Member, is tenants.Membership, f personForm) []views.Panel {
	url, name := urls.Person(m.Tenant, is.Person.ID), is.Person.Name
	chosen := is.Held()
	if len(f.roles) > 0 {
		chosen = f.roles
	}
	roles := say.Say("Removed permissions stop working right away, even on open pages. Making someone an operator or admin needs another admin, and so does removing a role an open request depends on.")
	out := say.Say("Signs them out on every device. They can sign in again.")
	link := say.Say("Creates a link for setting a new password. It works once, for a day, and only if the account belongs to %s alone. Otherwise, whoever runs this server can set one with the command “countersign person password”.", m.Tenant)
	remove := say.Say("%s loses all access to %s right away. Their decisions stay in the audit trail, and they still own their agents.", name, m.Tenant)
	if is.Person.ID == m.Person.ID {
		roles = say.Say("These are your own roles. To become an operator or admin, ask another admin.")
		out = say.Say("Signs you out on every device, including this one. You can sign in again.")
		link = say.Say("Creates a link for setting your new password. It works once, for a day, and only if the account belongs to %s alone. Otherwise, whoever runs this server can set one with the command “countersign person password”.", m.Tenant)
		remove = say.Say("You'll leave %s right away. Someone else has to invite you back.", m.Tenant)
	}
	suspension := views.Panel{
		ID: "suspend", Title: say.Say("Suspend"), Text: untrusted.Runs(say.Say("They lose access and are signed out everywhere. They remain a member. Reinstating an operator or admin needs another admin.")),
		Form: views.PlainForm{
			URL:    url + "/suspend",
			Lines:  []views.LineField{{ID: "suspend-reason", Name: policyui.FieldReason, Label: say.Say("Reason"), Max: "500", Required: true, Error: f.at(say, "reason")}},
			Button: views.Button{Label: say.Say("Suspend"), Icon: views.IconBan},
		},
	}
	if is.Suspended != nil {
		when := say.Say("They regain access right away.")
		if slices.ContainsFunc(is.Suspended.Roles, func(r auth.Role) bool { return r == auth.Operator || r == auth.Admin }) {
			when = say.Say("They regain access once another admin accepts or the waiting time has passed.")
		}
		suspension = views.Panel{
			ID: "suspend", Title: say.Say("Reinstate"), Text: untrusted.Runs(when),
			Form: views.PlainForm{URL: url + "/reinstate", Button: views.Button{Label: say.Say("Reinstate"), Kind: "primary"}},
		}
	}
	return []views.Panel{
		{ID: "roles-of", Title: say.Say("Roles"), Text: untrusted.Runs(roles), Form: views.PlainForm{
			URL: url + "/roles", Groups: roleBoxes(say, chosen, f.at(say, "roles")), Button: views.Button{Label: say.Say("Change roles"), Kind: "primary"},
		}},
		{ID: "sessions", Title: say.Say("Sign out of %s", m.Tenant), Text: untrusted.Runs(out), Form: views.PlainForm{
			URL: url + "/sign-out", Button: views.Button{Label: say.Say("Sign out everywhere"), Icon: "signout"},
		}},
		{ID: "password", Title: say.Say("New password"), Text: untrusted.Runs(link), Form: views.PlainForm{
			URL: url + "/password-link", Hidden: ticketHidden(), Button: views.Button{Label: say.Say("Create a password link"), Icon: "key"},
		}},
		suspension,
		{ID: "remove", Title: say.Say("Remove from %s", m.Tenant), Text: untrusted.Runs(remove), Form: views.PlainForm{
			URL:     url + "/remove",
			Confirm: &views.BoxField{ID: "sure", Name: "sure", Value: "yes", Label: say.Say("Remove %s from %s", name, m.Tenant), Required: true},
			Button:  views.Button{Label: say.Say("Remove"), Icon: views.IconBan, Kind: "final"},
		}},
	}
}

// passwordLinkOf is the page with a password link.
func passwordLinkOf(say texts.Printer, m auth.Member, k tenants.Ticket, link string) settings.LinkShown {
	return settings.LinkShown{
		Items: edge.SettingsItems(say, m, urls.PlacePeople), Title: say.Say("Password link for %s", k.Email),
		Warn: views.Notice{
			Tone: views.ToneWarn, Icon: "key", Title: say.Say("Shown once"),
			Text: untrusted.Runs(say.Say("Send it privately: whoever opens it first chooses the password. This is recorded in the audit trail.")),
		},
		Link: views.Secret{ID: "link", Label: say.Say("Link for %s", k.Email), Value: link},
		Facts: []views.Fact{{
			Label: say.Say("Works until"), Value: present.TimeRuns(say, present.DateForm, k.ExpiresAt),
			Note: untrusted.Runs(say.Say("once, while you're an admin here, and while the account belongs to %s alone", m.Tenant)),
		}},
		Done: views.Link{Label: say.Say("Done"), URL: urls.Person(m.Tenant, k.Person)},
	}
}
