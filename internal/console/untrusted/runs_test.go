package untrusted

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/console/untrusted/untrustedtest"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/near"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

func TestRunsShowEverythingAndReadBack(t *testing.T) {
	t.Parallel()
	for _, tt := range untrustedtest.Hostile {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			shown := Runs(tt.Text)
			if got := untrustedtest.Undo(t, shown); got != tt.Text {
				t.Errorf("read back %q, want %q", got, tt.Text)
			}
			var named []string
			for _, r := range shown {
				if r.Kind != views.RunText {
					named = append(named, r.Text)
					continue
				}
				for _, c := range r.Text {
					if hidden(c) {
						t.Errorf("%U stands unnamed in the text", c)
					}
				}
			}
			switch {
			case tt.Named == "" && len(named) > 0:
				t.Errorf("ordinary text got marks: %q", named)
			case tt.Named != "" && !slices.Contains(named, tt.Named):
				t.Errorf("named %q, want %q among them", named, tt.Named)
			}
		})
	}
}

func TestRunsReadBackWhateverTheMarks(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	property := func(pick []uint8, edges []int16) bool {
		var text string
		for _, p := range pick {
			text += untrustedtest.Hostile[int(p)%len(untrustedtest.Hostile)].Text
		}
		var marks []span
		for i := 0; i+1 < len(edges); i += 2 {
			marks = append(marks, span{int(edges[i]) % (len(text) + 3), int(edges[i+1]) % (len(text) + 3), "m" + strconv.Itoa(i)})
		}
		shown := marked(text, marks...)
		for _, r := range shown {
			if r.Kind == views.RunText && r.Text == "" {
				return false
			}
		}
		return untrustedtest.Undo(t, shown) == text
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}

func TestAnyTextReadsBack(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	var seeds []string
	readsBack := func(t rapid.TB, text string, start, end int) {
		if got := untrustedtest.Undo(t, marked(text, span{start, end, "m"}, span{end, start, "n"})); got != text {
			t.Errorf("read back %q, want %q", got, text)
		}
	}
	for _, h := range untrustedtest.Hostile {
		seeds = append(seeds, h.Text)
		readsBack(t, h.Text, 1, 4)
	}
	for range long.Count(5, 20) { // of a hundred
		rapid.Check(t, func(t *rapid.T) {
			text := near.Text(seeds...).Draw(t, "text")
			at := rapid.OneOf(rapid.IntRange(-2, len(text)+2), rapid.Int())
			readsBack(t, text, at.Draw(t, "start"), at.Draw(t, "end"))
		})
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		text  string
		marks []span
		want  string // {why:text} for marked runs
	}{
		{"inside", "DROP TABLE x", []span{{0, 4, "a"}}, "{a:DROP} TABLE x"},
		{"same stretch", "DROP x", []span{{0, 4, "a"}, {0, 4, "b"}, {0, 4, "a"}}, "{a; b:DROP} x"},
		{"overlap", "abcdef", []span{{2, 5, "b"}, {0, 3, "a"}}, "{a:ab}{a; b:c}{b:de}f"},
		{"inner", "abcdef", []span{{0, 6, "a"}, {2, 3, "b"}}, "{a:ab}{a; b:c}{a:def}"},
		{"touching", "abcd", []span{{0, 2, "a"}, {2, 4, "b"}}, "{a:ab}{b:cd}"},
		{"out of range", "abc", []span{{-5, 1, "a"}, {2, 99, "b"}, {7, 9, "c"}, {2, 1, "d"}}, "{a:a}b{b:c}"},
		{"inside a character", "aéb", []span{{2, 3, "a"}}, "a{a:é}b"},
		{"across a hidden one", "a\u200bb", []span{{0, 5, "a"}}, "{a:a}{a:ZWSP}{a:b}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for _, r := range marked(tt.text, tt.marks...) {
				if r.Mark != "" {
					b.WriteString("{" + r.Mark + ":" + r.Text + "}")
				} else {
					b.WriteString(r.Text)
				}
			}
			if got := b.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"usr_123", ""},
		{"a\u200bb", "1 hidden character: U+200B ZERO WIDTH SPACE"},
		{"a\u202eb\u200bc\u202e", "3 hidden characters: U+202E RIGHT-TO-LEFT OVERRIDE, U+200B ZERO WIDTH SPACE"},
		{"Wh\u0435eler", "1 lookalike character: U+0435 CYRILLIC SMALL LETTER IE, looks like Latin e"},
		{" x", "Begins or ends with whitespace"},
		{"\x1b", "1 hidden character: U+001B ESCAPE"},
	}
	for _, tt := range tests {
		if got := strings.Join(Findings(texts.Printer{}, tt.text, Runs(tt.text)), " | "); got != tt.want {
			t.Errorf("Findings(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// The worst texts of 256 KiB must stay cheap: quadratic work would take minutes.
func TestRunsAreLinear(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	const size = 256 << 10
	for _, unit := range []string{"a", "\u200b", "а", "aа", "\n", " ", "\n \n", "\n\n\n a", "\u0301", strings.Repeat(" ", 39) + "x"} {
		text := strings.Repeat(unit, size/len(unit))
		marks := make([]span, 0, 10_000)
		for i := range 10_000 {
			marks = append(marks, span{i, len(text) - i, "m"})
		}
		if got := untrustedtest.Undo(t, marked(text, marks...)); got != text || !utf8.ValidString(got) {
			t.Errorf("%q does not read back", unit)
		}
	}
}

func TestEscapeSequencesAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"\x1b[2Kgone": true, "\x1b]0;title\a": true, "\u009b31m": true, "[31m": false, "ESC": false, "a\x1bc": false,
	} {
		got := strings.Contains(strings.Join(Findings(texts.Printer{}, text, Runs(text)), "; "), "escape sequence")
		if got != want {
			t.Errorf("%q: found %v, want %v", text, got, want)
		}
	}
}

// marked is a text with marks.
func marked(s string, spans ...span) []views.Run {
	n := notes{first: map[string]int{}}
	marks, _ := n.of(s, spans)
	return styled(s, style{marks: marks})
}
