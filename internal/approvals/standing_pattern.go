package approvals

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
)

// Rule is what a standing grant asks of one argument.
type Rule string

const (
	RuleEquals Rule = "equals"  // exactly this value
	RuleOneOf  Rule = "one_of"  // exactly one of these values
	RulePrefix Rule = "prefix"  // a text that begins so; what follows is plain, "/" included
	RuleGlob   Rule = "glob"    // a text; each * stands for plain characters, "/" not among them
	RuleAtMost Rule = "at_most" // a number from 0 to this one
	RuleAny    Rule = "any"     // any one value: a text, a number, true, false or null
)

// Bounds of a pattern. What is larger is decided one by one.
const (
	maxTerms         = 64
	maxTermPointer   = 512      // bytes
	maxTermValues    = 20       // of one_of
	maxPatternLength = 16 << 10 // bytes, canonical
)

// Pattern is which calls of one function a standing grant covers. It is closed: it
// names every value of the arguments, so a call with an argument that it does not
// name, or without one that it names, does not match. It never changes.
type Pattern struct {
	// Environment and ActionType are the texts that a call must have; Absent: it must
	// have none.
	Environment, ActionType canon.Value
	// Arrays are the pointers of the arrays among the arguments that are not empty:
	// without them {"a":["x"]} and {"a":{"0":"x"}} would be one shape.
	Arrays []string
	// Terms has one for each value that has nothing below it, in canonical order.
	Terms []Term
}

// Term is what a pattern asks of one value of the arguments.
type Term struct {
	Pointer string // JSON pointer into the arguments; "" is the whole of them
	Rule    Rule
	// Values are the accepted values of equals (one) and one_of, or the one text or
	// number of prefix, glob and at_most. None of any.
	Values []canon.Value
}

// argument is one value that has nothing below it.
type argument struct {
	pointer string
	value   canon.Value
}

// argumentsOf lists the values of arguments in canonical order, and the arrays
// among them that are not empty. ok is false where there are more, or longer
// pointers, than any pattern can have: nothing grows with what an agent sends.
func argumentsOf(v canon.Value) (all []argument, arrays []string, ok bool) {
	var walk func(v canon.Value, path string) bool
	walk = func(v canon.Value, path string) bool {
		if len(path) > maxTermPointer {
			return false
		}
		if v.Len() == 0 {
			if v.IsAbsent() {
				return true
			}
			all = append(all, argument{path, v})
			return len(all) <= maxTerms
		}
		if v.Kind() == canon.KindArray {
			arrays = append(arrays, path)
		}
		for i, e := range v.Elements() {
			if !walk(e, path+"/"+strconv.Itoa(i)) {
				return false
			}
		}
		for name, m := range v.Members() {
			if len(name) > maxTermPointer || !walk(m, path+"/"+canon.PointerEscape(name)) {
				return false
			}
		}
		return true
	}
	ok = walk(v, "")
	return all, arrays, ok
}

// patternOf covers exactly this call: every value equals. ok is false where no
// pattern can cover it: code, content, or arguments beyond the bounds.
func patternOf(action scoring.Action) (p Pattern, ok bool) {
	all, arrays, ok := argumentsOf(action.Arguments())
	if !ok || !isPlainCall(action) {
		return p, false
	}
	p = Pattern{Environment: action.Tree().Get("environment"), ActionType: action.Tree().Get("action_type"), Arrays: arrays}
	for _, a := range all {
		p.Terms = append(p.Terms, Term{Pointer: a.pointer, Rule: RuleEquals, Values: []canon.Value{a.value}})
	}
	return p, len(p.Canonical()) <= maxPatternLength
}

// isPlainCall reports whether an action is a call by name and arguments alone.
func isPlainCall(action scoring.Action) bool {
	return action.LifecyclePoint() == scoring.PreToolCall && action.Tree().Get("code").IsAbsent() && action.Tree().Get("content").IsAbsent()
}

// Matches reports whether the pattern covers this call of its function. It looks at
// every value once.
func (p Pattern) Matches(action scoring.Action) bool {
	all, ok := p.shaped(action)
	if !ok {
		return false
	}
	for i, t := range p.Terms {
		if !t.accepts(all[i].value) {
			return false
		}
	}
	return true
}

// shaped returns the values of a call that has the pattern's shape: the same
// environment, type and pointers.
func (p Pattern) shaped(action scoring.Action) ([]argument, bool) {
	tree := action.Tree()
	if !isPlainCall(action) || !tree.Get("environment").Equal(p.Environment) || !tree.Get("action_type").Equal(p.ActionType) {
		return nil, false
	}
	all, arrays, ok := argumentsOf(action.Arguments())
	same := func(a argument, t Term) bool { return a.pointer == t.Pointer }
	// Both stand in canonical order, so equal sets of pointers are equal lists.
	return all, ok && slices.Equal(arrays, p.Arrays) && slices.EqualFunc(all, p.Terms, same)
}

