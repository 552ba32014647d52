package request

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request/requesttest"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

func TestEffectLine(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, c := range []struct {
		e    effects.Effect
		want review.Effect
	}{
		{
			effects.Effect{Kind: effects.Delete, Verb: "drop", Object: "table", Breadth: effects.All, Reversible: &no, Certain: true, Evidence: []effects.Evidence{{Pointer: "/arguments/sql", End: 4, Why: "it drops"}}},
			review.Effect{Kind: "Deletes", What: untrusted.InEnglish(untrusted.Runs("drop table")), Points: []string{"everything", "can't be undone"}, Evidence: []review.EffectEvidence{{Text: untrusted.InEnglish(untrusted.Runs("it drops (arguments/sql)")), Place: 7}}},
		},
		{
			effects.Effect{Kind: effects.Delete, Verb: "delete", Object: "user", Breadth: effects.One, Certain: true},
			review.Effect{Kind: "Deletes", What: untrusted.InEnglish(untrusted.Runs("user")), Points: []string{"one"}},
		},
		{
			effects.Effect{Kind: effects.Message, Breadth: effects.Several, Audience: effects.Outside, Evidence: []effects.Evidence{{Pointer: "/function", Why: "send"}}},
			review.Effect{Kind: "Sends a message", Points: []string{"several", "outside the organisation"}, Doubt: "by its name only", Evidence: []review.EffectEvidence{{Text: untrusted.InEnglish(untrusted.Runs("send (function)"))}}},
		},
		{
			effects.Effect{Kind: effects.Money, Verb: "refund", Breadth: effects.One, Reversible: &yes, Certain: true, Amount: &effects.Amount{Value: 49.99, Currency: "EUR"}},
			review.Effect{Kind: "Moves money", What: untrusted.InEnglish(untrusted.Runs("refund")), Points: []string{"one", "49.99 EUR"}},
		},
		{
			effects.Effect{Kind: effects.Read, Sensitive: true, Certain: true},
			review.Effect{Kind: "Reads", Points: []string{"sensitive data"}},
		},
	} {
		got := effectOf(texts.Printer{}, c.e, map[string]int{"effect, deletes: “it drops”": 7})
		if got.Kind != c.want.Kind || got.Doubt != c.want.Doubt || untrusted.Plain(got.What) != untrusted.Plain(c.want.What) || !slices.Equal(got.Points, c.want.Points) || len(got.Evidence) != len(c.want.Evidence) {
			t.Errorf("%s is drawn as\n%+v, want\n%+v", c.e.Kind, got, c.want)
			continue
		}
		for i, e := range got.Evidence {
			if want := c.want.Evidence[i]; untrusted.Plain(e.Text) != untrusted.Plain(want.Text) || e.Place != want.Place {
				t.Errorf("%s was read from %+v, want %+v", c.e.Kind, e, want)
			}
		}
	}
}

// The floor is named among what held it, and that it decided where it is the cause, and
// not before the score may be seen: it would say that the score is lower.
func TestFloorAmongTheReasons(t *testing.T) {
	t.Parallel()
	v := requesttest.ReviewOf(t, `{"function":"disable_user","arguments":{"user_id":"usr_123"}}`, approvals.StageReading)
	v.PolicyVersionNow = v.PolicyVersion
	v.Thresholds.Medium, v.Thresholds.High, v.Thresholds.Critical = 0.3, 0.6, 0.8
	v.Assessment.Effects = []effects.Effect{{Kind: effects.Permission, Breadth: effects.One}}
	v.Assessment.Level, v.Assessment.Score = level.High, 0.255
	v.Assessment.Floor = effects.Floor{Level: level.High, Effect: effects.Permission, Because: "it changes access or security"}
	tag := func() string {
		h := heldOf(texts.Printer{}, v, nil)
		at := slices.IndexFunc(h.Items, func(i review.HeldItem) bool { return i.Kind == "What it does" })
		if at < 0 {
			return ""
		}
		if got := untrusted.Plain(h.Items[at].Text); got != "It changes access or security" {
			t.Errorf("the floor says %q", got)
		}
		return h.Items[at].Tag
	}
	if got := tag(); got != "HIGH, this decided" {
		t.Errorf("what decided is tagged %q", got)
	}
	v.Sealed = true
	if got := tag(); got != "HIGH or higher" {
		t.Errorf("before the questions it is tagged %q", got)
	}
	v.Sealed, v.Assessment.Rules = false, rules.Result{Level: level.High, TriggeredRules: []string{"own"}}
	if got := tag(); got != "HIGH or higher" {
		t.Errorf("beside a rule that decided it is tagged %q", got)
	}
	v.Assessment.Floor.Level = level.Low
	if got := tag(); got != "" {
		t.Errorf("a floor that asks for nothing is tagged %q", got)
	}
}

// Each consequence of a call has its text: of calls of real tools, none is drawn as nothing.
func TestEachConsequenceHasAText(t *testing.T) {
	t.Parallel()
	policy, err := scoring.Compile(scoring.DefaultPolicy())
	fatal(t, err)
	seen := map[string]bool{}
	for _, file := range []string{"headline.jsonl", "told.jsonl"} {
		text, err := os.ReadFile("../../scoring/headline/testdata/" + file)
		fatal(t, err)
		for line := range bytes.Lines(text) {
			v, err := canon.Parse(line)
			fatal(t, err)
			a, err := scoring.NewAction(v.Get("action"))
			fatal(t, err)
			h := a.Headline(policy.Assess(a, 1, nil))
			if seen[h.Consequence] = true; present.ConsequenceOf(texts.Printer{}, h.Consequence, nil) != h.Consequence {
				t.Errorf("%q has no text", h.Consequence)
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d of them", len(seen))
	}
}
