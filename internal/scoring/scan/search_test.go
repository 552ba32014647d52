package scan

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/long"
)

// The automata find what RE2 finds, for expressions of any shape and any text: also
// where assertions, edges, and what is preferred decide.
func TestAutomataFindTheSame(t *testing.T) {
	t.Parallel()
	atoms := []string{
		"a", "b", "ab", "bi", "i", "É", `\s`, `\w`, ".", `[^a]`, `[ab]`, `(?i:K)`, "^", "$", `(?m:^)`, `(?m:$)`, `(?s:.)`, `\p{L}`, "é+", `[a-c]{2,3}`, `[^b]{0,12}`, `(?:a|b ){1,11}?`, " ", `\n`, "ß?",
	}
	pieces := []string{"a", "b", "ab", " ", "\n", "i", "İ", "é", "É", "k", "\u212a", "_", "ß", "\xff", "\xe2\x80", "\ufffd", "c", "語", "\u00a0"}
	rapid.Check(t, func(t *rapid.T) {
		expr := anExpression(t, atoms, 3)
		switch rapid.IntRange(0, 4).Draw(t, "edges") {
		case 0:
			expr = `\b(?:` + expr + `)`
		case 1:
			expr = `(?:` + expr + `)\b`
		case 2:
			expr = `\b(?:` + expr + `)\b`
		case 3:
			expr = `(?i)` + expr
		}
		r, err := Compile(expr)
		if err != nil {
			return // two repetitions in a row
		}
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 24).Draw(t, "pieces"), "")
		n := rapid.IntRange(-1, 4).Draw(t, "n")
		s := NewSubject(text)
		if got, want := r.Find(s, n), r.Plain().Find(s, n); !slices.Equal(got, want) {
			t.Fatalf("%s in %q: %v, RE2 finds %v", expr, text, got, want)
		}
		where := placed(text, r)
		if got, want := r.Find(where, n), r.Plain().Find(s, n); !slices.Equal(got, want) {
			t.Fatalf("%s in %q: %v where literals stand, RE2 finds %v", expr, text, got, want)
		}
		if got, want := withLoose(r, s, n), r.Plain().Find(s, n); !slices.Equal(got, want) {
			t.Fatalf("%s in %q: %v where the loose expression matches, RE2 finds %v", expr, text, got, want)
		}
		if got, want := r.Match(where), r.Plain().Match(s); got != want {
			t.Fatalf("%s in %q: %v where literals stand, RE2 says %v", expr, text, got, want)
		}
		if got, want := r.Groups(s, n), r.Plain().Groups(s, n); !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%s in %q: groups %v, RE2 finds %v", expr, text, got, want)
		}
		if got, want := r.Match(s), r.Plain().Match(s); got != want {
			t.Fatalf("%s in %q: %v, RE2 says %v", expr, text, got, want)
		}
	})
}

// withLoose is Find as it is in a long text.
func withLoose(r *Regexp, s Subject, n int) (spans []Span) {
	search := r.search()
	if search == nil {
		return r.Find(s, n)
	}
	run := search.over(s)
	run.loose = search.counts()
	run.each(n, func(span Span) { spans = append(spans, span) })
	return spans
}

// What a repetition prefers depends on whether an assertion in it holds.
func TestAssertionsInRepetitions(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{`(?:^|ab)*a|a`, `(?:^|ab)+a`, `(?:(?:^|ab){2,}a|a)`, `(?:(?m:$)|\s)*\s`, `(?:b|\z|a)*`, `a(?:$|b)*`} {
		for _, text := range []string{"aba", "ababa", "a\n \n", "\n\n", "abb", "b"} {
			r, s := MustCompile(expr), NewSubject(text)
			if got, want := r.Find(s, -1), r.Plain().Find(s, -1); !slices.Equal(got, want) {
				t.Errorf("%s in %q: %v, RE2 finds %v", expr, text, got, want)
			}
		}
	}
}

// placed is a text of which is known where the literals of expressions stand, however short
// it is.
func placed(text string, expressions ...*Regexp) Subject {
	list := make([][]*Regexp, len(expressions))
	for i, r := range expressions {
		list[i] = []*Regexp{r}
	}
	s, p := NewSubject(text), NewPrefilter(list).ready()
	s.asked = true
	s.places = newPlaces(p.standing, p.machine.placed, len(s.folded))
	p.machine.pass(s.folded, func(int) {}, s.places)
	return s
}

// anExpression draws an expression.
func anExpression(t *rapid.T, atoms []string, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom(atoms).Draw(t, "atom")
	}
	one, two := anExpression(t, atoms, depth-1), anExpression(t, atoms, rapid.IntRange(0, depth-1).Draw(t, "depth"))
	switch rapid.IntRange(0, 6).Draw(t, "shape") {
	case 0:
		return `(?:` + one + `|` + two + `)`
	case 1:
		return `(?:` + one + `)` + rapid.SampledFrom([]string{"*", "+", "?", "*?", "+?", "??", "{1,3}", "{2}", "{0,2}?"}).Draw(t, "many") + two
	case 2:
		return `(` + one + `)` + two
	case 3:
		return one
	default:
		return one + two
	}
}

