package views_test

import (
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/trail"
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
				{Name: "old", URL: "/t/acme/settings/agents/agt_2", Owner: "No one", OwnerNote: "created by CLI", Actions: "0", State: "stopped", Tone: views.ToneBad, Icon: views.IconBan},
			},
		}),
		"agent": of(trail.AgentOverviewPage, p, trail.AgentOverview{
			Name: "bot", Summary: "The last 30 days.", Links: []views.Link{{Label: "Settings", URL: "/t/acme/settings/agents/agt_1"}},
			Facts:    []views.Fact{{Label: "Owner", Value: views.Text("Ada Lovelace")}, {Label: "Contact", Value: views.Text("#ops")}},
			Calls:    []trail.AgentCallRow{{Function: views.Text("delete_user"), URL: "/t/acme/history?function=delete_user", Counts: []string{"7", "1", "2", "0", "1", "3", "0"}}, {Function: views.Text("Hidden"), Counts: []string{"1", "0", "0", "0", "0", "0", "1"}}},
			Sessions: []trail.AgentSession{{Name: views.Text("ses_1"), URL: "/t/acme/sessions/agt_1?session=ses_1", Count: "7 actions ended", When: "20 Nov 09:42:19", ISO: "2026-11-20T09:42:19Z"}, {Name: views.Text("Hidden"), Count: "1 action ended", When: "20 Nov 09:42:19", ISO: "2026-11-20T09:42:19Z"}},
			Timeline: []trail.AuditRow{{Index: "812", URL: "/t/acme/audit/812", Time: "20 Nov 09:42:19.000", ISO: "2026-11-20T09:42:19Z", Kind: "approval.denied", Level: views.LevelHigh, Actor: views.Text("Ada Lovelace"), What: views.Text("Denied delete_user: “not today”"), Request: "/t/acme/approvals/apr_9"}},
			All:      []views.Link{{Label: "All its decisions", URL: "/t/acme/history?agent=agt_1"}},
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
			Key: views.Secret{ID: "key", Label: "Key of bot", Value: "csk_acme_7Q2K"}, Examples: []views.Secret{{ID: "example", Label: "First request", Value: "curl"}, {ID: "example-use", Label: "Use it", Value: "curl"}},
			Facts: []views.Fact{{Label: "Expires", Value: views.Text("never")}}, Then: views.Link{Label: "the queue", URL: "/t/acme/queue"}, Done: views.Link{Label: "Done", URL: "/t/acme/settings/agents/agt_1"},
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
