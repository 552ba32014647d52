package scan

import (
	"regexp/syntax"
	"unicode/utf8"
)

// scout is what a searcher needs for candidates: to find them, and to know at most of them
// that no match begins there. It is made for the first long text.
type scout struct {
	before  []*automaton // of each inner of the expression, backwards from there to the candidates
	first   [256]bool    // the bytes that a match may begin with
	relaxed *automaton   // finds matches, and more; nil where nothing is counted
}

func newScout(s *searcher, core string) *scout {
	all := &scout{first: firstBytes(s.forward.prog)}
	if prog := relaxed(core); prog != nil {
		all.relaxed = newAutomaton(prog, s.forward.alphabet)
		all.relaxed.guard = s.forward.guard
	}
	for _, in := range innerOf(core, sides{s.before, s.forward.guard}) {
		prog := in.program()
		if prog == nil {
			all.before = nil
			break
		}
		m := newAutomaton(prog, s.forward.alphabet)
		m.backward, m.guard = true, s.before
		all.before = append(all.before, m)
	}
	return all
}

// A repetition that is counted has a state for each number of times, and for each of
// everything else that may happen meanwhile. Without the count there are few, and what does
// not match then does not match with it either.

// relaxed is the program of an expression whose repetitions have no end; nil where none is
// counted far.
func relaxed(core string) *syntax.Prog {
	tree, err := syntax.Parse(core, syntax.Perl)
	if err != nil || !relax(tree) {
		return nil
	}
	return program(tree)
}

// relax takes the ends off, and reports whether there were some.
func relax(re *syntax.Regexp) (any bool) {
	const few = 8
	for _, sub := range re.Sub {
		any = relax(sub) || any
	}
	if re.Op == syntax.OpRepeat && re.Max-re.Min > few {
		re.Max, any = -1, true
	}
	return any
}

// firstBytes are those that what a program matches may begin with.
func firstBytes(prog *syntax.Prog) (first [256]bool) {
	seen := make([]bool, len(prog.Inst))
	for rest := []uint32{uint32(prog.Start)}; len(rest) > 0; {
		pc := rest[len(rest)-1]
		if rest = rest[:len(rest)-1]; seen[pc] {
			continue
		}
		seen[pc] = true
		switch inst := &prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			rest = append(rest, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			rest = append(rest, inst.Out)
		default:
			addFirst(&first, runesOf(inst))
		}
	}
	return first
}

// addFirst adds the bytes with which the characters of ranges begin.
func addFirst(first *[256]bool, ranges []rune) {
	for i := 0; i+1 < len(ranges); i += 2 {
		from, to := ranges[i], ranges[i+1]
		for ; from <= min(to, utf8.RuneSelf-1); from++ {
			first[from] = true
		}
		if from > to {
			continue
		}
		for b := int(leadByte(from)); b <= int(leadByte(to)); b++ {
			first[b] = true
		}
		if from <= utf8.RuneError && utf8.RuneError <= to { // a broken byte is read as that
			for b := utf8.RuneSelf; b < len(first); b++ {
				first[b] = true
			}
		}
	}
}
