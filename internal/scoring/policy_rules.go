package scoring

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/rules"
)

// Bounds of a tenant's rules.
const (
	maxOwnRules      = 200
	maxReplacedRules = 100
)

// RuleSettings choose among the rules that come with the program, and add to them.
type RuleSettings struct {
	Extended bool     `json:"extended" yaml:"extended"`                   // the group "extended", beside the core rules
	Removed  []string `json:"removed,omitempty" yaml:"removed,omitempty"` // names of rules that do not run
	// Replaced are rules that run in place of those of the same name that come with
	// the program; of the group extended, where that runs.
	Replaced []OwnRule `json:"replaced,omitempty" yaml:"replaced,omitempty"`
	Custom   []OwnRule `json:"custom,omitempty" yaml:"custom,omitempty"` // run besides
	// Assessor is a CEL expression that runs in place of all rules; "" is none. See
	// rules.NewAssessor for what it gives.
	Assessor string `json:"assessor,omitempty" yaml:"assessor,omitempty"`
}

// areShipped reports whether exactly the rules run that come with the program.
func (s RuleSettings) areShipped() bool {
	return len(s.Removed)+len(s.Replaced)+len(s.Custom) == 0 && s.Assessor == ""
}

// CompilesAtOnce reports whether Compile has nothing to make: the patterns and rules that
// come with the program are compiled already, and no function is named, nor who decides.
func (p Policy) CompilesAtOnce() bool {
	return p.patternsAreShipped() && p.Rules.areShipped() && len(p.Functions) == 0 && len(p.Scorers.Own) == 0 && len(p.Deciders.Rules) == 0
}

// OwnRule is a rule of a tenant's. It has a pattern or an expression.
type OwnRule struct {
	Name string `json:"name" yaml:"name"` // a lower-case letter, then at most 63 of a-z, 0-9 and _
	// Pattern is RE2 in any case, over the code and each string value of the arguments.
	Pattern string `json:"pattern,omitempty" yaml:"pattern,omitempty"`
	// Expression is CEL over the whole action, true where the rule fires.
	Expression string      `json:"expression,omitempty" yaml:"expression,omitempty"`
	Level      level.Level `json:"level" yaml:"level"`
	Reason     string      `json:"reason" yaml:"reason"` // one sentence for the operator, without a period
	Reversible bool        `json:"reversible" yaml:"reversible"`
}

// noLevel is what a rule in a file has that names none; no level is that.
const noLevel = level.Critical + 1

// UnmarshalYAML reads a rule of a file: it can be undone unless the file says no, as in the
// published model. What is stored says it always.
func (r *OwnRule) UnmarshalYAML(n *yaml.Node) error {
	type plain OwnRule
	own := plain{Level: noLevel, Reversible: true}
	if err := n.Decode(&own); err != nil {
		return fmt.Errorf("read a rule: %w", err)
	}
	*r = OwnRule(own)
	return nil
}

// rule is how it runs.
func (r OwnRule) rule() rules.Rule {
	return rules.Rule{Name: r.Name, Group: rules.GroupCustom, Pattern: r.Pattern, Expression: r.Expression, Level: r.Level, Reason: r.Reason, Reversible: r.Reversible}
}

// shipped is the rule of this name that comes with the program.
func shipped(name string) (rules.Rule, bool) {
	all := rules.Default()
	i := slices.IndexFunc(all, func(r rules.Rule) bool { return r.Name == name })
	if i < 0 {
		return rules.Rule{}, false
	}
	return all[i], true
}

// compileRules checks the settings of the rules and makes the Set that runs. Where
// it finds something wrong the Set is not to be used.
func (p Policy) compileRules(found *problems) *rules.Set {
	before := len(*found)
	p.checkRemoved(found)
	replaced := p.checkReplaced(found)
	custom := p.checkCustom(found)
	if len(*found) > before {
		return nil
	}
	set, err := rules.NewSet(p.ruleList(replaced, custom))
	if err != nil { // of all of them together: each by itself was checked
		found.add("/rules", "%s", fault.As(err).Text())
		return nil
	}
	if p.Rules.Assessor == "" {
		return set
	}
	assessor, err := rules.NewAssessor(p.Rules.Assessor)
	if err != nil {
		found.below("/rules/assessor", fault.As(err))
	}
	return assessor
}

