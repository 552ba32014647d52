package scan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestRegexpMatches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		expr string
		yes  []string
		no   []string
	}{
		{`rm\s+-rf`, []string{"rm -rf", "rm\u00a0-rf", "rm\u3000\x1c-rf", "rm\u0085-rf"}, []string{"rm-rf", "rm\u200b-rf", "RM -RF"}},
		{`(?i)pip\s+install`, []string{"PIP install", "pİp ınstall", "pip inſtall"}, []string{"pipinstall"}},
		{`(?i)kill`, []string{"\u212aıll", "KİLL"}, []string{"ill"}},
		{`kill`, []string{"kill"}, []string{"kıll", "Kill"}},
		{`(?i)[a-j]x`, []string{"ıx", "Jx"}, []string{"kx"}},
		{`[a-j]x`, nil, []string{"ıx", "Jx"}},
		{`(?i)a|i`, []string{"İ"}, []string{"b"}},
		{`(?i)[^i]z`, []string{"az"}, nil},
		{`\bsudo\b`, []string{"sudo", " sudo ", "-sudo-", "/sudo\n"}, []string{"pseudo", "sudoers", "ésudo", "sudoé", "sudo_", "٣sudo"}},
		{`(?i)\b(?:drop|alter)\b`, []string{"DROP", "x drop"}, []string{"dropé", "adrop", "droplet"}},
		{`[\w.+%-]+@x`, []string{"é@x", "a-b@x", "_@x"}, []string{"@x", "!@x"}},
		{`^[^\s'"]+$`, []string{"ab"}, []string{"a\u00a0b", ""}},
		{`a\Sb\W`, []string{"axb!"}, []string{"a\u2003b!", "axbé"}},
		{`a\\sb`, []string{`a\sb`}, []string{"a b"}},
		{`\Qa\sb\E\s`, []string{`a\sb `}, []string{"a b "}},
		{`[]\s]x[[:digit:]]`, []string{"]x1", "\u00a0x1"}, []string{"sx1"}},
		{`[a\]\s]x`, []string{"]x", " x"}, []string{"sx"}},
		{`(?:ab){2,}\b`, []string{"abab"}, []string{"ab", "ababc"}},
	} {
		r, err := Compile(test.expr)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for _, s := range test.yes {
			if !r.Match(NewSubject(s)) {
				t.Errorf("%s does not match %q", test.expr, s)
			}
		}
		for _, s := range test.no {
			if r.Match(NewSubject(s)) {
				t.Errorf("%s matches %q", test.expr, s)
			}
		}
	}
}

