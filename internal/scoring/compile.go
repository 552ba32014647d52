package scoring

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Compiled is a policy that is ready to score: its pattern library, its rules
// and its globs. It never changes and is safe for concurrent use.
type Compiled struct {
	policy    Policy
	library   *patterns.Library
	rules     *rules.Set
	functions []compiledFunction
}

type compiledFunction struct {
	Function
	glob *regexp.Regexp
}

// Compile checks a policy and makes it ready. The error is that of Validate.
func Compile(p Policy) (*Compiled, error) {
	var found problems
	p.check(&found)
	library, err := patterns.Default().With(p.PatternOverrides)
	found.below("/pattern_overrides", err)
	set, err := rules.NewSet(p.ruleList())
	found.below("/rules", err)
	if err := found.fault(); err != nil {
		return nil, err
	}
	c := &Compiled{policy: p, library: library, rules: set}
	for _, f := range p.Functions {
		c.functions = append(c.functions, compiledFunction{f, globExpression(f.Glob)})
	}
	return c, nil
}

// Policy returns what was compiled.
func (c *Compiled) Policy() Policy { return c.policy }

// ruleList is the rules that this policy runs.
func (p Policy) ruleList() []rules.Rule {
	list := rules.Core()
	if p.Rules.Extended {
		list = append(list, rules.Extended()...)
	}
	return slices.DeleteFunc(list, func(r rules.Rule) bool { return slices.Contains(p.Rules.Removed, r.Name) })
}

// globExpression matches a whole name in any case: * is any text, ? one character.
func globExpression(glob string) *regexp.Regexp {
	e := regexp.QuoteMeta(glob)
	e = strings.ReplaceAll(strings.ReplaceAll(e, `\*`, `.*`), `\?`, `.`)
	return regexp.MustCompile(`(?is)^` + e + `$`)
}

// defaults is what the registry knows about a function: every entry that matches
// counts, and each part takes the riskiest.
func (c *Compiled) defaults(function string, hints canon.Value) (merged canon.Value, docstring string, floor level.Level) {
	var members []canon.Member
	for name, v := range hints.Members() {
		members = append(members, canon.Member{Name: name, Value: v})
	}
	for _, f := range c.functions {
		if !f.glob.MatchString(function) {
			continue
		}
		floor = max(floor, f.Floor)
		docstring = strings.TrimSpace(docstring + "\n" + f.Docstring)
		for _, name := range sortedKeys(f.Hints) {
			members = raise(members, name, f.Hints[name])
		}
	}
	return canon.Object(members...), docstring, floor
}

// raise puts a default hint in where it is riskier than what is there.
func raise(members []canon.Member, name string, hint any) []canon.Member {
	value, ok := hintValue(hint)
	if !ok {
		return members // Compile refuses it
	}
	at := slices.IndexFunc(members, func(m canon.Member) bool { return m.Name == name })
	if at < 0 {
		return append(members, canon.Member{Name: name, Value: value})
	}
	if hintRisk(value) > hintRisk(members[at].Value) {
		members[at].Value = value
	}
	return members
}

// hintRisk orders hints as the five-factor scorer weighs them.
func hintRisk(v canon.Value) float64 {
	switch {
	case v.Bool():
		return 0.3
	case v.Kind() == canon.KindNumber:
		return max(0, min(v.Float()/10000, 1)*0.8)
	}
	return 0
}

// MaskText masks secrets in free text that is no part of an action, such as what
// an agent reports about an outcome.
func (c *Compiled) MaskText(text string) string {
	found := c.library.Scan(PostToolResult, []scan.Segment{{Pointer: "/detail", Text: text}})
	return patterns.Redactions(found).Text("/detail", text)
}

// hintValue is a hint as an agent would send it: a boolean, or a finite number.
func hintValue(hint any) (canon.Value, bool) {
	switch h := hint.(type) {
	case bool:
		return canon.Bool(h), true
	case float64:
		v, err := canon.Float(h)
		return v, err == nil
	}
	return canon.Value{}, false
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// fault is everything that is wrong as one error, or nil.
func (p *problems) fault() error {
	if len(p.details) == 0 {
		return nil
	}
	return fault.Member(fault.InvalidMember, p.member, "%s", strings.Join(p.details, "; "))
}
