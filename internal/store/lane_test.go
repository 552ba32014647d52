package store

import (
	"slices"
	"testing"
)

// One agent that writes much waits for itself: people and other agents are in the next group,
// whatever came before them.
func TestALaneIsInTurnByAgent(t *testing.T) {
	t.Parallel()
	l := newLane()
	for range 2 * groupMost {
		l.join(&act{agent: "loud"})
	}
	for _, agent := range []string{"quiet", "", "quiet"} {
		l.join(&act{agent: agent})
	}
	var first []string
	for _, a := range l.take() {
		first = append(first, a.agent)
	}
	if want := []string{"", "loud", "quiet", "loud", "quiet", "loud", "loud"}; len(first) != groupMost || !slices.Equal(first[:len(want)], want) {
		t.Errorf("the first group has %d writes, of %q; want %d, of %q", len(first), first, groupMost, want)
	}
	for len(l.take()) > 0 {
	}
	if len(l.waiting) != 0 {
		t.Errorf("%d writes were left", len(l.waiting))
	}
}
