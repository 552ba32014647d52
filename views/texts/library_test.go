package texts

import (
	"testing"

	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// library takes in what the console says of the patterns and rules that come with the
// program.
func library(t *testing.T, keys map[string]string) {
	t.Helper()
	before := len(keys)
	for _, p := range patterns.Default().Patterns() {
		keys[p.Description] = "the pattern " + p.ID
	}
	for _, r := range rules.Default() {
		keys[r.Reason] = "the rule " + r.Name
	}
	for _, s := range rules.Sentences() {
		keys[s] = "package rules"
	}
	keys[scan.Disguised(nil).Why] = "package scan"
	if len(keys) < before+200 {
		t.Errorf("%d sentences only: the test no longer sees the library", len(keys)-before)
	}
}
