package scan

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/fault"
)

// Span is a byte range, End exclusive.
type Span struct{ Start, End int }

// Regexp is an expression as the specification writes it, on RE2, so that each
// search needs time linear in the text. It never changes; any number of
// goroutines may use it.
type Regexp struct {
	source string
	around string                // what first is compiled from
	first  func() *regexp.Regexp // group 1 is the match without the neighbours that stand for \b
	next   func() *regexp.Regexp // as first, for a text that starts with one character of context
	here   func() *regexp.Regexp // as first, for a text that is a match
	search func() *searcher      // finds the same, faster; nil where there is none
	before bool                  // \b stands at the beginning; next wants that character
	whole  bool                  // searches may not start in the middle: the expression asks for a beginning
	ends   bool                  // it asks for an end

	needs    [][]literal // see needs
	prefixes []literal   // see prefixes
	nearby   [][]literal // see nearby
	tail     tail        // where there are no prefixes
}

// maxGroups is how many groups an expression may have before what stands around it is tried at once: RE2 takes a
// depth of 1,000, of which a group is at most 4 (an alternative, in a sequence, in a group, repeated).
const maxGroups = 200

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
	e, err := rewrite(expr)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(e.plain, syntax.Perl)
	if err != nil {
		return nil, fault.Textf("the expression %q isn't valid RE2: %s", expr, err)
	}
	r := &Regexp{
		source: expr,
		before: e.before,
		whole:  hasOp(tree, syntax.OpBeginText) || hasOp(tree, syntax.OpBeginLine),
		ends:   hasOp(tree, syntax.OpEndText) || hasOp(tree, syntax.OpEndLine),
	}
	core := "(" + e.core + ")"
	if e.after {
		core += After
	}
	first, next := core, core
	if e.before {
		first, next = Before+core, NotWord+core
	}
	if strings.Count(expr, "(") > maxGroups {
		if _, err := regexp.Compile(first); err != nil {
			return nil, fault.Textf("the expression %q isn't valid RE2: %s", expr, err)
		}
	}
	// Most expressions are never searched for, because what they need isn't in the text, and to compile one takes
	// ten times as long as to parse it.
	r.around = first
	r.first = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(first) })
	r.next = r.first
	if e.before {
		r.next = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(next) })
	}
	apart := sides{e.before, e.after}
	r.prefixes, r.needs = prefixes(tree, apart), needs(tree, apart, 0)
	if r.prefixes != nil {
		r.needs = append(r.needs, r.prefixes)
	}
	if r.prefixes == nil {
		r.tail = tailOf(tree, apart)
	}
	r.needs = strongest(r.needs)
	r.nearby = nearby(r.needs, r.prefixes)
	r.here = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A(` + e.core + `)\z`) })
	r.search = sync.OnceValue(func() *searcher { return newSearcher(r, e.core, e.after) })
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

// Size is the number of instructions of the expression. A search may need up to
// as many steps per character, so who takes expressions from others bounds it.
func (r *Regexp) Size() int {
	tree, err := syntax.Parse(r.around, syntax.Perl)
	if err != nil {
		return 0 // it compiled, so it parses
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return 0
	}
	return len(prog.Inst)
}

// MatchesEmpty reports whether the expression can match no text at all, which
// would make it match everything.
func (r *Regexp) MatchesEmpty() bool { return len(r.needs) == 0 && r.first().MatchString("") }

// placed are literals of which a search asks where they stand.
func (r *Regexp) placed() []literal {
	return append(append(slices.Concat(r.nearby...), r.prefixes...), r.tail.literals...)
}

// mayMatch reports whether a match is possible as far as is known.
func (r *Regexp) mayMatch(s Subject) bool {
	return s.fulfils(r.needs)
}

// Match reports whether the text holds a match.
func (r *Regexp) Match(s Subject) bool {
	if !r.mayMatch(s) {
		return false
	}
	if search := r.search(); search != nil {
		if found, ok := search.match(s); ok {
			return found
		}
	}
	found := false
	r.each(s, 0, 1, func(int, []int) { found = true })
	return found
}

// Find gives at most n matches, leftmost first, not overlapping; all of them if
// n < 0. The characters on which \b stands are not part of a match, and two
// matches may share one.
//
// Each match may cost a pass over the rest of the text, so a caller with a
// hostile text and an expression of its user gives a small n.
func (r *Regexp) Find(s Subject, n int) []Span {
	var spans []Span
	if n == 0 || !r.mayMatch(s) {
		return nil
	}
	at := 0
	if search := r.search(); search != nil {
		if at, n = search.each(s, n, func(span Span) { spans = append(spans, span) }); n == 0 {
			return spans
		}
	}
	known := 0
	if r.whole { // from the beginning again
		at, known = 0, len(spans)
		if n > 0 {
			n += known
		}
	}
	r.each(s, at, n, func(at int, loc []int) {
		if known--; known < 0 {
			spans = append(spans, Span{at + loc[2], at + loc[3]})
		}
	})
	return spans
}

// Groups is Find with what the groups of the expression matched: the match
// itself, then each group, {-1, -1} for one that took no part.
func (r *Regexp) Groups(s Subject, n int) [][]Span {
	var all [][]Span
	take := func(at int, loc []int) {
		groups := make([]Span, 0, len(loc)/2-1)
		for i := 2; i < len(loc); i += 2 {
			if loc[i] < 0 {
				groups = append(groups, Span{-1, -1})
				continue
			}
			groups = append(groups, Span{at + loc[i], at + loc[i+1]})
		}
		all = append(all, groups)
	}
	if r.whole || r.ends || r.search() == nil {
		if r.mayMatch(s) {
			r.each(s, 0, n, take)
		}
		return all
	}
	for _, span := range r.Find(s, n) {
		// Of all that matches just this, it is what is preferred.
		if loc := r.here().FindStringSubmatchIndex(s.text[span.Start:span.End]); loc != nil {
			take(span.Start, loc)
		}
	}
	return all
}

// each runs RE2 over the text from byte from on and calls found for at most n matches:
// loc is as of FindStringSubmatchIndex in the text from at on, and its group 1 is the
// match. Where searches may not start in the middle, from is 0.
func (r *Regexp) each(s Subject, from, n int, found func(at int, loc []int)) {
	if n == 0 {
		return
	}
	if r.whole {
		for _, loc := range r.first().FindAllStringSubmatchIndex(s.text, n) {
			found(0, loc)
		}
		return
	}
	r.eachFrom(s, from, n, found)
}

// eachFrom runs RE2 over the text from byte from on.
func (r *Regexp) eachFrom(s Subject, from, n int, found func(at int, loc []int)) {
	for at := from; n != 0; n-- {
		re, begin := r.first(), at
		if at > 0 {
			re = r.next()
			if r.before {
				_, width := utf8.DecodeLastRuneInString(s.text[:at])
				begin -= width
			}
		}
		loc := re.FindStringSubmatchIndex(s.text[begin:])
		if loc == nil {
			return
		}
		found(begin, loc)
		at = begin + loc[3]
		if loc[2] == loc[3] { // an expression that matches nothing must still end
			if at == len(s.text) {
				return
			}
			_, width := utf8.DecodeRuneInString(s.text[at:])
			at += width
		}
	}
}

// Plain is the same expression without any short cut: no look for literals, no
// automaton, RE2 alone. It finds the same, slowly; tests compare.
func (r *Regexp) Plain() *Regexp {
	plain := *r
	plain.needs, plain.search = nil, func() *searcher { return nil }
	return &plain
}
