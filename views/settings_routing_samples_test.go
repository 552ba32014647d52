package views_test

import (
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
)

// routingSamples are the pages of who is called.
func routingSamples() map[string]sample {
	items := []views.SettingsItem{{Label: "Notices", URL: "/t/acme/settings/notices", Icon: "bell", Here: true}}
	p := page("Routing", views.PlaceSettings)
	p.Account = "/account"
	back := views.Link{Label: "Notices", URL: "/t/acme/settings/notices"}
	act := settings.RoutingAct{URL: "/t/acme/settings/notices/routing/rules/rul_1/move", Hidden: []views.Hidden{{Name: "to", Value: "up"}}, Label: "Up", Of: "the rule Night"}
	remove := act
	remove.Label, remove.Icon = "Delete", views.IconX
	boxes := []views.BoxGroup{{ID: "step1", Label: "Call", Error: "Choose.", Boxes: []views.BoxField{{ID: "step1", Name: "step1", Value: "person:per_1", Label: "Ada", Note: "no channel of their own yet", Checked: true}}}}
	form := settings.SectionForm{
		URL: "/t/acme/settings/notices/routing/rules/rul_1", Hidden: []views.Hidden{{Name: "version", Value: "3"}}, Button: views.Button{Label: "Save", Kind: "primary"}, Cancel: &back,
		Sections: []settings.FormSection{
			{ID: "for", Title: "Matching requests", Text: "All must match.", Lines: []views.LineField{{ID: "name", Name: "name", Label: "Name", Value: "Night", Required: true}}},
			{ID: "section1", Title: "Step 1", Lists: []views.SelectField{{ID: "unit", Name: "unit", Label: "Unit", Options: []views.Choice{{Value: "days", Label: "days", Checked: true}}}}, Groups: boxes, After: []views.LineField{{ID: "wait1", Name: "wait1", Label: "Minutes", Type: "number", Value: "5", Error: "1 to 1440."}}},
		},
	}
	panel := views.Panel{ID: "delete", Title: "Delete the team", Form: views.PlainForm{URL: "/t/acme/settings/notices/routing/teams/tem_1/delete", Button: views.Button{Label: "Delete"}}}
	did := p
	did.Done = "Saved."
	preview := settings.RoutingPreview{Form: views.PlainForm{
		URL: "/t/acme/settings/notices/routing", Lists: []views.SelectField{{ID: "level", Name: "level", Label: "Level", Options: []views.Choice{{Value: "HIGH", Label: "HIGH", Checked: true}}}},
		Lines: []views.LineField{{ID: "function", Name: "function", Label: "Function", Value: "deploy"}}, Button: views.Button{Label: "Try it"},
	}}
	tried := preview
	tried.Result = &settings.RoutingResult{
		Decides: "The rule Night decides.", Passed: []string{"Day doesn't match: it is outside of its hours"}, Ends: "Then no one was reached.",
		Steps: []settings.RoutingStep{{When: "20 Nov 2026, 09:41 UTC", ISO: "2026-11-20T09:41:20Z", Rows: []settings.RoutingCalled{
			{Who: "Ada", Why: "on call in Payments", Tone: views.ToneOK, Icon: views.IconCheck, Word: "called"}, {Who: "Ben", Why: "these are their quiet hours", Tone: views.ToneWarn, Icon: views.IconAlert, Word: "not called"},
		}}},
	}

	return map[string]sample{
		"settings-routing": of(settings.RoutingPage, p, settings.RoutingSettings{
			Items: items, Back: back, Notices: []views.Notice{{Tone: views.ToneBad, Icon: views.IconAlert, Title: "Nothing was changed"}}, Unmatched: "Where no rule matches, all are called.",
			Rules:   []settings.RoutingRule{{Name: "Night", URL: "/t/acme/settings/notices/routing/rules/rul_1", When: "HIGH · production", Steps: []string{"who is on call in Payments, with 5 minutes"}, Acts: []settings.RoutingAct{act, remove}}},
			AddRule: &views.Link{Label: "Add a rule", URL: "/t/acme/settings/notices/routing/rules/new"}, AddTeam: &views.Link{Label: "Add a team", URL: "/t/acme/settings/notices/routing/teams/new"},
			Teams: []settings.RoutingTeam{{Name: "Payments", URL: "/t/acme/settings/notices/routing/teams/tem_1", Members: "Ada, Ben", OnCall: "Ada", Until: "21 Nov 2026, 09:00 UTC", UntilISO: "2026-11-21T09:00:00Z"}, {Name: "All", URL: "/t/acme/settings/notices/routing/teams/tem_2", Members: "Ada", OnCall: "no rotation"}},
			Own:   views.Link{Label: "Your own notices", URL: "/t/acme/account/notices"}, Preview: tried,
		}),
		"settings-routing-empty": of(settings.RoutingPage, p, settings.RoutingSettings{Items: items, Back: back, Unmatched: "All are called.", Own: back, Preview: preview}),
		"settings-routing-rule":  of(settings.SectionFormPage, p, settings.SectionFormSettings{Items: items, Back: back, Title: "Night", Summary: "All must match.", Errors: []views.FieldError{{Text: "Choose.", Field: "step1"}}, Form: &form, Panels: []views.Panel{panel}}),
		"settings-routing-read":  of(settings.SectionFormPage, p, settings.SectionFormSettings{Items: items, Back: back, Title: "Night", Notices: []views.Notice{{Tone: views.ToneBad, Icon: views.IconAlert, Title: "Nothing was changed"}}, Facts: []views.Fact{{Label: "When", Value: views.Text("HIGH")}}}),
		"account-notices": of(settings.OwnNoticesPage, did, settings.OwnNotices{
			Back: back, Title: "Your notices in acme", Summary: "How you are called.", Errors: []views.FieldError{{Text: "No time.", Field: "name"}}, Notices: []views.Notice{{Tone: views.ToneAccent, Icon: "bell", Title: "You are on call in Payments"}},
			Channels: []settings.OwnChannel{{Kind: "Email", To: "ada@acme.test", State: "active", Tone: views.ToneOK, Icon: views.IconCheck, Test: views.Text("The last test was delivered."), Acts: []settings.RoutingAct{act}}}, Form: form,
			Push: &settings.PushPanel{URL: "/t/acme/account/notices/devices", Key: "BPub", Worker: "/service-worker.js", Person: "per_1", Devices: []settings.OwnDevice{
				{Name: "Chrome on Android", Mark: "aGFzaA", Added: "20 Nov 2026, 09:41 UTC", Exact: "2026-11-20T09:41:20Z", Test: views.Text("The last test is being sent"), Acts: []settings.RoutingAct{act}}, {Name: "Firefox on Linux", Mark: "b3RoZXI", Added: "20 Nov 2026, 09:41 UTC", Exact: "2026-11-20T09:41:20Z", State: "paused"},
			}},
		}),
		"settings-reasons": of(settings.ReasonsPage, did, settings.ReasonSettings{Items: items, Form: &views.PlainForm{
			URL: "/t/acme/settings/reasons", Areas: []views.AreaField{{ID: "deny", Name: "deny", Label: "Deny", Value: "Freeze", Rows: "5", Prose: true, Hint: "One per line."}}, Button: views.Button{Label: "Save", Kind: "primary"},
		}}),
		"settings-reasons-read": of(settings.ReasonsPage, p, settings.ReasonSettings{Items: items, Lists: []settings.ReasonList{{ID: "list-deny", Title: "Deny", Reasons: []string{"Freeze", "<b>"}}}}),
		"account-notices-none":  of(settings.OwnNoticesPage, p, settings.OwnNotices{Back: back, Title: "Your notices in acme", None: "You have none.", Add: &views.PlainForm{URL: "/t/acme/account/notices/add", Button: views.Button{Label: "Call me"}}, Form: form}),
	}
}