func TestRegexpRefusesWhatItCannotSay(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]string{
		`a\bb`:      `very beginning and end`,
		`\bfoo|bar`: `very beginning and end`,
		`(\bfoo)`:   `very beginning and end`,
		`a\Bb`:      `very beginning and end`,
		`[\S]`:      `write [^\s…]`,
		`[\w-.]`:    `must come last`,
		`(?=x)`:     `valid RE2`,
		`(`:         `valid RE2`,
		`[`:         `closed by a ]`,
		"\\Q\xff":   `UTF-8`,
		`x\`:        `valid RE2`,
		strings.Repeat(`(`, 2000) + strings.Repeat(`)`, 2000): `valid RE2`,
	} {
		if _, err := Compile(expr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: error %v, want one with %q", expr, err, want)
		}
	}
}

func TestRegexpFind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		expr, text string
		n          int
		want       []string
	}{
		{`\bsudo\b`, "sudo sudo pseudo sudo", -1, []string{"0-4", "5-9", "17-21"}}, // neighbours share the space
		{`\bsudo\b`, "sudo sudo sudo", 2, []string{"0-4", "5-9"}},
		{`\bé+\b`, "é éé", -1, []string{"0-2", "3-7"}},
		{`ab`, "ababxab", -1, []string{"0-2", "2-4", "5-7"}},
		{`a\b`, "a ab a", -1, []string{"0-1", "5-6"}},
		{`^a`, "aaa", -1, []string{"0-1"}}, // only at the very beginning
		{`x*`, "axé", -1, []string{"0-0", "1-2", "2-2", "4-4"}},
		{`a`, "aaa", 0, nil},
	} {
		var got []string
		for _, s := range MustCompile(test.expr).Find(NewSubject(test.text), test.n) {
			got = append(got, fmt.Sprintf("%d-%d", s.Start, s.End))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s in %q: got %v, want %v", test.expr, test.text, got, test.want)
		}
	}
}

func TestRegexpGroups(t *testing.T) {
	t.Parallel()
	got := fmt.Sprint(MustCompile(`\b(a)?(?:b(c))?d\b`).Groups(NewSubject("ad bcd xd"), -1))
	if want := "[[{0 2} {0 1} {-1 -1}] [{3 6} {-1 -1} {4 5}]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRegexpSizeTellsDearFromCheap(t *testing.T) {
	t.Parallel()
	if cheap, dear := MustCompile(`(?i)\bsudo\b`).Size(), MustCompile(`(?i)\w{500}x`).Size(); cheap > 30 || dear < 500 {
		t.Errorf("sizes %d and %d", cheap, dear)
	}
}

func TestRegexpMatchesEmpty(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]bool{`x*`: true, `x?|y`: true, `^$`: true, `x+`: false, `\bx\b`: false} {
		if got := MustCompile(expr).MatchesEmpty(); got != want {
			t.Errorf("%s: %v", expr, got)
		}
	}
}

// The quick look for a literal may only ever save work. Without it, the same
// expression must say the same of each text.
func TestRegexpLiteralsNeverHideAMatch(t *testing.T) {
	t.Parallel()
	exprs := []string{
		`(?i)drop\s+(table|schema)`, `(?i)(requests\.(post|put)|urllib)`, `(?i)kill|sİgnal|ſend`, `(?i)(?:rm|é)+x{2,3}`,
		`(?i)a?b*(cd)?ef`, `(?i)mask|`, `(?i)Éa|ß`,
	}
	texts := []string{
		"DROP TABLE", "urllib", "\u212aİLL", "signal", "SEND", "rmxx", "éxx", "ef", "abef", "", "éa", "ÉA", "ẞ", "DROPTABLE", "reque\u017fts.po\u017ft",
	}
	hits := 0
	for _, expr := range exprs {
		r := MustCompile(expr)
		slow := r.Plain()
		for _, text := range texts {
			got, want := r.Match(NewSubject(text)), slow.Match(NewSubject(text))
			if got != want {
				t.Errorf("%s in %q: %v with %v and %v, %v without", expr, text, got, r.needs, r.prefixes, want)
			}
			if want {
				hits++
			}
		}
	}
	if hits < 15 {
		t.Errorf("only %d matches: the test says little", hits)
	}
}

func TestWidenedSpaceIsTheListOfTheSpecification(t *testing.T) {
	t.Parallel()
	space, word := regexp.MustCompile(`^`+Space+`$`), regexp.MustCompile(`^`+Word+`$`)
	const want = "\t\n\v\f\r\x1c\x1d\x1e\x1f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
	for r := range rune(0x11000) {
		if 0xd800 <= r && r < 0xe000 {
			continue
		}
		if got := space.MatchString(string(r)); got != strings.ContainsRune(want, r) {
			t.Errorf("%U is space: %v", r, got)
		}
		if got := word.MatchString(string(r)); got != IsWord(r) {
			t.Errorf("%U is word: %v, IsWord says %v", r, got, IsWord(r))
		}
	}
}

// The end of a range is a character, a [ before a colon too: what is rewritten behind it
// stands outside of the class.
func TestRangesEndWithAnyCharacter(t *testing.T) {
	t.Parallel()
	for expr, text := range map[string]string{`[+-[:]x:]\s]`: "+x:]\u00a0]", `rm[!-[:]\s[a-z:]+`: "rm[\u00a0a:", `[é-[:]?a`: "", `[a-[:alpha:]]`: ""} {
		re, err := Compile(expr)
		if text == "" {
			if err == nil {
				t.Errorf("%q is accepted, and is no range", expr)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", expr, err)
			continue
		}
		if got, want := re.Find(NewSubject(text), 1), []Span{{0, len(text)}}; !slices.Equal(got, want) {
			t.Errorf("%q in %q: got %v, want %v", expr, text, got, want)
		}
	}
}

// FuzzCompile holds Compile against the library: without the classes and edges
// that mean something else here, both accept the same expressions and, in ASCII
// text, find the same.
func FuzzCompile(f *testing.F) {
	for _, expr := range []string{
		`(?i)a|(?-i:I)[^]x]`, `\bfoo\b`, `[\w-]+\s*\Qi*\E`, `(?P<n>[[:alpha:]i-k]+?){2,3}$`, `\p{Greek}|\pL|\x69|\x{69}`, `a)(b`, `(?i)[-i]`, `(?s-i)(?U:.*)`, `\`, `[\`, `[a-\d]`, `]*\Q\E*`, `[[:]`, `[+-[:]x:]]`, `[!-[:]`, `[a--[:alpha:]]`, `[[:alpha:]-[:digit:]]`, `[é-[:]x:]]`, `[]-[:]`,
	} {
		f.Add(expr, "foo ijk [-i] \\i*")
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		if len(expr) > 200 || len(text) > 500 {
			return
		}
		ours, err := Compile(expr)
		theirs, theirErr := regexp.Compile(expr)
		for _, meansElse := range []string{`\s`, `\S`, `\w`, `\W`, `\b`, `\B`} {
			if strings.Contains(expr, meansElse) {
				return
			}
		}
		if (err == nil) != (theirErr == nil) {
			t.Fatalf("%q: error %v, the library's %v", expr, err, theirErr)
		}
		if err != nil || strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 }) {
			return
		}
		loc, spans := theirs.FindStringIndex(text), ours.Find(NewSubject(text), 1)
		if (loc == nil) != (len(spans) == 0) || loc != nil && spans[0] != (Span{loc[0], loc[1]}) {
			t.Fatalf("%q in %q: got %v, the library %v", expr, text, spans, loc)
		}
	})
}

// What stands around an expression makes it deeper, so one that is nearly too deep is refused, and never panics later.
func TestDeepExpressions(t *testing.T) {
	refused := 0
	for depth := 150; depth < 1100; depth++ {
		re, err := Compile(`\b` + strings.Repeat("(", depth) + "x" + strings.Repeat(")", depth) + `\b`)
		if err != nil {
			refused++
			continue
		}
		if depth%50 == 0 || depth > 980 {
			re.first()
			re.next()
		}
	}
	if refused == 0 || refused > 150 {
		t.Errorf("%d of the depths were refused", refused)
	}
}
