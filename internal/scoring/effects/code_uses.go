package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
)

// Code is a program in Python or JavaScript, as others ask what it uses: which functions
// of which modules it calls, with which literals.
type Code struct {
	// Effects are those of the program, the worst first.
	Effects []Effect
	// Uses are the names of others that it uses, in the order in which they stand there.
	Uses []Use

	program *codeProgram
}

// Use is one place at which a program uses a name that it does not define itself.
type Use struct {
	// Path is the name as its module has it, whatever it is called here: "subprocess.run",
	// "requests.Session().post"; "().unlink" where nobody knows of what it is a part.
	Path string
	// Called says that it is called there, and Indexed that one part of it is taken.
	Called, Indexed bool
	Start, End      int

	// from is the token at which its chain begins, and call where the brackets open.
	from, call int
}

// Argument is one argument of a call.
type Argument struct {
	Name string // "" where it has none; "*" where its names are known only when it runs
	// Text is its value, where that is a literal, or begins with one; Literal says that it
	// is that and nothing more. Joined says that it is put together of several.
	Text            string
	Literal, Joined bool
	// Source is how it is written, as far as that is short.
	Source string
	// List are the elements, where it is a list.
	List       []Argument
	IsList     bool
	Start, End int
}

// CodeText is a literal of a program.
type CodeText struct {
	Text string
	// Call is the name of the function of which it is an argument; "" for none.
	Call       string
	Start, End int
}

const maxSource = 256

// ReadCode reads a program, or a part of one: then, and where markup stands in it, what
// seems to open a literal and does not end one is read over. Language is "python" or
// "javascript".
func ReadCode(language, code string, tolerant bool) Code {
	words, js := codeLanguages().Python, false
	if language == "javascript" {
		words, js = codeLanguages().Javascript, true
	}
	source := new(call.Call).Text(code)
	p := programOf(words, source, codeWay{js, tolerant}, "")
	c := Code{program: p}
	if p.broken && !tolerant {
		c.Effects = p.worstFirst() // that it could not be read
		c.program = programOf(words, source, codeWay{js, true}, "")
	}
	c.program.used = &c.Uses
	if all := c.program.effects(); c.Effects == nil {
		c.Effects = all
	}
	return c
}

// uses notes the use of a name that ends with the token at; from is where its chain begins,
// or the last token of the value that it is a part of. next is what follows it.
func (p *codeProgram) uses(o origin, from, at, next int) {
	if p.used == nil || o.class == isLocal && o.path == "" {
		return
	}
	after := p.at(next)
	if (after.is(".") || after.is("?.")) && p.at(next+1).kind == codeName {
		return // a longer name says more
	}
	if p.at(from).kind != codeName && p.opening[from] > 0 {
		from = int(p.opening[from])
	}
	u := Use{Path: o.path, Start: p.at(at).from, End: p.at(at).to, from: from}
	if u.Path == "" {
		u.Path = "()." + strings.Trim(p.at(at).text, `'"`)
	}
	switch {
	case after.is("("):
		u.Called, u.call = true, next
	case p.js && after.kind == codeText && p.code[after.from] == '`': // $`git status`
		u.Called, u.call = true, next
	case after.is("["):
		u.Indexed = true
	case p.js && p.at(from-1).is("=") && p.at(from-2).is("}"): // const {A} = process.env
		u.Indexed = true
	}
	*p.used = append(*p.used, u)
}

// Receiver is how the value is written of which a use is a part, with the use itself.
func (c Code) Receiver(u Use) string {
	p := c.program
	start := p.at(u.from).from
	return p.code[start:min(u.End, start+maxSource, len(p.code))]
}

// Targets are the names that get the value of a use: x = …, for x in …, x = {**…}.
func (c Code) Targets(u Use) []string {
	p := c.program
	at := p.outward(u)
	if n := p.at(at - 1); p.isEntry(at) && n.kind == codeName {
		return nil
	}
	switch t := p.at(at); {
	case t.is("=") || t.is(":="):
		return p.targets(at)
	case (t.named("in") || t.named("of")) && p.at(at-1).kind == codeName:
		return []string{p.at(at - 1).text}
	}
	return nil
}

// InArgument is the name of the argument for which a use stands: env of run(env=x).
func (c Code) InArgument(u Use) string {
	p := c.program
	if at := p.outward(u); p.isEntry(at) {
		return p.at(at - 1).text
	}
	return ""
}

// InCall is the name of the function of which a use is an argument; "" for none.
func (c Code) InCall(u Use) string {
	p := c.program
	if open := int(p.around[u.from]); open > 0 && p.at(open).is("(") && p.at(open-1).kind == codeName {
		return p.at(open - 1).text
	}
	return ""
}

// outward is the token before a value, past what only copies it.
func (p *codeProgram) outward(u Use) int {
	at := u.from - 1
	for n := 0; n < 6; n++ {
		switch t := p.at(at); {
		case t.is("{") || t.is("**") || t.is("...") || oneOf(t.text, "await new dict"):
		case t.is("(") && p.at(at-1).named("dict"):
		default:
			return at
		}
		at--
	}
	return at
}

