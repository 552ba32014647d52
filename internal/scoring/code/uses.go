package code

import (
	"strings"
)

// Use is one place at which a program uses a name that it does not define itself.
type Use struct {
	// Path is the name as its module has it, whatever it is called here: "subprocess.run",
	// "requests.Session().post"; "().unlink" where nobody knows of what it is a part.
	Path string
	// Called says that it is called there, and Indexed that one part of it is taken.
	Called, Indexed bool
	Start, End      int

	// first is the token at which its chain begins, and call where the brackets open.
	first, call int
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

// Literal is a literal of a program.
type Literal struct {
	Text string
	// Call is the name of the function of which it is an argument; "" for none.
	Call       string
	Start, End int
}

const maxSource = 256

// uses notes the use of a name that ends with the token at; from is where its chain begins,
// or the last token of the value that it is a part of. next is what follows it.
func (p *Program) uses(o origin, from, at, next int) {
	if !p.asked || o.class == isLocal && o.path == "" {
		return
	}
	after := p.at(next)
	if (after.Is(".") || after.Is("?.")) && p.at(next+1).Kind == Name {
		return // a longer name says more
	}
	if p.at(from).Kind != Name && p.opening[from] > 0 {
		from = int(p.opening[from])
	}
	u := Use{Path: o.path, Start: p.at(at).From, End: p.at(at).To, first: from}
	if u.Path == "" {
		u.Path = "()." + strings.Trim(p.at(at).Text, `'"`)
	}
	switch {
	case after.Is("("):
		u.Called, u.call = true, next
	case p.js && after.Kind == Text && p.code[after.From] == '`': // $`git status`
		u.Called, u.call = true, next
	case after.Is("["):
		u.Indexed = true
	case p.js && p.at(from-1).Is("=") && p.at(from-2).Is("}"): // const {A} = process.env
		u.Indexed = true
	}
	p.Uses = append(p.Uses, u)
}

// Receiver is how the value is written of which a use is a part, with the use itself.
func (p *Program) Receiver(u Use) string {
	start := p.at(u.first).From
	return p.code[start:min(u.End, start+maxSource, len(p.code))]
}

// Targets are the names that get the value of a use: x = …, for x in …, x = {**…}.
func (p *Program) Targets(u Use) []string {
	at := p.outward(u)
	if n := p.at(at - 1); p.isEntry(at) && n.Kind == Name {
		return nil
	}
	switch t := p.at(at); {
	case t.Is("=") || t.Is(":="):
		return p.targets(at)
	case (t.Named("in") || t.Named("of")) && p.at(at-1).Kind == Name:
		return []string{p.at(at - 1).Text}
	}
	return nil
}

// InArgument is the name of the argument for which a use stands: env of run(env=x).
func (p *Program) InArgument(u Use) string {
	if at := p.outward(u); p.isEntry(at) {
		return p.at(at - 1).Text
	}
	return ""
}

// InCall is the name of the function of which a use is an argument; "" for none.
func (p *Program) InCall(u Use) string {
	if open := int(p.around[u.first]); open > 0 && p.at(open).Is("(") && p.at(open-1).Kind == Name {
		return p.at(open - 1).Text
	}
	return ""
}

// outward is the token before a value, past what only copies it.
func (p *Program) outward(u Use) int {
	at := u.first - 1
	for n := 0; n < 6; n++ {
		switch t := p.at(at); {
		case t.Is("{") || t.Is("**") || t.Is("...") || oneOf(t.Text, "await new dict"):
		case t.Is("(") && p.at(at-1).Named("dict"):
		default:
			return at
		}
		at--
	}
	return at
}

// isEntry reports whether the mark at a token gives an argument or a member its value.
func (p *Program) isEntry(at int) bool {
	t := p.at(at)
	return at > 0 && (t.Is("=") && !p.js || t.Is(":")) && p.at(at-1).Kind == Name && p.around[at-1] >= 0
}

// OnlyHanded reports whether a name is only changed in its parts and handed over as the
// argument of that name: env["A"] = "1"; run(env=env).
func (p *Program) OnlyHanded(name, argument string) bool {
	for i, t := range p.tokens {
		if !t.Named(name) || p.at(i-1).Is(".") {
			continue
		}
		next := p.at(i + 1)
		switch {
		case next.Is("=") || next.Is(":") || next.Is("[") || next.Is("."):
		case p.isEntry(i-1) && p.at(i-2).Named(argument):
		case p.js && name == argument && p.around[i] >= 0 && p.at(int(p.around[i])).Is("{") && (next.Is(",") || next.Is("}")):
		default:
			return false
		}
	}
	return true
}

// Value is the text that a name was given, where that is one literal.
func (p *Program) Value(name string) (string, bool) {
	at, ok := p.texts[name]
	if !ok || at < 0 {
		return "", false
	}
	text, _, known := p.literal(at)
	return text, known
}

// Arguments are those of a call; of JavaScript's objects each member is one.
func (p *Program) Arguments(u Use) []Argument {
	if !u.Called {
		return nil
	}
	if p.at(u.call).Kind == Text {
		to := u.call + 1
		for p.at(to).Kind == Text || p.at(to).Is("(") && p.code[p.at(to).From] != '(' {
			to = p.past(to, len(p.tokens))
		}
		return []Argument{p.argumentOf(u.call, to)}
	}
	return p.elements(u.call, true)
}

// maxArguments bounds how many arguments of one call are told.
const maxArguments = 256

// elements are what stands between the bracket that opens at a token and its end.
func (p *Program) elements(open int, members bool) []Argument {
	var all []Argument
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
func (p *Program) argumentOf(i, to int) Argument {
	a := Argument{}
	switch first, next := p.at(i), p.at(i+1); {
	case first.Is("*") || first.Is("**") || first.Is("..."):
		a.Name = "*"
	case first.Kind == Name && next.Is("=") && !p.js, (first.Kind == Name || first.Kind == Text) && next.Is(":") && p.js:
		a.Name = first.Text
		i += 2
	case first.Kind == Name && p.js && to == i+1 && p.at(int(p.around[i])).Is("{"): // {method}
		a.Name = first.Text
	}
	if i >= to {
		return a
	}
	last := p.at(to - 1)
	a.Start, a.End = p.at(i).From, last.To
	a.Source = p.code[a.Start:max(a.Start, min(a.End, a.Start+maxSource))]
	if p.at(i).Is("[") && p.closing[i] > 0 {
		a.IsList = true
		a.List = p.elements(i, false)
		return a
	}
	text, start, known := p.literal(i)
	a.Text, a.Literal = text, known
	a.Joined = start < 0 && p.at(i).Kind == Text && to-i > 1
	return a
}

// Texts are the literals of a program, those that are put together as one.
func (p *Program) Texts() []Literal {
	var all []Literal
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
		if open := int(p.around[i]); open > 0 && p.at(open).Is("(") && p.at(open-1).Kind == Name {
			told.Call = p.at(open - 1).Text
		}
		all = append(all, told)
	}
	return all
}

// Follows reports whether a keyword stands before a use: "X" in os.environ.
func (p *Program) Follows(u Use, keyword string) bool {
	return p.at(u.first - 1).Named(keyword)
}

// IsCopied reports whether a use is an argument of dict(…) alone.
func (p *Program) IsCopied(u Use) bool {
	return p.at(u.first-1).Is("(") && p.at(u.first-2).Named("dict") && !p.at(u.first-3).Is(".")
}
