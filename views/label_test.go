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
		"check_replication":        {"check_", "replication"},
		"support-triage":           {"support-", "triage"},
		"__init--x":                {"__", "init--", "x"},
		"the policy":               {"the policy"},
		strings.Repeat("ab", 25):   {strings.Repeat("ab", 10), strings.Repeat("ab", 10), strings.Repeat("ab", 5)},
		"ordinary words, and some": {"ordinary words, and some"},
	} {
		if got := pieces(name); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	var b strings.Builder
	if err := label(Text("check_replication")).Render(t.Context(), &b); err != nil || !strings.Contains(b.String(), ">check_<wbr>replication</bdi>") {
		t.Errorf("%s, %v", b.String(), err)
	}
}
