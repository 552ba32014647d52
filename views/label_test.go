package views

import (
	"slices"
	"strings"
	"testing"
)

// A name breaks at its joints, and stays the name.
func TestALabelBreaksAtItsJoints(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"":                         {""},
		"check_replication":        {"check_replication"},
		"support-triage":           {"support-triage"},
		"check_replication_of_the": {"check_", "replication_", "of_", "the"},
		"__init--x_and_all_of_it_": {"__", "init--", "x_", "and_", "all_", "of_", "it_"},
		"the policy":               {"the policy"},
		strings.Repeat("ab", 25):   {strings.Repeat("ab", 10), strings.Repeat("ab", 10), strings.Repeat("ab", 5)},
		"ordinary words, and some": {"ordinary words, and some"},
	} {
		if got := pieces(name); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	var b strings.Builder
	if err := Label(Text("check_replications_lag")).Render(t.Context(), &b); err != nil || !strings.Contains(b.String(), ">check_<wbr>replications_<wbr>lag</bdi>") {
		t.Errorf("%s, %v", b.String(), err)
	}
}
