package scan

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What an expression needs is found out from its tree, so that most texts cost
// a look for a few words instead of a run of RE2. All literals are folded, and of what
// is not ASCII only characters without a case count, because others are not folded
// alike in the text and here.

// literal is a text that is looked for.
type literal struct {
	text  string
	apart sides // where no word character may stand beside it
	ahead int   // how many bytes of a match may stand before it at most; far for any number
}

// far is more bytes than anybody looks over.
const far = 2 << 10

// sides are those of a stretch of text.
type sides struct{ before, behind bool }

// weight is how much a literal says.
func (l literal) weight() int {
	n := 2 * len(l.text)
	first, _ := utf8.DecodeRuneInString(l.text)
	last, _ := utf8.DecodeLastRuneInString(l.text)
	if IsWord(first) && l.apart.before {
		n++
	}
	if IsWord(last) && l.apart.behind {
		n++
	}
	if len(l.text) == 1 { // nobody looks where it stands
		n = leastWeight
		if !IsWord(first) {
			n++
		}
	}
	return n
}

// leastWeight is that of one letter or digit, which stands in most texts.
const leastWeight = 1

// cut is the beginning of a literal that is longer than n bytes.
func (l literal) cut(n int) literal {
	if len(l.text) <= n {
		return l
	}
	return literal{l.text[:n], sides{before: l.apart.before}, l.ahead}
}

// hasOtherCase reports whether a character that was folded is no ASCII and may stand for
// others under (?i). The replacement character also stands for broken bytes.
func hasOtherCase(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.SimpleFold(r) != r || r == utf8.RuneError)
}

// mostLiterals bounds a list: looking for more costs as much as matching.
const mostLiterals = 24

// fewLiterals bounds a list that is one of several which say the same: a digit, but
// not a hexadecimal one, after "key-" may be written out.
const fewLiterals = 10

// needs lists conditions of which every match fulfils each: it holds at least one
// of the literals. apart says beside which of its ends no word character stands, ahead
// how many bytes of the match stand before it at most.
func needs(re *syntax.Regexp, apart sides, ahead int) [][]literal {
	switch re.Op {
	case syntax.OpCapture:
		return needs(re.Sub[0], apart, ahead)
	case syntax.OpPlus:
		return needs(re.Sub[0], sides{before: apart.before}, ahead) // the first time
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needs(re.Sub[0], sides{before: apart.before}, ahead)
		}
	case syntax.OpLiteral:
		var all [][]literal
		text := Fold(string(re.Rune))
		for from := 0; from < len(text); {
			n := strings.IndexFunc(text[from:], hasOtherCase)
			if n < 0 {
				n = len(text) - from
			}
			if n > 0 {
				all = append(all, []literal{{text[from : from+n], sides{from == 0 && apart.before, from+n == len(text) && apart.behind}, min(ahead+mostBytesOf(re), far)}})
			}
			from += n
			_, width := utf8.DecodeRuneInString(text[from:])
			from += width
		}
		return all
	case syntax.OpConcat:
		var all [][]literal
		for i, sub := range re.Sub {
			here := sides{isApart(re.Sub[:i], false, apart.before), isApart(re.Sub[i+1:], true, apart.behind)}
			all = append(all, needs(sub, here, ahead)...)
			// The parser takes (?:cvv|cvc|card) apart into c(?:v[cv]|ard), of which no
			// piece says much. What the rest may begin with says it again.
			rest := &syntax.Regexp{Op: syntax.OpConcat, Sub: re.Sub[i:]}
			if list := beginnings(rest, sides{here.before, apart.behind}, ahead); list != nil && len(list) <= fewLiterals && shortest(list) > 0 {
				all = append(all, list)
			}
			ahead = min(ahead+mostBytesOf(sub), far)
		}
		return all
	case syntax.OpAlternate:
		var one []literal
		for _, sub := range re.Sub {
			best := longest(needs(sub, apart, ahead))
			if best == nil || len(one)+len(best) > mostLiterals {
				return nil
			}
			one = append(one, best...)
		}
		return [][]literal{one}
	}
	return nil
}

// nearby are the conditions whose literals stand near the beginning of a match, but not at
// it.
func nearby(needs [][]literal, prefixes []literal) (near [][]literal) {
	if prefixes == nil {
		return nil // nobody asks
	}
	for _, c := range needs {
		isFar := func(l literal) bool { return l.ahead >= far || len(l.text) == 1 }
		isBehind := func(l literal) bool { return l.ahead > 0 }
		isPrefix := slices.EqualFunc(c, prefixes, func(a, b literal) bool { return a.text == b.text })
		if !isPrefix && !slices.ContainsFunc(c, isFar) && slices.ContainsFunc(c, isBehind) {
			near = append(near, c)
		}
	}
	return near
}

// mostBytesOf is how many bytes an expression may match at most, or far.
func mostBytesOf(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return min(utf8.UTFMax*len(re.Rune), far)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax
	case syntax.OpCapture, syntax.OpQuest:
		return mostBytesOf(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus:
		return far
	case syntax.OpRepeat:
		if re.Max < 0 {
			return far
		}
		return min(re.Max*mostBytesOf(re.Sub[0]), far)
	case syntax.OpConcat, syntax.OpAlternate:
		sum, most := 0, 0
		for _, sub := range re.Sub {
			n := mostBytesOf(sub)
			sum, most = min(sum+n, far), max(most, n)
		}
		if re.Op == syntax.OpConcat {
			return sum
		}
		return most
	}
	return 0
}

// longest is the condition whose weakest literal says most: the one that the fewest
// texts fulfil.
func longest(conditions [][]literal) []literal {
	var best []literal
	for _, c := range conditions {
		if best == nil || weakest(c) > weakest(best) {
			best = c
		}
	}
	return best
}

// strongest keeps the few conditions that say most: asking them all costs more than
// the last ones save.
func strongest(conditions [][]literal) [][]literal {
	const few = 3
	slices.SortStableFunc(conditions, func(a, b []literal) int {
		return cmp.Or(cmp.Compare(weakest(b), weakest(a)), cmp.Compare(len(a), len(b)))
	})
	var kept [][]literal
	for _, c := range conditions {
		if len(kept) == few || len(kept) > 0 && weakest(c) == leastWeight {
			break
		}
		if !slices.ContainsFunc(kept, func(k []literal) bool { return slices.Equal(k, c) }) {
			kept = append(kept, c)
		}
	}
	return kept
}

func shortest(list []literal) int {
	n := len(list[0].text)
	for _, l := range list[1:] {
		n = min(n, len(l.text))
	}
	return n
}

func weakest(list []literal) int {
	n := list[0].weight()
	for _, l := range list[1:] {
		n = min(n, l.weight())
	}
	return n
}
