package scan

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Span is a byte range, End exclusive.
type Span struct{ Start, End int }

// Regexp is an expression as the specification writes it, on RE2, so that each
// search needs time linear in the text. It never changes; any number of
// goroutines may use it.
type Regexp struct {
	source   string
	first    *regexp.Regexp // group 1 is the match without the neighbours that stand for \b
	next     *regexp.Regexp // as first, for a text that starts with one character of context
	context  bool           // next wants that character
	whole    bool           // searches may not start in the middle: the expression asks for a beginning
	literals []string       // folded; a text that matches holds at least one; nil: unknown
	size     int
}

// Compile reads an expression in RE2 syntax, with these differences:
//   - \s, \S, \w and \W are the Unicode classes Space and Word (in a class,
//     [^…] takes the place of \S and \W);
//   - \b stands on Word. It may only begin or end the whole expression, where it
//     means that no word character adjoins: RE2 has no look-around. Alternatives
//     therefore share it: \b(?:rm|dd)\b;
//   - under (?i), i also matches İ and ı. That s matches ſ and k matches K is
//     RE2's own rule.
//
// The error says what was wrong and what would be accepted; a tenant may read it.
func Compile(expr string) (*Regexp, error) {
	unicode, err := widenClasses(expr)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(unicode, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("the expression %q is not RE2: %w", expr, err)
	}
	tree, before, after := cutEdges(tree)
	if hasOp(tree, syntax.OpWordBoundary) || hasOp(tree, syntax.OpNoWordBoundary) {
		return nil, fmt.Errorf(`the expression %q has \b or \B inside; \b is accepted at its very beginning and end: \b(?:one|two)\b`, expr)
	}
	r := &Regexp{
		source:   expr,
		whole:    hasOp(tree, syntax.OpBeginText) || hasOp(tree, syntax.OpBeginLine),
		literals: literals(tree),
		context:  before,
	}
	core := "(" + widenFold(tree).String() + ")"
	if after {
		core += After
	}
	first, next := core, core
	if before {
		first, next = Before+core, NotWord+core
	}
	if parsed, err := syntax.Parse(first, syntax.Perl); err == nil {
		if prog, err := syntax.Compile(parsed.Simplify()); err == nil {
			r.size = len(prog.Inst)
		}
	}
	if r.first, err = regexp.Compile(first); err != nil {
		return nil, fmt.Errorf("the expression %q is not RE2: %w", expr, err)
	}
	if r.next, err = regexp.Compile(next); err != nil {
		return nil, fmt.Errorf("the expression %q is not RE2: %w", expr, err)
	}
	return r, nil
}

// MustCompile is Compile for expressions in our own source.
func MustCompile(expr string) *Regexp {
	r, err := Compile(expr)
	if err != nil {
		panic(err)
	}
	return r
}

// String is the expression as it was given to Compile.
func (r *Regexp) String() string { return r.source }

// Size is the number of instructions of the compiled expression. A search may
// need up to as many steps per character, so who takes expressions from others
// bounds it.
func (r *Regexp) Size() int { return r.size }

// MatchesEmpty reports whether the expression can match no text at all, which
// would make it match everything.
func (r *Regexp) MatchesEmpty() bool {
	return r.first.MatchString("")
}

// Match reports whether the text holds a match.
func (r *Regexp) Match(s Subject) bool { return r.possible(s) && r.first.MatchString(s.text) }

// Find gives at most n matches, leftmost first, not overlapping; all of them if
// n < 0. The characters on which \b stands are not part of a match, and two
// matches may share one.
//
// Each match may cost a pass over the rest of the text, so a caller with a
// hostile text and an expression of its user gives a small n.
func (r *Regexp) Find(s Subject, n int) []Span {
	var spans []Span
	r.each(s, n, func(at int, loc []int) {
		spans = append(spans, Span{at + loc[2], at + loc[3]})
	})
	return spans
}

// Groups is Find with what the groups of the expression matched: the match
// itself, then each group, {-1, -1} for one that took no part.
func (r *Regexp) Groups(s Subject, n int) [][]Span {
	var all [][]Span
	r.each(s, n, func(at int, loc []int) {
		groups := make([]Span, 0, len(loc)/2-1)
		for i := 2; i < len(loc); i += 2 {
			if loc[i] < 0 {
				groups = append(groups, Span{-1, -1})
				continue
			}
			groups = append(groups, Span{at + loc[i], at + loc[i+1]})
		}
		all = append(all, groups)
	})
	return all
}

// each calls found for at most n matches: loc is as of FindStringSubmatchIndex
// in the text from at on, and its group 1 is the match.
func (r *Regexp) each(s Subject, n int, found func(at int, loc []int)) {
	if n == 0 || !r.possible(s) {
		return
	}
	if r.whole {
		for _, loc := range r.first.FindAllStringSubmatchIndex(s.text, n) {
			found(0, loc)
		}
		return
	}
	at, re := 0, r.first
	for ; n != 0; n-- {
		loc := re.FindStringSubmatchIndex(s.text[at:])
		if loc == nil {
			return
		}
		found(at, loc)
		empty := loc[2] == loc[3]
		at, re = at+loc[3], r.next
		if empty { // an expression that matches nothing must still end
			if at == len(s.text) {
				return
			}
			_, width := utf8.DecodeRuneInString(s.text[at:])
			at += width
		}
		if r.context {
			_, width := utf8.DecodeLastRuneInString(s.text[:at])
			at -= width
		}
	}
}

// possible is the cheap question before the dear one: most texts hold none of
// the words that an expression needs.
func (r *Regexp) possible(s Subject) bool {
	if r.literals == nil {
		return true
	}
	for _, l := range r.literals {
		if strings.Contains(s.folded, l) {
			return true
		}
	}
	return false
}

// Subject is a text made ready for many expressions.
type Subject struct {
	text   string
	folded string // for possible only
}

// NewSubject makes s ready.
func NewSubject(s string) Subject { return Subject{text: s, folded: Fold(s)} }

// String is the text.
func (s Subject) String() string { return s.text }
