// Package usage matches how a program is called with patterns of it. It is the language in
// which the lists of programs are written, of what they do anywhere (effects) and in a
// workspace.
//
// A pattern is the operands that a command begins with, and options that stand anywhere:
// `branch -D|--delete`. `|` stands between alternatives, `*` for any letters, and `$` for the
// end: no operand follows. The pattern with the most words counts.
package usage

import (
	"cmp"
	"slices"
	"strings"
)

// Pattern is how a program may be called.
type Pattern struct {
	Operands [][]string // the alternatives of each
	Options  [][]string
	Written  string
	closed   bool // no operand follows
	size     int
}

// Parse reads a pattern; ok is false for one without words. Who lists programs of Windows
// takes what begins with a slash for an option.
func Parse(text string, isOption func(word string) bool) (p Pattern, ok bool) {
	p.Written = strings.TrimSpace(text)
	for _, word := range strings.Fields(text) {
		all := strings.Split(word, "|")
		switch {
		case word == "$":
			p.closed = true
		case isOption(all[0]):
			p.Options = append(p.Options, all)
			p.size += 3
		case word == "*":
			p.Operands = append(p.Operands, all)
			p.size++
		default:
			p.Operands = append(p.Operands, all)
			p.size += 2
		}
	}
	return p, p.size > 0
}

// Operand is one of a command. One that is unsure may be the value of the option before it,
// or is known only when it runs: it makes nothing harmless.
type Operand struct {
	Text   string
	Unsure bool
}

// Matches reports whether a command is called that way. has says whether an option stands
// there. Where sure is set, no operand may be unsure that the pattern says something of.
func (p *Pattern) Matches(operands int, operand func(i int) Operand, has func(option string) bool, sure bool) bool {
	if operands < len(p.Operands) || p.closed && operands > len(p.Operands) {
		return false
	}
	for i, all := range p.Operands {
		o := operand(i)
		if sure && o.Unsure && all[0] != "*" || !slices.ContainsFunc(all, func(a string) bool { return Like(a, o.Text) }) {
			return false
		}
	}
	for _, all := range p.Options {
		if !slices.ContainsFunc(all, has) {
			return false
		}
	}
	return true
}

// Rules are what patterns of a program say, in the order in which they count. Add all, then
// Sort.
type Rules[T any] struct {
	all []Rule[T]
	// first are those that a command may match by its first operand, and rest those that
	// one with any other may.
	first map[string][]*Rule[T]
	rest  []*Rule[T]
}

// Rule is what one pattern says.
type Rule[T any] struct {
	Pattern
	Says T
}

// All are the rules.
func (r *Rules[T]) All() []Rule[T] { return r.all }

// Add adds a rule.
func (r *Rules[T]) Add(p Pattern, says T) { r.all = append(r.all, Rule[T]{p, says}) }

// Sort puts the patterns with the most words first, of several the worst.
func (r *Rules[T]) Sort(worse func(a, b T) int) {
	slices.SortFunc(r.all, func(a, b Rule[T]) int {
		return cmp.Or(b.size-a.size, worse(a.Says, b.Says), strings.Compare(a.Written, b.Written))
	})
	words := map[string]bool{}
	for _, rule := range r.all {
		if len(rule.Operands) > 0 {
			for _, a := range rule.Operands[0] {
				words[a] = true
			}
		}
	}
	r.rest = r.beginning("\x00") // no word is that
	r.first = make(map[string][]*Rule[T], len(words))
	for word := range words {
		if !strings.Contains(word, "*") {
			r.first[word] = r.beginning(word)
		}
	}
}

// beginning are the rules whose first operand may be a word.
func (r *Rules[T]) beginning(word string) (all []*Rule[T]) {
	for i := range r.all {
		rule := &r.all[i]
		if len(rule.Operands) == 0 || slices.ContainsFunc(rule.Operands[0], func(a string) bool { return a == word || strings.Contains(a, "*") }) {
			all = append(all, rule)
		}
	}
	return all
}

// For are the rules that may match a command with this first operand; "" where it has none.
func (r *Rules[T]) For(first string) []*Rule[T] {
	if all, ok := r.first[first]; ok {
		return all
	}
	return r.rest
}

// Like reports whether a text is as a pattern says, in which * stands for any letters.
func Like(pattern, text string) bool {
	before, after, found := strings.Cut(pattern, "*")
	if !found {
		return pattern == text
	}
	if !strings.HasPrefix(text, before) {
		return false
	}
	text = text[len(before):]
	if !strings.Contains(after, "*") {
		return strings.HasSuffix(text, after)
	}
	for i := 0; i <= len(text); i++ {
		if Like(after, text[i:]) {
			return true
		}
	}
	return false
}
