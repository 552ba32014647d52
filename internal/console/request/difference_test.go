package request

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/request/requesttest"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// comparedCard is the card of an action beside the last approved one.
func comparedCard(t *testing.T, now, last string) *review.Card {
	t.Helper()
	v := requesttest.ReviewOf(t, now, approvals.StageReading)
	before := requesttest.ReviewOf(t, last, approvals.StageFinal).Approval
	v.LastApproved = &before
	v.Confirmation.Target, v.Confirmation.Specific = v.Action.Target(v.Assessment)
	return cardOf(texts.Printer{}, v, Reader{})
}

func TestCodeSaysHowItDiffers(t *testing.T) {
	t.Parallel()
	const with, other, without = `{"function":"f","code":"a\nb"}`, `{"function":"f","code":"c\u202e"}`, `{"function":"f"}`
	for _, test := range []struct{ now, last, difference, was string }{
		{with, with, "same as the last similar call", ""},
		{with, other, "changed since the last similar call", "cRLO"},
		{with, without, "New", ""},
		{without, with, "The last similar call had code", "a\nb"},
	} {
		blocks := comparedCard(t, test.now, test.last).Blocks
		if len(blocks) != 1 || blocks[0].Difference != test.difference || untrusted.Plain(blocks[0].Was) != test.was {
			t.Errorf("%s after %s: %+v", test.now, test.last, blocks)
		}
	}
	if blocks := cardOf(texts.Printer{}, requesttest.ReviewOf(t, with, approvals.StageReading), Reader{}).Blocks; blocks[0].Difference != "" {
		t.Errorf("nothing is compared, but the code says %q", blocks[0].Difference)
	}
}

// What is masked on both sides may differ all the same.
func TestMaskedValuesAreNotCompared(t *testing.T) {
	t.Parallel()
	const action = `{"function":"f","arguments":{"a":"[REDACTED:aws]","b":"x"}}`
	rows := comparedCard(t, action, action).Arguments.Rows
	if rows[0].WasNote != "masked, so not compared" || rows[1].WasNote != "the same" {
		t.Errorf("%q, %q", rows[0].WasNote, rows[1].WasNote)
	}
}

// During a quiz the count of what differs is all that is said.
func TestTheDifferenceIsSealedDuringAQuiz(t *testing.T) {
	t.Parallel()
	v := requesttest.ReviewOf(t, requesttest.High, approvals.StageAsking)
	last := requesttest.ReviewOf(t, strings.ReplaceAll(requesttest.High, "usr_123", "usr_124"), approvals.StageFinal).Approval
	v.LastApproved = &last
	v.Sealed, v.Asking = true, &approvals.Asking{Number: 1, Of: 3}
	r := Page(texts.Printer{}, v, Reader{}, Typed{})
	if r.Card != nil {
		t.Fatal("the card is shown during the quiz")
	}
	if got := r.Hidden[1].Count; got != "5 values, 1 of which differ" {
		t.Errorf("the hidden part says %q", got)
	}
}
