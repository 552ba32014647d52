package scoring

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/canon"
)

func openTerm(pattern string) CallTerm {
	t := CallTerm{Rule: RuleGlob, Values: []canon.Value{canon.String(pattern)}}
	if !strings.Contains(pattern, "*") {
		t.Rule = RulePrefix
	}
	return t
}

// What people would expect of a pattern, and what they would not. A pattern without a star
// is a prefix.
func TestOpenParts(t *testing.T) {
	t.Parallel()
	for pattern, c := range map[string]struct{ yes, no []string }{
		"tmp/*": {
			[]string{"tmp/a", "tmp/a.txt", "tmp/report-2026_01.tar.gz", "tmp/A1"},
			[]string{
				"tmp/a,/etc/passwd", "tmp/a,b", "tmp/a;b", "tmp/a b", "tmp/a\tb", "tmp/a\nb", "tmp/a\x00b", "tmp/..", "tmp/../etc", "tmp/.", "tmp/./x", "tmp//x", "tmp/x/", "tmp/", "tmp/x/y",
				"tmp/a%2fb", "tmp/%2e%2e", "tmp/a\\b", `tmp/a"b`, "tmp/a'b", "tmp/`id`", "tmp/$(id)", "tmp/*", "tmp/?", "tmp/[a]", "tmp/{a,b}", "tmp/~", "tmp/a:b", "tmp/a=b", "tmp/a@b", "tmp/a|b", "tmp/a&b",
				"tmp/.ssh", "tmp/.env", "tmp/a.", "tmp/-rf", "tmp/a\u2215b", "tmp/a\uff0fb", "tmp/a\u2044b", "tmp/a\uff0cb", "tmp/\uff0e\uff0e", "tmp/\u0430", "tmp/a\u200b", "tmp/a\u202eb", "tmp/a\u037eb", "TMP/a", " tmp/a", "tmp/a ",
			},
		},
		"tmp/": {
			[]string{"tmp/a", "tmp/a/b.txt", "tmp/year=2026/month=01/part-1.parquet"},
			[]string{"tmp/a,/etc/passwd", "tmp/../etc", "tmp/./x", "tmp//x", "tmp/a//b", "tmp/a/./b", "tmp/a/", "tmp/", "tmp/.ssh/id", "tmp/a/.git/config", "tmp/-rf", "tmp/a=/etc/passwd", "tmp/=a", "tmp/a:b", "tmp/a@b/c", "tmp/a b", "tmp/a%2f..%2fb"},
		},
		"/srv/*/out/*.csv":      {[]string{"/srv/ada/out/a.csv", "/srv/a.b/out/2026-01.csv"}, []string{"/srv//out/a.csv", "/srv/./out/a.csv", "/srv/a/out/.csv", "/srv/a/out/b/c.csv", "/srv/a/out/a.csv.sh", "/srv/a/out/a,b.csv"}},
		"*.csv":                 {[]string{"a.csv", "report.2026.csv"}, []string{".csv", "-o.csv", "--output.csv", "a b.csv", "/etc/a.csv", "a/b.csv", "a,b.csv"}},
		"report*.csv":           {[]string{"report.csv", "report-1.csv", "report_a.b.csv"}, []string{"report,x.csv", "report/x.csv", "report..csv"}},
		"usr_*":                 {[]string{"usr_1", "usr_a-b", "usr_a.b", "usr_"}, []string{"usr_1,usr_2", "usr_1 usr_2", "usr_1|usr_2", "usr_1;", "usr_.", "usr_a.."}},
		"app.log.*":             {[]string{"app.log.1", "app.log.2026-01-01.gz"}, []string{"app.log.1,2", "app.log..", "app.log./x"}},
		"v1.2*":                 {[]string{"v1.2.3", "v1.25", "v1.2-rc1"}, []string{"v1.2.3 --force", "v1.2,v2"}},
		"*@x.com":               {[]string{"a@x.com", "ada.b@x.com", "ada+test@x.com", "ada_b-c@x.com"}, []string{"a@x.com,evil@x.com", "a@y.com,evil@x.com", "a@x.com,evil@y.com", "a@x.com;b@x.com", "a@y.com@x.com", "a b@x.com", "<a@x.com", `"a"@x.com`, "@x.com", ".a@x.com", "a@x.com.evil.net", "a@sub.x.com", "a\nbcc:b@x.com"}},
		"ada@*.x.com":           {[]string{"ada@a.x.com", "ada@a.b.x.com"}, []string{"ada@evil.net", "ada@x.com", "ada@a,b.x.com", "ada@evil.net,a.x.com"}},
		"ada@*":                 {[]string{"ada@x.com", "ada@a.b.org"}, []string{"ada@x.com,eve@y.com", "ada@", "ada@x.com/y"}},
		"x.com":                 {[]string{"x.com/a", "x.com/a/b.html"}, []string{"x.com.evil.net", "x.com@evil.net", "x.comevil.net", "x.community", "x.com:80", "x.com-evil.net", "x.com.", "x.com/../a"}},
		"x.com*":                {nil, []string{"x.com.evil.net", "x.com@evil.net", "x.community", "x.com-evil.net", "x.com.evil"}},
		"x.com.*":               {nil, []string{"x.com.evil.net", "x.com.evil", "x.com.net"}},
		"*x.com":                {[]string{"a.x.com", "a.b.x.com"}, []string{"evilx.com", "evil-x.com", "evil.net/x.com", "evil.net@x.com"}},
		"*.x.com":               {[]string{"api.x.com", "a.b.x.com", "api-2.x.com"}, []string{".x.com", "evil.net/.x.com", "evil.net,api.x.com", "evil.net#.x.com", "evil.net:80.x.com", "user@a.x.com", "api.x.com.evil.net"}},
		"https://x.com":         {[]string{"https://x.com/a", "https://x.com/a/b-c.html"}, []string{"https://x.com.evil.net", "https://x.com.evil.net/a", "https://x.com@evil.net", "https://x.com:x@evil.net", "https://x.community/", "https://x.com//evil.net", "https://x.com/a//b", "https://x.com/a?b=c", "https://x.com/a#b", "https://x.com/%2e%2e", "https://x.com\\evil.net", "https://x.com/"}},
		"https://x.com*":        {nil, []string{"https://x.com.evil.net", "https://x.com@evil.net", "https://x.community"}},
		"https://x.com/*":       {[]string{"https://x.com/a", "https://x.com/a.html"}, []string{"https://x.com/", "https://x.com//evil.net", "https://x.com/a,https://evil.net", "https://x.com/a/b", "https://x.com/.env"}},
		"https://*.x.com/a":     {[]string{"https://api.x.com/a", "https://a.b.x.com/a"}, []string{"https://evil.net/.x.com/a", "https://u@a.x.com/a", "https://evil.net#.x.com/a", "https://.x.com/a"}},
		"https://api-*.x.com/a": {[]string{"https://api-1.x.com/a"}, []string{"https://api-evil.net/a.x.com/a", "https://api-1,2.x.com/a"}},
		"https://x*.com/a":      {[]string{"https://x.com/a"}, []string{"https://xevil.com/a", "https://x.evil.com/a"}},
		"https://*/hook":        {[]string{"https://x.com/hook", "https://localhost/hook"}, []string{"https://u@x.com/hook", "https://x.com:80/hook", "https:///hook"}},
		"https://10.0.0.*/a":    {[]string{"https://10.0.0.7/a", "https://10.0.0.255/a"}, []string{"https://10.0.0.evil.net/a", "https://10.0.0.7.8/a", "https://10.0.0.256/a", "https://10.0.0.0x7/a"}},
		"http://db-*:8080/a":    {[]string{"http://db-1:8080/a"}, []string{"http://db-evil.net:8080/a", "http://db-1@evil.net:8080/a"}},
		"db-*.internal":         {[]string{"db-1.internal", "db-eu.a.internal"}, []string{"db-1.internal.evil.net", "db-1,db-2.internal"}},
		"test*.py":              {[]string{"test_a.py", "testing.py"}, []string{"test.py.evil.net", "test/a.py", "test a.py"}},
		"x.sh*":                 {nil, []string{"x.sh.evil.net", "x.sh,y"}},
		"s3://reports/":         {[]string{"s3://reports/2026/a.csv"}, []string{"s3://reports/../other/a", "s3://reports//a", "s3://reports-evil/a"}},
		"refs/heads/agent-*":    {[]string{"refs/heads/agent-7"}, []string{"refs/heads/agent-7:main", "refs/heads/agent-7 main", "refs/heads/agent-/../main"}},
		"git log *":             {[]string{"git log main"}, []string{"git log --output=x", "git log -p", "git log main;id", "git log main x"}},
	} {
		term := openTerm(pattern)
		for _, s := range c.yes {
			if !term.Accepts(canon.String(s)) {
				t.Errorf("%s %q refuses %q: %s", term.Rule, pattern, s, term.Why(canon.String(s)))
			}
		}
		for _, s := range c.no {
			if term.Accepts(canon.String(s)) {
				t.Errorf("%s %q accepts %q", term.Rule, pattern, s)
			}
		}
		if term.Rule == RuleGlob && term.Hopeless().Empty() != (c.yes != nil) && pattern != "https://x*.com/a" { // that covers itself
			t.Errorf("%q covers nothing: %q", pattern, term.Hopeless())
		}
		for _, miss := range term.NotCovered(3) {
			if term.Accepts(miss.Value) || term.Why(miss.Value).Empty() {
				t.Errorf("%q is shown as not covered by %q: %s", miss.Value.Text(), pattern, term.Why(miss.Value))
			}
		}
	}
}

