package facts

import (
	"slices"
	"strings"
	"testing"
)

// IFS stands for a space in three spellings; more words than are looked at are left out.
func TestFieldsAtIFS(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"rm${IFS}-rf$IFS$9/a$IFS/b": {"rm", "-rf", "/a", "/b"},
		"$IFS$IFS${IFS}a":           {"a"},
		"a$IF$IFS":                  {"a$IF"},
		"$$IFS$9$9":                 {"$", "$9"},
		"":                          nil,
		strings.Repeat("$IFS", 9):   nil,
		strings.Repeat("a$IFS", 99): slices.Repeat([]string{"a"}, maxPerKind),
	} {
		var got []string
		for _, w := range (word{reading: whole(text, "")}).fields() {
			got = append(got, w.text)
			if from, to := w.place(0, len(w.text)); text[from:to] != w.text {
				t.Errorf("%q: %q is said to stand at %d to %d", text, w.text, from, to)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}
