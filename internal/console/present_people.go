package console

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
)

func peopleURL(tenant string) string { return "/t/" + tenant + "/settings/" + settingsPeople }

func personURL(tenant, person string) string { return peopleURL(tenant) + "/" + person }

// at is the message for a field, or empty.
func (f personForm) at(member string) string {
	if f.fault == nil || f.fault.Member != member {
		return ""
	}
	return sentence(f.fault.Detail)
}

func (f personForm) errors(ids map[string]string) []views.FieldError {
	if f.fault == nil {
		return nil
	}
	return []views.FieldError{{Text: sentence(f.fault.Detail), Field: ids[f.fault.Member]}}
}

func roleWords(roles []auth.Role) []string {
	words := make([]string, len(roles))
	for i, r := range roles {
		words[i] = string(r)
	}
	return words
}

// peopleOf is the list.
func peopleOf(m auth.Member, l tenants.PeopleList, f personForm) views.PeopleSettings {
	s := views.PeopleSettings{
		Items: settingsItems(m, settingsPeople), Summary: plural(len(l.Members), "member"),
	}
	if n := len(l.Invitations); n > 0 {
		s.Summary += ", " + plural(n, "invitation") + " open"
	}
	if f.fault != nil {
		s.Notices = append(s.Notices, nothingChanged(f.fault))
	}
	manage := m.May(auth.ManagePeople)
	if manage {
		s.Invite = peopleURL(m.Tenant) + "/new"
	}
	names := map[string]string{}
	for _, o := range l.Members {
		names[o.Person.ID] = o.Person.Name
		row := views.PersonRow{Person: *personOf(o.Person), URL: personURL(m.Tenant, o.Person.ID), Roles: roleWords(o.Roles)}
		row.Person.You = o.Person.ID == m.Person.ID
		row.SignedIn, row.SignedInISO = moment(o.LastSignIn)
		row.Joined, row.JoinedISO = moment(&o.JoinedAt)
		s.Rows = append(s.Rows, row)
	}
	for _, k := range l.Invitations {
		row := views.InvitedRow{Email: k.Email, Roles: roleWords(k.Roles), By: names[k.By]}
		if row.By == "" {
			row.By = "somebody who left; the link does not work"
		}
		row.Expires, row.ExpiresISO = moment(&k.ExpiresAt)
		if manage {
			row.Withdraw = &views.PlainForm{
				URL:    peopleURL(m.Tenant) + "/invitations/" + k.ID + "/withdraw",
				Button: views.Button{Label: "Withdraw", Icon: views.IconX},
			}
		}
		s.Invited = append(s.Invited, row)
	}
	return s
}

// roleBoxes offer the roles, with what each may.
func roleBoxes(chosen []auth.Role, wrong string) []views.BoxGroup {
	notes := map[auth.Role]string{
		auth.Operator:   "decides on requests",
		auth.Compliance: "reads everything, exports, verifies",
		auth.Admin:      "policy, agents and people; decides only if also operator",
	}
	g := views.BoxGroup{ID: "roles", Label: "Roles", Error: wrong}
	for _, r := range auth.Roles() {
		word := string(r)
		g.Boxes = append(g.Boxes, views.BoxField{
			ID: "role-" + word, Name: "role", Value: word, Label: strings.ToUpper(word[:1]) + word[1:],
			Note: notes[r], Checked: slices.Contains(chosen, r),
		})
	}
	return []views.BoxGroup{g}
}

func ticketHidden() []views.Hidden {
	return []views.Hidden{{Name: "ticket", Value: auth.NewID("tkt")}}
}

// inviteOf is the form of an invitation.
func inviteOf(m auth.Member, f personForm) views.InviteSettings {
	back := views.Link{Label: "People", URL: peopleURL(m.Tenant)}
	return views.InviteSettings{
		Items: settingsItems(m, settingsPeople), Back: back,
		Errors: f.errors(map[string]string{"email": "email", "roles": "role-operator"}),
		Form: views.PlainForm{
			URL: peopleURL(m.Tenant), Hidden: ticketHidden(),
			Lines:  []views.LineField{{ID: "email", Name: "email", Label: "Email", Type: "email", Value: f.email, Required: true, Max: "254", Error: f.at("email")}},
			Groups: roleBoxes(f.roles, f.at("roles")),
			Button: views.Button{Label: "Make the link", Kind: "primary"}, Cancel: &views.Link{Label: "Cancel", URL: back.URL},
		},
	}
}

