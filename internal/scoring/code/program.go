package code

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Program is a program that is read.
type Program struct {
	// Acts are what it does, in the order in which it stands there; a harmless program has
	// none.
	Acts []act.Act
	// Decodes says that it makes texts of others, or brings some in.
	Decodes bool
	// Broken is why it could not be read to its end.
	Broken string

	*table
	js      bool
	source  *call.Text
	code    string
	tokens  []Token
	closing []int32 // of the bracket that opens at a token; 0 for none
	opening []int32 // of the bracket that closes at one
	around  []int32 // the bracket in which a token stands, and -1
	// followed says of a dot or a bracket that a chain was read over it.
	followed []bool
	names    map[string]origin
	texts    map[string]int // names of literals, and where those stand
	stars    []string       // modules of which all names were imported
	said     map[string]int // how often a function that is not known was called
	imported int            // up to there imports were read
	deleting int            // up to there a statement deletes what it names
	reads    int            // see readsData; -1 before it was counted
	used     []use
	literals []Literal         // of another language
	paths    map[string]string // with which path the value of a name begins
	// credentials says whether a text has a credential; nil before it was looked for.
	credentials *bool
}

// origin is where the value of a name comes from.
type origin struct {
	class originClass
	path  string // "os", "pandas.read_csv()"; "" where it is too long or not known
}

type originClass uint8

// The classes, by how much a call of a method is to be trusted.
const (
	isValue   originClass = iota // made here: a list, a number, the result of a harmless function
	isLocal                      // a function or class of the same text
	isParam                      // given to a function, or one of several
	isHandle                     // acts on something outside: a connection, a file
	isModule                     // a module, or a part of it
	isUnknown                    // defined nowhere
)

// Read reads a program; of what is neither Python nor JavaScript only words.
func Read(language string, source *call.Text) *Program {
	words, js := tables().of(language)
	if words == nil {
		return readOther(language, source.String())
	}
	p := programOf(words, source, Way{JS: js})
	if p.Broken != "" {
		p.Acts = append(p.Acts, act.Act{Verb: act.Hidden, Reason: act.Because(p.Broken), End: len(p.code)})
	}
	p.read()
	return p
}

// Source is its text.
func (p *Program) Source() *call.Text { return p.source }

// ReadPart reads a part of a program, or one with markup in it: what seems to open a literal
// and does not end one is read over, as is what cannot be read of a whole program.
func ReadPart(language, text string, tolerant bool) *Program {
	source := new(call.Call).Text(text)
	words, js := tables().of(language)
	p := programOf(words, source, Way{js, tolerant})
	if broken := p.Broken; broken != "" && !tolerant {
		p = programOf(words, source, Way{js, true})
		p.Broken = broken
	}
	p.read()
	return p
}

