package scan

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// What a match may begin with is found out from the tree of an expression, too.

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