// checkRemoved refuses a rule that is removed but does not exist: a name written
// wrong would leave the rule running.
func (p Policy) checkRemoved(found *problems) {
	for i, name := range p.Rules.Removed {
		at := fmt.Sprintf("/rules/removed/%d", i)
		if slices.Index(p.Rules.Removed, name) < i {
			found.add(at, "names the rule %q a second time; expected once", told(name))
		} else if _, ok := shipped(name); !ok {
			found.add(at, "there's no rule %q; expected the name of a built-in rule", told(name))
		}
	}
}

func (p Policy) checkReplaced(found *problems) []rules.Rule {
	if len(p.Rules.Replaced) > maxReplacedRules {
		found.add("/rules/replaced", "has %d entries; at most %d are accepted", len(p.Rules.Replaced), maxReplacedRules)
		return nil
	}
	return checkOwn(found, "/rules/replaced", p.Rules.Replaced, func(name string) (fault.Text, bool) {
		if _, ok := shipped(name); !ok {
			return fault.Textf("there's no rule %q to replace; expected the name of a built-in rule", told(name)), false
		}
		if slices.Contains(p.Rules.Removed, name) {
			return fault.Textf("the rule %q is removed as well; do one of the two", told(name)), false
		}
		return fault.Text{}, true
	})
}

func (p Policy) checkCustom(found *problems) []rules.Rule {
	if len(p.Rules.Custom) > maxOwnRules {
		found.add("/rules/custom", "has %d entries; at most %d are accepted", len(p.Rules.Custom), maxOwnRules)
		return nil
	}
	return checkOwn(found, "/rules/custom", p.Rules.Custom, func(name string) (fault.Text, bool) {
		if _, ok := shipped(name); ok {
			return fault.Textf("%q is a built-in rule; replace it, or choose another name", told(name)), false
		}
		return fault.Text{}, true
	})
}

// checkOwn makes the rules of a list ready; refuses says what is wrong with a name.
func checkOwn(found *problems, member string, list []OwnRule, refuses func(name string) (wrong fault.Text, ok bool)) []rules.Rule {
	first, ready := map[string]int{}, make([]rules.Rule, len(list))
	for i, own := range list {
		at := fmt.Sprintf("%s/%d", member, i)
		rule, err := own.rule().Ready()
		if err != nil {
			found.below(at, fault.As(err))
		} else if wrong, ok := refuses(own.Name); !ok {
			found.add(at+"/name", "%s", wrong)
		} else if j, taken := first[own.Name]; taken {
			found.add(at+"/name", "is also the name of entry %s; each needs a name of its own", strconv.Itoa(j))
		}
		if _, taken := first[own.Name]; !taken {
			first[own.Name] = i
		}
		ready[i] = rule
	}
	return ready
}

// ruleList is the rules that this policy runs, in their order: a replacement stands
// where the replaced one stood, and the tenant's own come last.
func (p Policy) ruleList(replaced, custom []rules.Rule) []rules.Rule {
	list := rules.Core()
	if p.Rules.Extended {
		list = append(list, rules.Extended()...)
	}
	list = slices.DeleteFunc(list, func(r rules.Rule) bool { return slices.Contains(p.Rules.Removed, r.Name) })
	for i := range list {
		if j := slices.IndexFunc(replaced, func(r rules.Rule) bool { return r.Name == list[i].Name }); j >= 0 {
			list[i] = replaced[j]
		}
	}
	return append(list, custom...)
}

