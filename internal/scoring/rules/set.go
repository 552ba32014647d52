package rules

import (
	"slices"
	"strconv"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// MaxRules bounds a Set, and MaxExpressions how many of its rules are in CEL.
const (
	MaxRules       = 500
	MaxExpressions = 50
)

// Set is a list of rules ready to be used. It never changes.
type Set struct {
	rules    []Rule
	index    map[string]int  // of rules, by name
	possible *scan.Prefilter // of the rules, in order, and behind them the extractors
	asks     bool            // some rule has an expression
	assessor *expression     // stands in place of the rules
}

// Default lists the core rules and after them the extended ones.
func Default() []Rule { return append(Core(), Extended()...) }

// NewSet checks and compiles the rules; their order is the order of the reasons.
// No rules at all is a Set that finds everything SAFE. The fault's member is
// relative to the list: "/3/pattern".
func NewSet(rules []Rule) (*Set, error) {
	if len(rules) > MaxRules {
		return nil, fault.New(fault.InvalidMember, "there are %d rules; at most %d are accepted", len(rules), MaxRules)
	}
	s := &Set{rules: slices.Clone(rules), index: make(map[string]int, len(rules))}
	expressions, evaluated := make([][]*scan.Regexp, len(rules)), 0
	for i, r := range s.rules {
		ready, err := r.ready()
		if err != nil {
			f := fault.As(err)
			return nil, fault.Member(f.Code, "/"+strconv.Itoa(i)+f.Member, "%s", f.Text())
		}
		if j, taken := s.index[r.Name]; taken {
			return nil, fault.Member(fault.InvalidMember, "/"+strconv.Itoa(i)+"/name", "the rule name %q is also the name of rule %s; names must be unique", r.Name, strconv.Itoa(j))
		}
		s.index[r.Name] = i
		s.rules[i] = ready
		if ready.evaluated == nil {
			expressions[i] = []*scan.Regexp{ready.compiled}
			continue
		}
		s.asks = true
		if evaluated++; evaluated > MaxExpressions {
			return nil, fault.Member(fault.InvalidMember, "/"+strconv.Itoa(i)+"/expression", "more than %d rules have an expression, which is the limit", MaxExpressions)
		}
	}
	s.possible = scan.NewPrefilter(append(expressions, finders()...))
	return s, nil
}

// Prefilter says which rules may find something; it is for scan.JoinPrefilters.
func (s *Set) Prefilter() *scan.Prefilter { return s.possible }

// Rules lists the rules in order. The caller may change the slice.
func (s *Set) Rules() []Rule { return slices.Clone(s.rules) }

// Custom reports whether the rule of this name, or the assessor, is an organisation's own.
func (s *Set) Custom(name string) bool {
	i, ok := s.index[name]
	return ok && s.rules[i].Group == GroupCustom || name == Assessor && s.assessor != nil
}

// Level is that of the rule of this name.
func (s *Set) Level(name string) (l level.Level, ok bool) {
	i, ok := s.index[name]
	if !ok {
		return level.Safe, false
	}
	return s.rules[i].Level, true
}
