package console

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
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

// The last approved call is told with the time of its approval, which may be long after
// it was submitted.
func TestLastApprovedTellsWhenItWasApproved(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	last := approvals.Approval{ID: "apr_1", CreatedAt: at, Decision: &approvals.Decision{
		DecidedAt: at.Add(14 * time.Minute), DecidedBy: []approvals.Decider{{Kind: approvals.ByPerson, Name: "Olga"}},
	}}
	rail := railOf(texts.Printer{}, approvals.Review{LastApproved: &last}, reader{member: auth.Member{}})
	if len(rail.Past) != 1 || untrusted.Plain(rail.Past[0].Value) != "1 Mar 12:14:00 UTC, by Olga" {
		t.Errorf("past: %+v", rail.Past)
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
