package views_test

import (
	"fmt"
	"testing"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

func TestSentence(t *testing.T) {
	t.Parallel()
	hostile := []views.Run{{Text: "{2}"}, {Kind: views.RunHidden, Text: "RLO", Code: "U+202E"}}
	got := views.Sentence(texts.Printer{}, "Called {1}, by {2}, not {3}.", hostile, views.Text("Mei"))
	if want := `[{Text:Called } {Text:{2}} {Text:RLO} {Text:, by } {Text:Mei} {Text:, not } {Text:.}]`; shown(got) != want {
		t.Errorf("got %s, want %s", shown(got), want)
	}
	got = views.SentenceOf(texts.Printer{}.Pieces("%d calls of {1}", 1234), hostile[:1])
	if want := `[{Text:1,234 calls of } {Text:{2}}]`; shown(got) != want {
		t.Errorf("got %s, want %s", shown(got), want)
	}
}

func shown(runs []views.Run) string {
	all := make([]struct{ Text string }, len(runs))
	for i, r := range runs {
		all[i].Text = r.Text
	}

	return fmt.Sprintf("%+v", all)
}
