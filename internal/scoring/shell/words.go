package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxExpanded is how many bytes the values of variables may add to a text, and maxBraces
// how many words one word with braces may become: beyond that they are not known.
const (
	maxExpanded = 64 << 10
	maxBraces   = 64
)

// words are the words that a list of words becomes.
func (r *reader) words(sc *scope, src source, all []*syntax.Word) []Word {
	out := make([]Word, 0, len(all))
	for _, w := range all {
		if word, ok := written(src, w); ok {
			out = append(out, word)
			continue
		}
		several, ok := braces(w)
		for _, w := range several {
			out = append(out, r.fields(sc, src, w)...)
		}
		if !ok && len(out) > 0 {
			out[len(out)-1].Literal, out[len(out)-1].Glob = false, true
		}
	}
	return out
}

// written is a word that is what is written, as most are: nothing in it is put in, escaped
// or one of several.
func written(src source, w *syntax.Word) (Word, bool) {
	if len(w.Parts) != 1 {
		return Word{}, false
	}
	var text string
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		if text = p.Value; strings.ContainsAny(text, `\{*?[`) {
			return Word{}, false
		}
	case *syntax.SglQuoted:
		if text = p.Value; p.Dollar {
			return Word{}, false
		}
	default:
		return Word{}, false
	}
	word := Word{Text: text, Literal: true}
	word.Start, word.End = src.place(w)
	if src.exact {
		word.at = exactText(src, w.Parts[0], text)
	}
	return word, true
}

// value is one word as the value of a variable has it: not split.
func (r *reader) value(sc *scope, src source, w *syntax.Word) Word {
	if w == nil {
		return Word{Literal: true}
	}
	f := r.field(src, w)
	f.unsplit = true
	f.parts(sc, w.Parts, false)
	f.end()
	if len(f.out) == 0 {
		return f.blank
	}
	return f.out[0]
}

// fields are the words that one word becomes.
func (r *reader) fields(sc *scope, src source, w *syntax.Word) []Word {
	f := r.field(src, w)
	f.parts(sc, w.Parts, false)
	f.end()
	if len(f.out) == 1 && src.exact && f.out[0].Literal && len(w.Parts) == 1 {
		f.out[0].at = exactText(src, w.Parts[0], f.out[0].Text)
	}
	return f.out
}

// exactText is one more than where the text of a part stands as it is; 0 for nowhere.
func exactText(src source, part syntax.WordPart, text string) int {
	start := int(part.Pos().Offset())
	switch p := part.(type) {
	case *syntax.SglQuoted:
		start++
		if p.Dollar {
			start++
		}
	case *syntax.DblQuoted:
		start++
	}
	if end := start + len(text); end <= len(src.text) && src.text[start:end] == text {
		return src.base + start + 1
	}
	return 0
}

// fielder puts a word together out of its parts.
type fielder struct {
	r       *reader
	src     source
	out     []Word
	blank   Word // the next word, still empty
	word    Word
	text    strings.Builder
	open    bool // there is a next word, empty or not
	unsplit bool
}

func (r *reader) field(src source, w *syntax.Word) *fielder {
	f := &fielder{r: r, src: src}
	f.blank.Start, f.blank.End = src.place(w)
	f.blank.Literal = true
	f.word = f.blank
	return f
}

// end ends a word.
func (f *fielder) end() {
	if f.open {
		f.word.Text = f.text.String()
		f.out = append(f.out, f.word)
	}
	f.text.Reset()
	f.word, f.open = f.blank, false
}

// add adds a text that is not split.
func (f *fielder) add(text string) {
	f.text.WriteString(text)
	f.open = true
}

// unknown adds what is known only when it runs.
func (f *fielder) unknown(node syntax.Node, assembled bool) {
	f.add(f.src.of(node))
	f.word.Literal = false
	f.word.assembled = f.word.assembled || assembled
}

// split adds the value of a variable, which becomes several words where it is not quoted.
func (f *fielder) split(w Word, quoted bool) {
	f.r.expanded += len(w.Text)
	if quoted || f.unsplit || !w.Literal { // how what is not known is split nobody knows
		f.add(w.Text)
	} else {
		for i, part := range strings.FieldsFunc(w.Text, blank) {
			if i > 0 || strings.IndexFunc(w.Text, blank) == 0 {
				f.end()
			}
			f.add(part)
			f.mark(w)
			f.word.Glob = f.word.Glob || hasGlob(part)
		}
		if strings.TrimRight(w.Text, " \t\n") != w.Text {
			f.end()
		}
		return
	}
	f.mark(w)
}

