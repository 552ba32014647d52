package rules

import (
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"

	"cel.dev/cel-go/common/types"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/scan"
)

func action(t testing.TB, body string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func ruleOf(expression string) Rule {
	return Rule{Name: "own", Group: GroupCustom, Expression: expression, Level: level.High, Reason: "Ours", Reversible: true}
}

func assessed(set *Set, tree canon.Value) Result {
	code := scan.Passages([]scan.Segment{{Pointer: "/code", Text: tree.Get("code").Text()}})
	return set.AssessAction(tree, &code[0], scan.Passages(scan.Arguments(tree.Get("arguments"), "/arguments")))
}

func TestExpressions(t *testing.T) {
	t.Parallel()
	const backup = `{"function":"copy","code":"cp /backup/x","arguments":{"a":1,"b":"x","c":[1,2],"d":{"e":true}},"environment":"production","hints":{"amount":20}}`
	for _, c := range []struct {
		expression, body string
		fires            bool
	}{
		{`action.code.contains("/backup/") && size(action.arguments) > 3`, backup, true},
		{`action.code.contains("/backup/") && size(action.arguments) > 4`, backup, false},
		{`action.environment == "production" && action.function in ["copy", "move"]`, backup, true},
		{`action.arguments.a == 1 && action.arguments.c[1] == 2 && action.arguments.d.e`, backup, true},
		{`action.arguments.exists(k, k == "b")`, backup, true},
		{`action.arguments.c.all(x, x < 2)`, backup, false},
		{`action.arguments.c.map(x, x * 2.0).exists(x, x == 4.0)`, backup, true},
		{`action.arguments.c.filter(x, x > 1).size() == 1`, backup, true},
		{`action.hints.amount >= 20`, backup, true},
		{`has(action.arguments.path) && action.arguments.path == "x"`, backup, false},
		{`action.arguments.?path.orValue("").startsWith("/etc")`, backup, false},
		{`!has(action.justification)`, backup, true},
		{`action.justification == "" && size(action.metadata) == 0`, backup, true},
		{`action.code.matches("(?i)CP\\s+/backup")`, `{"function":"f","code":"cp\u00a0/backup"}`, true},
		{`action.arguments[0] == "x"`, `{"function":"f","arguments":["x"]}`, true},
		{`type(action.arguments) == list`, `{"function":"f","arguments":["x"]}`, true},
		{`action.arguments == null`, backup, false},
		// Large integers are the doubles beside them.
		{`action.arguments.wei > 1e20 && action.arguments.wei <= 12345678901234567890123.0`, `{"function":"f","arguments":{"wei":12345678901234567890123}}`, true},
		{`action.arguments.id < 0 && action.arguments.id > -9223372036854775807`, `{"function":"f","arguments":{"id":-9007199254740993}}`, true},
		{`action.arguments.id == 9007199254740992`, `{"function":"f","arguments":{"id":9007199254740993}}`, true},
		{`action.arguments.c[action.arguments.i] == 1`, `{"function":"f","arguments":{"c":[1],"i":1000000000000000000000}}`, true}, // fails
		{`int(action.arguments.wei) < 1`, `{"function":"f","arguments":{"wei":1e30}}`, true},                                       // fails
		// What fails at run time counts as triggered.
		{`action.arguments.path == "x"`, backup, true},
		{`action.arguments.c[7] == 1`, backup, true},
		{`action.arguments.b + 1 > 2`, backup, true},
		{`int(action.arguments.b) > 2`, backup, true},
		{`1 / (size(action.code) - size(action.code)) == 1`, backup, true},
	} {
		set, err := NewSet([]Rule{ruleOf(c.expression)})
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
			continue
		}
		got := assessed(set, action(t, c.body))
		if fired := len(got.TriggeredRules) == 1; fired != c.fires || fired && (got.Level != level.High || got.Reasons[0] != "Ours" || got.Evidence[0].Places == nil) {
			t.Errorf("%s on %s gives %+v", c.expression, c.body, got)
		}
	}
}

func TestAFailureSaysThatItIsOne(t *testing.T) {
	t.Parallel()
	set := mustSet(t, []Rule{ruleOf(`action.arguments.path == "x"`)})
	got := assessed(set, action(t, `{"function":"f","arguments":{"secret":"hunter2"}}`))
	if why := got.Evidence[0].Why; !strings.Contains(why, "counts as triggered") || strings.Contains(why, "hunter2") {
		t.Errorf("the evidence says %q", why)
	}
}