// A text that leads to ever new states is left to RE2 after a while, and what is held
// of the states is bounded.
func TestStatesAreBounded(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	r := MustCompile(`(?i)x[^z]{0,200}y[^z]{0,200}w`)
	var b strings.Builder
	for n := uint32(1); b.Len() < 64<<10; n = n*1664525 + 1013904223 {
		b.WriteByte("xyab"[n>>30])
	}
	for _, text := range []string{b.String(), b.String() + "w", b.String() + "z xyw xyw"} {
		s := NewSubject(text)
		if got, want := r.Find(s, 3), r.Plain().Find(s, 3); !slices.Equal(got, want) {
			t.Errorf("%v, RE2 finds %v", got, want)
		}
	}
	// The same where beginnings are tried one by one: each of these reads up to the next z.
	alone := MustCompile(`xxx[^z]{0,200}y[^z]{0,200}w`)
	var apart strings.Builder
	for i := range b.Len() / 150 {
		apart.WriteString(b.String()[i*150:(i+1)*150] + "zw")
	}
	for _, text := range []string{apart.String(), apart.String() + "xxxyw xxxyw"} {
		s := NewSubject(text)
		if got, want := alone.Find(s, 3), alone.Plain().Find(s, 3); !slices.Equal(got, want) {
			t.Errorf("%v, RE2 finds %v", got, want)
		}
	}
	search := r.search()
	run := search.over(NewSubject(b.String()))
	if _, _, ok := run.found(0, true); ok {
		t.Error("it read all of the text, so the test says nothing")
	}
	if held := search.forward.known.Load().bytes; held > mostBytes {
		t.Errorf("%d bytes of states", held)
	}
}

// What does not match costs no memory.
func TestNoMatchAllocatesNothing(t *testing.T) {
	r := MustCompile(`(?i)\bdrop\s+(?:table|schema)\s+(\w+)`)
	s := NewSubject(strings.Repeat("drop the table, or schema; ", 20))
	if r.Match(s) {
		t.Fatal("it matches")
	}
	if n := testing.AllocsPerRun(100, func() { r.Find(s, -1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestAutomataAreShared(t *testing.T) {
	t.Parallel()
	r := MustCompile(`(?i)\b(?:curl|wget)\s+[^\n|]{0,30}\|\s*(?:ba)?sh\b`)
	text := strings.Repeat("curl x | cat; wget -q y |\u00a0bash; CURL z|sh ", 30)
	want := r.Plain().Find(NewSubject(text), -1)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 40 {
				s := NewSubject(text[i:])
				if got, want := r.Find(s, -1), r.Plain().Find(s, -1); !slices.Equal(got, want) {
					t.Errorf("%v, want %v", got, want)
				}
			}
		})
	}
	group.Wait()
	if got := r.Find(NewSubject(text), -1); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// In a long text the places where a match may begin are tried one by one. That finds what
// RE2 finds: where a beginning comes to nothing, stands in another match or beside another
// beginning, where what a match needs stands too far away, and where they are too many.
func TestBeginningsTriedOneByOne(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	exprs := []*Regexp{
		MustCompile(`\baws\s[^\n;|]{0,30}?(?:cloudtrail\s+stop|ec2\s+(?:stop|reboot))`), MustCompile(`(?i)\bcopy\s[^;]{1,40}?\sto\s+'?`),
		MustCompile(`curl\s[^\n|]*?(?:-[a-z]*o|--output)\s*\w+`), MustCompile(`(?:rm|aws)\s+-(rf|fr)\b`), MustCompile(`(?:copy|ec2)(?:\s|$)`),
		MustCompile(`(?i)\b(?:curl|aws|rm)\b`), MustCompile(`aws[^;]{2,9}aws`), MustCompile(`(?:kill|rm)\s(?:x?kill\s)*(?:-9|ec2)`), MustCompile(`(?im)rm\s[^;]*$`),
		MustCompile(`[^;x]\s[^;]{0,30}\sto\s`), MustCompile(`(?:^|[\s;])rm\s[^;]{0,40}?-fr`), MustCompile(`(?:^|\s)[a-z]{1,20}\s[^|]{2,60}\|\b`),
	}
	pieces := rapid.SampledFrom([]string{
		"aws ", "Aws", "cloudtrail  stop", "ec2 stop", "ec2\treboot", "copy ", "COPY a", " to '", " to", "curl ", "-o", " --output=f", " -so x", "rm ", "rm -rf", "-fr ", "kill ", "-9", ";", "|", "\n", " ", "x", "é", "ſ", "\u212a", "\xff",
		"some words that stand between", strings.Repeat("a", 45), strings.Repeat("b ", 700),
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(pieces, 1, 40).Draw(t, "pieces"), "")
		switch filler := strings.Repeat(rapid.SampledFrom([]string{"nothing ", "rm ", "aws copy\n", "curl -"}).Draw(t, "filler"), longText/4); rapid.IntRange(0, 2).Draw(t, "where") {
		case 0:
			text += filler
		case 1:
			text = filler + text
		default:
			text = filler[:len(filler)/2] + text + filler[len(filler)/2:] + text
		}
		n := rapid.SampledFrom([]int{-1, 1, 3, 50}).Draw(t, "n")
		s := placed(text, exprs...)
		for _, r := range exprs {
			if got, want := r.Find(s, n), r.Plain().Find(s, n); !slices.Equal(got, want) {
				t.Fatalf("%s: %v, want %v", r, got[:min(len(got), 9)], want[:min(len(want), 9)])
			}
			if got, want := r.Match(s), r.Plain().Match(s); got != want {
				t.Fatalf("%s matches: %v, want %v", r, got, want)
			}
		}
	})
}