// Whatever a pattern with a star covers is one token of its kind: it has the marks that
// the pattern has, in their order, and between them nothing empty, hidden, or leading
// elsewhere; and on the host of the pattern it stays.
func TestOpenPartsAreOneToken(t *testing.T) {
	t.Parallel()
	literal := rapid.SampledFrom([]string{"", "tmp/", "a", "x.com", "@x.com", ".x.com", "https://", "https://x.com", "/", ".csv", "-", "usr_", ":", " ", ",", "user@", "10.0.0."})
	filling := rapid.OneOf(
		rapid.StringMatching(`[a-c.,/@:;%\\ "'\x00-\x02=+~*_-]{0,8}`),
		rapid.StringMatching(`[a-c]{1,3}(\.[a-c]{1,3}){0,2}`),
		rapid.SampledFrom([]string{"", "..", ".", "a/../b", "a//b", "evil.net", ".evil.net", "a,b", "a%2fb", "a∕b", "a／b", "а", "\u202e"}),
	)
	marks := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < 0x80 && alphanumeric(byte(r)) || strings.ContainsRune("._-+=", r) {
				return -1
			}
			return r
		}, s)
	}
	covered := 0
	rapid.Check(t, func(t *rapid.T) {
		var pattern, s strings.Builder
		stars := rapid.IntRange(1, 2).Draw(t, "stars")
		for range stars {
			part := literal.Draw(t, "literal")
			pattern.WriteString(part + "*")
			s.WriteString(part + filling.Draw(t, "filling"))
		}
		end := literal.Draw(t, "end")
		pattern.WriteString(end)
		s.WriteString(end)
		term, v := openTerm(pattern.String()), s.String()
		ok := term.Accepts(canon.String(v))
		if !ok {
			return
		}
		covered++
		if want := strings.ReplaceAll(marks(pattern.String()), "*", ""); marks(v) != want {
			t.Errorf("%q covers %q, which has the marks %q and not %q", pattern.String(), v, marks(v), want)
		}
		before, after := strings.Split(pattern.String(), "/"), strings.Split(v, "/")
		for i, name := range after {
			if strings.Contains(before[i], "*") && (name == "" || strings.Contains(name, "..") || strings.HasPrefix(name, ".") && !strings.HasPrefix(before[i], ".")) {
				t.Errorf("%q covers %q, where %q stands for %q", pattern.String(), v, name, before[i])
			}
		}
		for _, host := range []string{"x.com*", "@x.com*"} {
			if strings.HasSuffix(pattern.String(), host) && strings.Count(pattern.String(), "*") == 1 && !strings.HasPrefix(pattern.String(), "tmp/") && strings.HasSuffix(v, ".evil.net") {
				t.Errorf("%q covers %q on another host", pattern.String(), v)
			}
		}
	})
	if covered == 0 {
		t.Error("nothing was covered; the test says nothing")
	}
}

