package fivefactor

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/countersign/countersign/internal/canon"
)

// vector is one line of testdata/five_factor.jsonl, recorded from the published
// implementation and overlaid with choices of our own where that is silent.
type vector struct {
	ID    string
	Input struct {
		Function   string
		Arguments  json.RawMessage
		Docstring  string
		Hints      json.RawMessage
		CallNumber int `json:"call_number"`
	}
	Expect struct {
		Score   float64
		Level   string
		Factors map[string]float64
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/five_factor.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	count := 0
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		count++
		got := Score(Input{
			Function: v.Input.Function, Docstring: v.Input.Docstring, CallNumber: v.Input.CallNumber,
			Arguments: parse(t, string(v.Input.Arguments)), Hints: parse(t, string(v.Input.Hints)),
		}, DefaultWeights(), DefaultThresholds())
		if !near(got.Score, v.Expect.Score) || got.Level.String() != v.Expect.Level {
			t.Errorf("%s: got %v %v, want %v %v", v.ID, got.Score, got.Level, v.Expect.Score, v.Expect.Level)
		}
		if len(got.Factors) != len(v.Expect.Factors) {
			t.Errorf("%s: %d factors, want %d", v.ID, len(got.Factors), len(v.Expect.Factors))
		}
		for _, f := range got.Factors {
			if want, ok := v.Expect.Factors[f.Name]; !ok || !near(f.Score, want) {
				t.Errorf("%s: factor %s is %v, want %v", v.ID, f.Name, f.Score, want)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if count != 240 {
		t.Errorf("%d vectors, want 240", count)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6 }

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