func (f *fielder) mark(w Word) {
	f.word.Literal = f.word.Literal && w.Literal
	f.word.Glob = f.word.Glob || w.Glob
	f.word.assembled = f.word.assembled || w.assembled
}

func blank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

func (f *fielder) parts(sc *scope, parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			f.literal(p.Value, quoted)
		case *syntax.SglQuoted:
			if p.Dollar {
				f.add(ansi(p.Value))
			} else {
				f.add(p.Value)
			}
		case *syntax.DblQuoted:
			f.open = f.open || !isList(p.Parts)
			f.parts(sc, p.Parts, true)
		case *syntax.ParamExp:
			f.parameter(sc, p, quoted)
		case *syntax.CmdSubst:
			f.substitution(sc, p, quoted)
		case *syntax.ProcSubst:
			from := f.r.stmts(sc.inner(), f.src, p.Stmts)
			if p.Op == syntax.CmdIn {
				f.r.substituted = from
			}
			f.unknown(p, true)
		case *syntax.ExtGlob:
			f.unknown(p, false)
			f.word.Glob = true
		default: // arithmetic
			f.r.inside(sc, f.src, part)
			f.unknown(part, false)
		}
	}
}

// isList reports whether a quoted text is a list of words by itself, which may be none.
func isList(parts []syntax.WordPart) bool {
	if len(parts) != 1 {
		return false
	}
	p, ok := parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && (p.Param.Value == "@" || p.Index != nil)
}

// literal adds a text with its backslashes taken away.
func (f *fielder) literal(text string, quoted bool) {
	f.open = true
	if !quoted && strings.ContainsAny(text, "*?[") {
		f.word.Glob = f.word.Glob || hasGlob(text)
	}
	if strings.IndexByte(text, '\\') < 0 {
		f.text.WriteString(text)
		return
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			f.text.WriteByte(text[i])
			continue
		}
		i++
		switch {
		case text[i] == '\n':
		case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
			i++
		case quoted && strings.IndexByte("$`\"\\", text[i]) < 0:
			f.text.WriteByte('\\')
			f.text.WriteByte(text[i])
		default:
			f.text.WriteByte(text[i])
		}
	}
}

// hasGlob reports whether a *, ? or […] stands in it without a backslash before.
func hasGlob(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '*', '?':
			return true
		case '[':
			if strings.IndexByte(text[i:], ']') > 0 {
				return true
			}
		}
	}
	return false
}

// parameter adds $x, and what of ${x…} can be known.
func (f *fielder) parameter(sc *scope, p *syntax.ParamExp, quoted bool) {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		f.r.inside(sc, f.src, p)
		f.unknown(p, true)
		return
	}
	what := p.Param.Value
	if !p.Short {
		f.r.inside(sc, f.src, p)
	}
	if p.Exp != nil {
		if p.Exp.Op == syntax.OtherParamOps && p.Exp.Word != nil && p.Exp.Word.Lit() == "P" {
			start, end := f.src.place(p)
			f.r.unreadable(PromptRuns, start, end)
		}
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			sc.forget(what)
		}
		b, bound := sc.find(name{variable, what})
		f.unknown(p, bound || !isDefault(p.Exp.Op))
		if b.known && !b.array && len(b.words) == 1 && !f.splits(sc) {
			f.word.Of = &b.words[0]
		}
		return
	}
	if values, ok := positional(sc, what); ok {
		f.list(values, quoted && what != "*")
		return
	}
	b, bound := sc.find(name{variable, what})
	switch {
	case what == "IFS" && !bound:
		f.split(Word{Text: " ", Literal: true}, quoted)
	case what == "HOME" && !bound:
		f.add("~")
	case !bound:
		f.unknown(p, strings.Contains("@*", what) || what[0] >= '0' && what[0] <= '9')
	case !b.known || f.r.expanded > maxExpanded || (!quoted || b.array) && f.splits(sc):
		f.unknown(p, true)
		f.word.Of = b.loop
	case b.array:
		i, one := index(p.Index)
		switch {
		case p.Index == nil:
			i, one = 0, true
		case !one && f.src.of(p.Index) != "@" && f.src.of(p.Index) != "*":
			f.unknown(p, true)
			return
		}
		if !one {
			f.list(b.words, quoted)
		} else if i < len(b.words) {
			f.split(b.words[i], quoted)
		}
	case p.Index != nil || len(b.words) != 1:
		f.unknown(p, true)
	default:
		f.split(b.words[0], quoted)
	}
}

