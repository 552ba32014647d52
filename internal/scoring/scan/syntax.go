package scan

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/fault"
)

// expression is what rewrite makes of a documented expression.
type expression struct {
	// core is RE2 syntax with Unicode classes and İ, ı beside i, without the \b at
	// its ends.
	core string
	// plain is core without İ and ı; the literals in it are still in one piece.
	plain         string
	before, after bool // a \b stood there
}

// rewrite translates on the source, because after parsing \w can no longer be
// told from [0-9A-Za-z_], and because the classes would be written out in full.
func rewrite(expr string) (expression, error) {
	if !utf8.ValidString(expr) {
		return expression{}, fault.Textf("the expression %q isn't UTF-8", expr)
	}
	w := rewriter{rest: expr, fold: []bool{false}}
	for w.rest != "" {
		if err := w.step(); err != nil {
			return expression{}, fault.Textf("the expression %q: %s", expr, err)
		}
	}
	if (w.before || w.after) && w.alternatives {
		return expression{}, fault.Textf("the expression %q: %s", expr, errEdge)
	}
	return expression{w.core.String(), w.plain.String(), w.before, w.after}, nil
}

var errEdge = fault.Textf(`\b is accepted at the very beginning and end only, \B nowhere; with alternatives: \b(?:one|two)\b`)

// rewriter is a pass over an expression. What it does not understand it copies,
// and RE2's own parser judges it.
type rewriter struct {
	rest         string
	core, plain  strings.Builder
	fold         []bool // (?i) is on, for each open group; the first is outside of all
	wrote        bool   // something that matches came before
	before       bool
	after        bool
	alternatives bool // outside of all groups
}

func (w *rewriter) step() error {
	if strings.HasPrefix(w.rest, `(?`) && w.flags() {
		return nil
	}
	if strings.HasPrefix(w.rest, `\b`) {
		return w.edge()
	}
	w.wrote = true
	switch c := w.rest[0]; {
	case strings.HasPrefix(w.rest, `\B`):
		return errEdge
	case strings.HasPrefix(w.rest, `\Q`):
		quoted, after, _ := strings.Cut(w.rest[2:], `\E`)
		if quoted == "" {
			// Nothing, and yet it parts one repetition from the next: a*\Q\E* is RE2, a** is not.
			w.copy(`\Q\E`)
		}
		for _, r := range quoted {
			w.literal(regexp.QuoteMeta(string(r)))
		}
		w.rest = after
	case c == '\\':
		escape := escapeAt(w.rest)
		w.rest = w.rest[len(escape):]
		if class, ok := outside[escape]; ok {
			w.copy(class)
		} else {
			w.copy(escape)
		}
	case c == '[':
		return w.class()
	case c == '(':
		w.fold = append(w.fold, w.folds())
		w.take(1)
	case c == ')':
		if len(w.fold) > 1 {
			w.fold = w.fold[:len(w.fold)-1]
		}
		w.take(1)
	case c == '|':
		w.alternatives = w.alternatives || len(w.fold) == 1
		w.take(1)
	default:
		_, width := utf8.DecodeRuneInString(w.rest)
		text := w.rest[:width]
		w.rest = w.rest[width:]
		w.literal(text)
	}
	return nil
}

var outside = map[string]string{`\s`: Space, `\S`: NotSpace, `\w`: Word, `\W`: NotWord}

func (w *rewriter) folds() bool { return w.fold[len(w.fold)-1] }

func (w *rewriter) copy(s string) {
	w.core.WriteString(s)
	w.plain.WriteString(s)
}

func (w *rewriter) take(n int) {
	w.copy(w.rest[:n])
	w.rest = w.rest[n:]
}

// literal writes one quoted character.
func (w *rewriter) literal(text string) {
	w.plain.WriteString(text)
	if w.folds() && (text == "i" || text == "I" || text == "İ" || text == "ı") {
		text = `[iIİı]`
	}
	w.core.WriteString(text)
}

// flags reads (?i), (?-i: and the like; false if something else stands there.
func (w *rewriter) flags() bool {
	n := 2 + len(w.rest[2:]) - len(strings.TrimLeft(w.rest[2:], "imsU-"))
	if n == len(w.rest) || w.rest[n] != ')' && w.rest[n] != ':' {
		return false
	}
	on, fold := true, w.folds()
	for _, c := range w.rest[2:n] {
		switch c {
		case '-':
			on = false
		case 'i':
			fold = on
		}
	}
	if w.rest[n] == ':' {
		w.fold = append(w.fold, fold)
		w.wrote = true
	} else {
		w.fold[len(w.fold)-1] = fold
	}
	w.take(n + 1)
	return true
}

