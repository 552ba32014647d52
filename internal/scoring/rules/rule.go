package rules

import (
	"regexp"
	"unicode/utf8"

	"cel.dev/cel-go/cel"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// The groups. Only the core group is read differently: in code alone.
const (
	GroupCore     = "core"
	GroupExtended = "extended"
	GroupCustom   = "custom"
)

// Limits of one rule. The last bounds how long one rule may look at one
// character (scan.Regexp.Size); the largest of ours needs a third of it.
const (
	MaxNameBytes   = 64
	MaxPattern     = 2000
	MaxReason      = 300
	MaxPatternSize = 2000
)

// Rule is one line of the list.
type Rule struct {
	Name  string `json:"name" yaml:"name"`   // unique in a Set: a letter, then letters, digits and _
	Group string `json:"group" yaml:"group"` // core, extended or custom
	// Pattern is read by scan.Compile and matches in any case. It may not match
	// the empty string.
	Pattern string `json:"pattern" yaml:"pattern"`
	// Expression stands in place of a Pattern: CEL over the whole action that gives
	// true where the rule fires. Where it fails, the rule fires too.
	Expression string      `json:"expression,omitempty" yaml:"expression,omitempty"`
	Level      level.Level `json:"level" yaml:"level"`
	Reason     string      `json:"reason" yaml:"reason"`         // one sentence for the operator, without a period
	Reversible bool        `json:"reversible" yaml:"reversible"` // what it finds can be undone

	// refines names the core rule of which this one is the precise counterpart.
	// Where that one fired in the code, this one does not say the same again; it has
	// the same level and reversibility, so nothing is lost.
	refines   string
	compiled  *scan.Regexp
	size      uint64 // of compiled
	evaluated *expression
}

// IsName reports whether a rule, or a scorer, may have this name.
func IsName(name string) bool { return nameForm.MatchString(name) }

// Levels lists those that a rule may have, lowest first.
func Levels() []level.Level { return append([]level.Level{level.Safe}, level.All()...) }

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// Ready checks and compiles the rule, so that NewSet need not. The fault's member is
// relative to the rule: "/pattern".
func (r Rule) Ready() (Rule, error) { return r.ready() }

func (r Rule) ready() (Rule, error) {
	switch {
	case !nameForm.MatchString(r.Name):
		return r, fault.Member(fault.InvalidMember, "/name",
			"the rule name is %.80q; expected a lowercase letter followed by at most 63 lowercase letters, digits and underscores", r.Name)
	case r.Name == Assessor:
		return r, fault.Member(fault.InvalidMember, "/name", "the rule name %s is reserved for the assessor; choose another", Assessor)
	case r.Group != GroupCore && r.Group != GroupExtended && r.Group != GroupCustom:
		return r, fault.Member(fault.InvalidMember, "/group", "the group %.80q isn't one of core, extended, custom", r.Group)
	case r.Level > level.Critical:
		return r, fault.Member(fault.InvalidMember, "/level", "the level isn't one of SAFE, LOW, MEDIUM, HIGH, CRITICAL")
	case r.Reason == "" || utf8.RuneCountInString(r.Reason) > MaxReason:
		return r, fault.Member(fault.InvalidMember, "/reason", "the reason has %d characters; expected 1 to %d", utf8.RuneCountInString(r.Reason), MaxReason)
	case r.Expression != "" && r.Pattern != "":
		return r, fault.Member(fault.InvalidMember, "/expression", "the rule has a pattern and an expression; use one of the two")
	case r.Expression != "" && r.Group != GroupCustom:
		return r, fault.Member(fault.InvalidMember, "/expression", "the rule has an expression, which only rules of the group custom may have")
	case r.Expression != "" && r.evaluated != nil && r.evaluated.source == r.Expression:
		return r, nil
	case r.Expression != "":
		var err error
		if r.evaluated, err = compileExpression(r.Expression, fault.Textf("true or false"), isBool); err != nil {
			return r, fault.Member(fault.InvalidMember, "/expression", "%s", err)
		}
		return r, nil
	case r.Pattern == "" || utf8.RuneCountInString(r.Pattern) > MaxPattern:
		return r, fault.Member(fault.InvalidMember, "/pattern", "the pattern has %d characters; expected 1 to %d", utf8.RuneCountInString(r.Pattern), MaxPattern)
	case r.compiled != nil && r.compiled.String() == anyCase(r.Pattern):
		return r, nil
	}
	r.evaluated = nil
	re, err := scan.Compile(anyCase(r.Pattern))
	if err != nil {
		return r, fault.Member(fault.InvalidMember, "/pattern", "%s", err)
	}
	if re.MatchesEmpty() {
		return r, fault.Member(fault.InvalidMember, "/pattern", "the pattern matches the empty string, so it would match everything; require at least one character")
	}
	if re.Size() > MaxPatternSize {
		return r, fault.Member(fault.InvalidMember, "/pattern",
			"the pattern needs %d steps per character, and at most %d are accepted; use fewer or shorter repetitions", re.Size(), MaxPatternSize)
	}
	r.compiled, r.size = re, uint64(re.Size())
	return r, nil
}

func isBool(t *cel.Type) bool { return t.IsExactType(cel.BoolType) }

func anyCase(pattern string) string { return `(?i)` + pattern }

// compiled makes a list of our own ready; a test checks it as ready would.
func compiled(group string, rules []Rule) []Rule {
	for i := range rules {
		rules[i].Group = group
		rules[i].compiled = scan.MustCompile(anyCase(rules[i].Pattern))
	}
	return rules
}
