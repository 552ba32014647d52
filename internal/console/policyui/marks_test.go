package policyui

import (
	"context"
	"testing"

	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views/texts"
)

// Every setting of the form stands in a section of the page's index.
func TestEverySettingHasASection(t *testing.T) {
	for _, s := range policySettings(texts.From(context.Background())) {
		if sectionOf(s.name) == "" {
			t.Errorf("%s stands in no section", s.name)
		}
	}
}

// A draft's marks count what differs from the policy in force, and the same number
// written otherwise does not.
func TestMarksOfADraft(t *testing.T) {
	say := texts.From(context.Background())
	p := scoring.DefaultPolicy()
	d := DraftOf(say, p)
	d["thresholds.high"], d["thresholds.medium"] = "0.50", "0.30"
	d["judgement.own_domains"] = "a.example"
	d["weights.novelty"] = "much"
	f := formFields{say: say, draft: d, current: p, wrong: map[string]string{"weights.novelty": "is wrong"}}
	marks, changed := f.marks()
	if changed != 3 {
		t.Errorf("%d settings are changed; expected 3", changed)
	}
	for at, want := range map[string][2]int{"thresholds": {1, 0}, "judgement": {1, 0}, "combination": {1, 1}, "challenges": {0, 0}} {
		if got := marks[at]; got.Changed != want[0] || got.Wrong != want[1] {
			t.Errorf("%s: %d changed and %d wrong; expected %d and %d", at, got.Changed, got.Wrong, want[0], want[1])
		}
	}
}
