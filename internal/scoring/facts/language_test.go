package facts_test

import (
	"maps"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/facts"
)

func TestLanguages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		function, arguments, code string
		want                      map[string]facts.Language
	}{
		{"run_sql", `{"statement":"DROP TABLE orders","env":"production"}`, "", map[string]facts.Language{"/arguments/statement": facts.SQL}},
		{"run", `{"a":{"b/c":["rm -rf /srv/data"]}}`, "", map[string]facts.Language{"/arguments/a/b~1c/0": facts.Shell}},
		{"run", `{"note":"please remove the old user"}`, "", nil},
		{"run", `{"body":"{\"sql\":\"DROP TABLE orders\"}"}`, "", nil}, // what stands inside is not what it is
		{"run", `{"command":"bash -c \"psql -c 'DROP TABLE orders'\""}`, "", map[string]facts.Language{"/arguments/command": facts.Shell}},
		{"run", `{}`, "SELECT 1 FROM users;\nDELETE FROM users;", map[string]facts.Language{"/code": facts.SQL}},
		{"run", `{}`, "import os\nprint(os.getcwd())", nil},
	} {
		arguments, err := canon.Parse([]byte(test.arguments))
		if err != nil {
			t.Fatal(err)
		}
		if got := facts.Languages(&call.Call{Function: test.function, Arguments: arguments, Code: test.code}); !maps.Equal(got, test.want) {
			t.Errorf("%s %s %q: %v, want %v", test.function, test.arguments, test.code, got, test.want)
		}
	}
}
