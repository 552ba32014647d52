package code

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// argument is one argument of a call.
type argument struct {
	name string // "" where it has none; "*" where its names are known only when it runs
	// text is its value, where that is a literal, or begins with one; literal says that it
	// is that and nothing more. joined says that it is put together of several.
	text            string
	literal, joined bool
	// source is how it is written, as far as that is short.
	source string
	// list are the elements, where it is a list.
	list   []argument
	isList bool
	// at is its first token, and start where its text stands in the program: -1 where it
	// does not.
	at, start int
}

func (a argument) word() shell.Word {
	return shell.Word{Text: a.text, Literal: a.literal, Start: a.start}
}

const maxSource = 256

// arguments are those of a call; of JavaScript's objects each member is one.
func (p *Program) arguments(u use) []argument {
	switch {
	case !u.called:
		return nil
	case p.at(u.call).Kind == Text: // $`git status`
		to := u.call + 1
		for p.at(to).Kind == Text || p.at(to).Is("(") && p.code[p.at(to).From] != '(' {
			to = p.past(to, len(p.tokens))
		}
		return []argument{p.argumentOf(u.call, to)}
	}
	return p.elements(u.call, true)
}

// maxArguments bounds how many arguments of one call are told.
const maxArguments = 256

// elements are what stands between the bracket that opens at a token and its end.
func (p *Program) elements(open int, members bool) []argument {
	var all []argument
	end := min(int(p.closing[open]), len(p.tokens))
	for i := open + 1; i < end && len(all) < maxArguments; {
		if p.at(i).Kind == Line || p.at(i).Is(",") {
			i++
			continue
		}
		to := i
		for to < end && !p.at(to).Is(",") {
			to = p.past(to, end)
		}
		if p.js && members && p.at(i).Is("{") && int(p.closing[i]) == to-1 {
			all = append(all, p.elements(i, false)...)
		} else {
			all = append(all, p.argumentOf(i, to))
		}
		i = to
	}
	return all
}

// past is the token behind the one at i, or behind the bracket that opens there.
func (p *Program) past(i, end int) int {
	if p.closing[i] > 0 {
		return min(int(p.closing[i])+1, end)
	}
	return i + 1
}

// argumentOf is the argument of the tokens from i to before to.
func (p *Program) argumentOf(i, to int) argument {
	a := argument{}
	switch first, next := p.at(i), p.at(i+1); {
	case first.Is("*") || first.Is("**") || first.Is("..."):
		a.name = "*"
	case first.Is("[") && p.js && p.at(int(p.around[i])).Is("{"): // {[key]: value}
		a.name = "*"
	case first.Kind == Name && next.Is("=") && !p.js, (first.Kind == Name || first.Kind == Text) && next.Is(":") && p.js:
		a.name = first.Text
		i += 2
	case first.Kind == Name && p.js && to == i+1 && p.at(int(p.around[i])).Is("{"): // {method}
		a.name = first.Text
	}
	if i >= to {
		return a
	}
	a.at = i
	from, end := p.at(i).From, p.at(to-1).To
	a.source = p.code[from:max(from, min(end, from+maxSource))]
	if p.at(i).Is("[") && p.closing[i] > 0 {
		a.isList = true
		a.list = p.elements(i, false)
		return a
	}
	text, start, known := p.literal(i)
	a.text, a.start, a.literal = text, start, known
	a.joined = start < 0 && p.at(i).Kind == Text && to-i > 1
	return a
}

// argument is an argument of a call: the n-th without a name, or the one with one of the
// names.
func (p *Program) argument(l link, n int, names string) (a argument, ok bool) {
	for _, a := range p.arguments(use{called: l.call > 0, call: l.call}) {
		if a.name == "" {
			n--
		}
		if a.name == "" && n < 0 || !p.js && oneOf(a.name, names) {
			return a, true
		}
	}
	return argument{}, false
}

// putIn stands for what is put into a literal.
const putIn = " x "

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
				b.WriteString(putIn + p.at(i).Text)
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

// Literal is a literal of a program.
type Literal struct {
	Text string
	// Call is the name of the function of which it is an argument; "" for none.
	Call       string
	Start, End int
}

// Texts are the literals of a program, those that are put together as one.
func (p *Program) Texts() []Literal {
	all := p.literals
	for i, t := range p.tokens {
		if t.Kind != Text {
			continue
		}
		if before := p.at(i - 1); before.Is("+") && p.at(i-2).Kind == Text || before.Kind == Text && !p.js {
			continue // told with the one before
		}
		text, _, known := p.literal(i)
		if !known || text == "" {
			text = t.Text
		}
		told := Literal{Text: text, Start: t.From, End: t.To}
		told.Call = p.callAround(i)
		all = append(all, told)
	}
	return all
}
