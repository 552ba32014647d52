package untrusted

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/console/untrusted/untrustedtest"
)

// numbered writes the runs of a text with the numbers of their notes, those that end
// there first, and the place that has the focus.
func numbered(text string, marks []mark) string {
	var b strings.Builder
	for _, r := range styled(text, style{marks: marks}) {
		if r.Notes == "" {
			b.WriteString(r.Text)
			continue
		}
		fmt.Fprintf(&b, "{%s/%s", r.Ends, r.Notes)
		if r.Place != 0 {
			fmt.Fprintf(&b, "#%d", r.Place)
		}
		b.WriteString(":" + r.Text + "}")
	}
	return b.String()
}

func TestNotes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		marks []span
		want  string
		notes string
	}{
		{"none", nil, "abcdef", ""},
		{"one", []span{{1, 3, "a"}}, "a{1/1#1:bc}def", "1#1 a"},
		{"inner", []span{{0, 6, "a"}, {2, 4, "b"}}, "{/1#1:ab}{/1, 2#2:cd}{1, 2/1:ef}", "1#1 a|2#2 b"},
		{"overlapping", []span{{0, 4, "a"}, {2, 6, "b"}}, "{/1#1:ab}{/1, 2#2:cd}{1, 2/2:ef}", "1#1 a|2#2 b"},
		{"same stretch", []span{{0, 2, "a"}, {0, 2, "b"}}, "{1, 2/1, 2#1:ab}cdef", "1#1 a|2#1 b"},
		{"twice", []span{{0, 1, "a"}, {3, 4, "a"}}, "{1/1#1:a}bc{1/1:d}ef", "1#1 a, 2 places"},
		{"touching", []span{{0, 2, "a"}, {2, 4, "b"}}, "{/1#1:ab}{1, 2/2#2:cd}ef", "1#1 a|2#2 b"},
		{"backwards and outside", []span{{4, 2, "a"}, {9, 12, "b"}, {-3, 0, "c"}}, "abcdef", ""},
	} {
		n := notes{first: map[string]int{}}
		marks, list := n.of("abcdef", test.marks)
		var told []string
		for _, one := range list {
			text := fmt.Sprintf("%d#%d %s", one.Number, one.Place, Plain(one.Text))
			if one.Places != "" {
				text += ", " + one.Places
			}
			told = append(told, text)
		}
		if got := numbered("abcdef", marks); got != test.want || strings.Join(told, "|") != test.notes {
			t.Errorf("%s: %s and %s, want %s and %s", test.name, got, told, test.want, test.notes)
		}
	}
}

// A number has its place where its mark ends, unless another one ends so close behind that
// the two would be read as one.
func TestNumbersStandApart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		spans []span
		want  string
	}{
		{[]span{{0, 10, "a"}, {0, 4, "b"}}, "{2/1, 2#1:DROP}{1/1: TABLE} x;"},
		{[]span{{0, 13, "a"}, {0, 12, "b"}}, "{/1, 2#1:DROP TABLE x}{1, 2/1:;}"},
		{[]span{{0, 4, "a"}, {5, 10, "b"}}, "{1/1#1:DROP} {2/2#2:TABLE} x;"},
	} {
		n := notes{first: map[string]int{}}
		marks, _ := n.of("DROP TABLE x;", test.spans)
		if got := numbered("DROP TABLE x;", marks); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// Whatever overlaps: every stretch says exactly what covers it, every note leads to
// a place of its own reason, and numbers and places are there once.
func TestOverlapsSayWhatCoversThem(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	text := strings.Repeat("aé\u202e字", 12)
	for range 500 {
		spans := make([]span, random.IntN(12))
		for i := range spans {
			start := random.IntN(len(text))
			spans[i] = span{start, start + random.IntN(30), string(rune('a' + random.IntN(6)))}
		}
		pieces, reasons := overlaps(text, spans)
		for at := range text {
			var want, got []string
			for _, s := range spans {
				if s.start < s.end && backToBoundary(text, s.start) <= at && at < onToBoundary(text, s.end) && !slices.Contains(want, s.why) {
					want = append(want, s.why)
				}
			}
			for _, p := range pieces {
				if p.start <= at && at < p.end {
					for _, i := range p.reasons {
						got = append(got, reasons[i])
					}
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Fatalf("at %d stand %q, want %q: %v", at, got, want, spans)
			}
		}
		n := notes{first: map[string]int{}}
		marks, list := n.of(text, spans)
		if got := untrustedtest.Undo(t, styled(text, style{marks: marks})); got != text {
			t.Fatalf("%v: reads back to %q", spans, got)
		}
		for _, note := range list {
			i := slices.IndexFunc(marks, func(m mark) bool { return m.place == note.Place })
			if i < 0 || !strings.Contains(marks[i].why, Plain(note.Text)) && !strings.Contains(marks[i].why, " more") {
				t.Fatalf("%v: note %d leads to place %d", spans, note.Number, note.Place)
			}
		}
	}
}

func TestMarksLeaveWhiteSpaceOut(t *testing.T) {
	t.Parallel()
	const text = "-- x\n  DROP \n"
	for _, test := range []struct {
		of   span
		want string
	}{{span{4, 12, "a"}, "-- x\n  {1/1#1:DROP} \n"}, {span{4, 7, "a"}, "-- x{1/1#1:\n  }DROP \n"}, {span{0, len(text), "a"}, "{1/1#1:-- x\n  DROP} \n"}} {
		n := notes{first: map[string]int{}}
		marks, _ := n.of(text, []span{test.of})
		if got := numbered(text, marks); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
