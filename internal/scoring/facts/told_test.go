package facts

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// TestSentencesTell holds the sentence against calls of real tools that people wrote who never
// saw this package (testdata/told.jsonl). tells are the values without which nobody could say
// what a call does, and ideal is the sentence that they would write. A tool that no rule knows is
// most of what agents call, so it is the share that counts: of nine in ten every value is told.
func TestSentencesTell(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/told.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	calls, told := 0, 0
	for lines.Scan() {
		var c struct {
			Action json.RawMessage
			Ideal  string
			Tells  []string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		action, err := canon.Parse(c.Action)
		if err != nil {
			t.Fatal(err)
		}
		in := &call.Call{Function: action.Get("function").Text(), Arguments: action.Get("arguments")}
		said := Sentence(in, Extract(in), acts(in))
		calls++
		missing := []string{}
		for _, value := range c.Tells {
			if !tells(said, value) {
				missing = append(missing, value)
			}
		}
		if len(missing) == 0 {
			told++
		} else {
			t.Logf("%s\nmissing %q\nideal   %s", said, missing, c.Ideal)
		}
		if n := len([]rune(said)); n > 320 {
			t.Errorf("%d characters: %s", n, said)
		}
	}
	if err := lines.Err(); err != nil || calls < 300 {
		t.Fatalf("%d calls (%v)", calls, err)
	}
	t.Logf("of %d of %d calls every value is told", told, calls)
	if told*10 < calls*9 {
		t.Errorf("of %d of %d calls every value is told, want nine in ten", told, calls)
	}
}

// tells reports whether a sentence has a value, or the beginning of one that it cuts, however it
// is quoted and its thousands are parted.
func tells(sentence, value string) bool {
	plain := strings.ReplaceAll(sentence, `\"`, `"`)
	if strings.Contains(plain, value) || strings.Contains(strings.ReplaceAll(plain, ",", ""), value) {
		return true
	}
	runes := []rune(value)
	return len(runes) > 24 && strings.Contains(plain, string(runes[:24]))
}
