package console

import (
	"testing"

	"github.com/countersign/countersign/internal/approvals"
)

// A row's second line has the environment, so the first one leaves it out, wherever it is; what
// an agent wrote stays as it is.
func TestRowSentence(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ sentence, environment, want string }{
		{"Delete user usr_1 in production", "production", "Delete user usr_1"},
		{"Deploy service api in staging: version → 4.18.2", "staging", "Deploy service api: version → 4.18.2"},
		{"Delete user usr_1 in production (documents: 214)", "production", "Delete user usr_1 (documents: 214)"},
		{"Delete from table carts in prod where age < 9", "prod", "Delete from table carts where age < 9"},
		{"Delete user usr_1 in production-eu", "production", "Delete user usr_1 in production-eu"},
		{`Post message to #ops in prod: "all well in prod: go"`, "prod", `Post message to #ops: "all well in prod: go"`},
		{`Delete "a \" in prod: b"`, "prod", `Delete "a \" in prod: b"`},
		{"Delete user usr_1", "", "Delete user usr_1"},
	} {
		if got := rowSentence(approvals.Words{Sentence: test.sentence, Environment: test.environment}); got != test.want {
			t.Errorf("%s, in %s\ngot  %s\nwant %s", test.sentence, test.environment, got, test.want)
		}
	}
}
