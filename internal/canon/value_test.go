package canon_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// Every accessor answers for every kind, and answers nothing for the others.
func TestAccessors(t *testing.T) {
	t.Parallel()
	type answers struct {
		kind   string
		yes    bool
		text   string
		number string
		float  float64
		length int
	}
	for input, want := range map[string]answers{
		`null`:        {kind: "null"},
		`true`:        {kind: "boolean", yes: true},
		`false`:       {kind: "boolean"},
		`"true"`:      {kind: "string", text: "true"},
		`2.50`:        {kind: "number", number: "2.5", float: 2.5},
		`[1,2]`:       {kind: "array", length: 2},
		`{"a":[1,2]}`: {kind: "object", length: 1},
		`[]`:          {kind: "array"},
		`{}`:          {kind: "object"},
	} {
		v := mustParse(t, input)
		got := answers{v.Kind().String(), v.Bool(), v.Text(), v.Number(), v.Float(), v.Len()}
		if got != want {
			t.Errorf("%s: %+v, want %+v", input, got, want)
		}
		if v.IsAbsent() {
			t.Errorf("%s is absent", input)
		}
	}
	var zero canon.Value
	if !zero.IsAbsent() || zero.Kind() != canon.KindAbsent || zero.Kind().String() != "absent" || zero.Len() != 0 || len(zero.Canonical()) != 0 {
		t.Errorf("the zero Value is %s %q", zero.Kind(), zero.Canonical())
	}
	if zero.Equal(canon.Null()) || canon.Null().Equal(zero) || !zero.Equal(canon.Value{}) {
		t.Error("absent must equal absent, and not null")
	}
}

func TestGetFindsExactNamesOnly(t *testing.T) {
	t.Parallel()
	v := mustParse(t, `{"a":1,"B":2,"é":3,"😀":4,"":5,"n":null}`)
	for _, name := range []string{"a", "B", "é", "😀", ""} {
		if v.Get(name).IsAbsent() {
			t.Errorf("Get(%q) finds nothing", name)
		}
	}
	for _, name := range []string{"A", "b", "aa", "e\u0301", "/a", "x"} {
		if found := v.Get(name); !found.IsAbsent() {
			t.Errorf("Get(%q) = %s", name, found.Canonical())
		}
	}
	if n := v.Get("n"); n.IsAbsent() || n.Kind() != canon.KindNull {
		t.Error("a null member is there")
	}
	for _, input := range []string{`[1]`, `"a"`, `null`, `{}`} {
		if found := mustParse(t, input).Get("a"); !found.IsAbsent() {
			t.Errorf("%s has a member a", input)
		}
	}
}

func TestIterationStopsWhenAsked(t *testing.T) {
	t.Parallel()
	v := mustParse(t, `{"b":[10,20,30],"a":1,"c":2}`)
	var seen []string
	for name, m := range v.Members() {
		seen = append(seen, name)
		for i, e := range m.Elements() {
			seen = append(seen, fmt.Sprint(i, "=", e.Number()))
			if i == 1 {
				break
			}
		}
		if name == "b" {
			break
		}
	}
	if got := strings.Join(seen, " "); got != "a b 0=10 1=20" {
		t.Errorf("seen %q", got)
	}
	for range canon.Null().Members() {
		t.Error("null has members")
	}
	for range v.Elements() {
		t.Error("an object has elements")
	}
}

func TestInt64(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]int64{`20`: 20, `20.0`: 20, `2e1`: 20, `-1`: -1, `0`: 0, `9007199254740991`: 1<<53 - 1} {
		if n, ok := mustParse(t, input).Int64(); !ok || n != want {
			t.Errorf("Int64 of %s = %d, %v", input, n, ok)
		}
	}
	for _, input := range []string{`0.5`, `1e-7`, `"20"`, `null`, `[20]`, `true`} {
		if n, ok := mustParse(t, input).Int64(); ok || n != 0 {
			t.Errorf("Int64 of %s = %d, true", input, n)
		}
	}
}