// rules compares the settings of the rules.
func (c *comparison) rules() {
	old, new := c.old.Rules, c.new.Rules
	c.differ("/rules/extended", old.Extended, new.Extended, map[bool]effect{true: raises, false: weakens}[new.Extended])
	for _, name := range union(old.Removed, new.Removed) {
		was, is := slices.Contains(old.Removed, name), slices.Contains(new.Removed, name)
		switch at := "/rules/removed/" + canon.PointerEscape(name); {
		case is && !was:
			c.differ(at, nil, name, removalEffect(name))
		case was && !is:
			c.differ(at, name, nil, raises)
		}
	}
	c.ownRules("/rules/replaced/", old.Replaced, new.Replaced, func(OwnRule) effect { return weakens }, weakens)
	c.ownRules("/rules/custom/", old.Custom, new.Custom, func(r OwnRule) effect {
		if r.Level <= level.Low && r.Reversible {
			return tightens // it never decided anything
		}
		return weakens
	}, raises)
	// What an assessor says about some action nobody can tell beforehand.
	c.differ("/rules/assessor", absent(old.Assessor), absent(new.Assessor), weakens)
}

// removalEffect is what taking a shipped rule away does: one that finds nothing
// above LOW never decided anything.
func removalEffect(name string) effect {
	if r, ok := shipped(name); ok && r.Level <= level.Low && r.Reversible {
		return tightens
	}
	return weakens
}

// ownRules compares two lists by names; taken is the effect of an entry that is
// gone, added that of a new one.
func (c *comparison) ownRules(at string, old, new []OwnRule, taken func(OwnRule) effect, added effect) {
	find := func(all []OwnRule, name string) (OwnRule, bool) {
		i := slices.IndexFunc(all, func(r OwnRule) bool { return r.Name == name })
		if i < 0 {
			return OwnRule{}, false
		}
		return all[i], true
	}
	for _, a := range old {
		if b, there := find(new, a.Name); there {
			c.differ(at+canon.PointerEscape(a.Name), a, b, a.to(b))
		} else {
			c.differ(at+canon.PointerEscape(a.Name), a, nil, taken(a))
		}
	}
	for _, b := range new {
		if _, there := find(old, b.Name); !there {
			c.differ(at+canon.PointerEscape(b.Name), nil, b, added)
		}
	}
}

// to is the effect of another definition of a rule. Whether another expression
// finds as much nobody can tell.
func (r OwnRule) to(s OwnRule) effect {
	switch {
	case r.Pattern != s.Pattern, r.Expression != s.Expression, s.Level < r.Level, s.Reversible && !r.Reversible:
		return weakens
	case s.Level > r.Level:
		return raises
	}
	return tightens // other words, or what cannot be undone is asked about
}

// ruleLimits are the limits of policyLimits that concern rules.
func ruleLimits() map[string]limits {
	all := map[string]limits{
		"/rules":           {about: "which rules run"},
		"/rules/extended":  {about: "the group extended, in addition to the core rules"},
		"/rules/removed":   {about: "names of rules that don't run", unique: true},
		"/rules/removed/*": {about: "a name of a rule that comes with the program", fewest: 1},
		"/rules/replaced":  {about: "rules in place of those of the same name that come with the program", most: maxReplacedRules},
		"/rules/custom":    {about: "rules of your own", most: maxOwnRules},
		"/rules/assessor":  {about: "a CEL expression in place of all rules: a level, or a map with level, reasons, reversible, affected_resources, estimated_impact, recommendations and requires_approval; empty is none", most: rules.MaxExpression},
	}
	for _, list := range []string{"/rules/replaced/*", "/rules/custom/*"} {
		all[list] = limits{required: []string{"name", "level", "reason"}}
		all[list+"/name"] = limits{about: "a lowercase letter, then lowercase letters, digits and _", fewest: 1, most: rules.MaxNameBytes}
		all[list+"/pattern"] = limits{about: "RE2 in any case, over the code and each string value of the arguments; this or an expression", most: rules.MaxPattern}
		all[list+"/expression"] = limits{about: "CEL over the whole action, true where the rule fires; this or a pattern", most: rules.MaxExpression}
		all[list+"/level"] = limits{about: "what an action is at least where the rule fires", words: levelWords()}
		all[list+"/reason"] = limits{about: "one sentence for the operator, without a period", fewest: 1, most: rules.MaxReason}
		all[list+"/reversible"] = limits{about: "whether what it finds can be undone; unset: yes"}
	}
	return all
}

// Rules lists the rules that this policy runs, in their order; none where an
// assessor runs in their place. A rule of the tenant's has the group custom. The
// policy is valid.
func (c *Compiled) Rules() []rules.Rule { return c.rules.Rules() }
