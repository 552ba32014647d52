package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
)

// codeEffects reads a program in a language that nobody names.
func codeEffects(code *call.Text, pointer string) []Effect {
	if language, ok := looksLikeCode(code); ok {
		return programEffects(language, code, pointer)
	}
	python, javascript := programEffects("python", code, pointer), programEffects("javascript", code, pointer)
	if Harmless(python) && onlyExecutes(javascript) || Harmless(javascript) && onlyExecutes(python) {
		// It is a program of one of them, and the other does not know its words.
		return []Effect{{Kind: Read, Verb: "compute", Breadth: One, Certain: true, Evidence: []Evidence{{Pointer: pointer, End: len(code.String()), Why: "every call is known to be harmless"}}}}
	}
	f := findings{all: python}
	f.merge(javascript)
	return f.worstFirst()
}

func onlyExecutes(all []Effect) bool {
	return !slices.ContainsFunc(all, func(e Effect) bool { return e.Kind != Execute && (e.Kind != Read || e.Sensitive) })
}

// programEffects reads a program: it is a read where every import and every call is known
// to be harmless, else what was recognised, and execute for what was not.
func programEffects(language string, code *call.Text, pointer string) []Effect {
	all := codeLanguages()
	switch language {
	case "python":
		return newProgram(all.Python, false, code, pointer).effects()
	case "javascript":
		return newProgram(all.Javascript, true, code, pointer).effects()
	}
	return otherEffects(all.Other, code.String(), pointer)
}

