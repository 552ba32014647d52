package fivefactor

import (
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// Where seven bytes are looked over at once, no run is missed or cut.
func TestDottedRuns(t *testing.T) {
	t.Parallel()
	runs := regexp.MustCompile(`[0-9.]{7,}`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([0-9.]{0,9}[a ]{0,3}){0,8}`).Draw(t, "text")
		var want []scan.Span
		for _, loc := range runs.FindAllStringIndex(text, -1) {
			want = append(want, scan.Span{Start: loc[0], End: loc[1]})
		}
		if got := slices.Collect(dottedRuns(text)); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	})
}
