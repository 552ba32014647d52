package scoring

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// What is exported is imported again, exactly.
func TestPolicyYAMLReadsBack(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]Policy{"default": DefaultPolicy(), "full": fullPolicy()} {
		file, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		back, wrong := ParsePolicy(file)
		if len(wrong) > 0 || !reflect.DeepEqual(back, p.Tidy()) {
			t.Errorf("%s: %v\n got %+v\nwant %+v\n%s", name, wrong, back, p, file)
		}
		again, _ := back.YAML()
		if string(again) != string(file) {
			t.Errorf("%s is written in two ways:\n%s\n%s", name, file, again)
		}
		stored, _ := json.Marshal(p.Tidy())
		var kept Policy
		if err := json.Unmarshal(stored, &kept); err != nil || !reflect.DeepEqual(kept.Tidy(), p.Tidy()) {
			t.Errorf("%s is not kept: %v", name, err)
		}
	}
	file, _ := DefaultPolicy().YAML()
	for _, line := range []string{"expiry_seconds: 900 # seconds that a request waits", "  high: 0.6 # score", "# distinct operators\napprovals_required:"} {
		if !strings.Contains(string(file), line) {
			t.Errorf("there is no line %q in\n%s", line, file)
		}
	}
}

// Everything that is wrong is said at once, and nothing that only follows from it.
func TestParsePolicySaysEverything(t *testing.T) {
	t.Parallel()
	_, wrong := ParsePolicy([]byte(`
weights: {hints: lots}
thresholds: {medium: 2, high: 0}
expiry_seconds: 3.7
grant_seconds: 1
challenges: {low: none, high: ask, high: quiz}
functions: [{globb: a}, {glob: b, hints: {c: [], d: 1}}, {glob: b}]
pattern_overrides: {disable: [nope, jwt], change: [{id: gone, action: log}, {id: jwt}], add: [{id: UP, severity: low}, 5]}
rules: {removed: [nope]}
`))
	var members []string
	for _, w := range wrong {
		members = append(members, w.Member)
		if w.Detail.String() == "" {
			t.Errorf("%s: nothing is said", w.Member)
		}
	}
	want := []string{
		"/weights/hints", "/expiry_seconds", "/challenges/high", "/challenges/high", "/functions/0/globb", "/functions/1/hints/c", "/pattern_overrides/add/1",
		"/thresholds/medium", "/thresholds/high", "/grant_seconds", "/functions/0/glob", "/functions/2/glob",
		"/pattern_overrides/change/1/id", "/pattern_overrides/change/1", "/pattern_overrides/add/0/id", "/pattern_overrides/change/0/id", "/pattern_overrides/disable/0", "/rules/removed/0",
	}
	if !slices.Equal(members, want) {
		t.Errorf("got  %q\nwant %q", members, want)
	}
	for _, w := range wrong {
		if w.Member == "/expiry_seconds" && w.Detail.String() != "is 3.7 (line 4); expected a whole number" {
			t.Errorf("got %q", w.Detail)
		}
	}
}

func TestParsePolicyRefuses(t *testing.T) {
	t.Parallel()
	for file, at := range map[string]string{
		"{": "", "a: &a [*a]": "/a", "strategy: max\n---\nstrategy: max": "", "? [a]\n: b": "", "<<: {strategy: max}": "",
		"functions: &a\n  - glob: x\n    hints: *a":                  "/functions/0/hints",
		"functions: [{glob: &a x}, {glob: *a}]":                      "/functions/1/glob",
		"strategy: !own max":                                         "/strategy",
		"thresholds: !own {high: 0.5}":                               "/thresholds",
		"strategy: max\nstrategy: max":                               "/strategy",
		"functions: [{glob: a, hints: {b: 9007199254740993}}]":       "/functions/0/hints/b",
		"functions: [{glob: a, hints: {b: .nan}}]":                   "/functions/0/hints/b",
		"fixed_score: .inf":                                          "/fixed_score",
		"thresholds: {medium: .nan}":                                 "/thresholds/medium",
		"functions: [{glob: \"a\\0\"}]":                              "/functions/0/glob",
		"functions: [{glob: a, hints: {" + many(70_000) + "}}]":      "/functions/0/hints",
		strings.Repeat("# long\n", 200_000):                          "",
		"functions: [" + strings.Repeat("{glob: a},", 100_000) + "]": "/functions",
		strings.Repeat("[", 100_000):                                 "",
	} {
		_, wrong := ParsePolicy([]byte(file))
		if len(wrong) == 0 || wrong[0].Member != at {
			t.Errorf("%.80q: got %.300v, want a problem at %q", file, wrong, at)
		}
	}
	large := DefaultPolicy()
	for range 300 {
		large.Functions = append(large.Functions, Function{Glob: strings.Repeat("*", 1+len(large.Functions)%250), Docstring: strings.Repeat("x", 2000)})
	}
	if wrong := large.Problems(); len(wrong) != 1 || wrong[0].Member != "" || !strings.Contains(wrong[0].Detail.String(), "at most 256 KB") {
		t.Errorf("a policy of 600 KB: %.300v", wrong)
	}
	if wrong := (Policy{Functions: make([]Function, 400)}).Problems(); len(wrong) != maxProblems {
		t.Errorf("%d problems are listed, want at most %d", len(wrong), maxProblems)
	}
}

// many are members of an object: a time that grows with the square shows.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1, ", i)
	}
	return b.String()
}

func TestParsePolicyTakesWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"", "# nothing", "---\n", "{}", "null", "expiry_seconds: 9e2", "expiry_seconds: 900.0", `{"expiry_seconds": 900, "functions": []}`, "functions: []\nrules: {}"} {
		p, wrong := ParsePolicy([]byte(file))
		if len(wrong) > 0 || !reflect.DeepEqual(p, DefaultPolicy()) {
			t.Errorf("%q: %v, %+v", file, wrong, p)
		}
	}
}

// FuzzParsePolicy: nothing panics, what is accepted is valid and reads back.
func FuzzParsePolicy(f *testing.F) {
	full, _ := fullPolicy().YAML()
	f.Add(full)
	for file := range wrongFiles() {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		p, wrong := ParsePolicy(file)
		if len(wrong) > 0 {
			return
		}
		if problems := p.Problems(); len(problems) > 0 {
			t.Fatalf("accepted, with %v", problems)
		}
		written, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		var any map[string]any
		if err := yaml.Unmarshal(written, &any); err != nil {
			t.Fatal(err)
		}
		back, wrong := ParsePolicy(written)
		if len(wrong) > 0 || len(p.Differences(back)) > 0 || !reflect.DeepEqual(p, back) {
			t.Fatalf("%v\n got %+v\nwant %+v\n%s", wrong, back, p, written)
		}
	})
}
