package scan

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// What is put together here is what the library makes of it: each character with a mark
// of each class that follows Latin letters, each pair of parts of a syllable, and runs of any
// characters that change.
func TestComposedIsTheLibrarys(t *testing.T) {
	t.Parallel()
	check := func(s string) {
		if to, ok := composed(s); ok && to != norm.NFKC.String(s) {
			t.Fatalf("%+q is put together to %+q, want %+q", s, to, norm.NFKC.String(s))
		}
	}
	var changing, marks []rune
	for r := rune(' '); r < 0x20000; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		switch one, _, _ := foldedAt(string(r), 0); {
		case !one.begins:
			marks = append(marks, r)
		case one.parts != "" || r < 0x250:
			changing = append(changing, r)
		}
	}
	for _, r := range changing {
		for _, mark := range "\u0300\u0301\u0307\u0308\u030a\u0323\u0327\u0328\u0338\u0345\u3099\u11a8" {
			check(string(r) + string(mark))
		}
	}
	for first := rune(0x10fe); first < 0x1116; first++ {
		for vowel := rune(0x115f); vowel < 0x1178; vowel++ {
			for final := rune(0x11a6); final < 0x11c5; final += 3 {
				check(string(first) + string(vowel) + string(final))
			}
		}
	}
	for base := range composites() {
		for _, mark := range marks[:60] {
			check(string(rune(base>>32)) + string(rune(uint32(base))) + string(mark))
			check(string(rune(base>>32)) + string(mark) + string(rune(uint32(base))))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SampledFrom(changing).Draw(t, "first")) + string(rapid.SliceOfN(rapid.SampledFrom(marks), 0, 6).Draw(t, "marks"))
		if to, ok := composed(s); ok && to != norm.NFKC.String(s) {
			t.Fatalf("%+q is put together to %+q, want %+q", s, to, norm.NFKC.String(s))
		}
	})
	if to, ok := composed("e\u0301"); !ok || to != "é" {
		t.Errorf("e and its accent are put together to %q", to)
	}
	for _, s := range []string{"e\u0301\xff", "a" + string(marks[:mostComposed])} {
		if to, ok := composed(s); ok {
			t.Errorf("%+q is put together to %+q", s, to)
		}
	}
}