// codeProgram is a program that is read.
type codeProgram struct {
	findings
	*codeWords
	js      bool
	pointer string
	source  *call.Text
	code    string
	tokens  []codeToken
	closing []int32 // of the bracket that opens at a token; 0 for none
	opening []int32 // of the bracket that closes at one
	around  []int32 // the bracket in which a token stands, and -1
	// followed says of a dot or a bracket that a chain was read over it.
	followed []bool
	names    map[string]origin
	texts    map[string]int   // names of literals, and where those stand
	stars    []string         // modules of which all names were imported
	unknown  int              // how many calls were not known
	said     map[string]named // what names that were read say
	imported int              // up to there imports were read
	deleting int              // up to there a statement deletes what it names
	reads    int              // see readsData; -1 before it was counted
	used     *[]Use           // what ReadCode gathers; nil where nobody asked
	broken   bool             // it was not read to its end
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

func newProgram(words *codeWords, js bool, source *call.Text, pointer string) *codeProgram {
	return programOf(words, source, codeWay{js: js}, pointer)
}

func programOf(words *codeWords, source *call.Text, way codeWay, pointer string) *codeProgram {
	code, r := source.String(), codeTokens(source, way)
	p := &codeProgram{codeWords: words, js: way.js, pointer: pointer, source: source, code: code, names: map[string]origin{}, texts: map[string]int{}, said: map[string]named{}, reads: -1}
	p.tokens = r.tokens
	p.followed = make([]bool, len(p.tokens)+4)
	p.closing, p.opening, p.around = make([]int32, len(p.tokens)), make([]int32, len(p.tokens)), make([]int32, len(p.tokens))
	var open []int32
	for i, t := range p.tokens {
		p.around[i] = -1
		if len(open) > 0 {
			p.around[i] = open[len(open)-1]
		}
		if t.kind != codeMark {
			continue
		}
		switch t.text {
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
	if r.broken != "" {
		p.broken = true
		p.add(Effect{Kind: Execute, Verb: "run", Object: "code", Breadth: One, Certain: true, Evidence: []Evidence{{Pointer: pointer, End: len(code), Why: "can't be read: " + r.broken}}})
	}
	return p
}

func (p *codeProgram) effects() []Effect {
	p.define()
	for i := range p.tokens {
		p.visit(i)
	}
	if len(p.all) == 0 {
		p.add(Effect{Kind: Read, Verb: "compute", Breadth: One, Certain: true, Evidence: []Evidence{{Pointer: p.pointer, End: len(p.code), Why: "every call is known to be harmless"}}})
	}
	return p.worstFirst()
}

func (p *codeProgram) at(i int) codeToken {
	if i < 0 || i >= len(p.tokens) {
		return codeToken{}
	}
	return p.tokens[i]
}

// found adds an effect of the token from which it was read.
func (p *codeProgram) found(e Effect, i int, why string) {
	t := p.at(i)
	e.Certain = true
	if e.Breadth == "" {
		e.Breadth = One
	}
	e.Evidence = []Evidence{{Pointer: p.pointer, Start: t.from, End: t.to, Why: why}}
	p.add(e)
}

func (p *codeProgram) cannotBeRead(i int, why string) {
	p.found(Effect{Kind: Execute, Verb: "run", Object: "code"}, i, "can't be read: "+why)
}

func (p *codeProgram) notKnown(i int, path string) {
	if p.unknown++; p.unknown > maxPlaces {
		return // its effect has all the evidence that it may have
	}
	p.found(Effect{Kind: Execute, Verb: "call", Object: "code"}, i, "calls "+plainCode(path)+", which isn't known to be harmless")
}

// plainCode is a name of code as it may stand in a reason.
func plainCode(path string) string {
	if path == "" || len(path) > 64 || strings.ContainsFunc(path, func(r rune) bool {
		return r > 0x7f || !isCodeNameByte(byte(r)) && !strings.ContainsRune(".()[]$/@-", r)
	}) {
		return "a name"
	}
	return path
}

// define notes what the text itself defines, wherever in it.
func (p *codeProgram) define() {
	for i, t := range p.tokens {
		if t.kind != codeName {
			continue
		}
		next := p.at(i + 1)
		switch {
		case oneOf(t.text, "def class function") && next.kind == codeName && (p.js || t.text != "function"):
			p.names[next.text] = origin{class: isLocal}
		case p.js && t.text == "function" && next.is("*") && p.at(i+2).kind == codeName:
			p.names[p.at(i+2).text] = origin{class: isLocal}
		case p.js && p.isMethod(i):
			p.names[t.text] = origin{class: isLocal}
		}
		if p.isParameter(i) {
			p.assign(t.text, origin{class: isParam})
		}
	}
}

// isMethod reports whether the name at i is that of a function that is defined in an
// object or a class: name(…) {
func (p *codeProgram) isMethod(i int) bool {
	if !p.at(i+1).is("(") || p.Keywords[p.at(i).text] {
		return false
	}
	before := p.at(i - 1)
	return p.at(int(p.closing[i+1])+1).is("{") && (before.kind == codeLine || before.is("{") || before.is("}") || before.is(",") || before.is(";") || before.is("*") ||
		before.kind == codeName && oneOf(before.text, "async static get set"))
}

// isParameter reports whether the name at i is a parameter, or what a loop runs through.
func (p *codeProgram) isParameter(i int) bool {
	around := int(p.around[i])
	before := p.at(i - 1)
	if p.js {
		if p.at(i + 1).is("=>") {
			return true
		}
		for around >= 0 && !p.at(around).is("(") {
			around = int(p.around[around])
			if around < int(p.around[i])-64 {
				break
			}
		}
		if around < 0 || before.is(".") || before.is("=") {
			return false
		}
		opener := p.at(around - 1)
		return p.at(int(p.closing[around])+1).is("=>") || opener.named("function") || opener.named("catch") || p.at(around-2).named("function") || opener.kind == codeName && p.isMethod(around-1)
	}
	if around >= 0 && p.at(around).is("(") && (p.at(around-2).named("def") || p.at(around-3).named("def")) {
		return before.is("(") || before.is(",") || before.is("*") || before.is("**")
	}
	for back := i - 1; back >= 0 && back > i-16; back-- { // lambda a, b: and for a, b in
		switch t := p.at(back); {
		case t.named("lambda") || t.named("for"):
			return true
		case t.kind == codeName || t.is(",") || t.is("(") || t.is("*"):
			if t.kind == codeName && p.Keywords[t.text] {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// assign notes where a name's value comes from. Of two the one to be trusted less counts.
func (p *codeProgram) assign(name string, o origin) {
	was, ok := p.names[name]
	switch {
	case !ok || o.class > was.class || was.class == o.class && was.path == "" && o.class <= isParam:
		p.names[name] = o
	case was.class == o.class && was.path != o.path && o.class >= isHandle:
		p.names[name] = origin{class: isUnknown}
	}
}

// visit reads what begins at a token.
func (p *codeProgram) visit(i int) {
	t := p.at(i)
	switch t.kind {
	case codeText:
		p.text(i)
	case codeMark:
		if t.text == `\` {
			p.cannotBeRead(i, "an escape in a name")
		}
		if before := p.at(i - 1); !p.js && !p.at(i+1).named("matplotlib") && (t.text == "!" && p.around[i] < 0 || t.text == "%" && (i == 0 || before.kind == codeLine || before.is("=") || before.is("%"))) {
			p.cannotBeRead(i, "a command of a notebook")
		}
		if p.js && t.text == "=" && p.at(i-1).named("location") && !p.at(i-2).is(".") && !oneOf(p.at(i-2).text, "const let var") {
			p.found(Effect{Kind: Execute, Verb: "go", Object: "page"}, i-1, "goes to another page")
		}
		if (t.text == "=" || t.text == ":=") && !p.startsChain(i+1) {
			p.assignsLiteral(i)
		}
		if (t.text == "." || t.text == "?.") && !p.followed[i] && p.at(i+1).kind == codeName && i > 0 {
			if before := p.at(i - 1); before.kind == codeText || before.is(")") || before.is("]") || before.is("}") {
				p.links(i-1, i, p.group(i-1))
			}
		}
		if t.text == "(" && p.code[t.from] != '(' {
			return // what is put into a text
		}
		if t.text == "(" && p.at(i-1).is("]") && !p.followed[i] || t.text == "(" && p.at(i-1).is(")") && !p.followed[i] && p.callsResult(i-1) {
			p.notKnown(i, "a value")
		}
	case codeName:
		before := p.at(i - 1)
		switch {
		case p.inImport(i):
		case before.is(".") || before.is("?."):
			p.member(origin{}, t.text, i)
		case t.text == "import" && !(p.js && p.at(i+1).is("(")):
			p.imports(i)
		case t.text == "from" && !p.js && p.at(i-1).kind != codeName && (i == 0 || p.at(i-1).kind == codeLine || p.at(i-1).is(";") || p.at(i-1).is(":")):
			p.importsFrom(i)
		case !p.js && t.text == "del" || p.js && t.text == "delete" && !before.is("."):
			for p.deleting = i + 1; p.deleting < len(p.tokens) && p.at(p.deleting).kind != codeLine && !p.at(p.deleting).is(";"); p.deleting++ {
				if p.closing[p.deleting] > 0 {
					p.deleting = int(p.closing[p.deleting])
				} else if p.js && (p.at(p.deleting).is(",") || p.at(p.deleting).is(")") || p.at(p.deleting).is("}")) {
					break
				}
			}
		case p.Keywords[t.text] && !(p.js && t.text == "import"):
		default:
			p.chain(i)
		}
	default:
	}
}

// callsResult reports whether the bracket that closes at i ends a group, of which the
// value is called: (f if x else g)(y). A function that stands in it is read anyway, and
// what a call returns is the chain's.
func (p *codeProgram) callsResult(i int) bool {
	open := int(p.opening[i])
	before, first := p.at(open-1), p.at(open+1)
	if before.kind == codeName && !p.Keywords[before.text] || before.is(")") || before.is("]") {
		return false
	}
	return !oneOf(first.text, "function async lambda") && !p.at(int(p.closingAt(open+1))+1).is("=>") && !p.at(open+2).is("=>")
}

// startsChain reports whether a name that is no keyword stands at i, past await and new.
func (p *codeProgram) startsChain(i int) bool {
	for n := 0; n < 2 && p.at(i).kind == codeName && oneOf(p.at(i).text, "await new"); n++ {
		i++
	}
	t := p.at(i)
	return t.kind == codeName && !p.Keywords[t.text] && !p.at(i+1).is("=>")
}

// assignsLiteral notes a name that gets a literal, a list, a function or the like.
func (p *codeProgram) assignsLiteral(i int) {
	o := origin{class: isValue}
	if next := p.at(i + 1); next.named("lambda") || next.named("function") || next.named("async") || next.named("class") || p.at(int(p.closingAt(i+1))+1).is("=>") || p.at(i+2).is("=>") {
		o.class = isLocal
	}
	for _, name := range p.targets(i) {
		p.assign(name, o)
		if _, again := p.texts[name]; again {
			p.texts[name] = -1
		} else if p.at(i+1).kind == codeText {
			p.texts[name] = i + 1
		}
	}
}

func (p *codeProgram) closingAt(i int) int32 {
	if i < 0 || i >= len(p.closing) {
		return 0
	}
	return p.closing[i]
}

// targets are the names that the = at i gives a value.
func (p *codeProgram) targets(i int) []string {
	if around := p.around[i]; !p.js && around >= 0 && p.at(int(around)).is("(") && p.at(i).text == "=" {
		return nil // an argument by name
	}
	before := p.at(i - 1)
	if p.js && (before.is("}") || before.is("]")) {
		return nil // taken apart: see destructured
	}
	if before.kind != codeName {
		return nil
	}
	name := before.text
	switch back := p.at(i - 2); {
	case back.is(".") && p.at(i-3).kind == codeName && !p.at(i-4).is("."):
		return []string{p.at(i-3).text + "." + name}
	case back.is("."):
		return nil
	case back.is(":") && p.at(i-3).kind == codeName: // x: int = 1
		return []string{p.at(i - 3).text, name}
	case back.is(",") && !p.js: // a, b = …
		all := []string{name}
		for at := i - 2; p.at(at).is(",") && p.at(at-1).kind == codeName && len(all) < 16; at -= 2 {
			all = append(all, p.at(at-1).text)
		}
		return all
	}
	return []string{name}
}

// text looks at a literal for what is secret.
func (p *codeProgram) text(i int) {
	t := p.at(i)
	if len(t.text) == 0 || len(t.text) > 1024 || strings.ContainsAny(t.text, "\n") {
		return
	}
	p.textActs(i)
	switch {
	case strings.Contains(t.text, "://"):
		if isInsideAddress(t.text) {
			p.found(Effect{Kind: Read, Verb: "fetch", Object: "internal address", Sensitive: true}, i, "the address can only be reached from inside")
		}
	case strings.ContainsAny(t.text, "/~\\.") && !strings.Contains(t.text, " ") && isSecretPath(cleanPath(t.text)):
		p.found(Effect{Kind: Read, Verb: "read", Object: "secret file", Sensitive: true}, i, "the path holds secrets")
	}
	if p.js && p.at(i-1).kind == codeName && !p.Keywords[p.at(i-1).text] && p.code[t.from] == '`' { // name`…`
		p.notKnown(i-1, p.at(i-1).text)
	}
}
