package settingsui

import (
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/views/texts"
)

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
