package approvals

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// What is typed for a value becomes a term, or is refused with what would work.
func TestTermInput(t *testing.T) {
	t.Parallel()
	text, number, flag := canon.String("x"), canon.Int(5), canon.Bool(true)
	for _, c := range []struct {
		of     canon.Value
		in     TermInput
		want   string // canonical JSON of the values
		refuse string // the member, where it is refused
	}{
		{text, TermInput{RuleEquals, "ignored"}, `["x"]`, ""},
		{text, TermInput{RuleOneOf, " a \n\nb\na\n"}, `["a","b"]`, ""},
		{text, TermInput{RuleOneOf, "\n \n"}, "", "value-3"},
		{text, TermInput{RuleOneOf, strings.Repeat("a\nb\n", 30)}, `["a","b"]`, ""},
		{number, TermInput{RuleOneOf, "1\n2.50"}, `[1,2.5]`, ""},
		{number, TermInput{RuleOneOf, "one"}, "", "value-3"},
		{number, TermInput{RuleAtMost, "20"}, `[20]`, ""},
		{number, TermInput{RuleAtMost, "12345678901234567890"}, `[12345678901234567890]`, ""},
		{number, TermInput{RuleAtMost, "-1"}, "", "value-3"},
		{number, TermInput{RuleAtMost, ""}, "", "value-3"},
		{number, TermInput{RulePrefix, "1"}, "", "rule-3"},
		{text, TermInput{RulePrefix, "usr_"}, `["usr_"]`, ""},
		{text, TermInput{RulePrefix, "  "}, "", "value-3"},
		{text, TermInput{RulePrefix, "/a/../"}, "", "value-3"},
		{text, TermInput{RuleGlob, "a*"}, `["a*"]`, ""},
		{text, TermInput{RuleGlob, "**"}, "", "value-3"},
		{text, TermInput{RuleGlob, "a"}, "", "value-3"},
		{text, TermInput{RuleGlob, "a\x00*"}, "", "value-3"},
		{text, TermInput{RuleGlob, "x.com*"}, "", "value-3"}, // another host, or nothing
		{text, TermInput{RuleGlob, "https://x.com*"}, "", "value-3"},
		{text, TermInput{RuleGlob, "https://*.x.com/a"}, `["https://*.x.com/a"]`, ""},
		{text, TermInput{RuleAny, "x"}, `[]`, ""},
		{text, TermInput{RuleAtMost, "5"}, "", "rule-3"},
		{text, TermInput{"", "5"}, "", "rule-3"},
		{flag, TermInput{RuleOneOf, "true"}, "", "rule-3"},
		{canon.Object(), TermInput{RuleAny, ""}, "", "rule-3"},
		{text, TermInput{RuleOneOf, strings.Repeat("x", 5000)}, "", "value-3"},
	} {
		got, err := c.in.term(Term{Pointer: "/p", Rule: RuleEquals, Values: []canon.Value{c.of}}, 3)
		switch {
		case c.refuse != "":
			if f := fault.As(err); f == nil || f.Member != c.refuse {
				t.Errorf("%q: %v, want it refused at %s", c.in, err, c.refuse)
			}
		case err != nil || string(canon.Array(got.Values...).Canonical()) != c.want || got.Rule != c.in.Rule || got.Pointer != "/p":
			t.Errorf("%q: %+v, %v, want %s", c.in, got, err, c.want)
		}
	}
}
