package scoring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
)

// CallShape is a CallPattern as a policy writes it: plain data, in any order.
type CallShape struct {
	// Environment and ActionType are the texts that a call must have; absent: it must
	// have none.
	Environment *string `json:"environment,omitempty" yaml:"environment,omitempty"`
	ActionType  *string `json:"action_type,omitempty" yaml:"action_type,omitempty"`
	// Arrays are the pointers of the arrays among the arguments that are not empty.
	Arrays []string `json:"arrays,omitempty" yaml:"arrays,omitempty"`
	// Arguments has one for each value that has nothing below it. A call with a value that
	// is not named here, or without one that is, has another shape.
	Arguments []ShapeTerm `json:"arguments" yaml:"arguments"`
}

// ShapeTerm is what it asks of one value.
type ShapeTerm struct {
	Pointer string   `json:"pointer" yaml:"pointer"` // JSON pointer into the arguments
	Rule    TermRule `json:"rule" yaml:"rule"`
	// Values are texts, numbers, true, false, null, {} and [].
	Values []any `json:"values,omitempty" yaml:"values,omitempty"`
}

// TermRules lists the rules, the strictest first.
func TermRules() []TermRule {
	return []TermRule{RuleEquals, RuleOneOf, RulePrefix, RuleGlob, RuleAtMost, RuleAny}
}

// Shape writes a pattern as a policy does.
func (p CallPattern) Shape() *CallShape {
	text := func(v canon.Value) *string {
		if v.IsAbsent() {
			return nil
		}
		s := v.Text()
		return &s
	}
	s := CallShape{Environment: text(p.Environment), ActionType: text(p.ActionType), Arrays: orNil(slices.Clone(p.Arrays)), Arguments: []ShapeTerm{}}
	for _, t := range p.Terms {
		one := ShapeTerm{Pointer: t.Pointer, Rule: t.Rule}
		for _, v := range t.Values {
			one.Values = append(one.Values, plainValue(v))
		}
		s.Arguments = append(s.Arguments, one)
	}
	return &s
}

// plainValue is a value that has nothing below it.
func plainValue(v canon.Value) any {
	switch v.Kind() {
	case canon.KindString:
		return v.Text()
	case canon.KindNumber:
		return v.Float()
	case canon.KindBool:
		return v.Bool()
	case canon.KindObject:
		return map[string]any{}
	case canon.KindArray:
		return []any{}
	default:
		return nil
	}
}

// shapeValue is the opposite; ok is false for what no term can name.
func shapeValue(v any) (canon.Value, bool) {
	switch v := v.(type) {
	case nil:
		return canon.Null(), true
	case string:
		s := canon.String(v)
		return s, s.Text() == v
	case map[string]any:
		return canon.Object(), len(v) == 0
	case []any:
		return canon.Array(), len(v) == 0
	}
	return hintValue(v)
}

// pattern is what it matches with, its terms in the order in which they are written.
func (s CallShape) pattern() CallPattern {
	text := func(s *string) canon.Value {
		if s == nil {
			return canon.Value{}
		}
		return canon.String(*s)
	}
	p := CallPattern{Environment: text(s.Environment), ActionType: text(s.ActionType), Arrays: s.Arrays}
	for _, t := range s.Arguments {
		one := CallTerm{Pointer: t.Pointer, Rule: t.Rule}
		for _, v := range t.Values {
			value, _ := shapeValue(v) // Compile refuses what is none
			one.Values = append(one.Values, value)
		}
		p.Terms = append(p.Terms, one)
	}
	return p
}

// covers is Matches for a pattern whose terms stand in any order.
func (p CallPattern) covers(a Action) bool {
	all, arrays, ok := ArgumentsOf(a.Arguments())
	if !ok || len(all) != len(p.Terms) || len(arrays) != len(p.Arrays) {
		return false
	}
	terms := make([]CallTerm, 0, len(all))
	for _, argument := range all {
		i := slices.IndexFunc(p.Terms, func(t CallTerm) bool { return t.Pointer == argument.Pointer })
		if i < 0 {
			return false
		}
		terms = append(terms, p.Terms[i])
	}
	if slices.ContainsFunc(arrays, func(at string) bool { return !slices.Contains(p.Arrays, at) }) {
		return false
	}
	p.Terms, p.Arrays = terms, arrays
	return p.Matches(a)
}

