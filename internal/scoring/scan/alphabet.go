package scan

import (
	"regexp/syntax"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// alphabet parts all characters into classes that an expression cannot tell apart.
// It never changes.
type alphabet struct {
	near  [nearRunes]uint8 // the class of each of the first characters
	from  []rune           // where far classes begin, ascending
	class []uint8          // of those from from[i] to before from[i+1]

	sample  []rune // one character of each class
	word    []bool // whether the class is of word characters
	newline []bool // whether the class is the line feed
}

// nearRunes are those that UTF-8 writes in one or two bytes.
const nearRunes = 0x800

// mostClasses leaves one for the end of the text.
const mostClasses = 255

// mostSets is how many different classes of characters an expression may name.
const mostSets = 256

// newAlphabet is that of a program; ok is false where it would be too large.
func newAlphabet(prog *syntax.Prog) (a *alphabet, ok bool) {
	sets := [][]rune{wordRanges, {'\n', '\n'}}
	for i := range prog.Inst {
		set := runesOf(&prog.Inst[i])
		if set == nil || slices.ContainsFunc(sets, func(s []rune) bool { return slices.Equal(s, set) }) {
			continue
		}
		if len(sets) == mostSets {
			return nil, false
		}
		sets = append(sets, set)
	}
	bounds := []rune{0, nearRunes}
	for _, set := range sets {
		for i := 0; i+1 < len(set); i += 2 {
			bounds = append(bounds, set[i], set[i+1]+1)
		}
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)

	type signature [mostSets / 64]uint64
	var (
		classes = map[signature]uint8{}
		at      = make([]int, len(sets)) // the range of each set that ends at or behind the bound
	)
	a = &alphabet{}
	for n, from := range bounds {
		if from > utf8.MaxRune {
			break
		}
		var in signature
		for k, set := range sets {
			for at[k] < len(set) && set[at[k]+1] < from {
				at[k] += 2
			}
			if at[k] < len(set) && set[at[k]] <= from {
				in[k/64] |= 1 << (k % 64)
			}
		}
		class, known := classes[in]
		if !known {
			if len(classes) == mostClasses {
				return nil, false
			}
			class = uint8(len(classes))
			classes[in] = class
			a.sample, a.word, a.newline = append(a.sample, from), append(a.word, in[0]&1 != 0), append(a.newline, in[0]&2 != 0)
		}
		for r := from; r < nearRunes && (n+1 == len(bounds) || r < bounds[n+1]); r++ {
			a.near[r] = class
		}
		if from >= nearRunes && (len(a.class) == 0 || a.class[len(a.class)-1] != class) {
			a.from, a.class = append(a.from, from), append(a.class, class)
		}
	}
	return a, true
}

// of is the class of a character.
func (a *alphabet) of(r rune) uint8 {
	if r < nearRunes {
		return a.near[r]
	}
	return a.class[sort.Search(len(a.from), func(i int) bool { return a.from[i] > r })-1]
}

// runesOf are the ranges of characters that an instruction takes; nil if it takes none.
func runesOf(inst *syntax.Inst) []rune {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
	default:
		return nil
	}
	if len(inst.Rune) != 1 {
		return inst.Rune
	}
	first := inst.Rune[0]
	alike := []rune{first}
	if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
		for r := unicode.SimpleFold(first); r != first; r = unicode.SimpleFold(r) {
			alike = append(alike, r)
		}
		slices.Sort(alike)
	}
	set := make([]rune, 0, 2*len(alike))
	for _, r := range alike {
		set = append(set, r, r)
	}
	return set
}

// wordRanges are those of Word.
var wordRanges = rangesOf(Word)

func rangesOf(class string) []rune {
	parsed, err := syntax.Parse(class, syntax.Perl)
	if err != nil {
		panic(err)
	}
	return parsed.Rune
}