func TestBuilders(t *testing.T) {
	t.Parallel()
	float := func(f float64) canon.Value {
		v, err := canon.Float(f)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	member := func(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }
	for want, v := range map[string]canon.Value{
		`null`: canon.Null(), `true`: canon.Bool(true), `false`: canon.Bool(false),
		`"a\"\n"`: canon.String("a\"\n"), `""`: canon.String(""),
		`-7`: canon.Int(-7), `9007199254740991`: canon.Int(1<<53 - 1),
		`"9007199254740992"`: canon.Int(1 << 53), `"-9223372036854775808"`: canon.Int(math.MinInt64),
		`0.1`: float(0.1), `0`: float(math.Copysign(0, -1)), `1e-7`: float(1e-7), `20`: float(20),
		`[]`: canon.Array(), `[1,[]]`: canon.Array(canon.Int(1), canon.Value{}, canon.Array()),
		`{}`:                              canon.Object(member("gone", canon.Value{})),
		`{"a":null,"b":{"c":[]}}`:         canon.Object(member("b", canon.Object(member("c", canon.Array()))), member("x", canon.Value{}), member("a", canon.Null())),
		"\"a\ufffdb\ufffdc\ufffd\ufffd\"": canon.String("a\xffb\x00c\ufffe\ufffd"),
		"{\"\ufffd\":1}":                  canon.Object(member("\uffff", canon.Int(1))),
	} {
		if got := string(v.Canonical()); got != want {
			t.Errorf("built %s, want %s", got, want)
		}
		if again := mustParse(t, want); !again.Equal(v) {
			t.Errorf("%s is not equal to the same text parsed", want)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1 << 53, -1 << 53, 1e300} {
		if v, err := canon.Float(f); !fault.Is(err, fault.InvalidMember) || !v.IsAbsent() {
			t.Errorf("Float(%v) = %s, %v", f, v.Canonical(), err)
		}
	}
}

func TestObjectPanicsOnADuplicateOfOurOwn(t *testing.T) {
	t.Parallel()
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), `"a"`) {
			t.Errorf("recovered %v, want a panic that names the member", r)
		}
	}()
	canon.Object(canon.Member{Name: "a", Value: canon.Null()}, canon.Member{Name: "b", Value: canon.Null()}, canon.Member{Name: "a", Value: canon.Null()})
}

func TestBuildersDoNotShareTheirArguments(t *testing.T) {
	t.Parallel()
	elements := []canon.Value{canon.Int(2), canon.Int(1)}
	members := []canon.Member{{Name: "b", Value: canon.Int(2)}, {Name: "a", Value: canon.Int(1)}}
	array, object := canon.Array(elements...), canon.Object(members...)
	if members[0].Name != "b" {
		t.Error("Object sorted the caller's slice")
	}
	elements[0], members[0].Name, members[1].Value = canon.Null(), "x", canon.Null()
	if got := string(array.Canonical()) + string(object.Canonical()); got != `[2,1]{"a":1,"b":2}` {
		t.Errorf("the trees changed with the caller's slices: %s", got)
	}
}

func TestMapStrings(t *testing.T) {
	t.Parallel()
	const input = `{"z":"last","arguments":{"password":"hunter2","a/b":{"~":["x",7,"hunter2"]},"hunter2":true},"":"e"}`
	v := mustParse(t, input)
	before := string(v.Canonical())
	var calls []string
	masked := v.MapStrings(func(pointer, s string) string {
		calls = append(calls, pointer+"="+s)
		return strings.ReplaceAll(s, "hunter2", "[REDACTED:p]")
	})
	const want = `{"":"e","arguments":{"a/b":{"~":["x",7,"[REDACTED:p]"]},"hunter2":true,"password":"[REDACTED:p]"},"z":"last"}`
	if got := string(masked.Canonical()); got != want {
		t.Errorf("masked %s\nwant   %s", got, want)
	}
	if got, want := strings.Join(calls, " "), "/=e /arguments/a~1b/~0/0=x /arguments/a~1b/~0/2=hunter2 /arguments/password=hunter2 /z=last"; got != want {
		t.Errorf("called with %s\nwant        %s", got, want)
	}
	if after := string(v.Canonical()); after != before {
		t.Errorf("the original changed: %s", after)
	}
	if got := mustParse(t, `"x"`).MapStrings(func(pointer, s string) string { return pointer + "!" + s + "\xff" }); got.Text() != "!x\ufffd" {
		t.Errorf("a lone string became %q", got.Text())
	}
	if got := (canon.Value{}).MapStrings(func(_, _ string) string { return "x" }); !got.IsAbsent() {
		t.Errorf("absent became %s", got.Canonical())
	}
}

func TestPointerEscape(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]string{"": "", "a": "a", "a/b": "a~1b", "m~n": "m~0n", "~1": "~01", "/~/": "~1~0~1", "é": "é"} {
		if got := canon.PointerEscape(token); got != want {
			t.Errorf("PointerEscape(%q) = %q, want %q", token, got, want)
		}
	}
}
