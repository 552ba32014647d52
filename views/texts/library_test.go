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
	keys[scan.Disguised(nil).Why] = "package scan"
	if len(keys) < before+200 {
		t.Errorf("%d sentences only: the test no longer sees the library", len(keys)-before)
	}
}

// What an organisation wrote is no key, and nothing in it is a verb.
func TestOwnSentencesStay(t *testing.T) {
	t.Parallel()
	for _, own := range []string{"", "Deletes %s of {1} 100 %", "%[1]*[2]d"} {
		if got := Pseudo().Shipped(own); got != own {
			t.Errorf("%q is said as %q", own, got)
		}
	}
	if p := patterns.Default().Patterns()[0]; Pseudo().Shipped(p.Description) != "⟦"+p.Description+"⟧" {
		t.Errorf("%s is said as %s", p.ID, Pseudo().Shipped(p.Description))
	}
}
