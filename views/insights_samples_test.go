package views_test

import (
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/trail"
)

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
