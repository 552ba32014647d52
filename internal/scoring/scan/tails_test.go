package scan

import (
	"slices"
	"strings"
	"testing"
)

func TestTails(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string][]string{
		`(?:^|[\n;])\s*git\s+push`:          {"git"},
		`(?:^|;)(?:rm\s+x|dd\s+y)`:          {"rm", "dd"},
		`(?:\s|;)drop\s+x|(?:\A|;)cut\s+y`:  {"drop", "cut"},
		`(?:\s|;)drop\s+x|(?:\A|;)[a-z]\s+`: nil, // the second begins with nothing that is known
		`[a-z]{2}[0-9]{2}`:                  nil,
	} {
		var got []string
		for _, l := range MustCompile(expr).tail.literals {
			got = append(got, l.text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}

// Where the tail of an expression matches nowhere the text is not read for it. Where it may
// match, it is; also where a tail folds as only some expressions do, where a repetition is
// counted, and where the end of the text or of a word decides.
func TestTailsRuleOutWhatDoesNotMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expr, text string
		ruledOut   bool
	}{
		{`(?:^|;)\s*git\s+push`, "; git pull; legit puller", true},
		{`(?:^|;)\s*git\s+push`, "; git pull;  git  push", false},
		{`(?i)(?:^|;)\s*git\s+[i-k]`, "; GİT ı", false},
		{`(?i)(?:^|;)\s*g[hi]t\s+x`, "; gıt x", false},
		{`(?:^|;)\s*git a{2,40}b`, "; git " + strings.Repeat("a", 40) + "b", false},
		{`(?:^|;)\s*git$`, "; git", false},
		{`(?:^|;)\s*git$`, "; git ", true},
		{`(?:(?:^|;)\s*git)\b`, "; git", false},
		{`(?:(?:^|;)\s*git)\b`, "; gitx", true},
	} {
		r := MustCompile(c.expr)
		s := placed(c.text, r)
		if got := r.search().endsNowhere(s); got != c.ruledOut {
			t.Errorf("%s in %q: ruled out: %v", c.expr, c.text, got)
		}
		if got, want := r.Match(s), r.Plain().Match(NewSubject(c.text)); got != want || want && c.ruledOut {
			t.Errorf("%s in %q: %v, RE2 says %v", c.expr, c.text, got, want)
		}
	}
}

// What tails may read is bounded.
func TestTailsAreGivenUp(t *testing.T) {
	t.Parallel()
	r := MustCompile(`(?:^|;)\s*git[^;]*;`)
	if s := placed(strings.Repeat("git ", 200)+strings.Repeat("nothing of that, ", 1<<12), r); r.search().endsNowhere(s) {
		t.Error("the text was read two hundred times")
	}
}
