package scoring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// A pattern of calls: what a standing grant covers, and what an entry of the function
// registry may be limited to.

// TermRule is what a pattern asks of one argument.
type TermRule string

const (
	RuleEquals TermRule = "equals"  // exactly this value
	RuleOneOf  TermRule = "one_of"  // exactly one of these values
	RulePrefix TermRule = "prefix"  // a text that begins so; what follows are names, with one "/" between two (call_token.go)
	RuleGlob   TermRule = "glob"    // a text; each * stands for a name or a part of one
	RuleAtMost TermRule = "at_most" // a number from 0 to this one
	RuleAny    TermRule = "any"     // any one value: a text, a number, true, false or null
)

// RulesFor lists the rules that make sense for a value like this one, the strictest
// first.
func RulesFor(v canon.Value) []TermRule {
	switch v.Kind() {
	case canon.KindString:
		return []TermRule{RuleEquals, RuleOneOf, RulePrefix, RuleGlob, RuleAny}
	case canon.KindNumber:
		return []TermRule{RuleEquals, RuleOneOf, RuleAtMost, RuleAny}
	case canon.KindBool, canon.KindNull:
		return []TermRule{RuleEquals, RuleAny}
	default: // an empty object or array: any one value is something else
		return []TermRule{RuleEquals}
	}
}

// Bounds of a pattern. What is larger is decided one by one.
const (
	maxTerms         = 64
	maxTermPointer   = 512      // bytes
	MaxTermValues    = 20       // of one_of
	MaxPatternLength = 16 << 10 // bytes, canonical
)

// CallPattern is which calls of one function are meant. It is closed: it
// names every value of the arguments, so a call with an argument that it does not
// name, or without one that it names, does not match. It never changes.
type CallPattern struct {
	// Environment and ActionType are the texts that a call must have; Absent: it must
	// have none.
	Environment, ActionType canon.Value
	// Arrays are the pointers of the arrays among the arguments that are not empty:
	// without them {"a":["x"]} and {"a":{"0":"x"}} would be one shape.
	Arrays []string
	// Terms has one for each value that has nothing below it, in canonical order.
	Terms []CallTerm
}

// CallTerm is what a pattern asks of one value of the arguments.
type CallTerm struct {
	Pointer string // JSON pointer into the arguments; "" is the whole of them
	Rule    TermRule
	// Values are the accepted values of equals (one) and one_of, or the one text or
	// number of prefix, glob and at_most. None of any.
	Values []canon.Value
}

// Argument is one value that has nothing below it.
type Argument struct {
	Pointer string // into the arguments
	Value   canon.Value
}

// ArgumentsOf lists the values of arguments in canonical order, and the arrays
// among them that are not empty. ok is false where there are more, or longer
// pointers, than any pattern can have: nothing grows with what an agent sends.
func ArgumentsOf(v canon.Value) (all []Argument, arrays []string, ok bool) {
	var walk func(n *call.Node) bool
	walk = func(n *call.Node) bool {
		switch {
		case len(n.Pointer) > maxTermPointer:
			return false
		case n.Kind() == canon.KindArray && n.Len() > 0:
			arrays = append(arrays, n.Pointer)
		case n.Len() == 0 && !n.IsAbsent():
			all = append(all, Argument{n.Pointer, n.Value})
		}
		return len(all) <= maxTerms && !slices.ContainsFunc(n.Nodes, func(below *call.Node) bool { return !walk(below) })
	}
	ok = walk(call.Tree(v, ""))
	return all, arrays, ok
}

// PatternOf covers exactly this call: every value equals. ok is false where no
// pattern can cover it: code, content, or arguments beyond the bounds.
func PatternOf(action Action) (p CallPattern, ok bool) {
	all, arrays, ok := ArgumentsOf(action.Arguments())
	if !ok || !isPlainCall(action) {
		return p, false
	}
	p = CallPattern{Environment: action.Tree().Get("environment"), ActionType: action.Tree().Get("action_type"), Arrays: arrays}
	for _, a := range all {
		p.Terms = append(p.Terms, CallTerm{Pointer: a.Pointer, Rule: RuleEquals, Values: []canon.Value{a.Value}})
	}
	return p, len(p.Canonical()) <= MaxPatternLength
}

// isPlainCall reports whether an action is a call by name and arguments alone.
func isPlainCall(action Action) bool {
	return action.LifecyclePoint() == PreToolCall && action.Tree().Get("code").IsAbsent() && action.Tree().Get("content").IsAbsent()
}

// Matches reports whether the pattern covers this call of its function. It looks at
// every value once.
func (p CallPattern) Matches(action Action) bool {
	all, ok := p.shaped(action)
	if !ok {
		return false
	}
	for i, t := range p.Terms {
		if !t.Accepts(all[i].Value) {
			return false
		}
	}
	return true
}