// tidy is the one form in which it is kept: numbers are doubles, which is all that JSON
// knows, and terms and arrays stand in the order of their pointers.
func (s CallShape) tidy() *CallShape {
	s.Arrays = slices.Sorted(slices.Values(s.Arrays))
	terms := make([]ShapeTerm, len(s.Arguments))
	for i, t := range s.Arguments {
		values := make([]any, len(t.Values))
		for j, v := range t.Values {
			if n, ok := v.(int); ok {
				v = float64(n)
			}
			values[j] = v
		}
		t.Values = orNil(values)
		terms[i] = t
	}
	slices.SortStableFunc(terms, func(a, b ShapeTerm) int { return strings.Compare(a.Pointer, b.Pointer) })
	s.Arguments = terms
	return &s
}

func (s CallShape) check(found *problems, at string) {
	if len(s.Arguments) > maxTerms || len(s.Arrays) > maxTerms {
		found.add(at, "names %d values and %d arrays; at most %d of each are accepted", len(s.Arguments), len(s.Arrays), maxTerms)
		return
	}
	for _, name := range []*string{s.Environment, s.ActionType} {
		if name != nil && (len(*name) > MaxNameBytes || canon.String(*name).Text() != *name) {
			found.add(at, "has an environment or action type of %d bytes; expected at most %d bytes of UTF-8 without U+0000 and non-characters", len(*name), MaxNameBytes)
		}
	}
	for i, pointer := range s.Arrays {
		checkPointer(found, fmt.Sprintf("%s/arrays/%d", at, i), pointer, slices.Contains(s.Arrays[:i], pointer))
	}
	for i, t := range s.Arguments {
		here := fmt.Sprintf("%s/arguments/%d", at, i)
		before := slices.ContainsFunc(s.Arguments[:i], func(u ShapeTerm) bool { return u.Pointer == t.Pointer })
		checkPointer(found, here+"/pointer", t.Pointer, before)
		t.check(found, here)
	}
	if n := len(s.pattern().Canonical()); n > MaxPatternLength {
		found.add(at, "has %d bytes; at most %d are accepted", n, MaxPatternLength)
	}
}

func checkPointer(found *problems, at, pointer string, before bool) {
	switch {
	case pointer != "" && !strings.HasPrefix(pointer, "/"), len(pointer) > maxTermPointer, canon.String(pointer).Text() != pointer:
		found.add(at, "is %q; expected a JSON pointer into the arguments of at most %d bytes, such as /ids/0", told(pointer), maxTermPointer)
	case before:
		found.add(at, "appears twice; expected once")
	}
}

func (t ShapeTerm) check(found *problems, at string) {
	found.oneOf(at+"/rule", string(t.Rule), wordsOf(TermRules()...)...)
	for i, v := range t.Values {
		if _, ok := shapeValue(v); !ok {
			found.add(fmt.Sprintf("%s/values/%d", at, i), "is %v; expected a string, a finite number up to 2^53-1, true, false, null, {} or []", v)
			return
		}
	}
	least, most := 1, 1
	switch t.Rule {
	case RuleAny:
		least, most = 0, 0
	case RuleOneOf:
		most = MaxTermValues
	default:
	}
	if n := len(t.Values); n < least || n > most {
		found.add(at+"/values", "has %d values; the rule %s has %d to %d", n, string(t.Rule), least, most)
		return
	}
	if t.Rule != RulePrefix && t.Rule != RuleGlob && t.Rule != RuleAtMost {
		return
	}
	v, _ := shapeValue(t.Values[0])
	switch {
	case t.Rule == RuleAtMost && !(v.Kind() == canon.KindNumber && v.Float() >= 0):
		found.add(at+"/values/0", "is %v; expected a number of 0 or more", t.Values[0])
	case t.Rule != RuleAtMost && (v.Kind() != canon.KindString || strings.Trim(v.Text(), "*") == "" || strings.Contains(v.Text(), "..")):
		found.add(at+"/values/0", "is %v; expected text other than stars alone, without \"..\"", t.Values[0])
	}
}
