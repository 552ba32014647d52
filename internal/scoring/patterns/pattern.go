package patterns

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Pattern is one entry of a library, as it is written in YAML or stored with a
// tenant's policy.
type Pattern struct {
	ID       string   `json:"id" yaml:"id"` // words of a-z and 0-9 with hyphens; it is shown in place of what it masks
	Severity Severity `json:"severity" yaml:"severity"`
	// Action is empty where the pattern leaves it to its severity.
	Action Action `json:"action,omitempty" yaml:"action,omitempty"`
	// AppliesTo names the lifecycle points; none means all of them.
	AppliesTo []string `json:"applies_to,omitempty" yaml:"applies_to,omitempty"`
	// Category is one of Categories. In a library file the file names it.
	Category    string `json:"category,omitempty" yaml:"category,omitempty"`
	Description string `json:"description" yaml:"description"` // why a match matters, for the operator
	// Regex lists expressions as scan.Compile reads them; one match is enough.
	Regex []string `json:"regex" yaml:"regex"`
	// Member restricts the pattern to values of members whose whole name matches
	// this expression, in any case: a value that says nothing by itself can be a
	// secret under the name "password".
	Member string `json:"member,omitempty" yaml:"member,omitempty"`
	// Check names a validator that a match must pass; it may also move its ends
	// (see checks.go). With a check the expressions have to be of bounded length.
	Check string `json:"check,omitempty" yaml:"check,omitempty"`
	// MinDigits is how many digits a match has at least in one number, counted
	// across single spaces and hyphens: a cheap filter where no word is required.
	MinDigits int `json:"min_digits,omitempty" yaml:"min_digits,omitempty"`
	// MinAts is how many @ a match has at least; likewise.
	MinAts int `json:"min_ats,omitempty" yaml:"min_ats,omitempty"`
	// NonASCII says that a match has a character outside ASCII; likewise.
	NonASCII bool `json:"non_ascii,omitempty" yaml:"non_ascii,omitempty"`
	// Waits says that no other admin accepted so far that it masks: it does, and nobody can
	// approve what it masked (docs/policy.md).
	Waits bool `json:"waits,omitempty" yaml:"waits,omitempty"`
	// MustMatch and MustNotMatch are examples that are tried whenever the pattern
	// is saved. With Member they read "name: value".
	MustMatch    []string `json:"must_match" yaml:"must_match"`
	MustNotMatch []string `json:"must_not_match" yaml:"must_not_match"`
}

// What one pattern may weigh, so that a policy stays quick to load and to run.
const (
	MaxID          = 64
	MaxRegexes     = 16
	MaxRegex       = 2000 // characters of one expression
	MaxExamples    = 50
	MaxExample     = 4000 // characters of one example
	MaxDescription = 300
)

// EffectiveAction is the pattern's own action, or its severity's.
func (p Pattern) EffectiveAction() Action {
	if p.Action == "" {
		return p.Severity.DefaultAction()
	}
	return p.Action
}

// Masks reports whether what the pattern matches is replaced before anything is stored.
func (p Pattern) Masks() bool { return masks(p.EffectiveAction(), p.Category) }

// Points is where the pattern runs.
func (p Pattern) Points() []string {
	if len(p.AppliesTo) == 0 {
		return Points()
	}
	return slices.Clone(p.AppliesTo)
}

func (p Pattern) clone() Pattern {
	p.AppliesTo = slices.Clone(p.AppliesTo)
	p.Regex = slices.Clone(p.Regex)
	p.MustMatch = slices.Clone(p.MustMatch)
	p.MustNotMatch = slices.Clone(p.MustNotMatch)
	return p
}

// matcher is a pattern made ready to run.
type matcher struct {
	Pattern
	regexes []*scan.Regexp
	member  *scan.Regexp
	check   check
	// bounded says that finding all occurrences is linear in the text.
	bounded bool
	// keepsMask says that it masks whatever its action is: see Acting.
	keepsMask bool
}

// Masks is that of the pattern, unless it keeps its mask.
func (m *matcher) Masks() bool { return m.keepsMask || m.Pattern.Masks() }

// compile checks everything about a pattern but its examples. The error is a
// fault InvalidMember whose member is the name of the pattern's part.
func compile(p Pattern) (*matcher, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	m := &matcher{Pattern: p.clone(), bounded: true}
	for i, expr := range p.Regex {
		re, err := compileRegex(expr)
		if err != nil {
			return nil, wrong(fmt.Sprintf("regex/%d", i), "%s", err)
		}
		m.regexes = append(m.regexes, re)
		m.bounded = m.bounded && isBounded(expr)
	}
	if p.Check != "" {
		m.check = checks[p.Check]
		if !m.bounded {
			return nil, wrong("regex", "a pattern with a check needs expressions of bounded length: write {0,100} instead of * and {1,100} instead of +")
		}
	}
	if p.Member != "" {
		re, err := compileRegex(`(?i)^(?:` + p.Member + `)$`)
		if err != nil {
			return nil, wrong("member", "%s", err)
		}
		m.member = re
	}
	return m, nil
}

func compileRegex(expr string) (*scan.Regexp, error) {
	if expr == "" || utf8.RuneCountInString(expr) > MaxRegex {
		return nil, fault.Textf("an expression has 1 to %d characters; this one has %d", MaxRegex, utf8.RuneCountInString(expr))
	}
	re, err := scan.Compile(expr)
	if err != nil {
		return nil, err
	}
	if re.MatchesEmpty() {
		return nil, fault.Textf("the expression %q matches the empty text, so it would match everything", expr)
	}
	return re, nil
}

