package scan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

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
	if n := p.machine.states(); n > mostStates || n < mostStates/2 {
		t.Errorf("%d states", n)
	}
	possible := slices.Collect(p.Possible(NewSubject("nothing"), nil).All)
	if len(possible) == 0 || possible[len(possible)-1] != len(list)-1 {
		t.Errorf("%d are possible everywhere", len(possible))
	}
}

// The machine finds the literals that stand in a text, no other ones.
func TestMachineFindsWhatStandsThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		literals := rapid.SliceOfN(rapid.StringMatching(`[ab]{1,18}|[abc]{1,6}`), 1, 60).Draw(t, "literals")
		b := newTrie()
		for i, l := range literals {
			b.add([]string{l}, uint16(i))
		}
		m := b.machine()
		if m.states() != len(b.states) || len(m.rowEnds) != b.rows {
			t.Fatalf("%d states, %d with a row; want %d, %d", m.states(), len(m.rowEnds), len(b.states), b.rows)
		}
		for _, text := range rapid.SliceOfN(rapid.StringMatching(`[abcd]{0,60}`), 1, 8).Draw(t, "texts") {
			found := NewSet(len(literals))
			m.mark(text, found)
			for i, l := range literals {
				if want := strings.Contains(text, l[:min(len(l), literalBytes)]); found.Has(i) != want {
					t.Fatalf("%q in %q: %v, want %v", l, text, found.Has(i), want)
				}
			}
		}
	})
}

// Whatever the literals, the machine is small: those that were made to share an end, to
// part everywhere, or to name every byte. Where they find no room together, each model
// looks for its own.
func TestMachineIsSmall(t *testing.T) {
	t.Parallel()
	const most = 5 << 20
	for name, literal := range map[string]func(i int) string{
		"one end":       func(i int) string { return fmt.Sprintf("%x%s", i, strings.Repeat("a", 12)) },
		"the same":      func(int) string { return strings.Repeat("a", 16) },
		"every byte":    func(i int) string { return string(rune(0x100+i)) + string(rune(0x4e00+i*31%20000)) + "abc" },
		"parting early": func(i int) string { return fmt.Sprintf("%04x", i) + strings.Repeat("z", i%12) },
		"parting everywhere": func(i int) string {
			if i%50 < 2 {
				return string(rune(0x80+i*37%1900)) + string(rune(0x800+i*331%50000))
			}
			return fmt.Sprintf("%015b", i)
		},
		"parting late": func(i int) string { return fmt.Sprintf("%04x%04x%04x", i%3, i/3, i*7919%65536) },
	} {
		var parts []*Prefilter
		for part := range 2 {
			var conditions [][][]string
			for i := range 12000 {
				conditions = append(conditions, [][]string{{literal(2*i + part)}, {literal(2*i + part)}})
			}
			p := newPrefilter(conditions)
			if got := p.machine.bytes(); got > most {
				t.Errorf("%s: %d bytes for %d states", name, got, p.machine.states())
			}
			parts = append(parts, p)
		}
		j := JoinPrefilters(parts...)
		if j != nil && j.all.full {
			t.Errorf("%s: a joint one without room", name)
		}
		text := strings.Repeat(literal(5)+" "+literal(8), leastShared)
		readings := NewReadings(j)
		for _, p := range parts {
			want, got := (*Readings)(nil).ReadFor(p, text), readings.ReadFor(p, text)
			if !slices.Equal(got.AllPossible(), want.AllPossible()) {
				t.Errorf("%s: the joint one differs", name)
			}
		}
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

// states are how many the machine has.
func (m *machine) states() int { return len(m.singles) + len(m.rowEnds) }

// bytes is the memory of the machine.
func (m *machine) bytes() int {
	size := len(m.rows)*int(unsafe.Sizeof(m.rows[0])) + 2*len(m.rowEnds) + len(m.singles)*int(unsafe.Sizeof(single{})) + 2*len(m.shorter)
	for _, conditions := range m.fulfils {
		size += int(unsafe.Sizeof(conditions)) + 2*cap(conditions)
	}
	return size
}
