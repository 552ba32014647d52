package code

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// argument is where the argument of a call begins: the n-th without a name, or the one
// with one of the names. ok is false where there is none.
func (p *Program) argument(l link, n int, names string) (at int, ok bool) {
	if l.call == 0 {
		return 0, false
	}
	end := min(int(p.closing[l.call]), len(p.tokens))
	count := 0
	for i := l.call + 1; i < end; i++ {
		if first := p.at(i - 1); first.Is("(") && i-1 == l.call || first.Is(",") {
			switch named := p.at(i).Kind == Name && p.at(i+1).Is("=") && !p.js; {
			case named && oneOf(p.at(i).Text, names):
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
func (p *Program) literal(i int) (text string, start int, known bool) {
	if t := p.at(i); t.Kind == Name {
		if at, ok := p.texts[t.Text]; ok && at >= 0 && endsArgument(p.at(i+1)) {
			return p.literal(at)
		}
		return "", -1, false
	}
	var b strings.Builder
	known, start = true, -1
	for n := 0; ; n++ {
		t := p.at(i)
		if t.Kind != Text || n == maxPieces {
			return b.String(), -1, false
		}
		if start = t.Inner; n > 0 {
			start = -1
		}
		known = known && !t.Dynamic
		b.WriteString(t.Text)
		for i++; p.at(i).Is("(") && t.Dynamic || p.at(i).Kind == Text && p.js && t.Dynamic; { // what is put in
			if p.at(i).Kind == Text {
				b.WriteString(" x " + p.at(i).Text)
				i++
				continue
			}
			i = int(p.closingAt(i)) + 1
		}
		switch next := p.at(i); {
		case next.Is("+"):
			i++
		case next.Kind == Text && !p.js:
		case endsArgument(next):
			return b.String(), start, known
		default:
			return b.String(), -1, false
		}
	}
}

func endsArgument(t Token) bool {
	return t.Kind == Line || t.Kind == Mark && oneOf(t.Text, ") , ] } ;") || t.Kind == Mark && t.Text == ""
}

// tell adds what is run of a literal: start is where that stands, -1 where it is no stretch
// of the program.
func (p *Program) tell(a act.Act, i, start int) {
	a.Target.Start = start
	p.acts(a, i)
}

// queries reads a call whose first argument is SQL.
func (p *Program) queries(l link, root origin) {
	at, ok := p.argument(l, 0, "sql query statement operation con")
	if !ok {
		if root.class != isValue {
			p.notKnown(l.at, p.at(l.at).Text)
		}
		return
	}
	if inner := p.at(at + 1); p.at(at).Kind == Name && inner.Is("(") && oneOf(p.at(at).Text, "text SQL sql") {
		at += 2 // sqlalchemy.text("…")
	}
	text, start, known := p.literal(at)
	if text != "" {
		p.tell(act.Act{Verb: act.Query, Target: shell.Word{Text: text, Literal: known}}, at, start)
	}
	if !known {
		p.cannotBeRead(at, "the statement is assembled")
	}
}

// isQuery reports whether the first argument of a call is SQL.
func (p *Program) isQuery(l link) bool {
	at, ok := p.argument(l, 0, "sql query statement")
	if !ok {
		return false
	}
	text, _, _ := p.literal(at)
	return p.source.Inner(text).SQL().IsStatement()
}

// runs reads a call that runs a command: a text, or the words of one.
func (p *Program) runs(l link) {
	at, ok := p.argument(l, 0, "args cmd command")
	if !ok {
		p.cannotBeRead(l.at, "the command isn't known")
		return
	}
	if p.at(at).Is("[") {
		p.runsWords(l, at+1, int(p.closing[at]))
		return
	}
	text, start, known := p.literal(at)
	_, more := p.argument(l, 1, "")
	name := p.at(l.at).Text
	if isWords := strings.HasPrefix(name, "exec") && !p.js && name != "exec_command" || strings.HasPrefix(name, "spawn") || strings.HasPrefix(name, "execFile") || name == "fork"; isWords && more && known {
		// os.execvp('rm', ['rm', '-rf']), spawn('rm', ['-rf']).
		second, _ := p.argument(l, 1, "")
		if p.at(second).Is("[") {
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
		p.tell(act.Act{Verb: act.Run, Target: shell.Word{Text: text, Literal: known}}, at, start)
	}
	if !known {
		p.cannotBeRead(at, "the command is assembled")
	}
}

func (p *Program) runsWords(l link, from, to int) {
	words, known := p.words(from, to)
	p.runsArgv(words, l, known)
}

func (p *Program) runsArgv(words []string, l link, known bool) {
	if len(words) > 0 {
		a := act.Act{Verb: act.Run, Target: shell.Word{Literal: known}}
		for _, w := range words {
			a.From = append(a.From, shell.Word{Text: w, Literal: true})
		}
		p.tell(a, l.at, -1)
	}
	if !known || len(words) == 0 {
		p.cannotBeRead(l.at, "the command is assembled")
	}
}

// words are the literals of a list; known is false where something else stands in it.
func (p *Program) words(from, to int) (words []string, known bool) {
	known = true
	for i := from; i < min(to, len(p.tokens)) && len(words) < 256; i++ {
		switch t := p.at(i); {
		case t.Kind == Text:
			words = append(words, t.Text)
			known = known && !t.Dynamic
		case !t.Is(",") && t.Kind != Line && !t.Is("]") && !t.Is("["):
			known = false
			if p.closing[i] > 0 {
				i = int(p.closing[i])
			}
		}
	}
	return words, known
}

// opens reads open(…): to read, unless its mode says otherwise.
func (p *Program) opens(l link) {
	at, ok := p.argument(l, 1, "mode")
	if !ok {
		return
	}
	mode, _, known := p.literal(at)
	if !known || strings.ContainsAny(mode, "wax+") {
		a := act.Act{Verb: act.Write}
		if path, ok := p.argument(l, 0, "file"); ok {
			a.Target.Text, _, a.Target.Literal = p.literal(path)
		}
		p.acts(a, l.at)
	}
}
