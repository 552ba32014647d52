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

// isApart reports whether no word character can stand where a row of expressions touches
// what is beside it: at its beginning, which is behind that, or at its end. Where the row
// may match nothing, it is beyond that says.
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

// prefixes lists literals with one of which every match begins; nil when no
// such list is known or it says too little.
func prefixes(re *syntax.Regexp, apart sides) []literal {
	list := beginnings(re, apart, 0)
	if list == nil || shortest(list) < 2 {
		return nil
	}
	return list
}

// beginning is a literal that an expression may begin with; whole says that it is all
// that is matched then, so that what follows may be added to it.
type beginning struct {
	literal
	whole bool
}

// beginnings lists what re may begin with; nil where that is not known.
func beginnings(re *syntax.Regexp, apart sides, ahead int) []literal {
	list := leading(re)
	if list == nil {
		return nil
	}
	all := make([]literal, len(list))
	for i, b := range list {
		all[i] = literal{b.text, sides{apart.before, b.apart.behind || b.whole && apart.behind}, ahead}
	}
	return unique(all)
}

// leading lists what re may begin with, without what is known of its surroundings.
func leading(re *syntax.Regexp) []beginning {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []beginning{{whole: true}}
	case syntax.OpCapture:
		return leading(re.Sub[0])
	case syntax.OpPlus:
		return unfinished(leading(re.Sub[0]))
	case syntax.OpRepeat:
		if re.Min > 0 {
			return unfinished(leading(re.Sub[0]))
		}
	case syntax.OpQuest:
		list := leading(re.Sub[0])
		if list == nil {
			return nil
		}
		return append(list, beginning{whole: true})
	case syntax.OpLiteral:
		text := Fold(string(re.Rune))
		ascii := text
		if i := strings.IndexFunc(text, hasOtherCase); i >= 0 {
			ascii = text[:i]
		}
		if ascii == "" {
			return nil
		}
		return []beginning{{literal{text: ascii}, ascii == text}}
	case syntax.OpCharClass:
		return leadingClass(re.Rune)
	case syntax.OpConcat:
		return leadingConcat(re.Sub)
	case syntax.OpAlternate:
		var list []beginning
		for _, sub := range re.Sub {
			one := leading(sub)
			if one == nil {
				return nil
			}
			list = append(list, one...)
		}
		if len(list) > mostLiterals {
			return shortened(list)
		}
		return list
	}
	return nil
}

func leadingConcat(row []*syntax.Regexp) []beginning {
	const enough = 8 // characters: longer ones find nothing more
	list := []beginning{{whole: true}}
	for i, sub := range row {
		whole := 0
		short := false // one that is whole
		for _, b := range list {
			if b.whole {
				whole++
				short = short || len(b.text) < enough
			}
		}
		if whole == 0 {
			break
		}
		next := leading(sub)
		if next == nil || len(list)-whole+whole*len(next) > mostLiterals || !short {
			apart := isApart(row[i:], true, false)
			for k := range list {
				if list[k].whole {
					list[k].whole, list[k].apart.behind = false, apart
				}
			}
			break
		}
		product := make([]beginning, 0, mostLiterals)
		for _, a := range list {
			if !a.whole {
				product = append(product, a)
				continue
			}
			for _, b := range next {
				product = append(product, beginning{literal{text: a.text + b.text, apart: b.apart}, b.whole})
			}
		}
		list = product
	}
	return list
}

// unfinished are the same ones, behind which more may be matched.
func unfinished(list []beginning) []beginning {
	for i := range list {
		list[i].whole = false
	}
	return list
}

// shortened cuts literals of a list that is too long until few enough differ; nil
// where they would say too little.
func shortened(list []beginning) []beginning {
	for longest := 6; longest >= 3; longest-- {
		var cut []beginning
		for _, b := range list {
			one := beginning{b.cut(longest), b.whole && len(b.text) <= longest}
			if !slices.Contains(cut, one) {
				cut = append(cut, one)
			}
		}
		if len(cut) <= mostLiterals {
			return cut
		}
	}
	return nil
}

// leadingClass writes out a class of a few characters.
func leadingClass(ranges []rune) []beginning {
	const few = 12
	var list []beginning
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] >= few || len(list) > few {
			return nil
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			f := FoldRune(r)
			if hasOtherCase(f) {
				return nil
			}
			if one := (beginning{literal{text: string(f)}, true}); !slices.Contains(list, one) {
				list = append(list, one)
			}
		}
	}
	return list
}

// unique leaves out what stands in a list before.
func unique(list []literal) []literal {
	var kept []literal
	for i, l := range list {
		if !slices.ContainsFunc(list[:i], func(k literal) bool { return k == l }) {
			kept = append(kept, l)
		}
	}
	return kept
}
