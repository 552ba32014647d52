package scan

import (
	"regexp/syntax"
	"slices"
)

// Of an expression with which no literal begins, there may be one somewhere inside that
// comes with every match: "://" in [a-z]{1,30}://. What stands before it in the
// expression, read backwards from where the literal stands in the text, says where a match
// may begin.

// inner is such a place of an expression.
type inner struct {
	literals []literal        // what stands there begins with one of them
	before   []*syntax.Regexp // what matches up to it
}

// innerOf are the places of an expression, one for each of its alternatives; nil where one
// has none, or where all are at the beginning.
func innerOf(core string, apart sides) (all []inner) {
	tree, err := syntax.Parse(core, syntax.Perl)
	if err != nil {
		return nil
	}
	for tree.Op == syntax.OpCapture {
		tree = tree.Sub[0]
	}
	alternatives := []*syntax.Regexp{tree}
	if tree.Op == syntax.OpAlternate {
		alternatives = tree.Sub
	}
	inside := false
	for _, re := range alternatives {
		in := innerOfOne(re, apart)
		if in.literals == nil {
			return nil
		}
		all, inside = append(all, in), inside || len(in.before) > 0
	}
	if !inside {
		return nil
	}
	return all
}

// innerOfOne is the place whose literals say most, if there is one.
func innerOfOne(re *syntax.Regexp, apart sides) (best inner) {
	row := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		row = re.Sub
	}
	for i := range row {
		rest := &syntax.Regexp{Op: syntax.OpConcat, Sub: row[i:]}
		list := prefixes(rest, sides{isApart(row[:i], false, apart.before), apart.behind})
		if list != nil && (best.literals == nil || weakest(list) > weakest(best.literals)) {
			best = inner{list, row[:i]}
		}
	}
	return best
}

// program reads what matches up to there backwards. What is counted has no end, because
// what it finds is tried. The tree is used up.
func (in inner) program() *syntax.Prog {
	before := &syntax.Regexp{Op: syntax.OpConcat, Sub: slices.Clone(in.before)}
	reverse(before)
	relax(before)
	return program(before)
}

// beginsBefore adds the places where a match may begin of which the literal stands at byte
// i. ok is false where they are too many, or reading them costs too much.
func (r *search) beginsBefore(m *automaton, i int, into []int32) (_ []int32, ok bool) {
	s := m.start(r.contextBehind(i), true, false)
	for at := i; ; {
		class, width := m.end(), 1
		if at > 0 {
			class, width = m.alphabet.before(r.text, at)
		}
		next := s.next[class].Load()
		if next == nil {
			if next = m.step(s, class); r.room == 0 {
				return into, false
			}
			r.room--
		}
		if s = next; s.flags&ended != 0 {
			if len(into) == mostPlaces(len(r.text)) {
				return into, false
			}
			into = append(into, int32(at))
		}
		if at == 0 || s.flags&dead != 0 {
			r.alone.been.keep()
			return into, true
		}
		at -= width
		r.read += width
		if been := &r.alone.been; at/visitEvery != (at+width)/visitEvery {
			if been.before(at, s) {
				been.keep()
				return into, true // those before it are known
			}
			been.add(at, s)
		}
	}
}
