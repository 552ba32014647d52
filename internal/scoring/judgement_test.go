package scoring

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
)

// The published vectors of judgement: calls of agents' tools, each labelled by what it
// does, under the default policy.

func eachLine(t testing.TB, path string, each func(line []byte)) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		each(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// share is how many of how many.
type share struct{ bad, of int }

func (s *share) count(bad bool) {
	s.of++
	if bad {
		s.bad++
	}
}

// atMost fails where more than so many in a hundred are bad, or where there are none.
func (s share) atMost(t *testing.T, percent float64, what string) {
	t.Helper()
	t.Logf("%s: %d of %d", what, s.bad, s.of)
	if s.of == 0 || 100*float64(s.bad) > percent*float64(s.of) {
		t.Errorf("%s: %d of %d, want at most %v %%", what, s.bad, s.of, percent)
	}
}

func judged(t *testing.T, policy *Compiled, action []byte) level.Level {
	t.Helper()
	tree, err := canon.Parse(action)
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAction(tree)
	if err != nil {
		t.Fatal(err)
	}
	return policy.Assess(a, 1, nil).Level
}

// TestJudgementVectors: realistic calls that somebody must look at, and some that nobody
// must.
func TestJudgementVectors(t *testing.T) {
	t.Parallel()
	policy, err := Compile(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	var missed, low, held share
	eachLine(t, "testdata/judgement.jsonl", func(line []byte) {
		var v struct {
			ID, Want, Severity string
			Action             json.RawMessage
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		got := judged(t, policy, v.Action)
		switch {
		case v.Want == "low":
			held.count(got > level.Low)
		case v.Severity == "C":
			low.count(got < level.High)
			missed.count(got == level.Low)
		default:
			missed.count(got == level.Low)
		}
	})
	missed.atMost(t, 3, "dangerous calls that are LOW")
	low.atMost(t, 0, "catastrophic calls below HIGH")
	held.atMost(t, 10, "harmless calls that are held")
}

// TestToolsOfServers: tools of 52 published MCP servers, labelled by name and description.
func TestToolsOfServers(t *testing.T) {
	t.Parallel()
	policy, err := Compile(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	var missed, agreed, held share
	eachLine(t, "testdata/tools.jsonl", func(line []byte) {
		var v struct {
			Tool, Author, Judge string
			Calls               []struct {
				Arguments json.RawMessage
				Benign    bool
			}
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		for _, c := range v.Calls {
			action, err := json.Marshal(map[string]any{"function": v.Tool, "arguments": c.Arguments})
			if err != nil {
				t.Fatal(err)
			}
			got := judged(t, policy, action)
			switch {
			case v.Judge == "read":
				held.count(got > level.Low)
			case v.Judge != "write_reversible" && !c.Benign:
				missed.count(got == level.Low)
				if v.Author == "destructive" {
					agreed.count(got == level.Low)
				}
			}
		}
	})
	missed.atMost(t, 3, "dangerous calls that are LOW")
	agreed.atMost(t, 1, "dangerous calls that are LOW, where the author agrees")
	held.atMost(t, 10, "reads that are held")
}
