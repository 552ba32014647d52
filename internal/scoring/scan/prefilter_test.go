package scan

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

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
		if got := slices.Collect(p.Possible(NewSubject(text)).All); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// What matches is possible, whatever the expressions and the text: words with nothing,
// with spaces and marks, with beginnings and ends of lines and edges of words beside them.
func TestPrefilterLosesNothing(t *testing.T) {
	t.Parallel()
	matched := 0
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[abİK]{1,4}`), 4, 4).Draw(t, "words")
		word := rapid.SampledFrom(append(words, "(?:"+words[0]+")+", "(?:"+words[1]+"){2}", "(?:"+words[2]+"|"+words[3]+")?"))
		beside := rapid.SampledFrom([]string{"", "", "|", `\s*`, ".?", "+", "?", `\s+`, `[;\s]`, `(?:^|;)`, `(?:\s|$)`, `(?:;\s*)?`, `[^a]`, `(?:a|;)`, `$`, `\z`, `\A`, `(?:^|[;\n]\s*)`, `[aK]`, `(?:ab|;|b;)`, `{2}`})
		expr := rapid.Custom(func(t *rapid.T) *Regexp {
			e := ""
			for range rapid.IntRange(1, 3).Draw(t, "parts") {
				e += beside.Draw(t, "before") + word.Draw(t, "word") + beside.Draw(t, "behind")
			}
			e = "(?:" + strings.TrimLeft(e, "+?{2}") + ")"
			if rapid.Bool().Draw(t, "edge before") {
				e = `\b` + e
			}
			if rapid.Bool().Draw(t, "edge behind") {
				e += `\b`
			}
			if rapid.Bool().Draw(t, "fold") {
				e = "(?i)" + e
			}
			r, err := Compile(e)
			if err != nil {
				return MustCompile(`a`)
			}
			return r
		})
		entries := rapid.SliceOfN(rapid.SliceOfN(expr, 0, 3), 1, 80).Draw(t, "entries")
		p := NewPrefilter(entries)
		pieces := rapid.SliceOfN(rapid.SampledFrom(append(words, " ", ";", "\n", "a", "B", "ı", "\u212a", strings.ToUpper(words[0]))), 0, 12)
		for range 8 {
			text := strings.Join(pieces.Draw(t, "text"), "")
			s := NewSubject(text)
			set := p.Possible(s)
			for i, expressions := range entries {
				for _, re := range expressions {
					if re.Plain().Match(s) {
						matched++
						if !set.Has(i) {
							t.Fatalf("%s matches %q, and entry %d is not possible", re, text, i)
						}
					}
				}
			}
		}
	})
	if matched == 0 { // it is hundreds even in a short run
		t.Error("nothing matched")
	}
}

// The machine finds the literals that stand in a text, and stand apart where they have to,
// no other ones.
func TestMachineFindsWhatStandsThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		literals := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) literal {
			text := rapid.StringMatching(`[ab]{1,18}|[abc \x00]{1,6}|[a-i]{2,4}`).Draw(t, "text")
			return literal{text: text, apart: sides{rapid.Bool().Draw(t, "before"), rapid.Bool().Draw(t, "behind")}}
		}), 1, 250).Draw(t, "literals")
		b := machineOf{}
		for i, l := range literals {
			b.add([]literal{l}, i)
		}
		placed := literals[:len(literals)/2]
		b.add(placed, onlyPlaced)
		m := b.machine()
		for _, text := range rapid.SliceOfN(rapid.StringMatching(`[abcd é]{0,60}|[a-i]{0,20}`), 1, 8).Draw(t, "texts") {
			text = strings.Repeat(text, rapid.IntRange(1, 6).Draw(t, "times"))
			found, s := NewSet(len(literals)), NewSubject(text)
			where := newPlaces(nil, m.placed, len(text))
			m.pass(s.folded, found.add, where)
			for i, l := range literals {
				if want := standsIn(text, l); found.Has(i) != want {
					t.Fatalf("%+v in %q: %v, want %v", l, text, found.Has(i), want)
				}
			}
			for _, l := range placed {
				checkPlaces(t, text, where, b[l.cut(literalBytes).text].number, l, literals)
			}
		}
	})
}

// checkPlaces compares where a literal stands, as one of the same text among all may do.
func checkPlaces(t *rapid.T, text string, where *places, number int, l literal, all []literal) {
	if len(l.text) == 1 {
		return // nobody asks
	}
	l = l.cut(literalBytes)
	var want []int32
	for at := range text {
		for _, other := range all {
			if other = other.cut(literalBytes); other.text == l.text && standsAt(text, at, other) {
				want = append(want, int32(at))
				break
			}
		}
	}
	if got, ok := where.at[number], where.known(number); ok != (len(want) <= where.most) || ok && !slices.Equal(got, want) {
		t.Fatalf("%q in %q: %v %v, want %v", l.text, text, got, ok, want)
	}
}

// standsIn looks for the first bytes of a literal, one place after the other.
func standsIn(text string, l literal) bool {
	for at := range text {
		if standsAt(text, at, l) {
			return true
		}
	}
	return false
}

func standsAt(text string, at int, l literal) bool {
	cut := l.text[:min(len(l.text), literalBytes)]
	isASCIIWord := func(s string) bool { return s != "" && s[0] < utf8.RuneSelf && IsWord(rune(s[0])) }
	behind, ok := strings.CutPrefix(text[at:], cut)
	before := at > 0 && isASCIIWord(text[at-1:])
	return ok && (len(cut) == 1 || !(l.apart.before && before) && !(l.apart.behind && len(cut) == len(l.text) && isASCIIWord(behind)))
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
	joint := JoinPrefilters(parts...)
	for _, words := range []string{"rm -rf /srv", "DROP TABLE x; rmdir", "KEY secret", "nothing", "r\u200bm -rf", "г\u043c unlink", "'r'm -rf a ｄrop table stranger"} {
		for _, text := range []string{words, strings.Repeat(words+" ", 50)} {
			alone := Read(text)
			{
				r := joint.Passages([]Segment{{Text: "before"}, {Text: text}})[1]
				for _, p := range append(parts, stranger) {
					if got, want := r.Possible(p), alone.Possible(p); !slices.Equal(got, want) {
						t.Fatalf("%.40q: %v together, %v alone", text, got, want)
					}
					for which := range 1 + len(r.copies) {
						s := r.plain
						if which > 0 {
							s = r.copies[which-1].Subject
						}
						if got, want := r.PossibleIn(which, p), p.Possible(s); !slices.Equal(got, want) {
							t.Fatalf("%.40q, copy %d: %v together, %v alone", text, which, got, want)
						}
					}
				}
			}
		}
	}
}