// invitedOf is the page with the link of an invitation.
func invitedOf(m auth.Member, k tenants.Ticket, link string) views.LinkShown {
	until, _ := moment(&k.ExpiresAt)
	return views.LinkShown{
		Items: settingsItems(m, settingsPeople), Title: "Invitation for " + k.Email,
		Warn: views.Notice{
			Tone: views.ToneWarn, Icon: "key", Title: "Shown once",
			Text: runs("Pass it on where only this person reads it: whoever opens it first can join under this address. An earlier invitation for the address does not work any more."),
		},
		Link: views.Secret{ID: "link", Label: "Link for " + k.Email, Value: link},
		Facts: []views.Fact{
			{Label: "Works until", Value: runs(until), Note: runs("once, and only while you are an admin here")},
			{Label: "Joins as", Value: runs(strings.Join(roleWords(k.Roles), ", "))},
		},
		Done: views.Link{Label: "I have passed it on", URL: peopleURL(m.Tenant)},
	}
}

// personPageOf is one member.
func personPageOf(m auth.Member, is tenants.Membership, f personForm) views.PersonSettings {
	joined, _ := moment(&is.JoinedAt)
	last, _ := moment(is.LastSignIn)
	if last == "" {
		last = "not yet"
	}
	s := views.PersonSettings{
		Items: settingsItems(m, settingsPeople), Back: views.Link{Label: "People", URL: peopleURL(m.Tenant)},
		Name: is.Person.Name, Summary: "Member of " + m.Tenant + " since " + joined + ".",
		Errors: f.errors(map[string]string{"roles": "role-operator", "sure": "sure"}),
		Facts: []views.Fact{
			{Label: "Email", Value: runs(is.Person.Email)},
			{Label: "Roles", Value: runs(strings.Join(roleWords(is.Roles), ", "))},
			{Label: "Last sign-in", Value: runs(last)},
			{Label: "Id in the trail", Value: runs(is.Person.ID), Mono: true},
		},
	}
	if m.May(auth.ManagePeople) {
		s.Panels = personPanels(m, is, f)
	}
	return s
}

func personPanels(m auth.Member, is tenants.Membership, f personForm) []views.Panel {
	url, name := personURL(m.Tenant, is.Person.ID), is.Person.Name
	chosen := is.Roles
	if len(f.roles) > 0 {
		chosen = f.roles
	}
	roles := "What they may no longer do is refused at once, on pages that are open as well."
	remove := name + " loses every right in " + m.Tenant + " at once. What they decided stays in the trail, and agents that they own stay theirs."
	if is.Person.ID == m.Person.ID {
		roles = "These are your own roles. Giving yourself one is allowed, and stands in the trail."
		remove = "You would leave " + m.Tenant + " at once, and somebody else has to invite you back."
	}
	return []views.Panel{
		{ID: "roles-of", Title: "Roles", Text: runs(roles), Form: views.PlainForm{
			URL: url + "/roles", Groups: roleBoxes(chosen, f.at("roles")), Button: views.Button{Label: "Change roles", Kind: "primary"},
		}},
		{ID: "sessions", Title: "Sign out of " + m.Tenant, Text: runs("Every sign-in of theirs ends here, on every device. They can sign in again."), Form: views.PlainForm{
			URL: url + "/sign-out", Button: views.Button{Label: "Sign out everywhere", Icon: "signout"},
		}},
		{ID: "password", Title: "New password", Text: runs("Makes a link with which they choose a new password. It works once, for a day, and only while the account belongs to " + m.Tenant + " alone; otherwise whoever runs this console can set one, with the command “person password”."), Form: views.PlainForm{
			URL: url + "/password-link", Hidden: ticketHidden(), Button: views.Button{Label: "Make a password link", Icon: "key"},
		}},
		{ID: "remove", Title: "Remove from " + m.Tenant, Text: runs(remove), Form: views.PlainForm{
			URL:     url + "/remove",
			Confirm: &views.BoxField{ID: "sure", Name: "sure", Value: "yes", Label: "Remove " + name + " from " + m.Tenant, Required: true},
			Button:  views.Button{Label: "Remove", Icon: views.IconBan, Kind: "final"},
		}},
	}
}

// passwordLinkOf is the page with a password link.
func passwordLinkOf(m auth.Member, k tenants.Ticket, link string) views.LinkShown {
	until, _ := moment(&k.ExpiresAt)
	return views.LinkShown{
		Items: settingsItems(m, settingsPeople), Title: "Password link for " + k.Email,
		Warn: views.Notice{
			Tone: views.ToneWarn, Icon: "key", Title: "Shown once",
			Text: runs("Pass it on where only this person reads it: whoever opens it first chooses their password. That stands in the trail."),
		},
		Link: views.Secret{ID: "link", Label: "Link for " + k.Email, Value: link},
		Facts: []views.Fact{{
			Label: "Works until", Value: runs(until),
			Note: runs("once, while you are an admin here, and while the account belongs to " + m.Tenant + " alone"),
		}},
		Done: views.Link{Label: "I have passed it on", URL: personURL(m.Tenant, k.Person)},
	}
}

