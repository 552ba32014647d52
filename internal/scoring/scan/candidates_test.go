package scan

import (
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/long"
)

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
	for name, s := range map[string]Subject{"at candidates": placed(b.String(), r), "where the loose expression matches": NewSubject(b.String())} {
		if found, ok := r.search().match(s); found || !ok {
			t.Errorf("%s: found: %v, all of it was read: %v", name, found, ok)
		}
	}
	if n := len(r.search().forward.known.Load().all); n > 10 {
		t.Errorf("%d states that count", n)
	}
	run := r.search().over(NewSubject(b.String()))
	if _, _, ok := run.found(0, true); ok {
		t.Error("without the loose expression all of it was read, so the test says nothing")
	}
}

// What candidates may read is bounded, and so is what is kept of where literals stand.
func TestCandidatesAreGivenUp(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	text := strings.Repeat("aws copy kms ", 1<<12) + strings.Repeat("nothing of all that, ", 1<<14)
	for _, expr := range []string{`aws[^;]*;`, `[a-z]{1,9}\s[^;]{0,300}\s(?:kms)\d`} {
		r := MustCompile(expr)
		run := r.search().over(placed(text, r))
		if run.alone == nil && run.loose == nil {
			t.Errorf("%s: there are no candidates, so the test says nothing", expr)
		}
		if run.next(0, true); run.read > (often+2)*len(text) {
			t.Errorf("%s: %d bytes of %d were read", expr, run.read, len(text))
		}
		if got, want := r.Match(placed(text, r)), r.Plain().Match(NewSubject(text)); got != want {
			t.Errorf("%s: %v, RE2 says %v", expr, got, want)
		}
	}
	for _, at := range placed(strings.Repeat("rm ", 1<<16), MustCompile(`rm\s`)).places.at {
		if len(at) > 1<<14 {
			t.Errorf("%d places are kept", len(at))
		}
	}
}
