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
// of the literals.
func needs(re *syntax.Regexp) [][]string {
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return needs(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needs(re.Sub[0])
		}
	case syntax.OpLiteral:
		var all [][]string
		for _, part := range strings.FieldsFunc(Fold(string(re.Rune)), hasOtherCase) {
			all = append(all, []string{part})
		}
		return all
	case syntax.OpConcat:
		var all [][]string
		for i, sub := range re.Sub {
			all = append(all, needs(sub)...)
			// The parser takes (?:cvv|cvc|card) apart into c(?:v[cv]|ard), of which no
			// piece says much. What the rest may begin with says it again.
			if list, _ := leading(&syntax.Regexp{Op: syntax.OpConcat, Sub: re.Sub[i:]}); list != nil && len(list) <= fewLiterals && shortest(list) > 0 {
				all = append(all, unique(list))
			}
		}
		return all
	case syntax.OpAlternate:
		var one []string
		for _, sub := range re.Sub {
			best := longest(needs(sub))
			if best == nil || len(one)+len(best) > mostLiterals {
				return nil
			}
			one = append(one, best...)
		}
		return [][]string{one}
	}
	return nil
}

// longest is the condition whose shortest literal is longest: the one that the
// fewest texts fulfil.
func longest(conditions [][]string) []string {
	var best []string
	for _, c := range conditions {
		if best == nil || shortest(c) > shortest(best) {
			best = c
		}
	}
	return best
}

// strongest keeps the few conditions that say most: asking them all costs more than
// the last ones save.
func strongest(conditions [][]string) [][]string {
	const few = 3
	slices.SortStableFunc(conditions, func(a, b []string) int {
		return cmp.Or(cmp.Compare(shortest(b), shortest(a)), cmp.Compare(len(a), len(b)))
	})
	var kept [][]string
	for _, c := range conditions {
		if len(kept) == few {
			break
		}
		if !slices.ContainsFunc(kept, func(k []string) bool { return slices.Equal(k, c) }) {
			kept = append(kept, c)
		}
	}
	return kept
}

func shortest(list []string) int {
	n := len(list[0])
	for _, s := range list[1:] {
		n = min(n, len(s))
	}
	return n
}

// prefixes lists literals with one of which every match begins; nil when no
// such list is known or it says too little.
func prefixes(re *syntax.Regexp) []string {
	list, _ := leading(re)
	if list == nil || shortest(list) < 2 {
		return nil
	}
	return list
}

// leading lists what re may begin with; exact says that each is all that re
// matches, so that what follows re may be added to it.
func leading(re *syntax.Regexp) (list []string, exact bool) {
	const enough = 8 // characters: longer ones find nothing more
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpCapture:
		return leading(re.Sub[0])
	case syntax.OpPlus:
		list, _ = leading(re.Sub[0])
		return list, false
	case syntax.OpRepeat:
		if re.Min > 0 {
			list, _ = leading(re.Sub[0])
			return list, false
		}
	case syntax.OpQuest:
		if list, exact = leading(re.Sub[0]); list == nil || !exact {
			return nil, false
		}
		return append(list, ""), true
	case syntax.OpLiteral:
		text := Fold(string(re.Rune))
		ascii := text
		if i := strings.IndexFunc(text, hasOtherCase); i >= 0 {
			ascii = text[:i]
		}
		if ascii == "" {
			return nil, false
		}
		return []string{ascii}, ascii == text
	case syntax.OpCharClass:
		return leadingClass(re.Rune)
	case syntax.OpConcat:
		list, exact = []string{""}, true
		for _, sub := range re.Sub {
			next, nextExact := leading(sub)
			if next == nil || len(list)*len(next) > mostLiterals || shortest(list) >= enough {
				exact = false
				break
			}
			product := make([]string, 0, len(list)*len(next))
			for _, a := range list {
				for _, b := range next {
					product = append(product, a+b)
				}
			}
			if list = product; !nextExact {
				exact = false
				break
			}
		}
		return list, exact
	case syntax.OpAlternate:
		exact = true
		for _, sub := range re.Sub {
			one, oneExact := leading(sub)
			if one == nil {
				return nil, false
			}
			list, exact = append(list, one...), exact && oneExact
		}
		if len(list) > mostLiterals {
			return shortened(list), false
		}
		return list, exact
	}
	return nil, false
}

// shortened cuts literals of a list that is too long until few enough differ; nil
// where they would say too little.
func shortened(list []string) []string {
	for longest := 6; longest >= 3; longest-- {
		cut := make([]string, len(list))
		for i, s := range list {
			cut[i] = s[:min(len(s), longest)]
		}
		if cut = unique(cut); len(cut) <= mostLiterals {
			return cut
		}
	}
	return nil
}

// leadingClass writes out a class of a few characters.
func leadingClass(ranges []rune) ([]string, bool) {
	const few = 12
	var list []string
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] >= few || len(list) > few {
			return nil, false
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			f := FoldRune(r)
			if hasOtherCase(f) {
				return nil, false
			}
			list = append(list, string(f))
		}
	}
	return unique(list), list != nil
}

func unique(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
