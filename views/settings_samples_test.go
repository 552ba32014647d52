package views_test

import (
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
)

// settingsSamples are the pages of agents and people in the states that differ in
// their parts.
func settingsSamples() map[string]sample {
	items := []views.SettingsItem{{Label: "Agents", URL: "/t/acme/settings/agents", Icon: "bot", Here: true}, {Label: "People", URL: "/t/acme/settings/people", Icon: "users"}}
	p := page("Agents", views.PlaceSettings)
	p.Account = "/account"
	form := views.PlainForm{
		URL: "/t/acme/settings/agents", Hidden: []views.Hidden{{Name: "key", Value: "key_1"}},
		Lines:   []views.LineField{{ID: "name", Name: "name", Label: "Name", Value: "two words", Mono: true, Required: true, Max: "64", Hint: "Letters and digits.", Error: "No spaces."}},
		Lists:   []views.SelectField{{ID: "owner", Name: "owner", Label: "Owner", Options: []views.Choice{{Value: "per_1", Label: "Ada", Checked: true}, {Value: "per_2", Label: "Ben"}}, Hint: "Does not decide for it.", Error: "Not a member."}},
		Groups:  []views.BoxGroup{{ID: "scopes", Label: "This key", Error: "Choose.", Boxes: []views.BoxField{{ID: "assess", Name: "assess", Value: "yes", Label: "may assess", Note: "Dry runs.", Checked: true}}}},
		Confirm: &views.BoxField{ID: "sure", Name: "sure", Value: "yes", Label: "Do it", Required: true},
		Button:  views.Button{Label: "Create agent", Icon: "key", Kind: "primary"}, Cancel: &views.Link{Label: "Cancel", URL: "/t/acme/settings/agents"},
	}
	plain := func(url, label string) *views.PlainForm {
		return &views.PlainForm{URL: url, Button: views.Button{Label: label}}
	}
	back := views.Link{Label: "Agents", URL: "/t/acme/settings/agents"}
	stop := views.Panel{ID: "stop-all", Title: "Stop all agents", Text: views.Text("At once."), Form: *plain("/t/acme/settings/agents/stop-all", "Stop all agents")}
	once := views.Notice{Tone: views.ToneWarn, Icon: "key", Title: "Shown once", Text: views.Text("Store it.")}
	ada := views.Person{Name: "Ada Lovelace", Initials: "AL", Email: "ada@acme.test", You: true}

	return map[string]sample{
		"settings-agents": of(settings.AgentsPage, p, settings.AgentsSettings{
			Items: items, Summary: "2 programs that may ask.", Create: "/t/acme/settings/agents/new", Stop: &stop,
			Notices: []views.Notice{{Tone: views.ToneBad, Icon: views.IconAlert, Title: "Nothing was changed"}},
			Rows: []settings.AgentRow{
				{Name: "bot", URL: "/t/acme/settings/agents/agt_1", Owner: "Ada Lovelace", Keys: []string{"csk_acme_7Q2K…"}, More: "and 2 more", Actions: "1,000+", Highest: views.LevelHigh, Used: "4 min ago", UsedISO: "2026-11-20T09:41:20Z", State: "active", Tone: views.ToneOK, Icon: views.IconCheck},
				{Name: "old", URL: "/t/acme/settings/agents/agt_2", Owner: "None", OwnerNote: "created by CLI", Actions: "0", State: "stopped", Tone: views.ToneBad, Icon: views.IconBan},
			},
		}),
		"settings-agents-empty": of(settings.AgentsPage, p, settings.AgentsSettings{Items: items, Summary: "0 programs", Empty: &views.Empty{Title: "No agents yet"}, Resume: &stop}),
		"settings-agent-new":    of(settings.NewAgentPage, p, settings.NewAgentSettings{Items: items, Back: back, Errors: []views.FieldError{{Text: "No spaces.", Field: "name"}}, Form: form}),
		"settings-without-asking": of(settings.WithoutAskingPage, p, settings.WithoutAsking{
			Items: items, Back: back, Title: "What runs without asking", Summary: "Of the agent bot.",
			Sections: []settings.WithoutSection{
				{ID: "none", Title: "None", Note: "What they are.", None: "There is none."},
				{ID: "grants", Title: "Grants", Note: "What they are.", Rows: []settings.WithoutRow{
					{Name: views.Text("update_ticket"), URL: "/g", What: views.Text("one session"), Used: "1 of 10", Last: "now", LastISO: "2026-03-01T12:00:00Z", Until: "1 Mar, 20:00", UntilISO: "2026-03-01T20:00:00Z", End: &views.WithoutEnd{URL: "/g/revoke", Label: "End", Of: "update_ticket", Hidden: []views.Hidden{{Name: "reason", Value: "ended"}}}},
					{Name: views.Text("add_note"), URL: "/g", What: views.Text("any arguments"), Used: "0 of its last 3 calls", Over: "expired"},
				}},
			},
		}),
		"settings-agent": of(settings.AgentPage, p, settings.AgentSettings{
			Items: items, Back: back, Name: "bot", Summary: views.Text("Made today."), Facts: []views.Fact{{Label: "Owner", Value: views.Text("Ada")}}, Panels: []views.Panel{stop}, Incident: &views.Panel{ID: "incident", Title: "Record an incident", Form: *plain("/t/acme/settings/agents/agt_1/incident", "Record")},
			ToolsLink: views.Link{Label: "Its tools", URL: "/t/acme/settings/agents/agt_1/tools"}, About: views.Link{Label: "What it does", URL: "/t/acme/agents/agt_1"},
			Without: views.Link{Label: "What runs without asking", URL: "/t/acme/settings/agents/agt_1/without-asking"},
			Record: views.AgentRecord{Note: "What is counted.", Use: "What it is used for.", Loss: &views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert, Title: "It began again"}, Rows: []views.RecordRow{
				{Function: views.Text("send_mail"), Succeeded: "62.2", Failed: "0.0", Bound: "0.953", Since: "2026-11-20", Does: "MEDIUM lowered to LOW"},
			}},
			Keys: []settings.KeyRow{
				{ID: "key_1", Hint: "csk_acme_7Q2K…", Tail: "key_…1", Scopes: "submit", Created: "20 Nov", CreatedISO: "2026-11-20T09:41:20Z", State: "works", Tone: views.ToneOK, Icon: views.IconCheck, Expiry: plain("/t/acme/settings/agents/agt_1/keys/key_1/expiry", "Set"), Revoke: plain("/t/acme/settings/agents/agt_1/keys/key_1/revoke", "Revoke")},
				{ID: "key_2", Hint: "csk_acme_…", Tail: "key_…2", Scopes: "submit", Expires: "20 Nov", ExpiresISO: "2026-11-20T09:41:20Z", State: "revoked", Icon: views.IconBan},
			},
		}),
		"settings-agent-none": of(settings.AgentPage, p, settings.AgentSettings{Items: items, Back: back, Name: "bot", ToolsLink: back, Without: back, Record: views.AgentRecord{None: "No track record yet."}}),
		"settings-tools": of(settings.ToolsPage, p, settings.ToolsSettings{
			Items: items, Back: back, Title: "Tools of bot", Summary: "What servers say.", Errors: []views.FieldError{{Text: "No JSON.", Field: "list"}},
			Notices: []views.Notice{{Tone: views.ToneWarn, Icon: views.IconInfo, Title: "1 effect is chosen"}},
			Groups: []settings.ToolGroup{{ID: "server-0", Server: "rides", Note: views.Text("2 tools."), Rows: []settings.ToolRow{
				{Name: views.Text("get_ride"), About: views.Text("Book a ride."), News: "changed", Tone: views.ToneWarn, Read: "Moves money", Why: "its description says so", Level: views.LevelHigh, Says: []string{"only reads"}, Reviewed: "Reads", State: "was accepted as: Reads", Stale: true, Choice: &views.SelectField{ID: "effect-0", Name: "effect:get_ride", Label: "Effect of get_ride", Quiet: true, Options: []views.Choice{{Value: "read", Label: "Reads", Checked: true}}}},
				{Name: views.Text("frob"), Read: "Unknown", State: "accepted: Reads"},
			}}},
			Accept: &views.PlainForm{URL: "/t/acme/settings/agents/agt_1/tools/accept", Hidden: []views.Hidden{{Name: "base", Value: "1"}}, Lines: []views.LineField{{ID: "accept-reason", Name: "reason", Label: "Reason"}}, Button: views.Button{Label: "Preview and propose", Kind: "primary"}},
			Import: &settings.ToolImport{
				URL: "/t/acme/settings/agents/agt_1/tools", Lines: []views.LineField{{ID: "server", Name: "server", Label: "Server"}}, File: views.LineField{ID: "file", Name: "file", Type: "file", Label: "A file"},
				Text: views.AreaField{ID: "list", Name: "list", Label: "Or paste the list", Rows: "8"}, Button: views.Button{Label: "Import", Kind: "primary"},
			},
			Removals: []views.Panel{{ID: "remove-1", Title: "Take the tools of rides away", Form: *plain("/t/acme/settings/agents/agt_1/tools/remove", "Remove")}},
		}),
		"settings-agent-key": of(settings.KeyShownPage, p, settings.KeyShown{
			Items: items, Title: "The key of bot", Warn: once, Notices: []views.Notice{{Icon: views.IconClock, Title: "The old key works until 10:00"}},
			Key: views.Secret{ID: "key", Label: "Key of bot", Value: "csk_acme_7Q2K"}, Examples: []views.Secret{{ID: "connect-claude", Label: "Claude Code", Value: "countersign hook install claude-code"}, {ID: "connect-curl", Label: "curl", Value: "curl"}},
			Connected: settings.Connected{URL: "/t/acme/settings/agents/agt_1", Steps: []settings.ConnectedStep{{Text: "A call came just now", Done: true}, {Text: "The gate wasn't tested yet"}}},
			Facts:     []views.Fact{{Label: "Expires", Value: views.Text("never")}}, Done: views.Link{Label: "Done", URL: "/t/acme/settings/agents/agt_1"},
		}),
		"settings-people": of(settings.PeoplePage, p, settings.PeopleSettings{
			Items: items, Summary: "1 member", Invite: "/t/acme/settings/people/new",
			Rows:    []settings.PersonRow{{Person: ada, URL: "/t/acme/settings/people/per_1", Roles: []string{"operator", "admin"}, SignedIn: "20 Nov", SignedInISO: "2026-11-20T09:41:20Z", Joined: "19 Nov", JoinedISO: "2026-11-19T09:41:20Z"}},
			Invited: []settings.InvitedRow{{Email: "ben@acme.test", Roles: []string{"compliance"}, By: "Ada Lovelace", Expires: "23 Nov", ExpiresISO: "2026-11-23T09:41:20Z", Withdraw: plain("/t/acme/settings/people/invitations/tkt_1/withdraw", "Withdraw")}},
		}),
		"settings-invite": of(settings.InvitePage, p, settings.InviteSettings{Items: items, Back: back, Form: form}),
		"settings-person": of(settings.PersonPage, p, settings.PersonSettings{Items: items, Back: back, Name: "Ada Lovelace", Summary: views.Text("Member of acme."), Errors: []views.FieldError{{Text: "Choose a role."}}, Facts: []views.Fact{{Label: "Email", Value: views.Text("ada@acme.test")}}, Panels: []views.Panel{stop}}),
		"settings-link":   of(settings.LinkShownPage, p, settings.LinkShown{Items: items, Title: "Invitation", Warn: once, Link: views.Secret{ID: "link", Label: "Link", Value: "https://x.test/join"}, Done: back}),
		"gate-join":       of(settings.GatePage, settings.Gate{Assets: assets(), Title: "Join acme", Text: views.Text("You were invited."), Error: "Try again.", Facts: []views.Pair{{Label: "Email", Value: views.Text("ben@acme.test")}}, Form: form}),
		"account":         of(settings.AccountPage, settings.AccountSettings{Assets: assets(), Person: ada, Back: views.Link{Label: "Back to the queue", URL: "/"}, Done: "Your password is set.", Error: "Not now.", Panels: []views.Panel{{ID: "change", Title: "Change your password", Form: form}}}),
	}
}

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
			Away: awayPanel(),
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
		"account-notices-none": of(settings.OwnNoticesPage, p, settings.OwnNotices{
			Away: awayPanel(), Back: back, Title: "Your notices in acme", None: "You have none.", Add: &views.PlainForm{URL: "/t/acme/account/notices/add", Button: views.Button{Label: "Call me"}}, Form: form,
		}),
	}
}