func TestExpressionsAreRefused(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		`action.cod == "x"`: "line 1, column 7: undefined field 'cod'",
		`action.code`:       "returns string; expected true or false",
		"action.code == \"x\" &&\n  action.size > 3":   "line 2, column 9",
		`action.code.contains(3)`:                      "found no matching overload",
		`agent.name == "x"`:                            "undeclared reference to 'agent'",
		`1 == 1`:                                       "use the action",
		`action.code.matches(action.docstring)`:        "at run time",
		`action.code.matches("(")`:                     "missing closing )",
		`action.code.matches("((a{1,30}b?){1,25}c)+")`: "steps",
		`action.arguments.a == action.arguments.b`:     "compares two values of unknown type",
		`action.arguments.a + action.arguments.b == 3`: "adds two values of unknown type",
		`action.arguments.a in action.arguments.b`:     "searches for a value of unknown type",
		`action == action`:                             "compares two values of unknown type",
		`action{code: "x"}.code == action.code`:        "creates a value of type action",
		`action.arguments.all(a, action.arguments.all(b, action.arguments.all(c, a == string(b) + c)))`: "nesting limit",
		`action.arguments.all(a, action.arguments.all(b, action.code.contains(a)))`:                     "on an ordinary action",
		strings.Repeat("(", 100) + "true" + strings.Repeat(")", 100):                                    "recursion limit",
		`action.code == "` + strings.Repeat("x", MaxExpression) + `"`:                                   "1 to 2000",
		`action.code == "` + "\xff" + `"`:                                                               "UTF-8",
	} {
		_, err := NewSet([]Rule{ruleOf(expression)})
		if f := fault.As(err); err == nil || f.Member != "/0/expression" || !strings.Contains(f.Detail, want) {
			t.Errorf("%.80s is refused with %v, want %q", expression, err, want)
		}
	}
	both := ruleOf(`action.code == "x"`)
	both.Pattern = "x"
	core := ruleOf(`action.code == "x"`)
	core.Group = GroupCore
	for _, r := range []Rule{both, core} {
		if _, err := NewSet([]Rule{r}); fault.As(err).Member != "/0/expression" {
			t.Errorf("%+v is refused with %v", r, err)
		}
	}
	reserved := Rule{Name: Assessor, Group: GroupCustom, Pattern: "x", Level: level.Low, Reason: "x"}
	if _, err := NewSet([]Rule{reserved}); fault.As(err).Member != "/0/name" {
		t.Errorf("the assessor's name is refused with %v", err)
	}
	many := make([]Rule, MaxExpressions+1)
	for i := range many {
		many[i] = ruleOf(`action.code == "x"`)
		many[i].Name += string(rune('a'+i%26)) + string(rune('a'+i/26))
	}
	if _, err := NewSet(many); fault.As(err).Member != "/50/expression" {
		t.Errorf("too many are refused with %v", err)
	}
}

// The dearest expressions that are accepted, over the largest actions: each stops
// by itself and counts as triggered. Without the limits each of these runs for
// seconds to centuries.
func TestExpressionsStop(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	numbers := "[" + strings.TrimSuffix(strings.Repeat("1,", 9_900), ",") + "]"
	wide := action(t, `{"function":"f","code":"x","arguments":{"l":`+numbers+`,"s":"`+strings.Repeat("a", 120_000)+`"}}`)
	long := action(t, `{"function":"f","code":"`+strings.Repeat("a", 250_000)+`"}`)
	for _, c := range []struct {
		expression string
		tree       canon.Value
	}{
		{`action.arguments.l.map(x, [x, x]).map(x, {"a": x, "b": [x, x]}).size() > 3`, wide},
		{`action.arguments.l.all(x, action.arguments.l.all(y, y < 2))`, wide},
		{`action.arguments.l.all(x, size(action.arguments.s) > 0)`, wide},
		{`action.arguments.l.exists(x, int(action.arguments.s) > 0)`, wide},
		{`action.arguments.l.all(x, action.arguments.s.contains("b") || action.arguments.s.startsWith("a"))`, wide},
		{`action.arguments.l.all(x, timestamp(action.arguments.s) > timestamp("2020-01-01T00:00:00Z") || true)`, wide},
		{`action.arguments.l.all(x, !("b" in action.arguments.l))`, wide},
		{`action.arguments.l.all(x, action.arguments.s + "b" != action.arguments.s + "c")`, wide},
		{`action.code.matches("(a?){40}(a+)+x$")`, long},
		{`action.code.matches("((a{1,20}b?){1,15}c)+$")`, long},
	} {
		set := mustSet(t, []Rule{ruleOf(c.expression)})
		q := newInquiry(c.tree)
		m, err := q.holds(set.rules[0].evaluated)
		if err == nil || !m.fired || q.budget < MaxTotalCost-MaxCost {
			t.Fatalf("%s gives %+v, %v and leaves %d", c.expression, m, err, q.budget) // the next ones take minutes where nothing stops them
		}
	}
}

