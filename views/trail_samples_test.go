package views_test

import (
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/trail"
)

// trailSamples are the audit trail, the history and an agent at a glance.
func trailSamples() map[string]sample {
	seen := reviewed()
	seen.Same, seen.Other = false, true

	return map[string]sample{
		"audit":           of(trail.AuditPage, page("Audit", views.PlaceAudit), auditList()),
		"audit-refused":   of(trail.AuditPage, page("Audit", views.PlaceAudit), auditRefused()),
		"audit-empty":     of(trail.AuditPage, page("Audit", views.PlaceAudit), auditEmpty()),
		"audit-verifying": of(trail.VerificationPage, page("Verifying", views.PlaceAudit), trail.Verification{Note: "120,000 of 480,000 entries hold so far.", Percent: 25, TrailURL: "/t/acme/audit", URL: "/t/acme/audit/verification"}),
		"audit-entry": of(trail.AuditEntryPage, page("Entry 2", views.PlaceAudit), trail.AuditEntry{
			Title: views.Text("Entry 2"), When: "20 November 2026, 09:42:31.104 UTC", ISO: "2026-11-20T09:42:31.104Z", Ago: "3 min ago", Level: views.LevelHigh,
			Fields:    []views.Pair{{Label: "Kind", Value: views.Text("approval.approved"), Mono: true}, {Label: "Request", Value: views.Text("apr_1"), URL: "/t/acme/approvals/apr_1"}},
			Reviewed:  &seen,
			Patterns:  &views.PatternModel{Label: "Clean", Tone: views.ToneOK, Summary: "0 of 100: no pattern matched"},
			Canonical: views.Text(`{"index":2}`), Size: "11 bytes", TrailURL: "/t/acme/audit", Newer: "/t/acme/audit/3", Older: "/t/acme/audit/1",
			Neighbours: []views.TrailStep{{Text: views.Text("3 grant.consumed"), URL: "/t/acme/audit/3", End: "09:42:33"}, {Text: views.Text("2 approval.approved"), Current: true, End: "09:42:31"}},
			Proof: trail.AuditProof{
				Leaf: "5d0e", Stored: "5d0e", Root: "b7d1", Size: "4", Holds: true, Plain: true, Command: `printf '\000%s' '{"index":2}' | sha256sum`,
				Steps: []trail.ProofStep{{Hash: "a1b4"}, {Hash: "77f3", Left: true}},
			},
		}),
		"audit-entry-broken": of(trail.AuditEntryPage, page("Entry 2", views.PlaceAudit), trail.AuditEntry{
			Title: views.Text("Entry 2"), When: "20 November 2026", Canonical: views.Text(`{"index":2}`), Size: "11 bytes", TrailURL: "/t/acme/audit",
			Proof: trail.AuditProof{Leaf: "5d0e", Stored: "0000", Root: "b7d1", Size: "4", Wrong: "The bytes have another hash.", Command: "sha256sum"},
		}),
		"history": of(trail.HistoryPage, page("History", views.PlaceHistory), trail.History{
			Summary: "What was decided", Filter: views.Filter{URL: "/t/acme/history", Label: "Filter decisions"},
			Pages: trail.Pages{Label: "1 request", End: "This is the end of the list."},
			Rows: []trail.HistoryRow{{
				ID: "apr_9", URL: "/t/acme/approvals/apr_9", Level: views.LevelMedium, Sentence: views.Text("Restart search-indexer"), Agent: "release-pilot",
				Verdict: "Denied", Tone: views.ToneBad, Reason: views.Text("“Not now”"), Who: "Mei Tanaka", When: "20 Nov 09:42:19", ISO: "2026-11-20T09:42:19Z", Ago: "3 min ago", Entry: "/t/acme/audit/7",
			}},
		}),
		"agent": of(trail.AgentOverviewPage, page("Agents", views.PlaceSettings), trail.AgentOverview{
			Name: "bot", Summary: "The last 30 days.", Links: []views.Link{{Label: "Settings", URL: "/t/acme/settings/agents/agt_1"}},
			Facts:    []views.Fact{{Label: "Owner", Value: views.Text("Ada Lovelace")}, {Label: "Contact", Value: views.Text("#ops")}},
			Calls:    []trail.AgentCallRow{{Function: views.Text("delete_user"), URL: "/t/acme/history?function=delete_user", Counts: []string{"7", "1", "2", "0", "1", "3", "0"}}, {Function: views.Text("Hidden"), Counts: []string{"1", "0", "0", "0", "0", "0", "1"}}},
			Sessions: []trail.AgentSession{{Name: views.Text("ses_1"), URL: "/t/acme/sessions/agt_1?session=ses_1", Count: "7 actions ended", When: "20 Nov 09:42:19", ISO: "2026-11-20T09:42:19Z"}, {Name: views.Text("Hidden"), Count: "1 action ended", When: "20 Nov 09:42:19", ISO: "2026-11-20T09:42:19Z"}},
			Timeline: []trail.AuditRow{{Index: "812", URL: "/t/acme/audit/812", Time: "20 Nov 09:42:19.000", ISO: "2026-11-20T09:42:19Z", Kind: "approval.denied", Level: views.LevelHigh, Actor: views.Text("Ada Lovelace"), What: views.Text("Denied delete_user: “not today”"), Request: "/t/acme/approvals/apr_9"}},
			All:      []views.Link{{Label: "All its decisions", URL: "/t/acme/history?agent=agt_1"}},
		}),
	}
}

