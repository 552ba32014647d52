package views_test

import (
	"github.com/a-h/templ"

	"github.com/countersign/countersign/views"
)

// insightsSamples are the pages with figures.
func insightsSamples() map[string]templ.Component {
	p := page("Quiz questions", views.PlaceHistory)
	back := views.Link{Label: "History", URL: "/t/acme/history"}
	windows := []views.Window{{Label: "Last 7 days", URL: "/t/acme/insights/questions?days=7"}, {Label: "Last 30 days", URL: "/t/acme/insights/questions", Here: true}}

	return map[string]templ.Component{
		"items": views.ItemStatisticsPage(p, views.ItemStatistics{
			Summary: "5,000 quizzes.", Note: "Only the newest are counted.", Back: back, Windows: windows,
			Downloads: []views.Download{{URL: "/t/acme/insights/questions.csv", Label: "Export questions as CSV", Fields: []views.HiddenField{{Name: "days", Value: "7"}}}},
			Questions: views.ItemTable{ID: "questions", Title: "Questions", Caption: "Each question.", Heads: []string{"Question", "Asked", "Share right"}, More: "The first 2.", Rows: []views.ItemRow{
				{Name: views.Text("Which <user>?"), Note: "target", Mark: "too hard", Why: "Fewer than half were right.", Cells: []views.ItemCell{{Text: "10"}, {Text: "40 %", Note: "17 % to 69 %"}, {Text: "no head"}}},
				{Name: []views.Run{{Text: "Which "}, {Kind: views.RunHidden, Text: "RLO", Code: "U+202E", Name: "RIGHT-TO-LEFT OVERRIDE"}}, Cells: []views.ItemCell{{Text: "1"}}},
			}},
			Operators: views.ItemTable{ID: "operators", Title: "Operators", Caption: "Each operator.", Heads: []string{"Operator", "Quizzes"}, Rows: []views.ItemRow{{Name: views.Text("Ada"), Cells: []views.ItemCell{{Text: "3"}}}}},
		}),
		"items-empty": views.ItemStatisticsPage(p, views.ItemStatistics{
			Back: back, Windows: windows, Problems: []views.FieldError{{Text: "Days: wrong.", Field: "f-days"}},
			Empty: &views.Empty{Title: "No quiz was answered", Text: views.Text("Where the policy asks for one."), Action: &views.Link{Label: "Look at the last 90 days", URL: "/t/acme/insights/questions?days=90"}},
		}),
	}
}
