package views_test

import (
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
)

// sessionSamples are the page of a session in the states that differ in their parts.
func sessionSamples() map[string]sample {
	p := page("Session ses_1", views.PlaceHistory)
	back := views.Link{Label: "builder", URL: "/t/acme/settings/agents/agt_1"}
	return map[string]sample{
		"session": of(review.SessionPage, p, review.SessionOne{
			Title: []views.Run{{Text: "Session "}, {Kind: views.RunHidden, Text: "RLO", Code: "U+202E", Name: "RIGHT-TO-LEFT OVERRIDE"}}, Back: back, Summary: views.Text("of builder."),
			State: "1 waiting", Tone: views.ToneWarn, Icon: views.IconHourglass, Links: []views.Link{{Label: "Decisions of this session", URL: "/t/acme/history?session=ses_1"}},
			Stats: []views.Stat{{Label: "Held per 60 calls", Value: "3.4", Note: "2 of 35 calls"}}, Note: "The figures count the newest 2,000 calls.", Sealed: "Requests wait.",
			Problems: []views.FieldError{{Text: "Which calls: choose.", Field: "f-show"}},
			Alert:    &views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert, Title: "The score of this session is above 85", Text: views.Text("Look.")},
			Score: review.SessionScore{
				About: "All matches.", Note: "1 request is sealed.", Stats: []views.Stat{{Label: "Session score", Value: "87", Note: "of 100"}},
				Days: views.Figure{ID: "session-days", Title: "Pattern score by day", About: "By day.", Chart: views.ChartLines, Unit: views.UnitPoints, Wide: true, Heads: []views.FigureHead{{Label: "Day"}, {Label: "Mean", Hue: views.HueAccent}, {Label: "Change"}}, Rows: []views.FigureRow{
					{Name: views.Text("1 March 2026"), Day: "2026-03-01", Short: "1 Mar", Cells: []views.FigureCell{{Text: "2.0", Value: "2.00"}, {Text: "none"}}},
					{Name: views.Text("2 March 2026"), Day: "2026-03-02", Short: "2 Mar", Cells: []views.FigureCell{{Text: "22.5", Value: "22.50"}, {Text: "+20.5", Value: "20.50"}}},
				}},
			},
			Grants: views.SessionGrants{All: &views.Link{Label: "What runs without asking", URL: "/w"}, Rows: []views.SessionGrant{
				{URL: "/g", What: views.Text("push to fix-4711"), By: "Ada", Used: "1 of 10", Last: "now", LastISO: "2026-03-01T12:00:00Z", Ends: "1 Mar, 20:00", EndsISO: "2026-03-01T20:00:00Z", State: "open", Tone: views.ToneOK, Icon: views.IconCheck, End: &views.WithoutEnd{URL: "/g/revoke", Label: "End", Of: "push", Hidden: []views.Hidden{{Name: "reason", Value: "ended"}}}},
				{URL: "/g2", What: views.Text("install packages"), By: "Ada", Used: "0 of 10", Ends: "1 Mar, 20:00", EndsISO: "2026-03-01T20:00:00Z", State: "revoked", Tone: views.ToneBad, Icon: views.IconBan},
			}},
			Windows: []views.Window{{Label: "All calls", URL: "/s", Here: true}, {Label: "Held", URL: "/s?show=held"}},
			Rows: []review.SessionRow{
				{ID: "apr_1", URL: "/t/acme/approvals/apr_1", When: "1 Mar 12:00:00", ISO: "2026-03-01T12:00:00Z", Ago: "1 min ago", Sentence: views.Text("Push fix-4711"), Command: views.Text("git push origin fix-4711"), Level: views.LevelMedium, Why: views.Text("it leaves the workspace"), WhyURL: "/t/acme/settings/agents/agt_1", Verdict: "Waiting", Tone: views.ToneWarn, By: "for 1 min"},
				{ID: "apr_0", URL: "/t/acme/approvals/apr_0", When: "1 Mar 11:59:00", ISO: "2026-03-01T11:59:00Z", Sentence: views.Text("Edit main.go"), Level: views.LevelLow, Why: views.Text("an edit in the workspace"), Verdict: "Auto-approved", Tone: views.ToneOK, By: "by the policy", Writes: "writes 1 file"},
				{ID: "apr_00", URL: "/t/acme/approvals/apr_00", When: "1 Mar 11:58:00", ISO: "2026-03-01T11:58:00Z", Sentence: views.Text("The request in question"), Level: views.LevelHigh, Verdict: "Held"},
			},
			Label: "Newest first", Older: "/s?before=apr_00", Newest: "/s",
			Files: review.SessionFiles{Note: "Those with findings first.", More: "and 3 more files", Rows: []review.SessionFile{
				{Path: views.Text("/w/deploy.sh"), Findings: []string{"network: a client", "foreign"}, Times: "2 times", URL: "/t/acme/approvals/apr_0", Last: "1 Mar 11:59:00", LastISO: "2026-03-01T11:59:00Z"},
				{Path: views.Text("/w/a.go"), State: "deleted", Times: "1 time", URL: "/t/acme/approvals/apr_0", Last: "1 Mar 11:59:00", LastISO: "2026-03-01T11:59:00Z"},
			}},
		}),
		"session-none": of(review.SessionPage, p, review.SessionOne{
			Title: views.Text("Session ses_1"), Back: back, Summary: views.Text("of builder."), State: "quiet", Icon: views.IconClock,
			Grants: views.SessionGrants{None: "Nothing was allowed."}, Files: review.SessionFiles{None: "No file is known."},
			Empty: &views.Empty{Search: true, Title: "No matching calls", Action: &views.Link{Label: "All calls", URL: "/s"}},
		}),
	}
}