func isDefault(op syntax.ParExpOperator) bool {
	return op == syntax.DefaultUnset || op == syntax.DefaultUnsetOrNull || op == syntax.ErrorUnset || op == syntax.ErrorUnsetOrNull
}

// splits reports whether the text sets what words are split at, so that nobody knows
// what becomes of a value.
func (f *fielder) splits(sc *scope) bool {
	_, set := sc.find(name{variable, "IFS"})
	return set
}

// list adds several values, each a word of its own where quoted.
func (f *fielder) list(values []Word, quoted bool) {
	for i, v := range values {
		if i > 0 {
			f.end()
		}
		f.split(v, quoted)
	}
}

// positional are the values of $1, $@ and the like, where they are known.
func positional(sc *scope, what string) ([]Word, bool) {
	if sc.arguments == nil {
		return nil, false
	}
	if what == "@" || what == "*" {
		return sc.arguments, true
	}
	if len(what) == 1 && what[0] >= '1' && what[0] <= '9' {
		if i := int(what[0] - '1'); i < len(sc.arguments) {
			return sc.arguments[i : i+1], true
		}
		return nil, true
	}
	return nil, false
}

// index is the number in ${x[3]}.
func index(of syntax.ArithmExpr) (int, bool) {
	w, ok := of.(*syntax.Word)
	if !ok || w.Lit() == "" || len(w.Lit()) > 3 || strings.Trim(w.Lit(), "0123456789") != "" {
		return 0, false
	}
	n := 0
	for _, c := range w.Lit() {
		n = 10*n + int(c-'0')
	}
	return n, true
}

// substitution adds what a command prints, where that is known: $(cat <<EOF), $(echo x).
func (f *fielder) substitution(sc *scope, p *syntax.CmdSubst, quoted bool) {
	before := len(f.r.script.Commands)
	in := sc.inner()
	in.redirects, in.input, in.from = nil, nil, -1
	f.r.stmts(in, f.src, p.Stmts)
	if len(f.r.script.Commands) == before+1 && f.r.expanded < maxExpanded {
		if text, ok := f.r.printed(before); ok {
			f.split(Word{Text: strings.TrimRight(text, "\n"), Literal: true}, quoted)
			return
		}
	}
	f.unknown(p, true)
}

// braces are the words that {a,b} makes of one. Where they would be too many, or run
// something, it stays as it is written, and ok is false: then it is a pattern.
func braces(w *syntax.Word) (all []*syntax.Word, ok bool) {
	whole := []*syntax.Word{w}
	found, runs := false, false
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			found = found || strings.Contains(p.Value, "{")
		case *syntax.SglQuoted:
		default:
			syntax.Walk(p, func(n syntax.Node) bool {
				switch n.(type) {
				case *syntax.CmdSubst, *syntax.ProcSubst:
					runs = true
				}
				return !runs
			})
		}
	}
	split := &syntax.Word{Parts: w.Parts}
	if !found || !syntax.SplitBraces(split) {
		return whole, true
	}
	if runs {
		return whole, false
	}
	if all, ok = product(split); ok {
		return all, true
	}
	return whole, false
}

// product multiplies the braces of a word out.
func product(w *syntax.Word) ([]*syntax.Word, bool) {
	all := []*syntax.Word{{}}
	for _, part := range w.Parts {
		next := []*syntax.Word{{Parts: []syntax.WordPart{part}}}
		if b, ok := part.(*syntax.BraceExp); ok {
			if b.Sequence {
				return nil, false
			}
			next = nil
			for _, e := range b.Elems {
				inner, ok := product(e)
				if !ok || len(next)+len(inner) > maxBraces {
					return nil, false
				}
				next = append(next, inner...)
			}
		}
		if len(all)*len(next) > maxBraces {
			return nil, false
		}
		var longer []*syntax.Word
		for _, a := range all {
			for _, n := range next {
				longer = append(longer, &syntax.Word{Parts: append(append([]syntax.WordPart{}, a.Parts...), n.Parts...)})
			}
		}
		all = longer
	}
	return all, true
}
