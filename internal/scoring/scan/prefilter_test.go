package scan

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPrefilter(t *testing.T) {
	t.Parallel()
	list := func(exprs ...string) (all []*Regexp) {
		for _, e := range exprs {
			all = append(all, MustCompile(e))
		}
		return all
	}
	p := NewPrefilter([][]*Regexp{
		0: list(`(?i)drop\s+table`), 1: list(`he`, `she`), 2: list(`hers`), 3: nil, 4: list(`\d+`), 5: list(`x`, `\d`),
		6: list(`(?i)kill`), 7: list(strings.Repeat("long", 10)), 8: list(`her|his`),
	})
	for text, want := range map[string][]int{
		"":                              {3, 4, 5},
		"DROP the table":                {0, 1, 3, 4, 5}, // the is there, which holds he
		"DROP it":                       {3, 4, 5},
		"ushers":                        {1, 2, 3, 4, 5, 8},
		"\u212aİLL":                     {3, 4, 5, 6},
		strings.Repeat("long", 4):       {3, 4, 5, 7}, // only its first sixteen bytes are looked for
		strings.Repeat("long", 3) + "l": {3, 4, 5},
	} {
		if got := slices.Collect(p.Possible(NewSubject(text), nil).All); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// What matches is possible, whatever the expressions and the text.
func TestPrefilterLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[abİK]{1,4}`)
		expr := rapid.Custom(func(t *rapid.T) *Regexp {
			parts := rapid.SliceOfN(word, 1, 4).Draw(t, "parts")
			join := rapid.SampledFrom([]string{"", "|", `\s*`, ".?", "+"}).Draw(t, "join")
			e := strings.Join(parts, join)
			if rapid.Bool().Draw(t, "fold") {
				e = "(?i)" + e
			}
			return MustCompile(e)
		})
		entries := rapid.SliceOfN(rapid.SliceOfN(expr, 0, 3), 1, 80).Draw(t, "entries")
		p := NewPrefilter(entries)
		var set Set
		for _, text := range rapid.SliceOfN(rapid.StringMatching(`[abAB ıK\x{212a}İ]{0,30}`), 1, 4).Draw(t, "texts") {
			s := NewSubject(text)
			set = p.Possible(s, set)
			for i, expressions := range entries {
				for _, re := range expressions {
					if re.Match(s) && !set.Has(i) {
						t.Fatalf("%s matches %q, and entry %d is not possible", re, text, i)
					}
				}
			}
		}
	})
}

// Where there is no room for more literals, what needs them is always possible.
func TestPrefilterIsBounded(t *testing.T) {
	t.Parallel()
	var list [][]*Regexp
	for i := range 4000 {
		list = append(list, []*Regexp{MustCompile(strings.Repeat(string(rune('a'+i%26)), 3) + strings.Repeat(string(rune('a'+i/26%26)), 5) + strings.Repeat(string(rune('a'+i/676)), 8))})
	}
	p := NewPrefilter(list)
	if n := len(p.found); n > mostStates || n < mostStates/2 {
		t.Errorf("%d states", n)
	}
	possible := slices.Collect(p.Possible(NewSubject("nothing"), nil).All)
	if len(possible) == 0 || possible[len(possible)-1] != len(list)-1 {
		t.Errorf("%d are possible everywhere", len(possible))
	}
}

// A joint Prefilter says of each of its parts what that says by itself.
func TestJointSaysWhatItsPartsSay(t *testing.T) {
	t.Parallel()
	var parts []*Prefilter
	for _, expressions := range [][]string{{`rm\s+-rf`, `DROP\s+TABLE`, `[a-z]{4}`}, {}, {`drop`, `rmdir|unlink`}, {`(?i)key`, `secret`, `\d+`, `table`}} {
		list := make([][]*Regexp, len(expressions))
		for i, e := range expressions {
			list[i] = []*Regexp{MustCompile(e)}
		}
		parts = append(parts, NewPrefilter(list))
	}
	stranger := NewPrefilter([][]*Regexp{{MustCompile(`stranger`)}})
	readings := NewReadings(JoinPrefilters(parts...))
	for _, words := range []string{"rm -rf /srv", "DROP TABLE x; rmdir", "KEY secret", "nothing", "r\u200bm -rf", "г\u043c unlink", "'r'm -rf a ｄrop table stranger"} {
		for _, text := range []string{words, strings.Repeat(words+" ", leastShared)} {
			for _, p := range append(parts, stranger) {
				alone := (*Readings)(nil).ReadFor(p, text)
				if got := readings.ReadFor(p, text); !slices.Equal(got.AllPossible(), alone.AllPossible()) {
					t.Fatalf("%.40q: %v together, %v alone", text, got.AllPossible(), alone.AllPossible())
				}
				r := readings.Read(text)
				for which := range 1 + len(r.copies) {
					s := r.plain
					if which > 0 {
						s = r.copies[which-1].Subject
					}
					if got, want := readings.PossibleIn(&r, which, p, nil), p.Possible(s, nil); !slices.Equal(got, want) {
						t.Fatalf("%.40q, copy %d: %v together, %v alone", text, which, got, want)
					}
				}
			}
		}
	}
}