// formFault sorts a refusal to its field, or to the form as a whole.
func formFault(f *fault.Error, member string) (field, whole string) {
	switch {
	case f == nil:
		return "", ""
	case f.Member == member:
		return sentence(f.Detail), ""
	default:
		return "", sentence(f.Detail)
	}
}

// joinOf is what an invitation leads to. known says that the invited person is
// signed in right here: then the button is enough.
func joinOf(a views.Assets, k tenants.Ticket, token, name string, known bool, f *fault.Error) views.Gate {
	until, _ := moment(&k.ExpiresAt)
	g := views.Gate{
		Assets: a, Title: "Join " + k.Tenant,
		Text: runs("You were invited to decide on, or look after, what agents do at " + k.Tenant + ". This link works once."),
		Facts: []views.Pair{
			{Label: "Email", Value: runs(k.Email)},
			{Label: "As", Value: runs(strings.Join(roleWords(k.Roles), ", "))},
			{Label: "Works until", Value: runs(until)},
		},
		Form: views.PlainForm{URL: joinURL, Hidden: []views.Hidden{{Name: "ticket", Value: token}}, Button: views.Button{Label: "Join " + k.Tenant, Kind: "primary"}},
	}
	if known {
		_, g.Error = formFault(f, "")
		return g
	}
	var wrong string
	wrong, g.Error = formFault(f, "password")
	nameWrong := ""
	if f != nil && f.Member == "name" {
		nameWrong, g.Error = g.Error, ""
	}
	g.Form.Lines = []views.LineField{
		{ID: "name", Name: "name", Label: "Your name", Value: name, Autocomplete: "name", Max: "200", Error: nameWrong, Hint: "Others see it beside what you do. If you have an account here, it keeps its name."},
		{ID: "password", Name: "password", Label: "Password", Type: "password", Autocomplete: "new-password", Required: true, Error: wrong, Hint: "If you have an account here, its password. Otherwise choose one, with 12 characters or more."},
	}
	return g
}

// newPasswordOf is what a password link leads to.
func newPasswordOf(a views.Assets, k tenants.Ticket, token string, f *fault.Error) views.Gate {
	wrong, whole := formFault(f, "password")
	return views.Gate{
		Assets: a, Title: "Choose a new password", Error: whole,
		Text:  runs("It replaces the old one and ends everything that is signed in. This link works once."),
		Facts: []views.Pair{{Label: "Email", Value: runs(k.Email)}},
		Form: views.PlainForm{
			URL: passwordURL, Hidden: []views.Hidden{{Name: "ticket", Value: token}},
			Lines:  []views.LineField{{ID: "password", Name: "password", Label: "New password", Type: "password", Autocomplete: "new-password", Required: true, Error: wrong, Hint: "12 characters or more; any characters will do."}},
			Button: views.Button{Label: "Set the password", Kind: "primary"},
		},
	}
}

// accountOf is a person's own page.
func accountOf(a views.Assets, who tenants.Account, f *fault.Error) views.AccountSettings {
	s := views.AccountSettings{Assets: a, Person: *personOf(who.Person), Back: views.Link{Label: "Back to the queue", URL: "/"}}
	var current, fresh string
	if f != nil {
		switch f.Member {
		case "current":
			current = sentence(f.Detail)
		case "password":
			fresh = sentence(f.Detail)
		default:
			s.Error = sentence(f.Detail)
		}
	}
	if who.PasswordHash == "" && current != "" {
		s.Error = current
	}
	lines := []views.LineField{{ID: "current", Name: "current", Label: "Current password", Type: "password", Autocomplete: "current-password", Required: true, Error: current}}
	title, text := "Change your password", "Every sign-in of yours ends, except this one."
	if who.PasswordHash == "" {
		lines, title = nil, "Choose a password"
		text = "Until now only links sign you in. You can choose a password within a quarter of an hour after such a sign-in."
	}
	lines = append(lines, views.LineField{ID: "password", Name: "password", Label: "New password", Type: "password", Autocomplete: "new-password", Required: true, Error: fresh, Hint: "12 characters or more; any characters will do."})
	s.Panels = []views.Panel{
		{ID: "change", Title: title, Text: runs(text), Form: views.PlainForm{URL: accountURL + "/password", Lines: lines, Button: views.Button{Label: "Set the password", Kind: "primary"}}},
		{ID: "everywhere", Title: "Sign out everywhere", Text: runs("Ends every sign-in of yours, on every device, this one included."), Form: views.PlainForm{
			URL: accountURL + "/sign-out-everywhere", Button: views.Button{Label: "Sign out everywhere", Icon: "signout"},
		}},
	}
	return s
}