// edge reads \b.
func (w *rewriter) edge() error {
	w.rest = w.rest[2:]
	switch {
	case !w.wrote && w.rest != "" && !w.before:
		w.before = true
	case w.wrote && w.rest == "":
		w.after = true
	default:
		return errEdge
	}
	return nil
}

// escapeAt is the escape sequence at the beginning of s.
func escapeAt(s string) string {
	if len(s) < 2 {
		return s
	}
	_, width := utf8.DecodeRuneInString(s[1:])
	n := 1 + width
	switch {
	case s[1] != 'p' && s[1] != 'P' && s[1] != 'x':
	case len(s) > 2 && s[2] == '{':
		if end := strings.IndexByte(s, '}'); end > 0 {
			n = end + 1
		}
	case s[1] == 'x':
		n = min(4, len(s))
	default:
		n = min(3, len(s))
	}
	return s[:n]
}

// class reads […].
func (w *rewriter) class() error {
	content := strings.Builder{}
	rest, not := strings.CutPrefix(w.rest[1:], "^")
	isWord, closed := false, false
	for first := true; rest != ""; first = false {
		if rest[0] == ']' && !first {
			closed = true
			break
		}
		if named := namedClass(rest); named != "" {
			content.WriteString(named)
			rest = rest[len(named):]
			continue
		}
		one := classCharacter(rest)
		rest = rest[len(one):]
		stands := one
		switch {
		case first && (one == "]" || one == "-"): // as a character, also after something is put before it
			stands = `\` + one
		case one[0] == '\\':
			var err error
			if stands, err = inClass(one, rest); err != nil {
				return err
			}
			isWord = isWord || one == `\w`
		}
		content.WriteString(stands)
		if len(rest) > 1 && rest[0] == '-' && rest[1] != ']' && !isSet(one) { // a range; its end is a character, whichever it is
			end := classCharacter(rest[1:])
			content.WriteString("-" + end)
			rest = rest[1+len(end):]
		}
	}
	if !closed {
		return fault.Textf("a [ isn't closed by a ]")
	}
	w.rest = rest[1:]
	open := "["
	if not {
		open = "[^"
	}
	w.plain.WriteString(open + content.String() + "]")
	if w.folds() && !isWord && holdsI(content.String()) {
		open += "İı"
	}
	w.core.WriteString(open + content.String() + "]")
	return nil
}

// namedClass is the [:name:] at the beginning of s. In [[:] the colon does both, and is a
// character.
func namedClass(s string) string {
	after, ok := strings.CutPrefix(s, "[:")
	name, _, closed := strings.Cut(after, ":]")
	if !ok || !closed {
		return ""
	}
	return s[:len("[:")+len(name)+len(":]")]
}

// classCharacter is the character or escape at the beginning of s.
func classCharacter(s string) string {
	if s[0] == '\\' {
		return escapeAt(s)
	}
	_, width := utf8.DecodeRuneInString(s)
	return s[:width]
}

// isSet reports whether an escape stands for several characters, so that no range begins
// with it.
func isSet(escape string) bool {
	return len(escape) > 1 && escape[0] == '\\' && strings.IndexByte("sSwWdDpP", escape[1]) >= 0
}

// inClass gives what stands for an escape in a class.
func inClass(escape, rest string) (string, error) {
	set := escape
	switch escape {
	case `\s`:
		set = SpaceSet
	case `\w`:
		set = WordSet
	case `\S`, `\W`:
		return "", fault.Textf(`%s isn't accepted inside a class; write [^%s…] or two alternatives`, escape, strings.ToLower(escape))
	default:
		return set, nil
	}
	if len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
		return "", fault.Textf(`a "-" after %s in a class must come last`, escape)
	}
	return set, nil
}

// holdsI reports whether a class of this content, in any case, holds i.
func holdsI(content string) bool {
	re, err := syntax.Parse("(?i)["+content+"]", syntax.Perl)
	if err != nil {
		return false // said once the whole is parsed
	}
	if re.Op == syntax.OpLiteral {
		return FoldRune(re.Rune[0]) == 'i'
	}
	for i := 0; i+1 < len(re.Rune); i += 2 {
		if re.Rune[i] <= 'i' && 'i' <= re.Rune[i+1] {
			return true
		}
	}
	return false
}

func hasOp(re *syntax.Regexp, op syntax.Op) bool {
	return re.Op == op || slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return hasOp(sub, op) })
}
