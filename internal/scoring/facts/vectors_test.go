package facts

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
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
			Name   string
			Action json.RawMessage
			Facts  [][5]string // kind, label, value, source, pointer
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
		})
	}
	if err := lines.Err(); err != nil || n < 150 {
		t.Errorf("%d vectors, want at least 150 (%v)", n, err)
	}
}