// CEL counts a call once it is done: a regular expression that would be too dear
// must not begin.
func TestRegexesAreNotTried(t *testing.T) {
	t.Parallel()
	re := regex{scan.MustCompile("a"), 1000}
	if got := re.look(strings.Repeat("a", 5000)); got != types.True {
		t.Errorf("what it may look at gives %v", got)
	}
	if got := re.look(strings.Repeat("a", 5001)); !types.IsError(got) {
		t.Errorf("what it may not look at gives %v", got)
	}
	// An error of a call can be absorbed; its cost cannot.
	absorbing, err := compileExpression(`action.code.matches("(a?){40}(a+)+x$") || action.function == "f"`, fault.Textf("true or false"), isBool)
	if err != nil {
		t.Fatal(err)
	}
	budget := uint64(MaxTotalCost)
	if out, err := absorbing.eval(&subject{action(t, `{"function":"f","code":"`+strings.Repeat("a", 250_000)+`"}`)}, &budget); !errors.Is(err, errTooDear) {
		t.Errorf("gives %v, %v", out, err)
	}
}

// All expressions together stop, too: those that find the budget spent fire.
func TestManyExpressionsStop(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	var list []Rule
	for i := range MaxExpressions {
		r := ruleOf(`action.arguments.all(x, action.arguments.all(y, y < 2))`)
		r.Name += string(rune('a'+i%26)) + string(rune('a'+i/26))
		if i == MaxExpressions-1 {
			r.Expression = `action.function == "g"`
		}
		list = append(list, r)
	}
	set := mustSet(t, list)
	tree := action(t, `{"function":"f","arguments":[`+strings.TrimSuffix(strings.Repeat("1,", 9_900), ",")+`]}`)
	got := assessed(set, tree)
	if len(got.TriggeredRules) != MaxExpressions || !strings.Contains(got.Evidence[MaxExpressions-1].Why, "more steps than it may") {
		t.Errorf("fired %d of %d", len(got.TriggeredRules), MaxExpressions)
	}
}

// The same for patterns of a tenant: one that may not look any more fires.
func TestManyPatternsStop(t *testing.T) {
	t.Parallel()
	var list []Rule
	for i := range 40 {
		name := "own" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		list = append(list, Rule{Name: name, Group: GroupCustom, Pattern: `((a{1,30}b?){1,25}` + name + `)+`, Level: level.High, Reason: "Ours"})
	}
	set := mustSet(t, list)
	var text strings.Builder
	for _, r := range list {
		text.WriteString(r.Name + ".") // so that no pattern is ruled out, and none matches
	}
	text.WriteString(strings.Repeat("a", 5000))
	got := set.Assess(text.String(), nil)
	// The first ones look and find nothing; then there is not enough left for the others.
	if n := len(got.TriggeredRules); n == 0 || n == len(list) || !strings.Contains(got.Evidence[n-1].Why, "counts as triggered") {
		t.Errorf("fired %v", got.TriggeredRules)
	}
	if small := set.Assess("x"+strings.Repeat("a", 2000), nil); len(small.TriggeredRules) != 0 {
		t.Errorf("what the prefilter rules out fired %v", small.TriggeredRules)
	}
}

func TestExpressionsSeeThroughDisguise(t *testing.T) {
	t.Parallel()
	set := mustSet(t, []Rule{ruleOf(`action.code.contains("/backup/")`)})
	got := assessed(set, action(t, `{"function":"f","code":"cp /back\u200bup/x"}`))
	if len(got.TriggeredRules) != 1 || got.Evidence[1].Pattern != scan.Obfuscated {
		t.Errorf("gives %+v", got)
	}
}

