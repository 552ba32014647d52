package scan

import (
	"math/bits"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// besideASCII are characters for which something else may stand: a broken byte is read as
// the first one, and Compile takes letters of ASCII for the others.
var besideASCII = []rune(string(utf8.RuneError) + foldedAway)

// neededLeads are first bytes of characters beyond ASCII, one of which stands in every
// match; 0 where none is known. They say of an expression in a script of its own, for which
// no literal can be looked for, that it has nothing to find in a text of another one.
func neededLeads(re *syntax.Regexp) traits {
	switch re.Op {
	case syntax.OpLiteral:
		best := traits(0)
		for _, r := range re.Rune {
			best = fewerLeads(best, leadsOfLetter(r, re.Flags&syntax.FoldCase != 0))
		}
		return best
	case syntax.OpCharClass:
		all := traits(0)
		for i := 0; i < len(re.Rune); i += 2 {
			first, last := re.Rune[i], re.Rune[i+1]
			if first < utf8.RuneSelf || slices.ContainsFunc(besideASCII, func(r rune) bool { return first <= r && r <= last }) {
				return 0
			}
			for lead := leadByte(first); lead <= leadByte(last); lead++ {
				all |= leadOf(lead)
			}
		}
		return all
	case syntax.OpCapture, syntax.OpPlus:
		return neededLeads(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return neededLeads(re.Sub[0])
		}
	case syntax.OpConcat:
		best := traits(0)
		for _, sub := range re.Sub {
			best = fewerLeads(best, neededLeads(sub))
		}
		return best
	case syntax.OpAlternate:
		all := traits(0)
		for _, sub := range re.Sub {
			needed := neededLeads(sub)
			if needed == 0 {
				return 0
			}
			all |= needed
		}
		return all
	}
	return 0
}

// leadsOfLetter is neededLeads of one character, in any case.
func leadsOfLetter(r rune, anyCase bool) traits {
	all := traits(0)
	for f := r; ; {
		if f < utf8.RuneSelf || slices.Contains(besideASCII, f) {
			return 0
		}
		all |= leadOf(leadByte(f))
		if f = unicode.SimpleFold(f); !anyCase || f == r {
			return all
		}
	}
}

// fewerLeads is the one that says more.
func fewerLeads(a, b traits) traits {
	if a == 0 || b != 0 && bits.OnesCount64(uint64(b)) < bits.OnesCount64(uint64(a)) {
		return b
	}
	return a
}
