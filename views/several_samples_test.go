package views_test

import (
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/settings"
)

// severalSamples are the pages of several requests at once, and of what is allowed
// ahead.
func severalSamples() map[string]sample {
	list, p := page("Bulk deny", views.PlaceQueue), page("Standing approvals", views.PlaceSettings)
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
	confirm, explicit := request(review.AskConfirm), request(review.AskExplicit)
	confirm.Decision.Also = &review.Also{Value: "apr_2:1", Label: "Approve the identical request too (runs twice)"}
	explicit.Decision.Also = &review.Also{Value: "apr_2:1", Label: "Approve the identical request too (runs twice)", Checked: true, Runs: "It runs 2 times.", Name: "consequence-3"}

	return map[string]sample{
		"select": of(review.SelectPage, list, review.Selecting{
			Live: "/t/acme/queue", Search: "/t/acme/queue", Query: "deploy", Note: "1 of the 1 that wait are here.", URL: "/t/acme/queue/deny",
			Errors: []views.FieldError{{Text: "Say why.", Field: "reason"}}, Reason: review.ReasonForm{Text: "Not now", Error: "Say why.", Reasons: []string{"Not now"}},
			Groups: []review.SelectGroup{{Title: views.Text("release"), Note: "bot", Rows: []review.SelectRow{
				{ID: "pick-apr_1", Pick: "apr_1 1 sha256:00", Checked: true, URL: "/t/acme/approvals/apr_1", Level: views.LevelMedium, Sentence: views.Text("Deploy checkout-api"), Sub: []string{"bot", "staging"}, Left: views.TimeLeft{Text: "11:24"}},
			}}},
		}),
		"select-empty": of(review.SelectPage, list, review.Selecting{Live: "/t/acme/queue", Search: "/t/acme/queue", URL: "/t/acme/queue/deny", Empty: &views.Empty{Title: "You're all caught up"}}),
		"batch": of(review.BatchPage, list, review.Batch{
			Title: "1 request denied", Summary: "1 request not denied.", Back: views.Link{Label: "Go to the queue", URL: "/t/acme/queue"}, Again: &views.Link{Label: "Deny more", URL: "/t/acme/queue?select=1"},
			Rows: []review.BatchRow{
				{URL: "/t/acme/approvals/apr_1", Level: views.LevelMedium, Sentence: views.Text("Deploy checkout-api"), State: "denied", Tone: views.ToneBad, Icon: views.IconCheck},
				{Level: views.LevelLow, Sentence: views.Text("Request not found"), State: "not found", Tone: views.ToneWarn, Icon: views.IconInfo, Note: views.Text("Open the list again.")},
			},
		}),
		"request-confirm-also":  of(review.RequestPage, list, queue(), confirm),
		"request-explicit-also": of(review.RequestPage, list, queue(), explicit),
		"settings-standing": of(settings.StandingGrantsPage, p, settings.StandingSettings{
			Items: items, Summary: "What operators allowed ahead.", Older: "/t/acme/settings/standing-grants?before=stg_1", Begin: []views.TrailStep{step},
			Rows: []settings.StandingRow{{
				ID: "stg_1", URL: "/t/acme/settings/standing-grants/stg_1", Function: views.Text("deploy_service"), Agent: "bot", By: "Ada Lovelace", Why: views.Text("every night"), Used: "3 of 20",
				Ends: "21 Nov", EndsISO: "2026-11-21T09:41:20Z", State: "open", Tone: views.ToneOK, Icon: views.IconCheck,
			}},
		}),
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
