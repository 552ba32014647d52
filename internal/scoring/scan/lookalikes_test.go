package scan

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Each letter is named once, has a Latin one, and is still there after NFKC.
func TestLookalikes(t *testing.T) {
	t.Parallel()
	seen := map[rune]bool{}
	for _, pairs := range append(alike[:len(alike):len(alike)], akin...) {
		if len(pairs.latin) != utf8.RuneCountInString(pairs.others) {
			t.Fatalf("%q and %q differ in length", pairs.latin, pairs.others)
		}
		for _, r := range pairs.others {
			if seen[r] {
				t.Errorf("%q (%U) is named twice", r, r)
			}
			seen[r] = true
			if r < utf8.RuneSelf || norm.NFKC.String(string(r)) != string(r) {
				t.Errorf("%q (%U) is folded before", r, r)
			}
			if lookalike(r) == 0 {
				t.Errorf("%q (%U) is not found", r, r)
			}
		}
	}
	for r, want := range map[rune]byte{
		'ꓓ': 'd', 'ᴅ': 'd', 'Ꭰ': 'd', 'ꭰ': 'd', 'ꮟ': 'b', '🇿': 'z', '🅩': 'z', '🆉': 'z', '\U0001ccd6': 'a', 'е': 'e', 'и': 'u', 'é': 0, '漢': 0, 'a': 0, -1: 0, '\U0010ffff': 0,
	} {
		if got := lookalike(r); got != want {
			t.Errorf("%q looks like %q, want %q", r, got, want)
		}
	}
	if _, alike := Lookalike('и'); alike {
		t.Error("и is drawn as u")
	}
	if _, alike := Lookalike('е'); !alike {
		t.Error("a Cyrillic е is not drawn as e")
	}
}
