package scan

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Candidates come from what stands at the fewest places; where that is everywhere, there
// are none.
func TestCandidates(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("aws ec2 and some words that stand between, ", 500) + strings.Repeat("and ", 900) + "https://x aws kms delete and; \u20ac5 :( \u00e9; "
	for expr, want := range map[string]struct {
		source source
		alone  bool
	}{
		`kms\s+delete`:                           {byPrefixes, true},
		`\baws\s[^;]{0,40}?kms\s+delete`:         {byInner, true},    // aws stands at more places
		`\b[a-z]{1,30}://`:                       {byInner, true},    // no literal begins it
		`[a-z]+://|\s+kms\s`:                     {byInner, true},    // each alternative has its own
		`[\x{20ac}:]`:                            {byBytes, true},    // no literal is in it
		`\x{fffd};`:                              {byBytes, true},    // and does not stand inside of a character
		`[a-z]{3}\d`:                             {byBytes, false},   // its bytes stand everywhere
		`kms\s\w{1,9}\sand`:                      {byPrefixes, true}, // what is near it stands everywhere
		`\baws\s[^;]{0,40}`:                      {byPrefixes, true},
		`(?:some|words|ec2|and|aws|that)[^;x]*x`: {byBytes, false}, // so do its literals
	} {
		r := MustCompile(expr)
		s := placed(text, r)
		run := r.search().over(s)
		run.goAlone(new(candidates))
		if alone := run.alone != nil; alone != want.alone || alone && run.alone.source != want.source {
			t.Errorf("%s: candidates %v, want %+v", expr, alone, want)
		}
		run.leave()
		if got, want := r.Find(s, -1), r.Plain().Find(s, -1); !slices.Equal(got, want) {
			t.Errorf("%s: %v, RE2 finds %v", expr, got, want)
		}
	}
}

// What is read backwards begins where the literal stands, also where a line ends there.
func TestReadingBackAtTheEndOfALine(t *testing.T) {
	t.Parallel()
	text := "b\nab xx\n ab" + strings.Repeat(" nothing", 900) + " y\nab"
	for _, expr := range []string{`\w(?m:$)\nab`, `(?m)[a-z]*$\n^ab`, `(?m)[^\n]?\nab$`} {
		r := MustCompile(expr)
		if got, want := r.Find(placed(text, r), -1), r.Plain().Find(NewSubject(text), -1); len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %v, RE2 finds %v", expr, got, want)
		}
	}
}

// Where a match may begin nearly everywhere before a rare literal, nothing is kept of that.
func TestTooManyCandidates(t *testing.T) {
	t.Parallel()
	r := MustCompile(`[^;]+xx[^;]*\d`)
	text := strings.Repeat("no number here ", 4000) + "xx and on " + strings.Repeat("no number here ", 1000) + "xx"
	run := r.search().over(placed(text, r))
	run.alone = &candidates{scout: r.search().scout()}
	run.room = 1000
	run.alone.been.begin(len(text))
	known := run.subject.places
	if run.alone.find(&run, known, known.machine.standing[r]) {
		t.Error("all of them are tried")
	}
	if n := len(run.alone.found); n > mostPlaces(len(text)) {
		t.Errorf("%d are kept", n)
	}
	if run.goAlone(new(candidates)); run.alone != nil {
		t.Error("it goes alone")
	}
}

// Servers compile the policies of several organisations at once, of the same expressions.
func TestPrefiltersShareExpressions(t *testing.T) {
	t.Parallel()
	list := [][]*Regexp{{MustCompile(`\b(?:kubectl|oc)\s[^\n;|]{0,80}?delete\s[^\n;|]{0,160}?--(?:force|now)\sand\smore`)}}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { NewPrefilter(list) })
	}
	group.Wait()
}

// An expression that no Prefilter knows, in a text that another one read, has none.
func TestCandidatesOfStrangers(t *testing.T) {
	t.Parallel()
	s := placed(strings.Repeat("drop table ", 10), MustCompile(`table`))
	if r := MustCompile(`drop`); !r.Match(s) || len(r.Find(s, -1)) != 10 {
		t.Error("it was not found")
	}
}

// What is counted does not lead to ever new states where candidates are tried, so that
// nothing is left to RE2: almost all of them are given up without counting.
func TestCountedRepetitionsStayCheap(t *testing.T) {
	t.Parallel()
	r := MustCompile(`(?i)xx[^z]{0,200}y[ab]?x[^z]{0,200}[wv]{3}`)
	var b strings.Builder
	for n := uint32(1); b.Len() < 64<<10; n = n*1664525 + 1013904223 {
		b.WriteString([]string{"y", "yyx", "ww ", "a", "abba", "baab", "aaaaaaaa", "bbbbbbbb"}[n>>29])
		switch n >> 22 & 63 {
		case 0:
			b.WriteString("z")
		case 1:
			b.WriteString("xx")
		}
	}
	s := placed(b.String(), r)
	if found, ok := r.search().match(s); found || !ok {
		t.Errorf("found: %v, all of it was read: %v", found, ok)
	}
	if n := len(r.search().forward.known.Load().all); n > 10 {
		t.Errorf("%d states that count", n)
	}
	if _, ok := r.search().match(NewSubject(b.String())); ok {
		t.Error("without candidates all of it was read, so the test says nothing")
	}
	back := MustCompile(`\d[^z]{0,200}y[^z]{0,200}xx`)
	back.Match(placed("1"+b.String(), back))
	if n := len(back.search().scout().before[0].known.Load().all); n == 0 || n > 20 {
		t.Errorf("%d states that read backwards", n)
	}
}