// A session grant covers another name of the kind that was there, no list of them.
func TestLikeIsOneOfAKind(t *testing.T) {
	t.Parallel()
	for was, c := range map[string]struct{ yes, no []string }{
		"tmp/a.txt":             {[]string{"tmp/b.txt", "out/b-2.csv"}, []string{"tmp/b,/etc/passwd", "tmp/../etc", "tmp/./b", "tmp//b", "/etc/passwd", "tmp/b c", "tmp/b;c", "https://x.com/a", "~/a", "tmp/b%2fc", "tmp/а"}},
		"a@x.com":               {[]string{"b@x.com", "b+c@y.com"}, []string{"a@x.com,evil@y.com", "a@x.com b@y.com", "a", "a@b@c"}},
		"https://x.com/a":       {[]string{"https://x.com/b"}, []string{"https://x.com@evil.net/a", "https://x.com//a", "https://x.com/../a", "x.com/a"}},
		"usr_1":                 {[]string{"usr_2", "x"}, []string{"usr_1,usr_2", "-rf", "usr_1/..", "", "usr 2"}},
		"Hello, this is a note": {[]string{"Another, with a; b", "x", ""}, nil},
	} {
		for _, now := range c.yes {
			if !oneOfAKind(was, now) {
				t.Errorf("%q is not like %q", now, was)
			}
		}
		for _, now := range c.no {
			if oneOfAKind(was, now) {
				t.Errorf("%q is like %q", now, was)
			}
		}
	}
}
