package present_test

import (
	"testing"

	"github.com/countersign/countersign/internal/console/present"
)

// A sentence begins with a capital letter, but not where that would change a name.
func TestSentence(t *testing.T) {
	t.Parallel()
	for detail, want := range map[string]string{
		"":                              "",
		"it's approved":                 "It's approved",
		"édith denied it":               "Édith denied it",
		"wrong.":                        "Wrong.",
		"alice@example.com approved it": "alice@example.com approved it",
		"drop_table is no function":     "drop_table is no function",
		"src/app is no file":            "src/app is no file",
		"example.com: unknown":          "example.com: unknown",
		"s3 is unknown":                 "s3 is unknown",
		"dropTable is no function":      "dropTable is no function",
	} {
		if got := present.Sentence(detail); got != want {
			t.Errorf("%q becomes %q, want %q", detail, got, want)
		}
	}
}
