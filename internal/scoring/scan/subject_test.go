package scan

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/long"
)

// Every character that a pass looks for is found by it.
func TestNothingIsOverlooked(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	for r := rune(utf8.RuneSelf); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		if Invisible(r) != (nextInvisible("a"+string(r), 0) == 1) {
			t.Errorf("%U is invisible: %v, and not looked for", r, Invisible(r))
		}
		if lookalike(r) != 0 && isTame("a"+string(r)) {
			t.Errorf("%U looks like %q and is not looked for", r, lookalike(r))
		}
		if isMark(r) == isTame("a"+string(r)) && lookalike(r) == 0 {
			t.Errorf("%U is a mark: %v, and not looked for", r, isMark(r))
		}
		if FoldRune(r) != r && !strings.ContainsRune(foldedAway, r) {
			t.Errorf("%U folds and is not looked for", r)
		}
	}
}

func TestSubjectIsFolded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.SampledFrom([]rune("aZAz@[`{0é\u212aſİı忽 ")), 0, 150, -1).Draw(t, "s")
		subject := NewSubject(s)
		if got := subject.folded; got != Fold(s) {
			t.Fatalf("%q is folded to %q", s, got)
		}
		if subject.IsASCII() != (strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0) {
			t.Fatalf("%q is ASCII: %t", s, subject.IsASCII())
		}
	})
}