func auditFilter() views.Filter {
	return views.Filter{
		URL: "/t/acme/audit", Label: "Filter entries", MoreLabel: "More filters", MoreOpen: true,
		Lead: []views.FilterField{
			{Kind: views.FieldSearch, ID: "f-text", Name: "text", Label: "Text", Value: "usr_123", Placeholder: "a reason"},
			{Kind: views.FieldBoxes, ID: "f-kind", Name: "kind", Label: "Kind", Summary: "1 kind", Groups: []views.ChoiceGroup{{Label: "Approval", Choices: []views.Choice{{Value: "approval.denied", Label: "denied", Checked: true}, {Value: "approval.viewed", Label: "viewed"}}}}},
			{Kind: views.FieldSelect, ID: "f-actor", Name: "actor", Label: "Who", Groups: []views.ChoiceGroup{{Choices: []views.Choice{{Label: "Anyone", Checked: true}}}, {Label: "People", Choices: []views.Choice{{Value: "person:per_1", Label: "Priya Raman"}}}}},
		},
		More: []views.FilterField{
			{Kind: views.FieldText, ID: "f-function", Name: "function", Label: "Function", Hint: "One word", Beside: &views.FilterField{ID: "f-match", Name: "match", Label: "How", Groups: []views.ChoiceGroup{{Choices: []views.Choice{{Label: "is"}}}}}},
			{Kind: views.FieldTime, ID: "f-from", Name: "from", Label: "From", Value: "2026-11-20T09:42"},
		},
		Spans: []views.Link{{Label: "hour", URL: "/t/acme/audit?from=2026-11-20T08%3A42"}},
		Chips: []views.FilterChip{{Name: "Text", Value: views.Text("usr_123"), Without: "/t/acme/audit?kind=approval.denied"}},
	}
}

