package console

import (
	"strings"

	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

// joinOf is what an invitation leads to. known says that the invited person is
// signed in right here: then the button is enough.
func joinOf(say texts.Printer, a views.Assets, k tenants.Ticket, token, name string, known bool, f *fault.Error) settings.Gate {
	g := settings.Gate{
		Assets: a, Title: say.Say("Join %s", k.Tenant),
		Text: untrusted.Runs(say.Say("You've been invited to help review what agents do at %s. This link works once.", k.Tenant)),
		Facts: []views.Pair{
			{Label: say.Say("Email"), Value: untrusted.Runs(k.Email)},
			{Label: say.Say("As"), Value: untrusted.Runs(strings.Join(present.RoleWords(say, k.Roles), ", "))},
			{Label: say.Say("Works until"), Value: present.TimeRuns(say, present.DateForm, k.ExpiresAt)},
		},
		Form: views.PlainForm{URL: urls.Join, Hidden: []views.Hidden{{Name: "ticket", Value: token}}, Button: views.Button{Label: say.Say("Join %s", k.Tenant), Kind: "primary"}},
	}
	if known {
		_, g.Error = present.FormFault(say, f, "")
		return g
	}
	var wrong string
	wrong, g.Error = present.FormFault(say, f, "password")
	nameWrong := ""
	if f != nil && f.Member == "name" {
		nameWrong, g.Error = g.Error, ""
	}
	g.Form.Lines = []views.LineField{
		{ID: "name", Name: "name", Label: say.Say("Your name"), Value: name, Autocomplete: "name", Max: "200", Error: nameWrong, Hint: say.Say("Others see it next to your actions. An existing account keeps its name.")},
		{ID: "password", Name: "password", Label: say.Say("Password"), Type: "password", Autocomplete: "new-password", Required: true, Error: wrong, Hint: say.Say("Your existing password, or a new one with at least 12 characters.")},
	}
	return g
}

// newPasswordOf is what a password link leads to.
func newPasswordOf(say texts.Printer, a views.Assets, k tenants.Ticket, token string, f *fault.Error) settings.Gate {
	wrong, whole := present.FormFault(say, f, "password")
	return settings.Gate{
		Assets: a, Title: say.Say("Choose a new password"), Error: whole,
		Text:  untrusted.Runs(say.Say("Replaces your old password and signs you out everywhere. This link works once.")),
		Facts: []views.Pair{{Label: say.Say("Email"), Value: untrusted.Runs(k.Email)}},
		Form: views.PlainForm{
			URL: urls.NewPassword, Hidden: []views.Hidden{{Name: "ticket", Value: token}},
			Lines:  []views.LineField{{ID: "password", Name: "password", Label: say.Say("New password"), Type: "password", Autocomplete: "new-password", Required: true, Error: wrong, Hint: say.Say("At least 12 characters")}},
			Button: views.Button{Label: say.Say("Set the password"), Kind: "primary"},
		},
	}
}

// accountOf is a person's own page.
func accountOf(say texts.Printer, a views.Assets, who tenants.Account, f *fault.Error) settings.AccountSettings {
	s := settings.AccountSettings{Assets: a, Person: *present.PersonOf(who.Person), Back: views.Link{Label: say.Say("Back to the queue"), URL: "/"}}
	var current, fresh string
	if f != nil {
		switch f.Member {
		case "current":
			current = present.Because(say, f)
		case "password":
			fresh = present.Because(say, f)
		default:
			s.Error = present.Because(say, f)
		}
	}
	if who.PasswordHash == "" && current != "" {
		s.Error = current
	}
	lines := []views.LineField{{ID: "current", Name: "current", Label: say.Say("Current password"), Type: "password", Autocomplete: "current-password", Required: true, Error: current}}
	title, text := say.Say("Change your password"), say.Say("Signs you out everywhere else.")
	if who.PasswordHash == "" {
		lines, title = nil, say.Say("Choose a password")
		text = say.Say("You sign in by link. Set a password within 15 minutes of signing in.")
	}
	lines = append(lines, views.LineField{ID: "password", Name: "password", Label: say.Say("New password"), Type: "password", Autocomplete: "new-password", Required: true, Error: fresh, Hint: say.Say("At least 12 characters")})
	s.Panels = []views.Panel{
		{ID: "change", Title: title, Text: untrusted.Runs(text), Form: views.PlainForm{URL: urls.Account + "/password", Lines: lines, Button: views.Button{Label: say.Say("Set the password"), Kind: "primary"}}},
		{ID: "everywhere", Title: say.Say("Sign out everywhere"), Text: untrusted.Runs(say.Say("Signs you out on every device, including this one.")), Form: views.PlainForm{
			URL: urls.Account + "/sign-out-everywhere", Button: views.Button{Label: say.Say("Sign out everywhere"), Icon: "signout"},
		}},
	}
	return s
}
