package rules

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	set := mustSet(t, Core())
	file, err := os.Open("testdata/rules_core.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	count := 0
	for lines.Scan() {
		var v struct {
			ID, Code string
			Expect   map[string]any
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		count++
		encoded, err := json.Marshal(set.Assess(v.Code, nil))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(encoded, &got); err != nil {
			t.Fatal(err)
		}
		for _, ours := range []string{"evidence", "resources"} {
			if _, ok := got[ours].([]any); !ok {
				t.Errorf("%s: %s is not a list", v.ID, ours)
			}
			delete(got, ours)
		}
		if !reflect.DeepEqual(got, v.Expect) {
			t.Errorf("%s %q:\n got %v\nwant %v", v.ID, v.Code, got, v.Expect)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if count != 216 {
		t.Errorf("%d vectors, want 216", count)
	}
}

func mustSet(t testing.TB, rules []Rule) *Set {
	t.Helper()
	set, err := NewSet(rules)
	if err != nil {
		t.Fatal(err)
	}
	return set
}
