package toollist

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
)

const two = `[{"name":"get_ride","description":"Book a ride.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"destructiveHint":false,"title":"Ride"}},
	{"name":"list-x"}]`

func TestParse(t *testing.T) {
	t.Parallel()
	var first []Tool
	for about, text := range map[string]string{
		"the array": two, "the result": `{"tools":` + two + `}`, "the reply": "\ufeff" + `{"jsonrpc":"2.0","id":1,"result":{"tools":` + two + `,"nextCursor":null}}`,
	} {
		tools, err := Parse([]byte(text), "mcp__rides__")
		if err != nil || len(tools) != 2 {
			t.Fatalf("%s: got %+v, %v", about, tools, err)
		}
		ride := tools[0]
		if ride.Name != "mcp__rides__get_ride" || ride.Own != "get_ride" || ride.Description != "Book a ride." || !ride.Annotations.SaysReadOnly() ||
			ride.Annotations.Destructive == nil || *ride.Annotations.Destructive || ride.Annotations.OpenWorld != nil || len(ride.SHA256) != 64 || ride.Raises != effects.Money {
			t.Errorf("%s: got %+v", about, ride)
		}
		if first == nil {
			first = tools
		}
		if ride.SHA256 != first[0].SHA256 || tools[1].SHA256 != first[1].SHA256 || tools[1].SHA256 == ride.SHA256 {
			t.Errorf("%s: other digests than before: %+v, %+v", about, tools, first)
		}
	}
}

// The digest is over name, schema, description and annotations, whatever their order.
func TestDigest(t *testing.T) {
	t.Parallel()
	digest := func(tool string) string {
		t.Helper()
		tools, err := Parse([]byte("["+tool+"]"), "")
		if err != nil {
			t.Fatal(err)
		}
		return tools[0].SHA256
	}
	base := digest(`{"name":"a","description":"b","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`)
	for tool, same := range map[string]bool{
		`{"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"},"description":"b","name":"a"}`:           true,
		`{"name":"a","description":"b","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"icons":1}`: true,
		`{"name":"c","description":"b","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`:           false,
		`{"name":"a","description":"c","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`:           false,
		`{"name":"a","description":"b","inputSchema":{"type":"array"},"annotations":{"readOnlyHint":true}}`:            false,
		`{"name":"a","description":"b","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}`:          false,
		`{"name":"a","description":"b","inputSchema":{"type":"object"}}`:                                               false,
	} {
		if got := digest(tool); (got == base) != same {
			t.Errorf("%s: the same digest is %t, want %t", tool, got == base, same)
		}
	}
}

// A refusal says what is wrong, and where.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	many := strings.TrimSuffix(strings.Repeat(`{"name":"a"},`, MaxTools+1), ",")
	for _, c := range []struct{ text, says string }{
		{"", "it's empty"},
		{" \n", "it's empty"},
		{"\xff", "it isn't UTF-8"},
		{"{\n  \"tools\": [}\n}", "it isn't JSON at line 2, character 13:"},
		{`"tools"`, "it is neither an object nor an array"},
		{`{"result":5}`, "result is neither an object nor an array"},
		{`{"result":{"result":{}}}`, "result has no member tools"},
		{`{}`, "it has no member tools"},
		{`{"tools":{}}`, "tools isn't an array"},
		{`{"error":{"code":-32601}}`, "error reply"},
		{`{"tools":[],"nextCursor":"2"}`, "one page of several"},
		{`[]`, "it has no tools"},
		{"[" + many + "]", "it has 501 tools; at most 500"},
		{`[{"name":"a"},5]`, "tool 2: it isn't an object"},
		{`[{"name":"a"},{"title":"b"}]`, "tool 2: it has no name"},
		{`[{"name":"a"},{"name":"a"}]`, "tool 2 is named a, like tool 1"},
		{`[{"name":"a b"}]`, `tool 1: its name is "a b"`},
		{`[{"name":"a*"}]`, `tool 1: its name is "a*"`},
		{`[{"name":"` + strings.Repeat("a", 129) + `"}]`, "tool 1: its name is"},
		{`[{"name":"a","description":5}]`, "tool 1 (a): its description isn't a string"},
		{`[{"name":"a","inputSchema":"x"}]`, "tool 1 (a): its inputSchema isn't an object"},
		{`[{"name":"a","annotations":[]}]`, "tool 1 (a): its annotations aren't an object"},
		{`[{"name":"a","annotations":{"readOnlyHint":"yes"}}]`, "tool 1 (a): its annotation readOnlyHint is neither true nor false"},
		{`[{"name":"a","name":"b"}]`, "tool 1: "},
	} {
		_, err := Parse([]byte(c.text), "")
		if !fault.Is(err, fault.InvalidForm) || fault.As(err).Member != "list" || !strings.Contains(fault.As(err).Detail, c.says) {
			t.Errorf("%.60s: got %v, want %q", c.text, err, c.says)
		}
	}
	for _, prefix := range []string{"a b", "x*", strings.Repeat("a", maxPrefix+1)} {
		if _, err := Parse([]byte(two), prefix); fault.As(err) == nil || fault.As(err).Member != "prefix" {
			t.Errorf("the prefix %q: got %v", prefix, err)
		}
	}
}

// Lists of a few hundred tools are read.
func TestParseMany(t *testing.T) {
	t.Parallel()
	var all []string
	for i := range MaxTools {
		all = append(all, fmt.Sprintf(`{"name":"tool_%d","description":%q,"inputSchema":{"type":"object","properties":{%s"z":{}}}}`, i, strings.Repeat("x", 900), fmt.Sprintf(`"p%d":{"type":"string"},`, i)))
	}
	tools, err := Parse([]byte(`{"tools":[`+strings.Join(all, ",")+`]}`), "")
	if err != nil || len(tools) != MaxTools {
		t.Errorf("got %d tools, %v", len(tools), err)
	}
}