// standingSamples are the pages of what is allowed ahead.
func standingSamples() map[string]sample {
	p := page("Standing approvals", views.PlaceSettings)
	items := []views.SettingsItem{{Label: "Standing approvals", URL: "/t/acme/settings/standing-grants", Icon: "history", Here: true}}
	back := views.Link{Label: "Standing approvals", URL: "/t/acme/settings/standing-grants"}
	step := views.TrailStep{Text: views.Text("Deploy checkout-api"), Note: "waiting", End: "09:41:20", Level: views.LevelMedium, URL: "/t/acme/approvals/apr_1"}
	terms := []views.Pair{{Label: "environment", Value: views.Text("none")}, {Label: "/service", Value: views.Text(`exactly "checkout-api"`), Mono: true}}
	facts := []views.Fact{{Label: "Used", Value: views.Text("3 of 20"), Note: views.Text("last: never")}}
	form := &settings.StandingForm{
		URL: "/t/acme/settings/standing-grants/preview", Hidden: []views.Hidden{{Name: "from", Value: "apr_1"}}, Fixed: facts,
		Terms: []settings.TermField{
			{
				Rule: "rule-0", Text: "value-0", Name: views.Text("/service"), Plain: "/service", Value: views.Text(`"checkout-api"`), Typed: "checkout-api\nbasket-api", Texts: true, Error: "Too many.",
				Rules: []views.Choice{{Value: "equals", Label: "equals"}, {Value: "one_of", Label: "is one of (one per line)", Checked: true}},
			},
			{Rule: "rule-1", Text: "value-1", Name: views.Text("/force"), Plain: "/force", Value: views.Text("true"), Rules: []views.Choice{{Value: "equals", Label: "equals", Checked: true}}},
		},
		Lines:  []views.LineField{{ID: "uses", Name: "uses", Label: "How many times", Value: "20"}},
		Lists:  []views.SelectField{{ID: "life", Name: "life", Label: "For how long", Options: []views.Choice{{Value: "24", Label: "1 day", Checked: true}}}},
		Button: views.Button{Label: "Preview", Icon: "eye", Kind: "primary"},
	}

	return map[string]sample{
		"settings-standing": of(settings.StandingGrantsPage, p, settings.StandingSettings{
			Items: items, Summary: "What operators allowed ahead.", Older: "/t/acme/settings/standing-grants?before=stg_1", Begin: []views.TrailStep{step},
			Rows: []settings.StandingRow{{
				ID: "stg_1", URL: "/t/acme/settings/standing-grants/stg_1", Function: views.Text("deploy_service"), Agent: "bot", By: "Ada Lovelace", Why: views.Text("every night"), Used: "3 of 20",
				Ends: "21 Nov", EndsISO: "2026-11-21T09:41:20Z", State: "open", Tone: views.ToneOK, Icon: views.IconCheck,
			}},
		}),
		"settings-entry": of(settings.EntryPage, p, settings.StandingDraft{Items: items, Back: back, Call: views.Notice{Icon: views.IconLayers, Title: "From this call"}, Form: form}),
		"settings-waiting": of(settings.WaitingPage, p, settings.WaitingSettings{Items: items, Summary: "What waits.", Errors: []views.FieldError{{Text: "Say why."}}, Notices: []views.Notice{{Icon: views.IconInfo, Title: "It changed"}}, Changes: []settings.WaitingChange{
			{ID: "link-1", Title: "A link for Ben", Facts: terms, Forms: []views.PlainForm{{URL: "/t/acme/settings/waiting/1/accept", Button: views.Button{Label: "Accept"}}}, Open: &back},
		}}),
		"settings-waiting-none": of(settings.WaitingPage, p, settings.WaitingSettings{Items: items, None: "Nothing pending."}),
		"settings-notices": of(settings.NoticesPage, p, settings.NoticesSettings{
			Items: items, Notices: []views.Notice{{Icon: views.IconInfo, Title: "It changed"}}, Routing: &views.Link{Label: "Routing", URL: "/t/acme/settings/notices/routing"}, Detail: &views.Panel{ID: "detail", Title: "What notices say", Form: views.PlainForm{URL: "/t/acme/settings/notices/detail", Button: views.Button{Label: "Save"}}},
			Add:  []settings.ChannelKind{{Link: views.Link{Label: "Slack", URL: "/t/acme/settings/notices/new"}, Help: "A channel."}},
			Rows: []settings.ChannelRow{{Name: "ops", URL: "/t/acme/settings/notices/chn_1", Kind: "Slack", To: views.Text("https://hooks.slack.com"), Tells: "HIGH", State: "active", Tone: views.ToneOK, Icon: views.IconCheck}},
		}),
		"settings-notices-read": of(settings.NoticesPage, p, settings.NoticesSettings{Items: items, DetailNow: "Notices say the level."}),
		"settings-channel": of(settings.ChannelPage, p, settings.ChannelSettings{
			Items: items, Back: back, Title: "ops", Summary: "Slack.", Notices: []views.Notice{{Icon: views.IconInfo, Title: "It changed"}}, Errors: []views.FieldError{{Text: "No address."}}, Facts: facts, Refresh: "/t/acme/settings/notices/chn_1",
			Form: &views.PlainForm{URL: "/t/acme/settings/notices/chn_1", Button: views.Button{Label: "Save"}}, Preview: "{}", Panels: []views.Panel{{ID: "delete", Title: "Delete it", Form: views.PlainForm{URL: "/t/acme/settings/notices/chn_1/delete", Button: views.Button{Label: "Delete"}}}},
		}),
		"settings-channel-shown": of(settings.ChannelShownPage, p, settings.ChannelShown{Items: items, Title: "ops", Warn: views.Notice{Icon: views.IconInfo, Title: "Shown once"}, Secret: views.Secret{ID: "secret", Label: "Secret", Value: "whsec"}, Text: "Check each notice with it.", Done: back}),
		"settings-standing-none": of(settings.StandingGrantsPage, p, settings.StandingSettings{Items: items, Empty: &views.Empty{Title: "No standing approvals"}}),
		"settings-standing-one": of(settings.StandingGrantPage, p, settings.StandingOne{
			Items: items, Back: back, Title: views.Text("deploy_service, standing approval"), Summary: "It is open.", Errors: []views.FieldError{{Text: "Say why.", Field: "reason"}},
			Notices: []views.Notice{{Tone: views.ToneWarn, Icon: views.IconUser, Title: "Not reviewed by anyone else"}}, Facts: facts, Terms: terms, Used: []views.TrailStep{step}, UsedNote: views.Link{Label: "All of its uses", URL: "/t/acme/audit"},
			Revoke: &views.Panel{ID: "revoke", Title: "Revoke", Text: views.Text("At once."), Form: views.PlainForm{URL: "/t/acme/settings/standing-grants/stg_1/revoke", Lines: []views.LineField{{ID: "reason", Name: "reason", Label: "Reason", Required: true}}, Button: views.Button{Label: "Revoke", Kind: "final"}}},
		}),
		"settings-standing-new": of(settings.StandingDraftPage, p, settings.StandingDraft{
			Items: items, Back: back, Call: views.Notice{Icon: views.IconLayers, Title: "From this call", Text: views.Text("Deploy checkout-api")}, Form: form, Errors: []views.FieldError{{Text: "Too many.", Field: "value-0"}},
		}),
		"settings-standing-preview": of(settings.StandingDraftPage, p, settings.StandingDraft{
			Items: items, Back: back, Call: views.Notice{Icon: views.IconLayers, Title: "From this call"}, Form: form,
			Preview: &settings.StandingPreview{Facts: facts, Terms: terms, Pending: []views.TrailStep{step}, PendingNote: "1 waits and match.", Edges: []views.TrailStep{step}, Save: settings.StandingSave{
				URL: "/t/acme/settings/standing-grants", Hidden: []views.Hidden{{Name: "seen", Value: "00"}}, Typed: &views.TypedWord{Say: "deploy_service", Why: "No one else reviews this."}, Button: "Allow it 20 times",
			}},
		}),
	}
}

func awayPanel() views.Panel {
	return views.Panel{ID: "away", Title: "Out of office", Text: views.Text("From today: away; Bo decides."), Form: views.PlainForm{
		URL: "/t/acme/account/notices/away", Button: views.Button{Label: "Set absence"}, Other: &views.OtherButton{Label: "I'm back", URL: "/t/acme/account/notices/back"},
		Lines: []views.LineField{{ID: "away-from", Name: "from", Label: "Away from", Type: "date"}},
		Lists: []views.SelectField{{ID: "away-deputy", Name: "deputy", Label: "Deputy", Options: []views.Choice{{Value: "per_1", Label: "Bo", Checked: true}}}},
	}}
}
