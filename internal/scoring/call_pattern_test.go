package scoring

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
)

func memberOf(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

func patternFor(t testing.TB, body string) CallPattern {
	t.Helper()
	p, ok := PatternOf(action(t, body))
	if !ok {
		t.Fatalf("%s cannot be covered", body)
	}
	return p
}

// A pattern that is made from a call covers this call, and none that differs in
// anything that the agent would do.
func TestPatternIsClosed(t *testing.T) {
	t.Parallel()
	const call = `{"function":"f","arguments":{"a":{"b":["x",1]},"c":null,"d":true,"e":{},"g":[]},"environment":"staging","action_type":"t"}`
	p := patternFor(t, call)
	for _, same := range []string{
		call,
		`{"action_type":"t","environment":"staging","arguments":{"g":[],"e":{},"d":true,"c":null,"a":{"b":["x",1.0]}},"function":"f"}`,
		strings.Replace(call, `"function"`, `"docstring":"d","justification":"j","metadata":{"m":1},"session_id":"s","hints":{},"function"`, 1),
	} {
		if !p.Matches(action(t, same)) {
			t.Errorf("it does not cover %s", same)
		}
	}
	// With every rule open that can be, the shape still has to be the same.
	open := p
	open.Terms = nil
	for _, term := range p.Terms {
		if len(RulesFor(term.Values[0])) > 1 {
			term = CallTerm{Pointer: term.Pointer, Rule: RuleAny}
		}
		open.Terms = append(open.Terms, term)
	}
	for what, change := range map[string][2]string{
		"an argument more":                {`"d":true`, `"d":true,"z":1`},
		"an argument less":                {`"d":true,`, ``},
		"one that is empty more":          {`"d":true`, `"d":true,"z":{}`},
		"an element more":                 {`["x",1]`, `["x",1,2]`},
		"an object in place of an array":  {`["x",1]`, `{"0":"x","1":1}`},
		"an object in place of a value":   {`"d":true`, `"d":{"d":true}`},
		"an array in place of null":       {`"c":null`, `"c":[]`},
		"an array in place of an object":  {`"e":{}`, `"e":[]`},
		"an object in place of an array2": {`"g":[]`, `"g":{}`},
		"something in what was empty":     {`"e":{}`, `"e":{"e":1}`},
		"another name":                    {`"d":true`, `"D":true`},
		"another environment":             {`"staging"`, `"production"`},
		"no environment":                  {`"environment":"staging",`, ``},
		"an empty environment":            {`"staging"`, `""`},
		"another type":                    {`"action_type":"t"`, `"action_type":"u"`},
		"no type":                         {`,"action_type":"t"`, ``},
		"code":                            {`"function"`, `"code":"x","function"`},
		"code that is empty":              {`"function"`, `"code":"","function"`},
		"content":                         {`"function"`, `"content":"x","lifecycle_point":"post-tool-result","function"`},
		"another point":                   {`"function"`, `"lifecycle_point":"post-tool-result","function"`},
	} {
		other := strings.Replace(call, change[0], change[1], 1)
		if other == call {
			t.Fatalf("%s changes nothing", what)
		}
		if p.Matches(action(t, other)) || open.Matches(action(t, other)) {
			t.Errorf("%s: it covers %s", what, other)
		}
	}
	for _, other := range []string{`"d":false`, `"d":null`, `"d":"true"`, `"d":1`} {
		changed := action(t, strings.Replace(call, `"d":true`, other, 1))
		if p.Matches(changed) || !open.Matches(changed) {
			t.Errorf("%s: equal %v, any %v", other, p.Matches(changed), open.Matches(changed))
		}
	}
	if _, ok := PatternOf(action(t, `{"function":"f","code":"x"}`)); ok {
		t.Error("code can be covered")
	}
	none := patternFor(t, `{"function":"f"}`)
	if !none.Matches(action(t, `{"function":"f"}`)) || none.Matches(action(t, `{"function":"f","arguments":{}}`)) || none.Matches(action(t, `{"function":"f","arguments":[]}`)) {
		t.Error("no arguments, {} and [] are three things")
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	text := func(r TermRule, s string) CallTerm { return CallTerm{Rule: r, Values: []canon.Value{canon.String(s)}} }
	number := func(n string) canon.Value {
		v, err := canon.Parse([]byte(n))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		term    CallTerm
		yes, no []string // JSON
	}{
		{text(RulePrefix, "/var/reports/"), []string{`"/var/reports/a.pdf"`, `"/var/reports/2026/q1_v2.pdf"`}, []string{
			`"/var/reports/"`,
			`"/var/report"`, `"/var/reports/../etc/passwd"`, `"/var/reports/..%2f"`, `"/var/reports/a b"`, `"/var/reports/a;rm"`, `"/var/reports/a\nb"`, `"/var/reports/$(x)"`,
			`"/var/reports/a\\b"`, `"/var/reports/%2e"`, `"/var/reports/ä"`, `"/var/reports/\u202ea"`, `" /var/reports/a"`, `1`, `null`, `["/var/reports/a"]`, `"/VAR/reports/a"`,
		}},
		{text(RulePrefix, ""), nil, []string{`""`, `"a"`}},
		{text(RuleGlob, "usr_*"), []string{`"usr_1"`, `"usr_"`, `"usr_a.b"`}, []string{`"usr"`, `"xusr_1"`, `"usr_1/2"`, `"usr_1 2"`, `"usr_1\u0001"`, `"usr_..x"`, `7`}},
		{text(RuleGlob, "/home/*/out/*.csv"), []string{`"/home/ada/out/a.csv"`}, []string{`"/home//out/a.csv"`, `"/home/ada/out/.csv"`, `"/home/a/b/out/a.csv"`, `"/home/ada/out/a.csvx"`, `"/home/ada/out/a/b.csv"`, `"/home/../out/a.csv"`}},
		{text(RuleGlob, "a*a"), []string{`"aa"`, `"aba"`, `"aaaa"`}, []string{`"a"`, `"ab"`}},
		{text(RuleGlob, "a**b*"), []string{`"ab"`, `"axxbyy"`}, []string{`"a"`, `"b"`}},
		{text(RuleGlob, "plain"), []string{`"plain"`}, []string{`"plain1"`, `""`}},
		{text(RuleGlob, "$(x)*"), []string{`"$(x)1"`}, []string{`"$(x)$"`}},
		{CallTerm{Rule: RuleAtMost, Values: []canon.Value{number("20.5")}}, []string{`0`, `20.5`, `7e-3`}, []string{`20.500001`, `-1`, `"5"`, `null`, `9007199254740991`}},
		{CallTerm{Rule: RuleAtMost, Values: []canon.Value{number("9007199254740992")}}, []string{`9007199254740992`, `9.5`}, []string{`9007199254740993`, `1e16`, `-9007199254740993`}},
		{CallTerm{Rule: RuleEquals, Values: []canon.Value{number("1234567890123456789")}}, []string{`1234567890123456789`}, []string{`1234567890123456788`, `"1234567890123456789"`}},
		{CallTerm{Rule: RuleAtMost, Values: []canon.Value{canon.String("20")}}, nil, []string{`1`, `"20"`}},
		{CallTerm{Rule: RuleAny}, []string{`"a\nb"`, `1`, `null`, `false`, `""`}, []string{`[]`, `{}`}},
		{CallTerm{Rule: RuleOneOf, Values: []canon.Value{canon.String("a"), number("1")}}, []string{`"a"`, `1`, `1.0`}, []string{`"b"`, `"1"`, `"a "`}},
		{CallTerm{Rule: RuleOneOf}, nil, []string{`"a"`, `null`}},
		{CallTerm{Rule: "else", Values: []canon.Value{canon.String("a")}}, nil, []string{`"a"`}},
		{CallTerm{}, nil, []string{`"a"`, `null`}},
	} {
		for _, v := range c.yes {
			if !c.term.Accepts(number(v)) {
				t.Errorf("%s %v refuses %s", c.term.Rule, c.term.Values, v)
			}
		}
		for _, v := range c.no {
			if c.term.Accepts(number(v)) {
				t.Errorf("%s %v accepts %s", c.term.Rule, c.term.Values, v)
			}
		}
	}
}

// Against the plainest way to say what a glob is: try every way to fill the stars.
func TestGlobAgainstTrying(t *testing.T) {
	t.Parallel()
	var try func(glob, s string) bool
	try = func(glob, s string) bool {
		before, rest, star := strings.Cut(glob, "*")
		s, ok := strings.CutPrefix(s, before)
		if !ok || !star {
			return ok && s == ""
		}
		for n := 0; n <= len(s) && (open{text: s[:n]}).notPlain() < 0; n++ {
			if try(rest, s[n:]) {
				return true
			}
		}
		return false
	}
	globMatches := func(glob, s string) bool {
		opens, ok := openParts(RuleGlob, glob, s)
		return ok && !slices.ContainsFunc(opens, func(o open) bool { return o.notPlain() >= 0 })
	}
	r := rand.New(rand.NewPCG(1, 2))
	random := func(letters string, n int) string {
		var b strings.Builder
		for range r.IntN(n) {
			b.WriteByte(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	matched := 0
	for range 200_000 {
		glob, s := random("ab/ **", 8), random("aab/ ", 10)
		want := try(glob, s)
		if got := globMatches(glob, s); got != want {
			t.Fatalf("%q on %q: %v, want %v", glob, s, got, want)
		}
		if want {
			matched++
		}
	}
	if matched < 1000 {
		t.Errorf("%d matched; the test says nothing", matched)
	}
}

// Whatever the call is: a pattern made from it covers it, comes back from what is
// stored, and does not cover it after one value changed.
func TestPatternProperties(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	var value func(depth int) canon.Value
	value = func(depth int) canon.Value {
		switch n := r.IntN(8); {
		case n == 0:
			return canon.Null()
		case n == 1:
			return canon.Bool(r.IntN(2) == 0)
		case n == 2:
			return canon.Int(int64(r.IntN(5)))
		case n < 5 || depth == 0:
			return canon.String(string([]rune("ab/~é*"[:])[:r.IntN(6)]))
		case n == 5:
			var all []canon.Value
			for range r.IntN(3) {
				all = append(all, value(depth-1))
			}
			return canon.Array(all...)
		default:
			var all []canon.Member
			for i := range r.IntN(4) {
				all = append(all, memberOf(fmt.Sprint([]string{"0", "1", "a/b", "~", ""}[i]), value(depth-1)))
			}
			return canon.Object(all...)
		}
	}
	for range 5000 {
		arguments := canon.Object(memberOf("a", value(3)), memberOf("b", value(3)))
		action, err := NewAction(canon.Object(memberOf("function", canon.String("f")), memberOf("arguments", arguments)))
		if err != nil {
			t.Fatal(err)
		}
		p, ok := PatternOf(action)
		if !ok {
			continue
		}
		again, err := ReadPattern(p.Canonical())
		if err != nil || !p.Matches(action) || !again.Matches(action) {
			t.Fatalf("%s: covers %v, read back %v, %v", arguments.Canonical(), p.Matches(action), again.Matches(action), err)
		}
		other, err := NewAction(canon.Object(memberOf("function", canon.String("f")), memberOf("arguments", canon.Object(memberOf("a", value(3)), memberOf("b", value(3))))))
		if err != nil {
			t.Fatal(err)
		}
		if equal := other.Arguments().Equal(arguments); p.Matches(other) != equal {
			t.Fatalf("%s covers %s: %v", arguments.Canonical(), other.Arguments().Canonical(), p.Matches(other))
		}
	}
}

// What an agent sends costs no more than its size, and what is too large is no
// standing grant's business.
func TestPatternBounds(t *testing.T) {
	t.Parallel()
	p := patternFor(t, `{"function":"f","arguments":{"a":"x"}}`)
	many := `{"function":"f","arguments":[` + strings.TrimSuffix(strings.Repeat("1,", 9000), ",") + `]}`
	long := `{"function":"f","arguments":{"` + strings.Repeat("k", 100_000) + `":[1,2,3,4]}}`
	big := `{"function":"f","arguments":{"a":"` + strings.Repeat("x", 100_000) + `"}}`
	for what, body := range map[string]string{"many": many, "long": long, "big": big} {
		a := action(t, body)
		if _, ok := PatternOf(a); ok || p.Matches(a) {
			t.Errorf("%s is covered", what)
		}
		if all, arrays, _ := ArgumentsOf(a.Arguments()); len(all) > maxTerms+1 || len(arrays) > 2 {
			t.Errorf("%s: %d values were listed", what, len(all))
		}
	}
	for _, stored := range []string{``, `{}`, `[]`, `{"arguments":[],"arrays":[],"extra":1}`, `{"arguments":[{"pointer":1}],"arrays":[]}`} {
		if p, err := ReadPattern([]byte(stored)); err == nil {
			t.Errorf("%q is read as %s", stored, p.Canonical())
		}
	}
}
