package scan

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// What the traits of a text say is what its bytes say one by one, in whichever place they
// stand, and a copy has the traits that a look at it gives.
func TestTraits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(dressed), 0, 12).Draw(t, "pieces"), "") + disguised().Draw(t, "more") + rapid.String().Draw(t, "other")
		has := traitsOf(s)
		want := traits(0)
		for _, c := range []byte(s) {
			want |= traitOf[c]
		}
		if strings.Contains(s, "  ") || strings.Contains(s, "/*") {
			want |= hasGap
		}
		if has != want {
			t.Fatalf("%+q has %x, want %x", s, has, want)
		}
		subject := NewSubject(s)
		for c := range 256 {
			if strings.IndexByte(s, byte(c)) >= 0 && !subject.MayHold(byte(c)) {
				t.Fatalf("%+q holds %q", s, byte(c))
			}
		}
		if subject.IsASCII() != (strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0) {
			t.Fatalf("%+q is ASCII: %t", s, subject.IsASCII())
		}
		if normal, its, _, _ := normalOf(s, has); its != traitsOf(normal) {
			t.Fatalf("the copy %+q of %+q has %x, want %x", normal, s, its, traitsOf(normal))
		}
	})
}

func TestMayHoldIsFalseWhereNothingStands(t *testing.T) {
	t.Parallel()
	for _, c := range []byte("@[.0") {
		if NewSubject("a plain text").MayHold(c) {
			t.Errorf("%q stands nowhere", c)
		}
	}
}

// Every character beyond ASCII that a pass looks for begins with one of the bytes at
// which it looks.
func TestLeads(t *testing.T) {
	t.Parallel()
	for r := rune(utf8.RuneSelf); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		lead := leads(string(r))
		if Invisible(r) && nextInvisible("a"+string(r), 0) != 1 {
			t.Errorf("%U is invisible and not looked for", r)
		}
		if lookalike(r) != 0 && isTame("a"+string(r), traitsOf(string(r))) {
			t.Errorf("%U looks like %q and is not looked for", r, lookalike(r))
		}
		if FoldRune(r) != r && (lead&foldedAwayLeads == 0 || !strings.ContainsRune(foldedAway, r)) {
			t.Errorf("%U folds and is not looked for", r)
		}
		if lead&settled().leads != 0 && !isSettled(r) {
			t.Errorf("%U is not settled", r)
		}
	}
	if settled().leads&leads("éд略뀀") != leads("éд略뀀") {
		t.Errorf("settled are %x", settled().leads)
	}
}

func TestSubjectIsFolded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.SampledFrom([]rune("aZAz@[`{0é\u212aſİı忽 ")), 0, 150, -1).Draw(t, "s")
		if got := NewSubject(s).folded; got != Fold(s) {
			t.Fatalf("%q is folded to %q", s, got)
		}
	})
}