// Like reports whether a call has the pattern's shape: the same values are there, of
// the same kinds. Texts and numbers can be others, a name only another one of its kind;
// true, false, null and what is empty cannot. It is for patterns whose values all equal those of a call.
func (p CallPattern) Like(action Action) bool {
	all, ok := p.shaped(action)
	if !ok {
		return false
	}
	for i, t := range p.Terms {
		if len(t.Values) != 1 {
			return false
		}
		v, was := all[i].Value, t.Values[0]
		free := v.Kind() == canon.KindString || v.Kind() == canon.KindNumber
		if v.Kind() != was.Kind() || !free && !v.Equal(was) {
			return false
		}
		if v.Kind() == canon.KindString && !v.Equal(was) && !oneOfAKind(was.Text(), v.Text()) {
			return false
		}
	}
	return true
}

// shaped returns the values of a call that has the pattern's shape: the same
// environment, type and pointers.
func (p CallPattern) shaped(action Action) ([]Argument, bool) {
	tree := action.Tree()
	if !isPlainCall(action) || !tree.Get("environment").Equal(p.Environment) || !tree.Get("action_type").Equal(p.ActionType) {
		return nil, false
	}
	all, arrays, ok := ArgumentsOf(action.Arguments())
	same := func(a Argument, t CallTerm) bool { return a.Pointer == t.Pointer }
	// Both stand in canonical order, so equal sets of pointers are equal lists.
	return all, ok && slices.Equal(arrays, p.Arrays) && slices.EqualFunc(all, p.Terms, same)
}

// Misses returns the terms that a call of the pattern's shape does not fulfil, with
// its value there. shaped is false where the shape differs.
func (p CallPattern) Misses(action Action) (missed []CallMiss, shaped bool) {
	all, ok := p.shaped(action)
	if !ok {
		return nil, false
	}
	for i, t := range p.Terms {
		if !t.Accepts(all[i].Value) {
			missed = append(missed, CallMiss{Term: t, Value: all[i].Value})
		}
	}
	return missed, true
}

// CallMiss is a value that a term does not accept.
type CallMiss struct {
	Term  CallTerm
	Value canon.Value
}

// Accepts reports whether the term is fulfilled by this value. A rule that is none
// accepts nothing.
func (t CallTerm) Accepts(v canon.Value) bool {
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
		return v.Kind() == canon.KindNumber && want.Kind() == canon.KindNumber && v.Float() >= 0 && v.Compare(want) <= 0
	case RulePrefix, RuleGlob:
		pattern, ok := t.openText()
		if !ok || v.Kind() != canon.KindString || strings.Contains(v.Text(), "..") {
			return false
		}
		ok, _ = t.fits(pattern, v.Text())
		return ok
	}
	return false
}

// Value is the pattern as it is stored: canonical JSON without anything left out.
func (p CallPattern) Value() canon.Value {
	arrays := make([]canon.Value, len(p.Arrays))
	for i, a := range p.Arrays {
		arrays[i] = canon.String(a)
	}
	terms := make([]canon.Value, len(p.Terms))
	for i, t := range p.Terms {
		terms[i] = canon.Object(canon.Member{Name: "pointer", Value: canon.String(t.Pointer)}, canon.Member{Name: "rule", Value: canon.String(string(t.Rule))}, canon.Member{Name: "values", Value: canon.Array(t.Values...)})
	}
	return canon.Object(canon.Member{Name: "environment", Value: p.Environment}, canon.Member{Name: "action_type", Value: p.ActionType}, canon.Member{Name: "arrays", Value: canon.Array(arrays...)}, canon.Member{Name: "arguments", Value: canon.Array(terms...)})
}

// Canonical is the RFC 8785 form of Value.
func (p CallPattern) Canonical() []byte { return p.Value().Canonical() }

// MarshalJSON writes Canonical.
func (p CallPattern) MarshalJSON() ([]byte, error) { return p.Canonical(), nil }

// ReadPattern reads what Canonical wrote. The error says that somebody edited it.
func ReadPattern(stored []byte) (CallPattern, error) {
	tree, err := canon.ParseStored(stored)
	if err != nil {
		return CallPattern{}, err
	}
	p := CallPattern{Environment: tree.Get("environment"), ActionType: tree.Get("action_type")}
	for _, a := range tree.Get("arrays").Elements() {
		p.Arrays = append(p.Arrays, a.Text())
	}
	for _, v := range tree.Get("arguments").Elements() {
		t := CallTerm{Pointer: v.Get("pointer").Text(), Rule: TermRule(v.Get("rule").Text())}
		for _, value := range v.Get("values").Elements() {
			t.Values = append(t.Values, value)
		}
		p.Terms = append(p.Terms, t)
	}
	if string(p.Canonical()) != string(stored) {
		return CallPattern{}, fmt.Errorf("the pattern has members or types that a pattern doesn't have")
	}
	return p, nil
}
