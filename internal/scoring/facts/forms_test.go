package facts

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The longest IBAN is found among all beginnings that end before a space.
func TestLongestIBAN(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"DE89370400440532013000":              22,
		"DE89 3704 0044 0532 0130 00":         27,
		"DE89 3704 0044 0532 0130 00 EUR 100": 27,
		"DE88 3704 0044 0532 0130 00":         0,
		"NO9386011117947":                     15,
		"NO938601111794":                      0,
		"DE89370400440532013000X":             0,
		"":                                    0,
		"BB432011210059817520 63 62 C 5 87 3 4 2 1 6": 43, // more spaces than groups of four have
	} {
		if got := ibanIn(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[A-C]{2}[0-9]{2}( ?[0-9A-C]){0,36}`).Draw(t, "text")
		want := 0
		for end := range len(text) + 1 {
			if (end == len(text) || text[end] == ' ') && isIBAN(text[:end]) {
				want = end
			}
		}
		if got := ibanIn(text); got != want {
			t.Fatalf("%q: %d, want %d", text, got, want)
		}
	})
}

// isIBAN is the definition: letters as numbers, the first four characters last, one large number.
func isIBAN(text string) bool {
	compact := strings.ReplaceAll(text, " ", "")
	if len(compact) < 15 || len(compact) > 34 {
		return false
	}
	digits := ""
	for _, r := range compact[4:] + compact[:4] {
		if r >= 'A' {
			digits += big.NewInt(int64(r - 'A' + 10)).String()
		} else {
			digits += string(r)
		}
	}
	n, _ := new(big.Int).SetString(digits, 10)
	return new(big.Int).Mod(n, big.NewInt(97)).Int64() == 1
}
