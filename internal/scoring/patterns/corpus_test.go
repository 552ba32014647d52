package patterns

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// action is a line of testdata/benign.jsonl.
type action struct {
	Function, Code, Docstring, Justification, Content string

	Arguments json.RawMessage
	Point     string `json:"lifecycle_point"`
}

func readActions(t testing.TB, name string) []action {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var actions []action
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var a action
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		actions = append(actions, a)
	}
	return actions
}

func (a action) segments(t testing.TB) []scan.Segment {
	t.Helper()
	var segs []scan.Segment
	if a.Arguments != nil {
		tree, err := canon.Parse(a.Arguments)
		if err != nil {
			t.Fatalf("%s: %v", a.Function, err)
		}
		segs = scan.Arguments(tree, "/arguments")
	}
	for pointer, text := range map[string]string{"/code": a.Code, "/docstring": a.Docstring, "/justification": a.Justification, "/content": a.Content} {
		segs = append(segs, scan.Segment{Pointer: pointer, Text: text})
	}
	return segs
}

// held names the patterns because of which a call waits or is refused: one that
// says so itself, one that is severe enough to lift the level to MEDIUM, which only
// counts before a tool call (nobody is asked about a prompt or a result otherwise),
// or all of them by their score.
func (a action) held(t testing.TB) []string {
	t.Helper()
	point := cmp.Or(a.Point, PreToolCall)
	matches := Default().Scan(point, a.segments(t))
	var names []string
	for _, m := range matches {
		if m.Action == Block || m.Action == Confirm || point == PreToolCall && m.Severity != Low {
			names = append(names, m.ID)
		}
	}
	if len(names) == 0 && Score(matches, DefaultThreshold, Published()).Action == Block {
		names = []string{"the score of " + strings.Join(ids(matches), ", ")}
	}
	return names
}

// TestOrdinaryCallsAreLetThrough: a person who is asked about harmless calls
// stops reading. At most 2 % of the corpus may be held because of patterns.
func TestOrdinaryCallsAreLetThrough(t *testing.T) {
	t.Parallel()
	actions := readActions(t, "testdata/benign.jsonl")
	if len(actions) < 500 {
		t.Fatalf("the corpus has %d calls, want at least 500", len(actions))
	}
	held, functions := 0, map[string]bool{}
	for i, a := range actions {
		functions[a.Function] = true
		if names := a.held(t); len(names) > 0 {
			held++
			t.Logf("line %d, %s, is held by %s", i+1, cmp.Or(a.Function, a.Content), strings.Join(names, ", "))
		}
	}
	if held*50 > len(actions) {
		t.Errorf("%d of %d ordinary calls are held, want at most 2 %%", held, len(actions))
	}
	if len(functions) < 150 {
		t.Errorf("the corpus calls %d functions; at least 150 make it varied", len(functions))
	}
}

// A clean text of 2 KiB is what most calls are.
func BenchmarkScanClean2KiB(b *testing.B) {
	text := strings.Repeat("The quarterly report for the Lisbon team is ready; see page 12 of the shared folder before we meet on Friday. ", 18)
	text = (text + "Mail questions to ops@example.com or call 030 901820. " + strings.Repeat("x ", 99))[:2048]
	segs := []scan.Segment{{Pointer: "/arguments/text", Text: text}}
	l := Default()
	if got := l.Scan(PreToolCall, segs); len(got) != 0 {
		b.Fatal(ids(got))
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		l.Scan(PreToolCall, segs)
	}
}

// Many small values are the other ordinary shape.
func BenchmarkScanClean200Values(b *testing.B) {
	var segs []scan.Segment
	for range 200 {
		segs = append(segs, scan.Segment{Pointer: "/arguments/a", Text: "order-4711"})
	}
	l := Default()
	b.ReportAllocs()
	for b.Loop() {
		l.Scan(PreToolCall, segs)
	}
}

// BenchmarkScanHostile scans the beginnings and examples that make a careless
// scanner quadratic, as texts of 6 and 48 KiB: the time per byte of the worst of
// them must be alike.
func BenchmarkScanHostile(b *testing.B) {
	units := slices.Clone(awkward)
	for _, p := range Default().Patterns() {
		units = append(units, p.MustMatch[0]+" ", p.MustMatch[0][:len(p.MustMatch[0])*3/4])
	}
	for _, kib := range []int{6, 48} {
		b.Run(fmt.Sprintf("%dKiB", kib), func(b *testing.B) {
			worst := time.Duration(0)
			for b.Loop() {
				for _, unit := range units {
					text := segment(strings.Repeat(unit, kib<<10/len(unit)))
					from := time.Now()
					Default().Scan(PreToolCall, text)
					worst = max(worst, time.Since(from))
				}
			}
			b.ReportMetric(float64(worst.Nanoseconds())/float64(kib<<10), "worst-ns/byte")
		})
	}
}
