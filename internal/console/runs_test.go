package console

import (
	"strconv"
	"strings"
	"testing"
	"testing/quick"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/near"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// undo reads a text back from its runs, as views.Run says.
func undo(t rapid.TB, shown []views.Run) string {
	t.Helper()
	var b strings.Builder
	for _, r := range shown {
		switch r.Kind {
		case views.RunHidden, views.RunOdd:
			if strings.HasPrefix(r.Code, "0x") {
				b.WriteString(r.Raw)
				continue
			}
			n, err := strconv.ParseInt(strings.TrimPrefix(r.Code, "U+"), 16, 32)
			if err != nil {
				t.Fatalf("code %q: %v", r.Code, err)
			}
			b.WriteRune(rune(n))
		case views.RunFold:
			b.WriteString(r.Raw)
		default:
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

// hostile are texts that were made to deceive. named is what must stand in the
// page for each, "" where the text is ordinary and must stay untouched.
var hostile = []struct{ name, text, named string }{
	{"plain", "DROP TABLE orders", ""},
	{"markup", "<script>alert(1)</script><img src=x onerror=1>", ""},
	{"entity", "&lt;b&gt; &#x202e; &amp;", ""},
	{"arabic", "مرحبا بالعالم", ""},
	{"hebrew", "שלום עולם", ""},
	{"persian with ZWNJ", "می\u200cخواهم", "ZWNJ"},
	{"russian", "Удалить пользователя навсегда", ""},
	{"greek", "διαγραφή χρήστη", ""},
	{"chinese", "删除用户，确认？（是）。", ""},
	{"thai", "ลบผู้ใช้ที่นี่", ""},
	{"hindi", "उपयोगकर्ता को हटाएं", ""},
	{"emoji", "ship it 🚀🔥", ""},
	{"emoji family", "👨\u200d👩\u200d👧", "ZWJ"},
	{"emoji style", "❤\ufe0f", "VS16"},
	{"accents", "Zoë Åström", ""},
	{"decomposed", "Zoe\u0308", ""},
	{"override", "invoice_\u202egpj.exe", "RLO"},
	{"isolates", "a\u2066b\u2067c\u2068d\u2069", "LRI"},
	{"embedding", "a\u202ab\u202bc\u202cd\u202d", "LRE"},
	{"marks", "a\u200eb\u200fc\u061c", "ALM"},
	{"zero width space", "usr_\u200b123", "ZWSP"},
	{"joiner", "usr_\u2060123", "WJ"},
	{"bom inside", "usr\ufeff_123", "BOM"},
	{"soft hyphen", "prod\u00aduction", "SHY"},
	{"tags", "ok\U000e0069\U000e0067\U000e006e", "TAG i"},
	{"variation selector data", "x\U000e0100\U000e0151", "VS17"},
	{"private use", "\ue000\U000f0001", "PRIVATE"},
	{"next line", "one\u0085two", "NEL"},
	{"line separator", "one\u2028two\u2029three", "LINE SEP"},
	{"carriage return", "safe\rDROP", "CR"},
	{"ansi", "\x1b[2K\x1b[1Ahello", "ESC"},
	{"c1", "\u009b31mred", "CSI"},
	{"backspace", "rm -rf /\b\b\b\bls", "BS"},
	{"delete", "a\x7fb", "DEL"},
	{"no-break space", "rm\u00a0-rf", "NBSP"},
	{"ideographic space", "a\u3000b", "IDSP"},
	{"hangul filler", "\u3164\u115f", "FILLER"},
	{"braille blank", "a\u2800b", "BLANK"},
	{"grapheme joiner", "a\u034fb", "CGJ"},
	{"unassigned", "a\u0378b", "HIDDEN"},
	{"mixed scripts", "Dana Wh\u0435eler", "е"},
	{"whole word of look-alikes", "\u0430\u0440\u0440\u04cf\u0435", "а"},
	{"a selector in a word", "d\ufe0felete", "VS16"},
	{"a far selector in a word", "d\U000e0100elete", "VS17"},
	{"a filler in a word", "d\uffa0el\u3164ete", "FILLER"},
	{"small capitals", "ᴅᴇʟᴇᴛᴇ", "ᴅ"},
	{"Lisu in a word", "ꓓelete", "ꓓ"},
	{"a word of Lisu", "ꓓꓰꓡꓰꓔꓰ", "ꓰ"},
	{"a word of Cherokee", "ᎠᎬᏞᎬᎢᎬ", "Ꮮ"},
	{"Cherokee", "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", ""},
	{"letters of flags", "🇩🇪🇱🇪🇹🇪", "🇱"},
	{"flags", "Berlin 🇩🇪, Wien 🇦🇹", ""},
	{"squares", "🅳el", "🅳"},
	{"circles", "ⓓel", "ⓓ"},
	{"struck through", "d̶e̶l̶", "MARK"},
	{"in circles", "d\u20ddel", "MARK"},
	{"not equal", "a =\u0338 b", ""},
	{"full width", "ｒｍ -rf", "ｒ"},
	{"mathematical", "𝐫𝐦 -rf", "𝐫"},
	{"slash", "etc∕passwd", "∕"},
	{"minus", "−100", "−"},
	{"stacked marks", "a" + strings.Repeat("\u0301", 40), "MARK"},
	{"lonely mark", "\u0301a", "MARK"},
	{"blank lines", "harmless" + strings.Repeat("\n", 60) + "DROP", "59 blank lines"},
	{"blank lines of spaces", "a\n  \n\t\n \n   \n\nb", "5 blank lines"},
	{"far right", "harmless" + strings.Repeat(" ", 500) + "DROP", "500 spaces"},
	{"white space ends", "  a  ", ""},
	{"not utf-8", "a\xff\xfeb", "not UTF-8"},
	{"surrogate bytes", "a\xed\xa0\x80b", "not UTF-8"},
}

func TestRunsShowEverythingAndReadBack(t *testing.T) {
	t.Parallel()
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			shown := runs(tt.text)
			if got := undo(t, shown); got != tt.text {
				t.Errorf("read back %q, want %q", got, tt.text)
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
			case tt.named == "" && len(named) > 0:
				t.Errorf("ordinary text got marks: %q", named)
			case tt.named != "" && !contains(named, tt.named):
				t.Errorf("named %q, want %q among them", named, tt.named)
			}
		})
	}
}

func contains(all []string, s string) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

func TestRunsReadBackWhateverTheMarks(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	property := func(pick []uint8, edges []int16) bool {
		var text string
		for _, p := range pick {
			text += hostile[int(p)%len(hostile)].text
		}
		var marks []span
		for i := 0; i+1 < len(edges); i += 2 {
			marks = append(marks, span{int(edges[i]) % (len(text) + 3), int(edges[i+1]) % (len(text) + 3), "m" + strconv.Itoa(i)})
		}
		shown := runs(text, marks...)
		for _, r := range shown {
			if r.Kind == views.RunText && r.Text == "" {
				return false
			}
		}
		return undo(t, shown) == text
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}

func TestAnyTextReadsBack(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	var seeds []string
	readsBack := func(t rapid.TB, text string, start, end int) {
		if got := undo(t, runs(text, span{start, end, "m"}, span{end, start, "n"})); got != text {
			t.Errorf("read back %q, want %q", got, text)
		}
	}
	for _, h := range hostile {
		seeds = append(seeds, h.text)
		readsBack(t, h.text, 1, 4)
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
			for _, r := range runs(tt.text, tt.marks...) {
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
		if got := strings.Join(findings(texts.Printer{}, tt.text, runs(tt.text)), " | "); got != tt.want {
			t.Errorf("findings(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// The worst texts of 256 KiB must stay cheap: quadratic work would take minutes.
func TestRunsAreLinear(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	const size = 256 << 10
	for _, unit := range []string{"a", "\u200b", "а", "aа", "\n", " ", "\n \n", "\n\n\n a", "\u0301", strings.Repeat(" ", 39) + "x"} {
		text := strings.Repeat(unit, size/len(unit))
		marks := make([]span, 0, 10_000)
		for i := range 10_000 {
			marks = append(marks, span{i, len(text) - i, "m"})
		}
		if got := undo(t, runs(text, marks...)); got != text || !utf8.ValidString(got) {
			t.Errorf("%q does not read back", unit)
		}
	}
}