// What candidates may read is bounded, forward and backward, and so is what is kept of
// where literals stand.
func TestCandidatesAreGivenUp(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("aws copy kms ", 1<<12) + strings.Repeat("nothing of all that, ", 1<<14)
	for _, expr := range []string{`aws[^;]*;`, `[a-z]{1,9}\s[^;]{0,300}\s(?:kms)`, `\d[^;]*copy`} {
		r := MustCompile(expr)
		s := placed(text, r)
		run := r.search().over(s)
		if run.goAlone(new(candidates)); run.alone == nil && run.read == 0 {
			t.Errorf("%s: there are no candidates, so the test says nothing", expr)
		}
		run.shortly = true
		run.next(0, true)
		if run.read > 4*len(text) {
			t.Errorf("%s: %d bytes of %d were read", expr, run.read, len(text))
		}
		run.leave()
	}
	if many := placed(strings.Repeat("rm ", 1<<16), MustCompile(`rm\s`)).places.hits; len(many) > 1<<14 {
		t.Errorf("%d hits are kept", len(many))
	}
}

// What one candidate read to no end is not read again for the next, forward or backward.
func TestWhatWasReadIsNotReadAgain(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("aws "+strings.Repeat("and some more words ", 10), 500)
	for expr, source := range map[string]source{`aws[^;]*;`: byPrefixes, `aws[^;]{0,900};`: byPrefixes, `\d[^;]*aws`: byInner, `\d[^;]{0,900}aws`: byInner} {
		r := MustCompile(expr)
		run := r.search().over(placed(text, r))
		run.goAlone(new(candidates))
		if _, end, ok := run.next(0, true); end >= 0 || !ok || run.alone == nil || run.alone.source != source {
			t.Errorf("%s: it was given up, or came to %d", expr, end)
		} else if run.read > len(text)*3/2 {
			t.Errorf("%s: %d bytes of %d were read", expr, run.read, len(text))
		}
		run.leave()
	}
}

// A match begins with one of the first bytes, whatever the expression and the text.
func TestFirstBytes(t *testing.T) {
	t.Parallel()
	atoms := []string{"a", "b", "i", "É", `\s`, `\w`, ".", `[^a]`, `[ab]`, `(?i:K)`, "^", "$", `(?m:^)`, `(?s:.)`, `\p{L}`, "é", `\x{fffd}`, "\U0001f600", `[\x{7f}-\x{81}]`}
	pieces := []string{"a", "b", " ", "\n", "i", "İ", "é", "É", "k", "\u212a", "_", "\xff", "\xe2\x80", "\ufffd", "\U0001f600", "\u0080", "語"}
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		r, err := Compile(anExpression(t, atoms, 2))
		if err != nil || r.search() == nil {
			return
		}
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(t, "pieces"), "")
		first := r.search().scout().first
		for _, span := range r.Plain().Find(NewSubject(text), -1) {
			if found++; !first[text[span.Start]] {
				t.Fatalf("%s in %q: %v begins with none of them", r, text, span)
			}
		}
	})
	if found < 20 {
		t.Errorf("only %d found", found)
	}
	if first := MustCompile(`(?i)k|[0-9]`).search().scout().first; first['a'] || first[0xc3] || !first['K'] || !first[leadByte('\u212a')] {
		t.Errorf("k or a digit: %v", first)
	}
}

// All automata together hold no more states than they may, and what none of them needs
// any more counts no longer.
func TestStatesOfAllAreBounded(t *testing.T) {
	s := &states{bytes: mostOfOne}
	if s.mayHold(1) {
		t.Error("one may hold more than it may")
	}
	s.bytes = mostBytes
	before := beyond.Load()
	if !s.mayHold(1 << 10) {
		t.Fatal("there is no room")
	}
	if got := beyond.Load() - before; got != 1<<10 {
		t.Errorf("%d bytes were taken", got)
	}
	beyond.Add(mostBeyond)
	if s.mayHold(1) {
		t.Error("all may hold more than they may")
	}
	beyond.Add(-mostBeyond)
	runtime.KeepAlive(s)
	for range 1000 { // cleanups run some time after a collection
		if runtime.GC(); beyond.Load() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d bytes were not given back", beyond.Load()-before)
}
