package scan

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestNormalMapsBackToTheSmallestRange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in, want string
		find     string // in the copy
		back     string // what of the original it came from
	}{
		{"rm -rf", "rm -rf", "-rf", "-rf"},
		{"r\u200bm", "rm", "rm", "r\u200bm"},
		{"\u200brm\u200b", "rm", "rm", "rm"},
		{"ｒｍ\u00a0－ｒｆ x", "rm -rf x", "rm -rf", "ｒｍ\u00a0－ｒｆ"},
		{"a ﬁle", "a file", "fil", "ﬁl"},
		{"a ﬁle", "a file", "i", "ﬁ"}, // half a ligature is the whole of it
		{"cafe\u0301!", "café!", "é", "e\u0301"},
		{"cafe\u0301!", "café!", "caf", "caf"},
		{"e\u200d\u0301", "é", "é", "e\u200d\u0301"},
		{"x\u00ady\u00adz", "xyz", "y", "y"},
		{"\u1112\u1161\u11ab글", "한글", "한", "\u1112\u1161\u11ab"},
		{"①②③", "123", "2", "②"},
		{"d\ufe0fe\U000e0100l\uffa0e\u3164t\u115fe", "delete", "let", "l\uffa0e\u3164t"},
		{"\xff\u200b\xfe", "\xff\xfe", "\xfe", "\xfe"},
	} {
		normal, back, changed := Normal(test.in)
		if normal != test.want || changed != (test.in != test.want) {
			t.Errorf("Normal(%q) = %q, %v; want %q", test.in, normal, changed, test.want)
			continue
		}
		at := strings.Index(normal, test.find)
		start, end := back(at, at+len(test.find))
		if got := test.in[start:end]; got != test.back {
			t.Errorf("%q: %q came from %q, want %q", test.in, test.find, got, test.back)
		}
	}
}

// The list is what Unicode derives as Default_Ignorable_Code_Point from the tables of the
// standard library.
func TestInvisibleIsWhatUnicodeIgnores(t *testing.T) {
	t.Parallel()
	for r := range rune(utf8.MaxRune + 1) {
		want := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector) &&
			!unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark) &&
			(r < 0xfff9 || 0xfffb < r) && (r < 0x13430 || 0x13440 < r)
		if Invisible(r) != want {
			t.Errorf("Invisible(%U) = %v", r, Invisible(r))
		}
	}
}

// disguised draws text of the characters that make normalising hard.
func disguised() *rapid.Generator[string] {
	hard := []rune("rm -f\u200b\u200d\u00adﬁｒ\u0301\u0327é한\u1112\u1161\u11ab①\u00a0\u1e9b\u0323ﷺ\ufeff\u3099か\u0f71\u0f72\U0001d15e")
	return rapid.Custom(func(t *rapid.T) string {
		s := string(rapid.SliceOfN(rapid.SampledFrom(hard), 0, 40).Draw(t, "runes"))
		if rapid.IntRange(0, 9).Draw(t, "broken") == 0 {
			s += "\xe2\x80" + s
		}
		return s
	})
}

func TestNormalIsNFKCOfTheVisible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkNormal(t, disguised().Draw(t, "s")) })
}

// checkNormal holds for every text: the copy is what the library makes of the
// visible characters, and each range of it leads back into the text, onto
// whole characters, in order.
func checkNormal(t interface {
	Fatalf(format string, args ...any)
}, s string,
) {
	normal, back, changed := Normal(s)
	visible, _ := strip(s)
	// The library breaks more than 30 marks on one letter with a grapheme joiner.
	if want := strings.ReplaceAll(norm.NFKC.String(visible), "\u034f", ""); normal != want && utf8.ValidString(s) {
		t.Fatalf("Normal(%+q) = %+q, want %+q", s, normal, want)
	}
	if changed == (normal == s) {
		t.Fatalf("Normal(%+q) says changed = %v", s, changed)
	}
	before := 0
	for i := range len(normal) {
		start, end := back(i, i+1)
		if start < before || end <= start || end > len(s) {
			t.Fatalf("Normal(%+q): byte %d came from %d..%d after %d", s, i, start, end, before)
		}
		before = start
	}
	if len(normal) > 0 {
		start, end := back(0, len(normal))
		first, _ := back(0, 1)
		_, last := back(len(normal)-1, len(normal))
		if start != first || end != last {
			t.Fatalf("Normal(%+q): the whole came from %d..%d, its ends from %d and %d", s, start, end, first, last)
		}
	}
}

func FuzzNormal(f *testing.F) {
	for _, s := range []string{"", "rm\u200b -rf", "ｄｒｏｐ", "e\u0301\u200d", "\xff\xe2\x80", strings.Repeat("\u0301", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkNormal(t, s) })
}

func BenchmarkNormal(b *testing.B) {
	for name, part := range map[string]string{
		"ascii":     "rm -rf /data ",
		"accents":   "cafés naïfs ",
		"invisible": "r\u200bm ",
		"fullwidth": "ｒｍ　－ｒｆ",
		"ligature":  "ﷺ",
	} {
		text := strings.Repeat(part, (256<<10)/len(part))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Normal(text)
			}
		})
	}
}

// Pieces that are written down as one run map as each of them does.
func TestRunsMapAsTheirPieces(t *testing.T) {
	t.Parallel()
	type piece struct{ wide, long int }
	rapid.Check(t, func(t *rapid.T) {
		kinds := []piece{{1, 1}, {2, 1}, {3, 33}, {3, 2}, {2, 2}, {300, 1}, {1, 300}, {4, 1}}
		var (
			o        origin
			from, to []int // of each byte of the copy, where its piece begins and ends
			at       int
		)
		for range rapid.IntRange(0, 12).Draw(t, "stretches") {
			p, same := rapid.SampledFrom(kinds).Draw(t, "piece"), false
			if p.wide == p.long {
				same = rapid.Bool().Draw(t, "same")
			}
			for range rapid.IntRange(1, 5).Draw(t, "times") {
				if same {
					o = o.unchanged(at, p.wide)
				} else {
					o = o.pieces(at, p.wide, p.long, 1)
				}
				for k := range p.long {
					first, last := at, at+p.wide
					if same {
						first, last = at+k, at+k+1
					}
					from, to = append(from, first), append(to, last)
				}
				at += p.wide
			}
		}
		for range 20 {
			if len(from) == 0 {
				break
			}
			start := rapid.IntRange(0, len(from)-1).Draw(t, "start")
			end := rapid.IntRange(start+1, len(from)).Draw(t, "end")
			if gotFrom, gotTo := o.back(start, end); gotFrom != from[start] || gotTo != to[end-1] {
				t.Fatalf("%d to %d is %d to %d, want %d to %d: %v", start, end, gotFrom, gotTo, from[start], to[end-1], o)
			}
			if gotFrom, gotTo := o.back(start, start); gotFrom != from[start] || gotTo != from[start] {
				t.Fatalf("%d is %d to %d, want %d: %v", start, gotFrom, gotTo, from[start], o)
			}
		}
	})
}
