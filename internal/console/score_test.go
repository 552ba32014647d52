package console

import (
	"testing"

	"github.com/countersign/countersign/internal/console/request"
)

// A score that is under a threshold is shown under it, and the same everywhere.
func TestScoresAreCut(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64]string{
		0: "0.000", 0.6525: "0.652", 0.599999: "0.599", 0.6: "0.600", 0.72: "0.720", 0.29: "0.290", 0.1 + 0.2: "0.300", 0.9999: "0.999", 1: "1.000",
	} {
		if got := request.Score(f); got != want {
			t.Errorf("%v is shown as %s, want %s", f, got, want)
		}
	}
}