func auditList() trail.Audit {
	return trail.Audit{
		Summary: "2 entries", Filter: auditFilter(), Looked: "Searched entries 48,213 to 43,213, 2 found.",
		Integrity: trail.Integrity{Notice: views.Notice{Tone: views.ToneOK, Icon: views.IconShield, Title: "The trail holds", Text: views.Text("Verified 3 min ago.")}, Size: "48,214", Root: "b7d1", Verify: "/t/acme/audit/verification"},
		Checkpoint: &trail.Checkpoint{
			Size: "48,210 entries", When: "20 Nov 09:42:00 UTC", ISO: "2026-11-20T09:42:00.000Z", Ago: "31 s ago",
			Note: "countersign/acme\n48210\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n2026-11-20T09:42:00.000000Z\n\n— countersign x08go/ZJkuBS9UG\n",
			Keys: "countersign+1a2b3c4d+AYEKFALVFGyNhPJEMzD1QIDr", URL: "/t/acme/audit/checkpoint",
		},
		Downloads: []views.Download{{URL: "/t/acme/audit.csv", Label: "Export these as CSV", Fields: []views.HiddenField{{Name: "text", Value: "usr_123"}}}},
		Rows: []trail.AuditRow{
			{Index: "2", URL: "/t/acme/audit/2", Time: "20 Nov 09:42:31.104", ISO: "2026-11-20T09:42:31.104Z", Ago: "3 min ago", Kind: "approval.approved", Level: views.LevelHigh, Actor: views.Text("Priya Raman"), What: views.Text("Approved delete_user"), Request: "/t/acme/approvals/apr_1"},
			{Index: "1", URL: "/t/acme/audit/1", Kind: "policy.changed", Actor: views.Text("the policy"), ActorNote: "version 3"},
		},
		Pages: trail.Pages{Label: "Entries 2 to 1, newest first.", Newer: "/t/acme/audit?after=2", NewerLabel: "Newer", Older: "/t/acme/audit?before=1", OlderLabel: "Keep searching"},
	}
}

func auditRefused() trail.Audit {
	f := auditFilter()
	f.Chips = nil
	f.More[1].Error, f.More[1].Value = "Write a time in UTC.", "yesterday"
	f.Problems = []views.FieldError{{Text: "From: Write a time in UTC.", Field: "f-from"}, {Text: "This list has no filter called x."}}
	return trail.Audit{Summary: "2 entries", Filter: f, Integrity: trail.Integrity{Notice: views.Notice{Tone: views.ToneBad, Icon: views.IconAlert, Title: "Verification failed"}}}
}

func auditEmpty() trail.Audit {
	return trail.Audit{
		Summary: "2 entries", Filter: auditFilter(), Integrity: trail.Integrity{Notice: views.Notice{Icon: views.IconShield, Title: "Not verified yet"}},
		Empty: &views.Empty{Search: true, Title: "No matching entries", Action: &views.Link{Label: "Clear filters", URL: "/t/acme/audit"}},
	}
}