func programOf(words *table, source *call.Text, way Way) *Program {
	code, r := source.String(), tokensOf(source, way)
	p := &Program{table: words, js: way.JS, source: source, code: code, names: map[string]origin{}, texts: map[string]int{}, paths: map[string]string{}, said: map[string]int{}, reads: -1}
	p.tokens = r.tokens
	p.followed = make([]bool, len(p.tokens)+4)
	p.closing, p.opening, p.around = make([]int32, len(p.tokens)), make([]int32, len(p.tokens)), make([]int32, len(p.tokens))
	var open []int32
	for i, t := range p.tokens {
		p.around[i] = -1
		if len(open) > 0 {
			p.around[i] = open[len(open)-1]
		}
		if t.Kind != Mark {
			continue
		}
		switch t.Text {
		case "(", "[", "{":
			p.closing[i] = int32(len(p.tokens))
			open = append(open, int32(i))
		case ")", "]", "}":
			if len(open) == 0 {
				r.broken = "brackets aren't closed"
				continue
			}
			p.closing[open[len(open)-1]], p.opening[i] = int32(i), open[len(open)-1]
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 && r.broken == "" {
		r.broken = "brackets aren't closed"
	}
	p.Broken = r.broken
	return p
}

func (p *Program) read() {
	p.define()
	for i := range p.tokens {
		p.visit(i)
	}
	for _, u := range p.used {
		p.marksPaths(u)
	}
	for _, u := range p.used {
		p.tell(u)
	}
}

func (p *Program) at(i int) Token {
	if i < 0 || i >= len(p.tokens) {
		return Token{}
	}
	return p.tokens[i]
}

// acts adds an act, of the token from which it was read.
func (p *Program) acts(a act.Act, i int) {
	a.Start, a.End = p.at(i).From, p.at(i).To
	p.Acts = append(p.Acts, a)
}

// does adds what the tables say that something does.
func (p *Program) does(d act.Deed, i int, why string) {
	p.acts(act.Act{Verb: act.Do, Deed: d, Reason: act.Because(why)}, i)
}

func (p *Program) cannotBeRead(i int, why string) {
	p.acts(act.Act{Verb: act.Hidden, Reason: act.Because(why)}, i)
}

// notKnown notes a call of what is not known to be harmless.
func (p *Program) notKnown(i int, path string) { p.calls(i, path, act.Call, 0) }

// calls notes a call of a function of which nothing but its name is known.
func (p *Program) calls(i int, name string, verb act.Verb, flags act.Flags) {
	if p.said[name]++; p.said[name] > maxCalls {
		return
	}
	p.acts(act.Act{Verb: verb, Text: name, Flags: flags, Reason: act.Because(Plain(name))}, i)
}

// maxCalls is how many calls of one unknown function are told.
const maxCalls = 4

// Plain is a name of code as it may stand in a reason.
func Plain(path string) string {
	if path == "" || len(path) > 64 || strings.ContainsFunc(path, func(r rune) bool {
		return r > 0x7f || !IsNameByte(byte(r)) && !strings.ContainsRune(".()[]$/@-", r)
	}) {
		return "a name"
	}
	return path
}

// define notes what the text itself defines, wherever in it.
func (p *Program) define() {
	for i, t := range p.tokens {
		if t.Kind != Name {
			continue
		}
		next := p.at(i + 1)
		switch {
		case oneOf(t.Text, "def class function") && next.Kind == Name && (p.js || t.Text != "function"):
			p.names[next.Text] = origin{class: isLocal}
		case p.js && t.Text == "function" && next.Is("*") && p.at(i+2).Kind == Name:
			p.names[p.at(i+2).Text] = origin{class: isLocal}
		case p.js && p.isMethod(i):
			p.names[t.Text] = origin{class: isLocal}
		}
		if p.isParameter(i) {
			p.assign(t.Text, origin{class: isParam})
		}
	}
}

// isMethod reports whether the name at i is that of a function that is defined in an
// object or a class: name(…) {
func (p *Program) isMethod(i int) bool {
	if !p.at(i+1).Is("(") || p.Keywords[p.at(i).Text] {
		return false
	}
	before := p.at(i - 1)
	return p.at(int(p.closing[i+1])+1).Is("{") && (before.Kind == Line || before.Is("{") || before.Is("}") || before.Is(",") || before.Is(";") || before.Is("*") ||
		before.Kind == Name && oneOf(before.Text, "async static get set"))
}

// isParameter reports whether the name at i is a parameter, or what a loop runs through.
func (p *Program) isParameter(i int) bool {
	around := int(p.around[i])
	before := p.at(i - 1)
	if p.js {
		if p.at(i + 1).Is("=>") {
			return true
		}
		for around >= 0 && !p.at(around).Is("(") {
			around = int(p.around[around])
			if around < int(p.around[i])-64 {
				break
			}
		}
		if around < 0 || before.Is(".") || before.Is("=") {
			return false
		}
		opener := p.at(around - 1)
		return p.at(int(p.closing[around])+1).Is("=>") || opener.Named("function") || opener.Named("catch") || p.at(around-2).Named("function") || opener.Kind == Name && p.isMethod(around-1)
	}
	if around >= 0 && p.at(around).Is("(") && (p.at(around-2).Named("def") || p.at(around-3).Named("def")) {
		return before.Is("(") || before.Is(",") || before.Is("*") || before.Is("**")
	}
	for back := i - 1; back >= 0 && back > i-16; back-- { // lambda a, b: and for a, b in
		switch t := p.at(back); {
		case t.Named("lambda") || t.Named("for"):
			return true
		case t.Kind == Name || t.Is(",") || t.Is("(") || t.Is("*"):
			if t.Kind == Name && p.Keywords[t.Text] {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// assign notes where a name's value comes from. Of two the one to be trusted less counts.
func (p *Program) assign(name string, o origin) {
	was, ok := p.names[name]
	switch {
	case !ok || o.class > was.class || was.class == o.class && was.path == "" && o.class <= isParam:
		p.names[name] = o
	case was.class == o.class && was.path != o.path && o.class >= isHandle:
		p.names[name] = origin{class: isUnknown}
	}
}

// visit reads what begins at a token.
func (p *Program) visit(i int) {
	t := p.at(i)
	switch t.Kind {
	case Text:
		p.text(i)
	case Mark:
		if t.Text == `\` {
			p.cannotBeRead(i, "an escape in a name")
		}
		if before := p.at(i - 1); !p.js && !p.at(i+1).Named("matplotlib") && (t.Text == "!" && p.around[i] < 0 || t.Text == "%" && (i == 0 || before.Kind == Line || before.Is("=") || before.Is("%"))) {
			p.cannotBeRead(i, "a command of a notebook")
		}
		if p.js && t.Text == "=" && p.at(i-1).Named("location") && !p.at(i-2).Is(".") && !oneOf(p.at(i-2).Text, "const let var") {
			p.does(act.Deed{Kind: "execute", Verb: "go", Object: "page"}, i-1, "goes to another page")
		}
		if (t.Text == "=" || t.Text == ":=") && !p.startsChain(i+1) {
			p.assignsLiteral(i)
		}
		if (t.Text == "." || t.Text == "?.") && !p.followed[i] && p.at(i+1).Kind == Name && i > 0 {
			if before := p.at(i - 1); before.Kind == Text || before.Is(")") || before.Is("]") || before.Is("}") {
				p.links(i-1, i, p.group(i-1))
			}
		}
		if t.Text == "(" && p.code[t.From] != '(' {
			return // what is put into a text
		}
		if t.Text == "(" && p.at(i-1).Is("]") && !p.followed[i] || t.Text == "(" && p.at(i-1).Is(")") && !p.followed[i] && p.callsResult(i-1) {
			p.notKnown(i, "a value")
		}
	case Name:
		before := p.at(i - 1)
		switch {
		case p.inImport(i):
		case before.Is(".") || before.Is("?."):
			p.member(origin{}, t.Text, i)
		case t.Text == "import" && !(p.js && p.at(i+1).Is("(")):
			p.imports(i)
		case t.Text == "from" && !p.js && p.at(i-1).Kind != Name && (i == 0 || p.at(i-1).Kind == Line || p.at(i-1).Is(";") || p.at(i-1).Is(":")):
			p.importsFrom(i)
		case !p.js && t.Text == "del" || p.js && t.Text == "delete" && !before.Is("."):
			for p.deleting = i + 1; p.deleting < len(p.tokens) && p.at(p.deleting).Kind != Line && !p.at(p.deleting).Is(";"); p.deleting++ {
				if p.closing[p.deleting] > 0 {
					p.deleting = int(p.closing[p.deleting])
				} else if p.js && (p.at(p.deleting).Is(",") || p.at(p.deleting).Is(")") || p.at(p.deleting).Is("}")) {
					break
				}
			}
		case p.Keywords[t.Text] && !(p.js && t.Text == "import"):
		default:
			p.chain(i)
		}
	default:
	}
}

// callsResult reports whether the bracket that closes at i ends a group, of which the
// value is called: (f if x else g)(y). A function that stands in it is read anyway, and
// what a call returns is the chain's.
func (p *Program) callsResult(i int) bool {
	open := int(p.opening[i])
	before, first := p.at(open-1), p.at(open+1)
	if before.Kind == Name && !p.Keywords[before.Text] || before.Is(")") || before.Is("]") {
		return false
	}
	return !oneOf(first.Text, "function async lambda") && !p.at(int(p.closingAt(open+1))+1).Is("=>") && !p.at(open+2).Is("=>")
}

// startsChain reports whether a name that is no keyword stands at i, past await and new.
func (p *Program) startsChain(i int) bool {
	for n := 0; n < 2 && p.at(i).Kind == Name && oneOf(p.at(i).Text, "await new"); n++ {
		i++
	}
	t := p.at(i)
	return t.Kind == Name && !p.Keywords[t.Text] && !p.at(i+1).Is("=>")
}

// assignsLiteral notes a name that gets a literal, a list, a function or the like.
func (p *Program) assignsLiteral(i int) {
	o := origin{class: isValue}
	if next := p.at(i + 1); next.Named("lambda") || next.Named("function") || next.Named("async") || next.Named("class") || p.at(int(p.closingAt(i+1))+1).Is("=>") || p.at(i+2).Is("=>") {
		o.class = isLocal
	}
	for _, name := range p.targets(i) {
		p.assign(name, o)
		if _, again := p.texts[name]; again {
			p.texts[name] = -1
		} else if p.at(i+1).Kind == Text {
			p.texts[name] = i + 1
		}
	}
}

func (p *Program) closingAt(i int) int32 {
	if i < 0 || i >= len(p.closing) {
		return 0
	}
	return p.closing[i]
}

// targets are the names that the = at i gives a value.
func (p *Program) targets(i int) []string {
	if around := p.around[i]; !p.js && around >= 0 && p.at(int(around)).Is("(") && p.at(i).Text == "=" {
		return nil // an argument by name
	}
	before := p.at(i - 1)
	if p.js && (before.Is("}") || before.Is("]")) {
		return nil // taken apart: see destructured
	}
	if before.Kind != Name {
		return nil
	}
	name := before.Text
	switch back := p.at(i - 2); {
	case back.Is(".") && p.at(i-3).Kind == Name && !p.at(i-4).Is("."):
		return []string{p.at(i-3).Text + "." + name}
	case back.Is("."):
		return nil
	case back.Is(":") && p.at(i-3).Kind == Name: // x: int = 1
		return []string{p.at(i - 3).Text, name}
	case back.Is(",") && !p.js: // a, b = …
		all := []string{name}
		for at := i - 2; p.at(at).Is(",") && p.at(at-1).Kind == Name && len(all) < 16; at -= 2 {
			all = append(all, p.at(at-1).Text)
		}
		return all
	}
	return []string{name}
}

// text looks at a literal for what is secret.
func (p *Program) text(i int) {
	t := p.at(i)
	if len(t.Text) == 0 || len(t.Text) > 1024 || strings.ContainsAny(t.Text, "\n") {
		return
	}
	p.textActs(i)
	if strings.Contains(t.Text, "://") || strings.ContainsAny(t.Text, "/~\\.") && !strings.Contains(t.Text, " ") {
		p.acts(act.Act{Verb: act.Say, Target: shell.Word{Text: t.Text, Literal: true}}, i)
	}
	if p.js && p.at(i-1).Kind == Name && !p.Keywords[p.at(i-1).Text] && p.code[t.From] == '`' { // name`…`
		p.notKnown(i-1, p.at(i-1).Text)
	}
}
