package views_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/views"
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
		var b strings.Builder
		if err := views.Label(views.Text(name)).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		_, inside, _ := strings.Cut(b.String(), "data-label-text>")
		text, ok := strings.CutSuffix(inside, "</bdi>")
		if got := strings.Split(text, "<wbr>"); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %s, want the pieces %q", name, b.String(), want)
		}
	}
}