func TestExpressionsAreForActionsOnly(t *testing.T) {
	t.Parallel()
	set := mustSet(t, []Rule{ruleOf(`action.arguments.x == 1`)})
	if got := set.Assess("x", nil); len(got.TriggeredRules) != 0 {
		t.Errorf("without an action %v fired", got.TriggeredRules)
	}
}

func TestAssessor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expression, body string
		level            level.Level
		reason           string
		reversible       bool
	}{
		{`action.environment == "production" ? "HIGH" : "LOW"`, `{"function":"f","environment":"production"}`, level.High, "The assessor says HIGH", false},
		{`action.environment == "production" ? "HIGH" : "LOW"`, `{"function":"f"}`, level.Low, "The assessor says LOW", true},
		{`action.code == "" ? "SAFE" : "LOW"`, `{"function":"f"}`, level.Safe, "No risk patterns detected", true},
		{`{"level": "CRITICAL", "reasons": ["Touches " + "x", action.code][1:1]}`, `{"function":"f"}`, 0, "", false},
		{`{"level": "MEDIUM", "reasons": ["Touches the ledger"], "reversible": action.code == "x"}`, `{"function":"f"}`, level.Medium, "Touches the ledger", false},
		// Anything else is CRITICAL.
		{`action.arguments.level`, `{"function":"f"}`, level.Critical, "The assessor gave no answer", false},
		{`action.code`, `{"function":"f","code":"NONE"}`, level.Critical, "The assessor gave no answer", false},
		{`{"level": action.code == "" ? "LOW" : "HIGH", "reasons": [action.function]}`, `{"function":"f"}`, level.Critical, "The assessor gave no answer", false},
		{`{"reasons": [action.function]}`, `{"function":"f"}`, level.Critical, "The assessor gave no answer", false},
		{`{"level": "LOW", "reversible": action.function}`, `{"function":"f"}`, level.Critical, "The assessor gave no answer", false},
	} {
		set, err := NewAssessor(c.expression)
		if c.reason == "" {
			if err == nil {
				t.Errorf("%s is accepted", c.expression)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
			continue
		}
		got := assessed(set, action(t, c.body))
		if got.Level != c.level || !strings.HasPrefix(got.Reasons[0], c.reason) || got.Reversible != c.reversible || got.RequiresApproval != (c.level >= level.High) {
			t.Errorf("%s gives %+v", c.expression, got)
		}
		if fired := len(got.TriggeredRules) == 1; fired != (c.level > level.Safe) {
			t.Errorf("%s triggers %v", c.expression, got.TriggeredRules)
		}
	}
	for _, expression := range []string{`size(action.code)`, `[action.code]`, `"HIGH"`, `{1: action.code}`} {
		if _, err := NewAssessor(expression); err == nil {
			t.Errorf("%s is accepted", expression)
		}
	}
}

// What a Set says is the same from any number of goroutines.
func TestExpressionsAreShared(t *testing.T) {
	t.Parallel()
	set := mustSet(t, append(Default(), ruleOf(`action.arguments.exists(k, action.arguments[k] == "x") && action.code.matches("(?i)cp")`)))
	tree := action(t, `{"function":"f","code":"sudo cp","arguments":{"a":"y","b":"x","c":{"d":[1,2]}}}`)
	want := assessed(set, tree)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if got := assessed(set, tree); !reflect.DeepEqual(got, want) {
					t.Errorf("gives %+v, want %+v", got, want)
				}
			}
		})
	}
	all.Wait()
}

func FuzzExpression(f *testing.F) {
	for _, seed := range []string{`action.code.contains("x")`, `action.arguments.exists(k, k in ["a"])`, `action.code.matches("a+")`, `[action.code].map(x, x + "y").size() > 1`} {
		f.Add(seed, `{"function":"f","code":"x","arguments":{"a":[1,"x",null]}}`)
	}
	f.Fuzz(func(t *testing.T, source, body string) {
		set, err := NewSet([]Rule{ruleOf(source)})
		if err != nil {
			return
		}
		tree, err := canon.Parse([]byte(body))
		if err != nil {
			return
		}
		if a, b := assessed(set, tree), assessed(set, tree); !reflect.DeepEqual(a, b) {
			t.Errorf("%q gives %+v and then %+v", source, a, b)
		}
	})
}
