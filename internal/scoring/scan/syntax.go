package scan

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
)

// widenClasses replaces \s, \S, \w and \W by their Unicode classes. It works on
// the source, because after parsing \w can no longer be told from [0-9A-Za-z_].
func widenClasses(expr string) (string, error) {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(expr); i++ {
		rest := expr[i:]
		switch {
		case strings.HasPrefix(rest, `\Q`) && !inClass:
			quoted, _, _ := strings.Cut(rest, `\E`)
			b.WriteString(quoted)
			i += len(quoted) - 1
		case len(rest) > 1 && rest[0] == '\\':
			class, err := widenEscape(rest[1], inClass)
			if err != nil {
				return "", fmt.Errorf("the expression %q: %w", expr, err)
			}
			if class != "" && inClass && len(rest) > 3 && rest[2] == '-' && rest[3] != ']' {
				return "", fmt.Errorf(`the expression %q: a "-" after \%c in a class must stand last`, expr, rest[1])
			}
			if class == "" {
				class = rest[:2]
			}
			b.WriteString(class)
			i++
		case !inClass && rest[0] == '[':
			inClass = true
			b.WriteByte('[')
			// A ] that comes first is a character of the class.
			if strings.HasPrefix(expr[i+1:], "^") {
				b.WriteByte('^')
				i++
			}
			if strings.HasPrefix(expr[i+1:], "]") {
				b.WriteString(`\]`)
				i++
			}
		case inClass && strings.HasPrefix(rest, "[:"):
			name, _, found := strings.Cut(rest, ":]")
			if !found {
				b.WriteByte('[')
				continue
			}
			b.WriteString(name + ":]")
			i += len(name) + 1
		case inClass && rest[0] == ']':
			inClass = false
			b.WriteByte(']')
		default:
			b.WriteByte(rest[0])
		}
	}
	return b.String(), nil
}

func widenEscape(c byte, inClass bool) (string, error) {
	if inClass {
		switch c {
		case 's':
			return SpaceSet, nil
		case 'w':
			return WordSet, nil
		case 'S', 'W':
			return "", fmt.Errorf(`\%c is not accepted inside a class; write [^\%c…] or two alternatives`, c, c+'a'-'A')
		}
		return "", nil
	}
	switch c {
	case 's':
		return Space, nil
	case 'S':
		return NotSpace, nil
	case 'w':
		return Word, nil
	case 'W':
		return NotWord, nil
	}
	return "", nil
}

// cutEdges takes \b off the beginning and the end.
func cutEdges(re *syntax.Regexp) (core *syntax.Regexp, before, after bool) {
	if re.Op != syntax.OpConcat {
		return re, false, false
	}
	subs := re.Sub
	if len(subs) > 1 && subs[0].Op == syntax.OpWordBoundary {
		subs, before = subs[1:], true
	}
	if len(subs) > 1 && subs[len(subs)-1].Op == syntax.OpWordBoundary {
		subs, after = subs[:len(subs)-1], true
	}
	return &syntax.Regexp{Op: syntax.OpConcat, Flags: re.Flags, Sub: subs}, before, after
}

func hasOp(re *syntax.Regexp, op syntax.Op) bool {
	return re.Op == op || slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return hasOp(sub, op) })
}

// widenFold adds İ and ı wherever i matches in any case. RE2 already knows that
// ſ folds onto s and K onto k.
func widenFold(re *syntax.Regexp) *syntax.Regexp {
	switch {
	case re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0:
		if !slices.ContainsFunc(re.Rune, isI) {
			return re
		}
		wide := &syntax.Regexp{Op: syntax.OpConcat, Flags: re.Flags}
		for _, r := range re.Rune {
			if isI(r) {
				wide.Sub = append(wide.Sub, &syntax.Regexp{Op: syntax.OpCharClass, Rune: []rune{'I', 'I', 'i', 'i', 'İ', 'ı'}})
				continue
			}
			wide.Sub = append(wide.Sub, &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: []rune{r}})
		}
		return wide
	case re.Op == syntax.OpCharClass && re.Flags&syntax.FoldCase != 0 && inClass(re.Rune, 'i') && !inClass(re.Rune, 'ı'):
		wide := *re
		wide.Rune = addToClass(re.Rune, 'İ', 'ı')
		return &wide
	case len(re.Sub) > 0:
		wide := *re
		wide.Sub = make([]*syntax.Regexp, len(re.Sub))
		for i, sub := range re.Sub {
			wide.Sub[i] = widenFold(sub)
		}
		return &wide
	}
	return re
}

func isI(r rune) bool { return FoldRune(r) == 'i' }

func inClass(ranges []rune, r rune) bool {
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i] <= r && r <= ranges[i+1] {
			return true
		}
	}
	return false
}

// addToClass adds the range lo..hi to sorted ranges that hold neither.
func addToClass(ranges []rune, lo, hi rune) []rune {
	at := 0
	for at < len(ranges) && ranges[at] < lo {
		at += 2
	}
	return slices.Insert(slices.Clone(ranges), at, lo, hi)
}

// literals lists folded texts of which every match holds at least one; nil when
// no such list is known. Only ASCII counts, because only that is folded alike
// in the text and here.
func literals(re *syntax.Regexp) []string {
	const most = 24 // looking for more costs as much as matching
	switch re.Op {
	case syntax.OpLiteral:
		longest := ""
		for _, part := range strings.FieldsFunc(Fold(string(re.Rune)), func(r rune) bool { return r >= 0x80 }) {
			if len(part) > len(longest) {
				longest = part
			}
		}
		if longest == "" {
			return nil
		}
		return []string{longest}
	case syntax.OpCapture, syntax.OpPlus:
		return literals(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literals(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if l := literals(sub); l != nil && (best == nil || shortest(l) > shortest(best)) {
				best = l
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			l := literals(sub)
			if l == nil || len(all)+len(l) > most {
				return nil
			}
			all = append(all, l...)
		}
		return all
	}
	return nil
}

func shortest(list []string) int {
	n := len(list[0])
	for _, s := range list[1:] {
		n = min(n, len(s))
	}
	return n
}