// insightsSamples are the pages with figures.
func insightsSamples() map[string]sample {
	p := page("Quiz questions", views.PlaceHistory)
	back := views.Link{Label: "History", URL: "/t/acme/history"}
	windows := []views.Window{{Label: "Last 7 days", URL: "/t/acme/insights/questions?days=7"}, {Label: "Last 30 days", URL: "/t/acme/insights/questions", Here: true}}

	return map[string]sample{
		"items": of(trail.ItemStatisticsPage, p, trail.ItemStatistics{
			Summary: "5,000 quizzes.", Note: views.Text("Only the newest are counted."), Back: back, Windows: windows,
			Downloads: []views.Download{{URL: "/t/acme/insights/questions.csv", Label: "Export questions as CSV", Fields: []views.HiddenField{{Name: "days", Value: "7"}}}},
			Questions: trail.ItemTable{ID: "questions", Title: "Questions", Caption: "Each question.", Heads: []string{"Question", "Asked", "Correct"}, More: "The first 2.", Rows: []trail.ItemRow{
				{Name: views.Text("Which <user>?"), Note: "target", Mark: "too hard", Why: "Fewer than half were right.", Cells: []trail.ItemCell{{Text: "10"}, {Text: "40 %", Note: "17 % to 69 %"}, {Text: "no head"}}},
				{Name: []views.Run{{Text: "Which "}, {Kind: views.RunHidden, Text: "RLO", Code: "U+202E", Name: "RIGHT-TO-LEFT OVERRIDE"}}, Cells: []trail.ItemCell{{Text: "1"}}},
			}},
			Operators: trail.ItemTable{ID: "operators", Title: "Operators", Caption: "Each operator.", Heads: []string{"Operator", "Quizzes"}, Rows: []trail.ItemRow{{Name: views.Text("Ada"), Cells: []trail.ItemCell{{Text: "3"}}}}},
		}),
		"insights": of(trail.InsightsPage, page("Insights", views.PlaceInsights), trail.Insights{
			Summary: "1 to 2 March 2026.", Note: "The rest is being counted.", Windows: windows,
			Filter: views.Filter{
				URL: "/t/acme/insights", Label: "Filter the figures", Hidden: []views.HiddenField{{Name: "days", Value: "7"}},
				Lead: []views.FilterField{{Kind: views.FieldDay, ID: "f-from", Name: "from", Label: "From (UTC)", Value: "2026-03-01"}, {Kind: views.FieldText, ID: "f-function", Name: "function", Label: "Function"}},
			}, Links: []views.Link{{Label: "Quiz statistics", URL: "/t/acme/insights/questions"}},
			Stats:  []views.Stat{{Label: "Actions submitted", Value: "1,072", Note: "was 993"}},
			Alerts: []views.Notice{{Tone: views.ToneWarn, Icon: views.IconAlert, Title: "Scores rose", Text: views.Text("The mean was 0.627."), Action: &views.Link{Label: "Score by day", URL: "#figure-scores"}}},
			Figures: []views.Figure{
				{
					ID: "scores", Title: "Score by day", About: "The mean.", Chart: views.ChartLines, Unit: views.UnitScore, Wide: true, Alert: &views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert, Title: "Look"},
					Heads:    []views.FigureHead{{Label: "Day"}, {Label: "Mean", Hue: views.HueAccent}, {Label: "Upper edge", Hue: views.HueFaint, Edge: true}, {Label: "Actions"}},
					Download: &views.Download{URL: "/t/acme/insights.csv", Label: "CSV of score by day", Fields: []views.HiddenField{{Name: "figure", Value: "scores"}}},
					Rows: []views.FigureRow{
						{Name: views.Text("ses_1"), URL: "/t/acme/sessions/agt_1?session=ses_1", Change: &views.Link{Label: "the rule", URL: "/t/acme/settings/rules#rule-a"}, Cells: []views.FigureCell{{Text: "1.0", Value: "1.00"}}},
						{Name: views.Text("1 March 2026"), Day: "2026-03-01", Short: "1 Mar", Cells: []views.FigureCell{{Text: "none"}, {Text: "0.400", Value: "0.4"}, {Text: "0", Value: "0"}, {Text: "no head"}}},
						{Name: views.Text("2 March 2026"), Day: "2026-03-02", Short: "2 Mar", Mark: "above its band", Why: "Riskier.", Cells: []views.FigureCell{{Text: "0.627", Value: "0.627"}}},
					},
				},
				{
					ID: "functions", Title: "Functions", About: "How often.", Heads: []views.FigureHead{{Label: "Function"}, {Label: "Approved"}}, More: "The first 1.",
					Rows: []views.FigureRow{{Name: []views.Run{{Text: "<b>"}, {Kind: views.RunHidden, Text: "RLO", Code: "U+202E", Name: "RIGHT-TO-LEFT OVERRIDE"}}, Note: "Agent bot", Cells: []views.FigureCell{{Text: "93 %", Value: "0.93", Barred: true, Bar: 193, Note: "41 of 44"}}}},
				},
				{ID: "rules", Title: "Rules", About: "How often.", Chart: views.ChartStack, Heads: []views.FigureHead{{Label: "Rule"}}, None: "No rule fired."},
			},
		}),
		"insights-empty": of(trail.InsightsPage, page("Insights", views.PlaceInsights), trail.Insights{
			Windows: windows, Filter: views.Filter{URL: "/t/acme/insights", Label: "Filter the figures", Problems: []views.FieldError{{Text: "Days: wrong.", Field: "f-days"}}},
			Empty: &views.Empty{Title: "Nothing happened", Text: views.Text("As soon as an agent submits."), Action: &views.Link{Label: "Create an agent", URL: "/t/acme/settings/agents/new"}},
		}),
		"items-empty": of(trail.ItemStatisticsPage, p, trail.ItemStatistics{
			Back: back, Windows: windows, Problems: []views.FieldError{{Text: "Days: wrong.", Field: "f-days"}},
			Empty: &views.Empty{Title: "No quiz was answered", Text: views.Text("Where the policy asks for one."), Action: &views.Link{Label: "Look at the last 90 days", URL: "/t/acme/insights/questions?days=90"}},
		}),
	}
}
