package facts

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// TestVectors holds testdata/facts.jsonl (docs/facts.md): what a security engineer
// expects of an action, in the order of the facts.
func TestVectors(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/facts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	n := 0
	for lines.Scan() {
		var vector struct {
			Name     string
			Action   json.RawMessage
			Facts    [][5]string // kind, label, value, source, pointer
			Sentence string
			Target   string // what has to be typed
			Specific *bool
		}
		if err := json.Unmarshal(lines.Bytes(), &vector); err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		n++
		t.Run(vector.Name, func(t *testing.T) {
			t.Parallel()
			action, err := canon.Parse(vector.Action)
			if err != nil {
				t.Fatal(err)
			}
			in := &call.Call{
				Function: action.Get("function").Text(), Arguments: action.Get("arguments"),
				Code: action.Get("code").Text(), Environment: action.Get("environment").Text(),
			}
			found := Extract(in)
			got := [][5]string{}
			for _, f := range found {
				checkPlace(t, in, f)
				got = append(got, [5]string{string(f.Kind), f.Label, f.Value, string(f.Source), f.Pointer})
			}
			if !slices.Equal(got, vector.Facts) {
				t.Errorf("%s\ngot  %q\nwant %q", vector.Action, got, vector.Facts)
			}
			if got := Sentence(in, found, acts(in)); got != vector.Sentence {
				t.Errorf("%s\nthe sentence is %q\nwant            %q", vector.Action, got, vector.Sentence)
			}
			target, specific := Named(in, found, acts(in))
			if got := TypedTarget(target.Value); got != vector.Target || specific != (vector.Specific == nil) {
				t.Errorf("%s\nthe target is %q (specific: %v), want %q", vector.Action, got, specific, vector.Target)
			}
			if specific && !strings.Contains(vector.Sentence, strings.Trim(quoted(target.Value), `"“”`)) {
				t.Errorf("%s\n%q is to be typed, and %q does not name it", vector.Action, target.Value, vector.Sentence)
			}
		})
	}
	if err := lines.Err(); err != nil || n < 150 {
		t.Errorf("%d vectors, want at least 150 (%v)", n, err)
	}
}
