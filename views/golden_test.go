package views_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/countersign/countersign/views"
)

var update = flag.Bool("update", false, "write the golden files")

// The golden files hold one element a line, so that a change shows where it is.
func TestGolden(t *testing.T) {
	t.Parallel()
	done, sealed, hostile := row(), row(), row()
	done.Done = &views.RowDone{Text: "Denied by Mei Tanaka", When: "12 s ago", ISO: "2026-11-20T09:41:08Z"}
	sealed.Sealed, sealed.Current, sealed.Sentence, sealed.Environment = true, true, views.Text("Delete a user"), ""
	hostile.Sentence = []views.Run{
		{Text: `<script>alert("1")</script> `},
		{Kind: views.RunHidden, Text: "RLO", Code: "U+202E", Name: "RIGHT-TO-LEFT OVERRIDE"},
		{Kind: views.RunOdd, Text: "е", Code: "U+0435", Name: "CYRILLIC SMALL LETTER IE", Mark: "pattern homoglyph"},
		{Kind: views.RunFold, Text: "3 blank lines", Raw: "\n\n\n"},
	}
	ended := request(views.AskConfirm)
	ended.Left, ended.Decision = views.TimeLeft{}, nil
	cases := map[string]templ.Component{
		"push-row":         views.PushRow(row()),
		"push-row-done":    views.PushRow(done),
		"push-row-hostile": views.PushRow(hostile),
		"push-arrival":     views.PushArrival(row()),
		"push-count":       views.PushCount(0),
		"push-queue":       views.PushQueue(views.Resync{Count: 1, Rows: []views.QueueRow{row()}}),
		"push-outcome":     views.PushOutcome("apr_1", views.Notice{Tone: views.ToneAccent, Icon: views.IconUser, Title: "Mei Tanaka denied this", Text: views.Text("“Wrong person.”"), Action: &views.Link{Label: "Next in queue", URL: "/t/acme/queue"}}),
		"push-ended":       views.PushEnded(ended),
		"push-told":        views.PushTold("apr_1", &views.ToldBlock{Summary: "No one was reached", Tone: views.ToneWarn, Icon: views.IconAlert, Rows: []views.ToldRow{{Channel: views.Text("Mei Tanaka (Chrome on Android)"), What: "A request waits for a decision", State: views.Text("retrying, next in 30 s"), Why: views.Text("the receiver answered 500")}}}),
		"push-told-none":   views.PushTold("apr_1", nil),
		"push-looking":     views.PushLooking("apr_1", []views.Onlooker{{Person: views.Person{Name: "Mei Tanaka", Initials: "MT"}, Doing: views.Text("reading")}}),
		"rows-sealed":      views.QueueRows(views.Queue{Groups: []views.QueueGroup{{ID: "s", Title: views.Text("Session"), Note: "s · 1", Rows: []views.QueueRow{sealed}}}}, false),
	}
	for name, c := range every() {
		cases[name] = c
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.ReplaceAll(render(t, c), "><", ">\n<") + "\n"
			file := filepath.Join("testdata", name+".golden.html")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}

				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v (go test ./views -update writes it)", err)
			}
			if got == string(want) {
				return
			}
			gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
			for n := range min(len(gotLines), len(wantLines)) {
				if gotLines[n] != wantLines[n] {
					t.Fatalf("%s:%d\n got %s\nwant %s", file, n+1, gotLines[n], wantLines[n])
				}
			}
			t.Fatalf("%s has %d lines, the page %d", file, len(wantLines), len(gotLines))
		})
	}
}