// isEntry reports whether the mark at a token gives an argument or a member its value.
func (p *codeProgram) isEntry(at int) bool {
	t := p.at(at)
	return at > 0 && (t.is("=") && !p.js || t.is(":")) && p.at(at-1).kind == codeName && p.around[at-1] >= 0
}

// OnlyHanded reports whether a name is only changed in its parts and handed over as the
// argument of that name: env["A"] = "1"; run(env=env).
func (c Code) OnlyHanded(name, argument string) bool {
	p := c.program
	for i, t := range p.tokens {
		if !t.named(name) || p.at(i-1).is(".") {
			continue
		}
		next := p.at(i + 1)
		switch {
		case next.is("=") || next.is(":") || next.is("[") || next.is("."):
		case p.isEntry(i-1) && p.at(i-2).named(argument):
		case p.js && name == argument && p.around[i] >= 0 && p.at(int(p.around[i])).is("{") && (next.is(",") || next.is("}")):
		default:
			return false
		}
	}
	return true
}

// Value is the text that a name was given, where that is one literal.
func (c Code) Value(name string) (string, bool) {
	at, ok := c.program.texts[name]
	if !ok || at < 0 {
		return "", false
	}
	text, _, known := c.program.literal(at)
	return text, known
}

// Arguments are those of a call; of JavaScript's objects each member is one.
func (c Code) Arguments(u Use) []Argument {
	p := c.program
	if !u.Called {
		return nil
	}
	if p.at(u.call).kind == codeText {
		to := u.call + 1
		for p.at(to).kind == codeText || p.at(to).is("(") && p.code[p.at(to).from] != '(' {
			to = p.past(to, len(p.tokens))
		}
		return []Argument{p.argumentOf(u.call, to)}
	}
	return p.elements(u.call, true)
}

// maxArguments bounds how many arguments of one call are told.
const maxArguments = 256

// elements are what stands between the bracket that opens at a token and its end.
func (p *codeProgram) elements(open int, members bool) []Argument {
	var all []Argument
	end := min(int(p.closing[open]), len(p.tokens))
	for i := open + 1; i < end && len(all) < maxArguments; {
		if p.at(i).kind == codeLine || p.at(i).is(",") {
			i++
			continue
		}
		to := i
		for to < end && !p.at(to).is(",") {
			to = p.past(to, end)
		}
		if p.js && members && p.at(i).is("{") && int(p.closing[i]) == to-1 {
			all = append(all, p.elements(i, false)...)
		} else {
			all = append(all, p.argumentOf(i, to))
		}
		i = to
	}
	return all
}

// past is the token behind the one at i, or behind the bracket that opens there.
func (p *codeProgram) past(i, end int) int {
	if p.closing[i] > 0 {
		return min(int(p.closing[i])+1, end)
	}
	return i + 1
}

// argumentOf is the argument of the tokens from i to before to.
func (p *codeProgram) argumentOf(i, to int) Argument {
	a := Argument{}
	switch first, next := p.at(i), p.at(i+1); {
	case first.is("*") || first.is("**") || first.is("..."):
		a.Name = "*"
	case first.kind == codeName && next.is("=") && !p.js, (first.kind == codeName || first.kind == codeText) && next.is(":") && p.js:
		a.Name = first.text
		i += 2
	case first.kind == codeName && p.js && to == i+1 && p.at(int(p.around[i])).is("{"): // {method}
		a.Name = first.text
	}
	if i >= to {
		return a
	}
	last := p.at(to - 1)
	a.Start, a.End = p.at(i).from, last.to
	a.Source = p.code[a.Start:max(a.Start, min(a.End, a.Start+maxSource))]
	if p.at(i).is("[") && p.closing[i] > 0 {
		a.IsList = true
		a.List = p.elements(i, false)
		return a
	}
	text, start, known := p.literal(i)
	a.Text, a.Literal = text, known
	a.Joined = start < 0 && p.at(i).kind == codeText && to-i > 1
	return a
}

// Texts are the literals of a program, those that are put together as one.
func (c Code) Texts() []CodeText {
	p := c.program
	var all []CodeText
	for i, t := range p.tokens {
		if t.kind != codeText {
			continue
		}
		if before := p.at(i - 1); before.is("+") && p.at(i-2).kind == codeText || before.kind == codeText && !p.js {
			continue // told with the one before
		}
		text, _, known := p.literal(i)
		if !known || text == "" {
			text = t.text
		}
		told := CodeText{Text: text, Start: t.from, End: t.to}
		if open := int(p.around[i]); open > 0 && p.at(open).is("(") && p.at(open-1).kind == codeName {
			told.Call = p.at(open - 1).text
		}
		all = append(all, told)
	}
	return all
}

// Follows reports whether a keyword stands before a use: "X" in os.environ.
func (c Code) Follows(u Use, keyword string) bool {
	return c.program.at(u.from - 1).named(keyword)
}

// IsCopied reports whether a use is an argument of dict(…) alone.
func (c Code) IsCopied(u Use) bool {
	p := c.program
	return p.at(u.from-1).is("(") && p.at(u.from-2).named("dict") && !p.at(u.from-3).is(".")
}
