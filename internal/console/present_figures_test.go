package console

import (
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/views/texts"
)

// What people approved is told of what people decided: a request that ran out was
// approved by nobody.
func TestUseTellsWhatWasDecided(t *testing.T) {
	t.Parallel()
	for want, tally := range map[string]approvals.Tally{
		"no hits":                         {},
		"2 hits":                          {Expired: 2},
		"3 hits, 1 of 1 decided approved": {Approved: 1, Expired: 2},
		"4 hits, 1 of 3 decided approved": {Approved: 1, Denied: 1, ChangesRequested: 1, Blocked: 1},
	} {
		if got := useOf(texts.Printer{}, tally); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A note stands beside what would have gone through only where something would not have.
func TestAPreviewExplainsTheRest(t *testing.T) {
	t.Parallel()
	if got := uncovered(texts.Printer{}, approvals.StandingPreview{Matched: 2, Covered: 2}); got != nil {
		t.Errorf("all went through, and it says %q", untrusted.Plain(got))
	}
	if got := untrusted.Plain(uncovered(texts.Printer{}, approvals.StandingPreview{Matched: 5, Covered: 2})); got == "" {
		t.Error("three did not go through, and it says nothing")
	}
}
