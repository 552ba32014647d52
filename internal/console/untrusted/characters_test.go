package untrusted

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/countersign/countersign/internal/console/untrusted/untrustedtest"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/views"
)

// TestEveryCharacterIsInItsRun holds every code point by itself, between letters
// and at an edge: what cannot be seen is named by its own code point, whatever
// stands beside it, and everything reads back. The ordinary run takes every 11th.
func TestEveryCharacterIsInItsRun(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	for r, every := rune(0), rune(long.Count(11, 1)); r <= unicode.MaxRune; r += every {
		if !untrustedtest.Admitted(r) {
			continue
		}
		name := ""
		if hidden(r) {
			name = fmt.Sprintf("%U", r)
		}
		for _, text := range [2]string{string(r), "x" + string(r) + "y"} {
			shown := Runs(text)
			named := name == ""
			for _, run := range shown {
				named = named || run.Kind == views.RunHidden && run.Code == name && !strings.ContainsRune(run.Text, r)
			}
			if got := untrustedtest.Undo(t, shown); got != text || !named {
				t.Fatalf("%U: reads back %q, shown as %+v", r, got, shown)
			}
		}
	}
}