// Misses returns the terms that a call of the pattern's shape does not fulfil, with
// its value there. shaped is false where the shape differs.
func (p Pattern) Misses(action scoring.Action) (missed []Miss, shaped bool) {
	all, ok := p.shaped(action)
	if !ok {
		return nil, false
	}
	for i, t := range p.Terms {
		if !t.accepts(all[i].value) {
			missed = append(missed, Miss{Term: t, Value: all[i].value})
		}
	}
	return missed, true
}

// Miss is a value that a term does not accept.
type Miss struct {
	Term  Term
	Value canon.Value
}

// accepts reports whether the term is fulfilled by this value. A rule that is none
// accepts nothing.
func (t Term) accepts(v canon.Value) bool {
	switch t.Rule {
	case RuleEquals, RuleOneOf:
		return slices.ContainsFunc(t.Values, v.Equal)
	case RuleAny:
		return v.Kind() == canon.KindString || v.Kind() == canon.KindNumber || v.Kind() == canon.KindBool || v.Kind() == canon.KindNull
	}
	if len(t.Values) != 1 {
		return false
	}
	want := t.Values[0]
	switch t.Rule {
	case RuleAtMost:
		return v.Kind() == canon.KindNumber && want.Kind() == canon.KindNumber && v.Float() >= 0 && v.Float() <= want.Float()
	case RulePrefix:
		rest, ok := strings.CutPrefix(v.Text(), want.Text())
		return ok && v.Kind() == canon.KindString && want.Text() != "" && plainText(rest, "/") && !strings.Contains(v.Text(), "..")
	case RuleGlob:
		return v.Kind() == canon.KindString && want.Text() != "" && globMatches(want.Text(), v.Text()) && !strings.Contains(v.Text(), "..")
	}
	return false
}

// plainText reports whether a text can stand in the open part of a prefix or glob:
// ASCII letters, digits and a few marks. Nothing there ends a command, leaves a
// folder, hides, or looks like something else.
func plainText(s, besides string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("._-@+:=,"+besides, c) < 0 {
			return false
		}
	}
	return true
}

// globMatches looks for the texts between the stars, each as early as it stands,
// the last one at the end. The earliest is always right: another place would only
// make an open part longer. So it never goes back, and is linear.
func globMatches(glob, s string) bool {
	parts := strings.Split(glob, "*")
	rest, ok := strings.CutPrefix(s, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		open, after, found := strings.Cut(rest, part)
		if !found || !plainText(open, "") {
			return false
		}
		rest = after
	}
	open, ok := strings.CutSuffix(rest, last)
	return ok && plainText(open, "")
}

// Value is the pattern as it is stored: canonical JSON without anything left out.
func (p Pattern) Value() canon.Value {
	arrays := make([]canon.Value, len(p.Arrays))
	for i, a := range p.Arrays {
		arrays[i] = canon.String(a)
	}
	terms := make([]canon.Value, len(p.Terms))
	for i, t := range p.Terms {
		terms[i] = canon.Object(member("pointer", canon.String(t.Pointer)), member("rule", canon.String(string(t.Rule))), member("values", canon.Array(t.Values...)))
	}
	return canon.Object(member("environment", p.Environment), member("action_type", p.ActionType), member("arrays", canon.Array(arrays...)), member("arguments", canon.Array(terms...)))
}

// Canonical is the RFC 8785 form of Value.
func (p Pattern) Canonical() []byte { return p.Value().Canonical() }

// MarshalJSON writes Canonical.
func (p Pattern) MarshalJSON() ([]byte, error) { return p.Canonical(), nil }

// ReadPattern reads what Canonical wrote. The error says that somebody edited it.
func ReadPattern(stored []byte) (Pattern, error) {
	tree, err := canon.ParseStored(stored)
	if err != nil {
		return Pattern{}, err
	}
	p := Pattern{Environment: tree.Get("environment"), ActionType: tree.Get("action_type")}
	for _, a := range tree.Get("arrays").Elements() {
		p.Arrays = append(p.Arrays, a.Text())
	}
	for _, v := range tree.Get("arguments").Elements() {
		t := Term{Pointer: v.Get("pointer").Text(), Rule: Rule(v.Get("rule").Text())}
		for _, value := range v.Get("values").Elements() {
			t.Values = append(t.Values, value)
		}
		p.Terms = append(p.Terms, t)
	}
	if string(p.Canonical()) != string(stored) {
		return Pattern{}, fmt.Errorf("the pattern has members or types that a pattern does not have")
	}
	return p, nil
}
