package request

import (
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/request/requesttest"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// Where the score alone makes another level, the page says what decided, and shows no number
// in the pill that the level contradicts.
func TestTheScoreNeverContradictsTheLevel(t *testing.T) {
	t.Parallel()
	who := Reader{Member: auth.Member{}}
	for _, c := range []struct{ name, action, cause string }{
		{"a rule", `{"function":"run_sql","arguments":{"sql":"DROP TABLE billing.invoices"}}`, "Rule "},
		{"the effect", `{"function":"delete_user","arguments":{"user_id":"usr_1"},"environment":"production"}`, "It deletes"},
		{"nothing", `{"function":"get_user","arguments":{"user_id":"usr_1"}}`, ""},
	} {
		v := requesttest.ReviewOf(t, c.action, approvals.StageReading)
		v.Thresholds, v.PolicyVersionNow = scoring.DefaultPolicy().Thresholds, v.PolicyVersion
		page := Page(texts.Printer{}, v, who, Typed{})
		if (page.Score != "") != page.Card.Held.Open {
			t.Errorf("%s: score %q in the pill, the scores are open: %v", c.name, page.Score, page.Card.Held.Open)
		}
		bar := page.Card.Held.Bar
		if reached := v.Thresholds.Level(v.Assessment.Score); (bar.Raised != views.LevelNone) != (reached < v.Assessment.Level) {
			t.Errorf("%s: the score reaches %v, the level is %v, and the scale says raised to %v", c.name, reached, v.Assessment.Level, bar.Raised)
		}
		if said := untrusted.Plain(page.Card.Held.Why); !strings.HasPrefix(said, c.cause) {
			t.Errorf("%s: it is held since %q", c.name, said)
		}
		if len(page.Card.Held.Why) == 0 {
			t.Errorf("%s: nothing says why", c.name)
		}
		v.Sealed = true // while it is sealed, neither number nor cause
		if page := Page(texts.Printer{}, v, who, Typed{}); page.Card.Held.Summary != "" || page.Score != "" {
			t.Errorf("%s, sealed: %q, score %q", c.name, page.Card.Held.Summary, page.Score)
		}
	}
}

// Row, heading, title and button say what the call does, before its quiz and behind it.
func TestNothingIsHiddenFromTheHeading(t *testing.T) {
	t.Parallel()
	v := requesttest.ReviewOf(t, `{"function":"add_iam_policy_binding","arguments":{"project":"acme","member":"user:eve@outside.example","role":"roles/owner"}}`, approvals.StageReading)
	if v.Kind != scoring.ChallengeQuiz {
		t.Fatalf("it asks for %s", v.Kind)
	}
	const whole, text = "Add iam policy binding · member user:eve@outside.example · role roles/owner · project acme", "“Add iam policy binding” · member “user:eve@outside.example” · role “roles/owner” · project “acme”"
	for _, sealed := range []bool{true, false} {
		v.Sealed = sealed
		if page := Page(texts.Printer{}, v, Reader{}, Typed{}); untrusted.Plain(page.Sentence) != whole || TitleOf(texts.Printer{}, v, nil) != text {
			t.Errorf("sealed: %v: the heading is %q, the title %q", sealed, untrusted.Plain(page.Sentence), TitleOf(texts.Printer{}, v, nil))
		}
	}
	d := decisionOf(texts.Printer{}, v, tenants.Reasons{}, Typed{}, false)
	if got := untrusted.Plain(d.Object); got != "Add iam policy binding · member user:eve@outside.example" {
		t.Errorf("the button says %q", got)
	}
	if got := v.Line().Words.Text(); got != text {
		t.Errorf("the row says %q", got)
	}
}

// Bars compare as the figures beside them do.
func TestBarsDrawContributions(t *testing.T) {
	t.Parallel()
	v := requesttest.ReviewOf(t, `{"function":"delete_user","arguments":{"user_id":"usr_123"},"environment":"production"}`, approvals.StageReading)
	factors := cardOf(texts.Printer{}, v, Reader{}).Held.Factors
	for _, f := range factors {
		if want := " = " + Score(float64(f.Thousandths)/1000); !strings.HasSuffix(f.Contribution, want) {
			t.Errorf("%s: the bar draws %s, the figure says %s", f.Name, want, f.Contribution)
		}
		if f.Most < f.Thousandths || f.Most == 0 {
			t.Errorf("%s: %d of %d", f.Name, f.Thousandths, f.Most)
		}
	}
	for i, want := range []string{"destructive 0.95 × 0.30 = 0.285", "0.00 × 0.25 = 0.000", "0.00 × 0.20 = 0.000", "0.00 × 0.15 = 0.000", "0.90 × 0.10 = 0.090"} {
		if factors[i].Contribution != want {
			t.Errorf("%s: reads %s, want %s", factors[i].Name, factors[i].Contribution, want)
		}
	}
}

// Where a pattern asked to confirm and raised nothing, since the call only reads, the page
// says so next to it.
func TestPatternsThatRaiseNoRead(t *testing.T) {
	t.Parallel()
	v := requesttest.ReviewOf(t, `{"function":"search_notes","arguments":{"query":"see https://abc.webhook.site/x"}}`, approvals.StageReading)
	if len(v.Assessment.Remarks) == 0 {
		t.Fatalf("the patterns are %+v, the effects %+v", v.Assessment.Patterns.MatchedPatterns, v.Assessment.Effects)
	}
	for _, item := range cardOf(texts.Printer{}, v, Reader{}).Held.Items {
		if vain := strings.Contains(untrusted.Plain(item.Text), "didn't raise the level"); vain != slices.Contains(v.Assessment.Remarks, item.Name) {
			t.Errorf("%s: %s", item.Name, untrusted.Plain(item.Text))
		}
	}
}