// idShape keeps ids readable inside a mask, and a mask recognisable (see masked).
var idShape = regexp.MustCompile(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

func (p Pattern) validate() error {
	if len(p.ID) > MaxID || !idShape.MatchString(p.ID) {
		return wrong("id", "%q isn't an ID; expected words of a-z and 0-9 joined by hyphens, at most %d characters", p.ID, MaxID)
	}
	if !p.Severity.Valid() {
		return wrong("severity", "%q isn't one of %s", p.Severity, list(Severities()))
	}
	if p.Action != "" && !p.Action.Valid() {
		return wrong("action", "%q isn't one of %s", p.Action, list(Actions()))
	}
	if p.Severity == Critical && p.EffectiveAction().SofterThan(Confirm) {
		return wrong("action", "the action of a critical pattern is %s; expected block, redact or confirm", p.EffectiveAction())
	}
	for _, point := range p.AppliesTo {
		if !slices.Contains(Points(), point) {
			return wrong("applies_to", "%q isn't one of %s", point, list(Points()))
		}
	}
	if !slices.Contains(Categories(), p.Category) {
		return wrong("category", "%q isn't one of %s", p.Category, list(Categories()))
	}
	if p.Description == "" || utf8.RuneCountInString(p.Description) > MaxDescription || !utf8.ValidString(p.Description) {
		return wrong("description", "a description has 1 to %d characters of UTF-8; this one has %d", MaxDescription, utf8.RuneCountInString(p.Description))
	}
	if len(p.Regex) == 0 || len(p.Regex) > MaxRegexes {
		return wrong("regex", "a pattern has 1 to %d expressions; this one has %d", MaxRegexes, len(p.Regex))
	}
	if _, known := checks[p.Check]; p.Check != "" && !known {
		return wrong("check", "%q isn't one of %s", p.Check, list(Checks()))
	}
	if p.MinDigits < 0 || p.MinAts < 0 {
		return wrong("min_digits", "a count of characters can't be negative")
	}
	return p.validateExamples()
}

func (p Pattern) validateExamples() error {
	if len(p.MustMatch) == 0 || len(p.MustNotMatch) == 0 {
		return wrong("must_match", "a pattern needs at least one example that must match and one that must not")
	}
	for name, examples := range map[string][]string{"must_match": p.MustMatch, "must_not_match": p.MustNotMatch} {
		if len(examples) > MaxExamples {
			return wrong(name, "has %d examples; at most %d are accepted", len(examples), MaxExamples)
		}
		for i, e := range examples {
			if utf8.RuneCountInString(e) > MaxExample || !utf8.ValidString(e) {
				return wrong(fmt.Sprintf("%s/%d", name, i), "an example has at most %d characters of UTF-8; this one has %d", MaxExample, utf8.RuneCountInString(e))
			}
			if p.Member != "" && !strings.Contains(e, ": ") {
				return wrong(fmt.Sprintf("%s/%d", name, i), `an example of a pattern with a member is written "name: value"`)
			}
		}
	}
	return nil
}

// tryExamples runs the pattern's own examples.
func (m *matcher) tryExamples() error {
	for i, e := range m.MustMatch {
		if len(m.places(e)) == 0 {
			return wrong(fmt.Sprintf("must_match/%d", i), "the pattern doesn't match its example %q", e)
		}
	}
	for i, e := range m.MustNotMatch {
		if len(m.places(e)) > 0 {
			return wrong(fmt.Sprintf("must_not_match/%d", i), "the pattern matches %q, which it mustn't", e)
		}
	}
	return nil
}

func read(s scan.Segment) *scan.Passage { return &scan.Passage{Segment: s, Reading: scan.Read(s.Text)} }

// places finds the pattern in one of its examples.
func (m *matcher) places(example string) []occurrence {
	s := newSubject(read(m.example(example)))
	return m.placesIn(&s, 0)
}

// example is the segment that an example stands for.
func (m *matcher) example(text string) scan.Segment {
	if m.Member == "" {
		return scan.Segment{Pointer: "/example", Text: text}
	}
	name, value, _ := strings.Cut(text, ": ")
	return scan.Segment{Pointer: "/" + escapePointer(name), Text: value}
}

// wrong is a fault about one part of a pattern.
func wrong(part, format string, args ...any) error {
	return fault.Member(fault.InvalidMember, "/"+part, format, args...)
}

func list[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return strings.Join(texts, ", ")
}

// isBounded reports whether a search stops soon after the end of a match, so that
// finding all matches is linear in the text: no part may repeat without an upper
// bound, but for one class of characters at the very end, which grows with the
// match itself. scan.Compile has accepted the expression before.
func isBounded(expr string) bool {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return false
	}
	if tree.Op != syntax.OpConcat {
		return !repeats(tree)
	}
	subs := tree.Sub
	if subs[len(subs)-1].Op == syntax.OpWordBoundary {
		subs = subs[:len(subs)-1]
	}
	if last := len(subs) - 1; last >= 0 && isUnlimited(subs[last]) && subs[last].Sub[0].Op == syntax.OpCharClass {
		subs = subs[:last]
	}
	return !slices.ContainsFunc(subs, repeats)
}

func repeats(re *syntax.Regexp) bool {
	return isUnlimited(re) || slices.ContainsFunc(re.Sub, repeats)
}

func isUnlimited(re *syntax.Regexp) bool {
	return re.Op == syntax.OpStar || re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && re.Max < 0
}
