package effects

import (
	"strings"
)

// argument is where the argument of a call begins: the n-th without a name, or the one
// with one of the names. ok is false where there is none.
func (p *codeProgram) argument(l link, n int, names string) (at int, ok bool) {
	if l.call == 0 {
		return 0, false
	}
	end := min(int(p.closing[l.call]), len(p.tokens))
	count := 0
	for i := l.call + 1; i < end; i++ {
		if first := p.at(i - 1); first.is("(") && i-1 == l.call || first.is(",") {
			switch named := p.at(i).kind == codeName && p.at(i+1).is("=") && !p.js; {
			case named && oneOf(p.at(i).text, names):
				return i + 2, true
			case named:
			case count == n:
				return i, true
			default:
				count++
			}
		}
		if p.closing[i] > 0 {
			i = int(p.closing[i])
		}
	}
	return 0, false
}

// maxPieces bounds of how many literals one is put together.
const maxPieces = 64

// literal is the text that stands at i, of several put together, or of a name that was
// given one; known is false where part of it is known only when it runs.
func (p *codeProgram) literal(i int) (text string, start int, known bool) {
	if t := p.at(i); t.kind == codeName {
		if at, ok := p.texts[t.text]; ok && at >= 0 && endsArgument(p.at(i+1)) {
			return p.literal(at)
		}
		return "", -1, false
	}
	var b strings.Builder
	known, start = true, -1
	for n := 0; ; n++ {
		t := p.at(i)
		if t.kind != codeText || n == maxPieces {
			return b.String(), -1, false
		}
		if start = t.inner; n > 0 {
			start = -1
		}
		known = known && !t.dynamic
		b.WriteString(t.text)
		for i++; p.at(i).is("(") && t.dynamic || p.at(i).kind == codeText && p.js && t.dynamic; { // what is put in
			if p.at(i).kind == codeText {
				b.WriteString(" x " + p.at(i).text)
				i++
				continue
			}
			i = int(p.closingAt(i)) + 1
		}
		switch next := p.at(i); {
		case next.is("+"):
			i++
		case next.kind == codeText && !p.js:
		case endsArgument(next):
			return b.String(), start, known
		default:
			return b.String(), -1, false
		}
	}
}

func endsArgument(t codeToken) bool {
	return t.kind == codeLine || t.kind == codeMark && oneOf(t.text, ") , ] } ;") || t.kind == codeMark && t.text == ""
}

// tell adds effects of a literal, with places in it where those are known.
func (p *codeProgram) tell(all []Effect, i, start int) {
	t := p.at(i)
	for _, e := range all {
		places := make([]Evidence, 0, len(e.Evidence)+1)
		for _, place := range e.Evidence {
			place.Pointer = p.pointer
			if start < 0 || start+place.End > len(p.code) {
				place.Start, place.End = t.from, t.to
			} else {
				place.Start, place.End = place.Start+start, place.End+start
			}
			places = append(places, place)
		}
		if len(places) == 0 {
			places = append(places, Evidence{Pointer: p.pointer, Start: t.from, End: t.to, Why: "runs a command"})
		}
		e.Evidence = places
		p.add(e)
	}
}

// queries reads a call whose first argument is SQL.
func (p *codeProgram) queries(l link, root origin) {
	at, ok := p.argument(l, 0, "sql query statement operation con")
	if !ok {
		if root.class != isValue {
			p.notKnown(l.at, p.at(l.at).text)
		}
		return
	}
	if inner := p.at(at + 1); p.at(at).kind == codeName && inner.is("(") && oneOf(p.at(at).text, "text SQL sql") {
		at += 2 // sqlalchemy.text("…")
	}
	text, start, known := p.literal(at)
	if text != "" {
		p.tell(statementEffects(p.source.Inner(text), p.pointer, 0), at, start)
	}
	if !known {
		p.cannotBeRead(at, "the statement is assembled")
	}
}

// isQuery reports whether the first argument of a call is SQL.
func (p *codeProgram) isQuery(l link) bool {
	at, ok := p.argument(l, 0, "sql query statement")
	if !ok {
		return false
	}
	text, _, _ := p.literal(at)
	return looksLikeSQL(p.source.Inner(text))
}

// runs reads a call that runs a command: a text, or the words of one.
func (p *codeProgram) runs(l link) {
	at, ok := p.argument(l, 0, "args cmd command")
	if !ok {
		p.cannotBeRead(l.at, "the command isn't known")
		return
	}
	if p.at(at).is("[") {
		p.runsWords(l, at+1, int(p.closing[at]))
		return
	}
	text, start, known := p.literal(at)
	_, more := p.argument(l, 1, "")
	name := p.at(l.at).text
	if isWords := strings.HasPrefix(name, "exec") && !p.js && name != "exec_command" || strings.HasPrefix(name, "spawn") || strings.HasPrefix(name, "execFile") || name == "fork"; isWords && more && known {
		// os.execvp('rm', ['rm', '-rf']), spawn('rm', ['-rf']).
		second, _ := p.argument(l, 1, "")
		if p.at(second).is("[") {
			words, all := p.words(second+1, int(p.closing[second]))
			if len(words) > 0 && words[0] == text {
				words = words[1:]
			}
			p.runsArgv(append([]string{text}, words...), l, all)
			return
		}
		words, all := p.words(at, int(p.closing[l.call]))
		if strings.HasPrefix(name, "execl") && len(words) > 1 {
			words = words[1:]
		}
		p.runsArgv(words, l, all)
		return
	}
	if text != "" {
		p.tell(shellEffects(p.source.Inner(text), p.pointer), at, start)
	}
	if !known {
		p.cannotBeRead(at, "the command is assembled")
	}
}

func (p *codeProgram) runsWords(l link, from, to int) {
	words, known := p.words(from, to)
	p.runsArgv(words, l, known)
}

func (p *codeProgram) runsArgv(words []string, l link, known bool) {
	if len(words) > 0 {
		p.tell(shellEffects(p.source.InnerArgv(words), p.pointer), l.at, -1)
	}
	if !known || len(words) == 0 {
		p.cannotBeRead(l.at, "the command is assembled")
	}
}

// words are the literals of a list; known is false where something else stands in it.
func (p *codeProgram) words(from, to int) (words []string, known bool) {
	known = true
	for i := from; i < min(to, len(p.tokens)) && len(words) < 256; i++ {
		switch t := p.at(i); {
		case t.kind == codeText:
			words = append(words, t.text)
			known = known && !t.dynamic
		case !t.is(",") && t.kind != codeLine && !t.is("]") && !t.is("["):
			known = false
			if p.closing[i] > 0 {
				i = int(p.closing[i])
			}
		}
	}
	return words, known
}

// opens reads open(…): to read, unless its mode says otherwise.
func (p *codeProgram) opens(l link) {
	at, ok := p.argument(l, 1, "mode")
	if !ok {
		return
	}
	mode, _, known := p.literal(at)
	if !known || strings.ContainsAny(mode, "wax+") {
		e := Effect{Kind: Write, Verb: "write", Object: "file"}
		if path, ok := p.argument(l, 0, "file"); ok {
			if text, _, known := p.literal(path); known && isGuardingPath(cleanPath(text)) {
				e = Effect{Kind: Permission, Verb: "write", Object: "system file"}
			}
		}
		p.found(e, l.at, "opens a file to write")
	}
}
