package scan

import "regexp/syntax"

// Beside some literals of an expression no word character can stand: before it is the \b
// at its beginning, behind it comes \s+. That is found out here.

// isApart reports whether no word character can stand where a row of expressions touches
// what is beside it: at its beginning, which is behind that, or at its end. Where the row
// may match nothing, what is beyond it decides.
func isApart(row []*syntax.Regexp, atBegin, beyond bool) bool {
	for n := range row {
		re := row[n]
		if !atBegin {
			re = row[len(row)-1-n]
		}
		apart, empty := touches(re, atBegin)
		if !apart || !empty {
			return apart
		}
	}
	return beyond
}

// touches reports whether no word character stands at the beginning, or at the end, of
// what an expression matches, and whether that may be nothing.
func touches(re *syntax.Regexp, atBegin bool) (apart, empty bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return true, true
	case syntax.OpBeginLine, syntax.OpBeginText:
		return true, atBegin // behind it the text begins
	case syntax.OpEndLine, syntax.OpEndText:
		return true, !atBegin
	case syntax.OpLiteral:
		r := re.Rune[0]
		if !atBegin {
			r = re.Rune[len(re.Rune)-1]
		}
		return !IsWord(r), false
	case syntax.OpCharClass:
		return !holdsWord(re.Rune), false
	case syntax.OpCapture:
		return touches(re.Sub[0], atBegin)
	case syntax.OpStar, syntax.OpQuest:
		apart, _ = touches(re.Sub[0], atBegin)
		return apart, true
	case syntax.OpPlus:
		return touches(re.Sub[0], atBegin)
	case syntax.OpRepeat:
		apart, empty = touches(re.Sub[0], atBegin)
		return apart, empty || re.Min == 0
	case syntax.OpConcat:
		for n := range re.Sub {
			sub := re.Sub[n]
			if !atBegin {
				sub = re.Sub[len(re.Sub)-1-n]
			}
			if apart, empty = touches(sub, atBegin); !apart || !empty {
				return apart, false
			}
		}
		return true, true
	case syntax.OpAlternate:
		apart = true
		for _, sub := range re.Sub {
			one, nothing := touches(sub, atBegin)
			apart, empty = apart && one, empty || nothing
		}
		return apart, empty
	}
	return false, false
}

// holdsWord reports whether a class may hold a word character.
func holdsWord(ranges []rune) bool {
	const few = 256
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] >= few {
			return true // not worth a closer look
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if IsWord(r) {
				return true
			}
		}
	}
	return false
}
