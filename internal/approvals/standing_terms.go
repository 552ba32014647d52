package approvals

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// What people type for the values of a standing grant.

// maxTermText bounds what is typed for one value, in characters.
const maxTermText = 4000

// term is what was chosen in place of was, which says that the value equals that of
// the call. n is its place, for the name of the field.
func (in TermInput) term(was Term, n int) (Term, error) {
	value, field := was.Values[0], "value-"+strconv.Itoa(n)
	t := Term{Pointer: was.Pointer, Rule: in.Rule}
	if !slices.Contains(RulesFor(value), in.Rule) {
		return t, fault.Member(fault.InvalidForm, "rule-"+strconv.Itoa(n), "%.20q can't be used for this value", string(in.Rule))
	}
	if utf8.RuneCountInString(in.Text) > maxTermText || !utf8.ValidString(in.Text) {
		return t, fault.Member(fault.InvalidForm, field, "this is too long; at most %d characters", maxTermText)
	}
	refuse := func(problem string, args ...any) (Term, error) {
		return t, fault.Member(fault.InvalidForm, field, problem, args...)
	}
	typed := strings.TrimSpace(in.Text)
	switch in.Rule {
	case RuleEquals:
		return was, nil
	case RuleOneOf:
		for line := range strings.Lines(in.Text) {
			line = strings.TrimSpace(line)
			if line == "" {
				continue
			}
			v, ok := likeValue(value, line)
			if !ok {
				return refuse("%.40q isn't a valid %s; enter one per line", line, value.Kind())
			}
			if !slices.ContainsFunc(t.Values, v.Equal) {
				t.Values = append(t.Values, v)
			}
		}
		if len(t.Values) < 1 || len(t.Values) > scoring.MaxTermValues {
			return refuse("enter 1 to %d values, one per line", scoring.MaxTermValues)
		}
	case RuleAtMost:
		v, ok := likeValue(value, typed)
		if !ok || v.Float() < 0 {
			return refuse("enter a number, 0 or more")
		}
		t.Values = []canon.Value{v}
	case RulePrefix, RuleGlob:
		open := in.Rule == RuleGlob && !strings.Contains(typed, "*")
		switch {
		case strings.Trim(typed, "*") == "":
			return refuse("this matches any text; choose “any value” if that's what you mean")
		case strings.Contains(typed, "..") || strings.ContainsFunc(typed, unicode.IsControl):
			return refuse("leave out “..” and line breaks")
		case open:
			return refuse("use * where the text may vary, or choose “equals”")
		}
		t.Values = []canon.Value{canon.String(typed)}
		if why := t.Hopeless(); !why.Empty() {
			return refuse("it wouldn't cover other calls: %s", why)
		}
	}
	return t, nil
}

// likeValue reads a line as a value of the same kind: a text as it stands, a number
// as JSON.
func likeValue(like canon.Value, line string) (canon.Value, bool) {
	if like.Kind() == canon.KindString {
		v := canon.String(line)
		return v, v.Text() == line
	}
	v, err := canon.Parse([]byte(line))
	return v, err == nil && v.Kind() == like.Kind()
}

// What a standing grant covers is a pattern of calls (scoring/call_pattern.go).
type (
	Rule    = scoring.TermRule
	Pattern = scoring.CallPattern
	Term    = scoring.CallTerm
	Miss    = scoring.CallMiss
)

const (
	RuleEquals = scoring.RuleEquals
	RuleOneOf  = scoring.RuleOneOf
	RulePrefix = scoring.RulePrefix
	RuleGlob   = scoring.RuleGlob
	RuleAtMost = scoring.RuleAtMost
	RuleAny    = scoring.RuleAny
)

// RulesFor lists the rules that make sense for a value like this one.
func RulesFor(v canon.Value) []Rule { return scoring.RulesFor(v) }
