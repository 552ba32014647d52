package scan

import "regexp/syntax"

// Some expressions begin with what stands everywhere, and go on with a literal: a line, and
// then git push. A long text is not read for them if behind none of the places where the
// literal stands the rest of the expression matches.

// tail is an expression from its first literal on.
type tail struct {
	literals []literal // one of them begins it
	rest     *syntax.Regexp
}

// tailOf is that of an expression without prefixes; without literals where it has none.
func tailOf(re *syntax.Regexp, apart sides) tail {
	row := []*syntax.Regexp{re}
	switch re.Op {
	case syntax.OpCapture:
		return tailOf(re.Sub[0], apart)
	case syntax.OpAlternate:
		var all tail
		all.rest = &syntax.Regexp{Op: syntax.OpAlternate}
		for _, sub := range re.Sub {
			one := tailOf(sub, apart)
			if one.literals == nil {
				return tail{}
			}
			all.literals, all.rest.Sub = append(all.literals, one.literals...), append(all.rest.Sub, one.rest)
		}
		return all
	case syntax.OpConcat:
		row = re.Sub
	}
	for i := range row {
		rest := &syntax.Regexp{Op: syntax.OpConcat, Sub: row[i:]}
		if list := prefixes(rest, sides{behind: apart.behind}); list != nil {
			return tail{list, rest}
		}
	}
	return tail{}
}

// searcher finds at least what the tail matches: repetitions have no end, and İ and ı are an
// i everywhere.
func (t tail) searcher(after bool) *searcher {
	if t.literals == nil {
		return nil
	}
	tree, err := syntax.Parse(t.rest.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	loosen(tree)
	prog := program(dotless(tree))
	if prog == nil {
		return nil
	}
	letters, ok := newAlphabet(prog)
	if !ok {
		return nil
	}
	s := &searcher{forward: newAutomaton(prog, letters)}
	s.forward.guard = after
	return s
}

// dotless has İ and ı match where i does. In what folds they do (rewrite).
func dotless(re *syntax.Regexp) *syntax.Regexp {
	for i, sub := range re.Sub {
		re.Sub[i] = dotless(sub)
	}
	other := &syntax.Regexp{Op: syntax.OpCharClass, Rune: []rune{'İ', 'ı'}}
	switch re.Op {
	case syntax.OpCharClass:
		return &syntax.Regexp{Op: syntax.OpAlternate, Sub: []*syntax.Regexp{re, other}}
	case syntax.OpLiteral:
		row := &syntax.Regexp{Op: syntax.OpConcat}
		for _, r := range re.Rune {
			one := &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: []rune{r}}
			if r == 'i' || r == 'I' {
				one = &syntax.Regexp{Op: syntax.OpAlternate, Sub: []*syntax.Regexp{one, other}}
			}
			row.Sub = append(row.Sub, one)
		}
		return row
	}
	return re
}

// endsNowhere reports whether the text holds no match, because behind none of the places
// where its tail may begin there is one of that.
func (s *searcher) endsNowhere(subject Subject) bool {
	if subject.places == nil {
		return false
	}
	of := subject.places.of[s.expression].tail
	if len(of) == 0 {
		return false
	}
	rest := s.tail()
	if rest == nil {
		return false
	}
	run := search{searcher: rest, subject: subject, text: subject.text}
	run.room = run.fresh()
	for _, l := range of {
		if !subject.places.known(l) {
			return false
		}
		var back unfolding
		for _, at := range subject.places.at[l] {
			end, ok := run.endOf(rest.forward, back.inText(subject.moved, int(at)), true, true)
			if !ok || end >= 0 || run.read > often*len(run.text) {
				return false
			}
		}
	}
	return true
}
