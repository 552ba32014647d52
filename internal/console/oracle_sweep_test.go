package console

import (
	"encoding/json"
	"fmt"
	"testing"
	"unicode"

	"github.com/countersign/countersign/internal/console/untrusted/untrustedtest"
	"github.com/countersign/countersign/internal/long"
)

// oneGoroutine is why the race detector does not watch a test that computes.
const oneGoroutine = "one goroutine computes"

const (
	sweepAct   = 1 << 14 // code points of one act
	sweepValue = 1 << 9  // of one value or name
)

// TestEveryCharacterReadsBack sweeps over the code points that the gate admits, as values and
// as names, through the real handler; in the ordinary run over every 64th of them. Of the planes
// in which nothing stands, or private use only, it always takes every 64th: all of them are drawn
// by the same few lines, and TestEveryCharacterIsInItsRun looks at each.
func TestEveryCharacterReadsBack(t *testing.T) {
	t.Parallel()
	var all []rune
	every := rune(long.Count(64, 1))
	for r := range rune(unicode.MaxRune + 1) {
		if plane := r >> 16; untrustedtest.Admitted(r) && ((plane < 4 || plane == 14) && r%every == 0 || r%64 == 0) {
			all = append(all, r)
		}
	}
	const parts = 2
	for part := range parts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			ada := s.signedIn("ada")
			for first := part * sweepAct; first < len(all); first += parts * sweepAct {
				body := sweep(t, all[first:min(len(all), first+sweepAct)])
				a := s.submit(body)
				reads(t, fmt.Sprintf("from %U", all[first]), shownAct(t, body), ada.pagesOf(a.ID)...)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// sweep is the act with these code points.
func sweep(t *testing.T, all []rune) string {
	t.Helper()
	var values []any
	names := map[string]any{}
	for at := 0; at < len(all); at += sweepValue {
		text := string(all[at:min(len(all), at+sweepValue)])
		values = append(values, text)
		names[text] = 0
	}
	body, err := json.Marshal(map[string]any{"function": "read_text", "arguments": map[string]any{"values": values, "names": names}})
	must(t, err)
	return string(body)
}
