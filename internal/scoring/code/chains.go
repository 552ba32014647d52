package code

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
)

// maxPath bounds how much of a chain of names is kept.
const maxPath = 160

// link is one step of a chain: a name, and whether it is called there.
type link struct {
	at   int // the token of the name
	call int // where the brackets of the call open; 0 for none
}

// chain reads names with dots, brackets and calls, from the name at i on.
func (p *Program) chain(i int) {
	name := p.at(i).Text
	if p.isDefinition(i) {
		return
	}
	o, j := p.rootOf(i)
	switch {
	case p.Listing[name] && p.listsNames(i):
		p.followed[i+1] = true
		return
	case p.Unreadable[name] && (o.class == isUnknown || o.path == name):
		p.cannotBeRead(i, "uses "+Plain(name))
		at := i
		for ; p.at(j).Is(".") && p.at(j+1).Kind == Name; j += 2 {
			o, at = o.dot(p.at(j+1).Text), j+1
		}
		p.uses(o, i, at, j)
		return
	case p.js && (name == "require" || name == "import"):
		p.requires(i, j)
		return
	}
	p.links(i, j, o)
}

// listsNames reports whether the names that a program has are only looked at: print(vars()).
// What is given a name, taken apart or called may be any of them.
func (p *Program) listsNames(i int) bool {
	if before := p.at(i - 1); !p.at(i+1).Is("(") || !(i == 0 || before.Is("(") || before.Is(",") || before.Is(";") || before.Kind == Line) {
		return false
	}
	end := int(p.closing[i+1]) + 1
	if p.at(end).Is(".") && p.at(end+1).Named("keys") && p.at(end+2).Is("(") {
		end = int(p.closing[end+2]) + 1
	}
	next := p.at(end)
	return end >= len(p.tokens) || next.Kind == Line || next.Is(")") || next.Is(",") || next.Is(";")
}

// group is where the value that ends with the token at i comes from: a literal, a list,
// or what stands between round brackets.
func (p *Program) group(i int) origin {
	t := p.at(i)
	if t.Kind == Text {
		return origin{class: isValue}
	}
	open := int(p.opening[i])
	if i-open > 64 {
		return origin{class: isUnknown}
	}
	worst := isValue
	for at := open + 1; at < i; at++ {
		name := p.at(at)
		if name.Kind != Name || p.at(at-1).Is(".") || p.Keywords[name.Text] || p.isDefinition(at) {
			continue
		}
		o, _ := p.rootOf(at)
		end := at
		for p.at(end+1).Is(".") && p.at(end+2).Kind == Name {
			end += 2
		}
		if o.class == isModule && p.at(end+1).Is("(") {
			if _, handle := p.Handles.firstOf(o.path); handle {
				o.class = isHandle
			} else {
				o.class = isValue
			}
		}
		if o.class == isModule || o.class == isLocal && o.path != "" && !p.at(end+1).Is("(") {
			o.class = isUnknown
		}
		worst = max(worst, o.class)
	}
	if worst == isLocal {
		worst = isValue
	}
	return origin{class: worst}
}

// links reads what follows at j: dots, brackets and calls. i is the first token of the
// chain, or the last one of the value before it.
func (p *Program) links(i, j int, o origin) {
	name := p.at(i).Text
	root, begun, started := o, o, p.at(i).Kind == Name
	for {
		p.followed[j] = true
		for p.js && p.at(j).Kind == Line && (p.at(j+1).Is(".") || p.at(j+1).Is("?.")) {
			j++
		}
		next := p.at(j)
		switch {
		case (next.Is(".") || next.Is("?.")) && p.at(j+1).Kind == Name:
			step := p.at(j + 1).Text
			o = p.member(o, step, i)
			if p.at(j+2).Is("(") || p.at(j+2).Is("?.") && p.at(j+3).Is("(") {
				open := j + 2
				if p.at(open).Is("?.") {
					open++
				}
				p.followed[open] = true
				p.uses(o, i, j+1, open)
				wasModule := o.class == isModule
				if o = p.method(o, root, link{at: j + 1, call: open}, step); wasModule {
					root = o
				}
				j = int(p.closing[open]) + 1
				continue
			}
			p.uses(o, i, j+1, j+2)
			p.mention(o, root, link{at: j + 1}, step)
			j += 2
		case next.Is("("):
			p.uses(o, i, i, j)
			o = p.call(o, link{at: i, call: j})
			root = o
			j = int(p.closing[j]) + 1
		case next.Is("?.") && (p.at(j+1).Is("(") || p.at(j+1).Is("[")):
			j++
		case next.Is("[") && p.at(j+1).Kind == Text && p.at(j+2).Is("]") && (p.js || strings.HasPrefix(p.at(j+1).Text, "__")):
			step := p.at(j + 1).Text
			o = p.member(o, step, j)
			if p.at(j + 3).Is("(") {
				p.followed[j+3] = true
				p.uses(o, i, j+1, j+3)
				o = p.method(o, root, link{at: j + 1, call: j + 3}, step)
				j = int(p.closing[j+3]) + 1
				continue
			}
			p.uses(o, i, j+1, j+3)
			p.mention(o, root, link{at: j + 1}, step)
			j += 3
		case next.Is("["):
			p.uses(o, i, j-1, j)
			picks := p.Environment.has(o.path) && p.at(j+1).Kind == Text && p.at(j+2).Is("]") // one variable, by its name
			if !picks && o.class == isModule && o.path != "" && !strings.HasSuffix(o.path, "argv") || p.js && oneOf(o.path, "window document process globalThis self location") {
				p.cannotBeRead(j, "takes a part of "+Plain(o.path)+" by a computed name")
			}
			j = int(p.closing[j]) + 1
			if p.at(j).Is("(") {
				p.followed[j] = true
				p.notKnown(i, name+"[]")
				o = origin{class: isUnknown}
				j = int(p.closing[j]) + 1
			}
		default:
			if j == i+1 {
				p.uses(o, i, i, j)
				p.bare(i, o)
			}
			if started {
				p.storesPart(i, j, begun)
			}
			p.store(i, j, o)
			return
		}
	}
}

// isRun reports whether a name is of what runs commands. In JavaScript any other may be
// called as these are: exec, $.
func (p *Program) isRun(path string) bool {
	return p.Run.has(path) && (!p.js || strings.Contains(path, "."))
}

// rootOf is where the value of the name at i comes from, and what follows it.
func (p *Program) rootOf(i int) (o origin, next int) {
	name := p.at(i).Text
	if p.at(i+1).Is(".") && p.at(i+2).Kind == Name {
		if o, ok := p.names[name+"."+p.at(i+2).Text]; ok && !p.at(i+3).Is("(") {
			return o, i + 3
		}
	}
	if o, ok := p.names[name]; ok {
		return o, i + 1
	}
	switch {
	case p.Constants[name]:
		return origin{class: isValue}, i + 1
	case p.Builtins[name]:
		return origin{class: isLocal, path: name}, i + 1
	case p.Functions[name].Kind != "" || p.isRun(name):
		return origin{class: isModule, path: name}, i + 1
	}
	for _, module := range p.stars { // whichever does most, as the last one wins
		if path := module + "." + name; p.Functions[path].Kind != "" || p.isRun(path) || p.Unreadable[path] {
			return origin{class: isModule, path: path}, i + 1
		}
	}
	for _, module := range p.stars {
		if p.lists(module, name) {
			return origin{class: isModule, path: module + "." + name}, i + 1
		}
	}
	return origin{class: isUnknown, path: name}, i + 1
}

// isDefinition reports whether the name at i is defined there, or names an argument.
func (p *Program) isDefinition(i int) bool {
	before, next := p.at(i-1), p.at(i+1)
	if before.Kind == Name && (oneOf(before.Text, "def class") || p.js && before.Text == "function") || p.js && p.isMethod(i) {
		return true
	}
	around := int(p.around[i])
	if !p.js && next.Is("=") && around >= 0 && p.at(around).Is("(") {
		return true
	}
	return p.js && next.Is(":") && (before.Is("{") || before.Is(",")) && around >= 0 && p.at(around).Is("{")
}

func (o origin) dot(step string) origin {
	if o.path == "" || len(o.path)+len(step) > maxPath {
		o.path = ""
		return o
	}
	o.path += "." + step
	return o
}

// member is o with a dot and a name behind it.
func (p *Program) member(o origin, step string, i int) origin {
	if p.Unreadable[step] && strings.HasPrefix(step, "_") || step == "constructor" && p.js {
		p.cannotBeRead(i, "uses "+Plain(step))
	}
	return p.through(o.dot(step), step, i)
}

// through is the module that a part of another module is, which that one imports for
// itself: random._os is os.
func (p *Program) through(o origin, step string, i int) origin {
	if module := strings.TrimLeft(step, "_"); o.class == isModule && p.Inherited[module] && o.path != step && !p.allows(o.path) && !p.knownModule(o.path) {
		p.notKnown(i, o.path)
		o.path = module
	}
	return o
}

// bare reads a name that stands alone: a function that is handed over counts as called.
func (p *Program) bare(i int, o origin) {
	before := p.at(i - 1)
	if o.class == isModule {
		p.modulePath(o.path, i)
		p.handsOver(o, i)
		return
	}
	if o.class == isUnknown && (before.Is("(") || before.Is(",")) {
		if around := int(p.around[i]); around > 0 && p.at(around).Is("(") && tables().Handing[p.at(around-1).Text] {
			p.notKnown(i, p.at(i).Text)
		}
	}
}

// handsOver notes that a function which runs commands is not called where it is named.
func (p *Program) handsOver(o origin, i int) {
	if p.isRun(o.path) {
		p.cannotBeRead(i, "hands "+Plain(o.path)+" over")
	}
}

// mention reads a name behind a dot that is not called.
func (p *Program) mention(o, root origin, l link, step string) {
	switch {
	case o.class == isModule:
		if !p.at(l.at + 1).Is(".") { // a longer path says more
			p.modulePath(o.path, l.at)
			p.handsOver(o, l.at)
		}
	case o.class == isLocal && root.path != "" && o.path != "":
		p.builtinPath(o.path, l.at)
	case o.class == isUnknown || o.class == isHandle:
		if e, ok := p.deed(o.path); ok {
			p.does(e, l.at, "uses "+Plain(o.path))
		} else if e, ok := p.table.Effects[step]; ok && o.class == isUnknown && !p.Mutators[step] && !p.at(l.at+1).Is("=") && !p.at(l.at+1).Is(".") {
			p.does(e, l.at, "uses "+Plain(step))
		}
	default:
	}
	onPage := p.js && (oneOf(root.path, "document window location") || strings.HasPrefix(o.path, "document.") || strings.HasPrefix(o.path, "window."))
	if next := p.at(l.at + 1); (next.Is("=") || next.Is("]") && p.at(l.at+2).Is("=")) && (o.class == isUnknown || onPage) {
		p.does(act.Deed{Kind: "write", Verb: "set", Object: "property"}, l.at, "sets "+Plain(step))
	}
}

// deed is what the function of a path does, or the longest of its beginnings that is known.
func (p *Program) deed(path string) (act.Deed, bool) {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if d, ok := p.Functions[path[:end]]; ok {
			return d, true
		}
	}
	return act.Deed{}, false
}

// modulePath judges a part of a module that is named; called or not.
func (p *Program) modulePath(path string, i int) (known bool) {
	if p.builtinPath(path, i) || p.isRun(path) || p.allows(path) || path == "" || p.holdsModules(path) {
		return true
	}
	p.notKnown(i, path)
	return false
}

// holdsModules reports whether known modules stand below a path: google.cloud.
func (p *Program) holdsModules(path string) bool {
	return p.packages[path]
}

// builtinPath judges a part of what the language has: JSON.parse, document.cookie.
func (p *Program) builtinPath(path string, i int) (known bool) {
	if part, ok := p.Unreadable.firstOf(path); ok {
		p.cannotBeRead(i, "uses "+Plain(part))
		return true
	}
	e, ok := p.deed(path)
	if ok {
		p.does(e, i, "uses "+Plain(path))
	}
	return ok
}

// store notes what the value of a chain is given to: a variable, or what a with or a for
// names.
func (p *Program) store(i, end int, o origin) {
	if p.at(end).Is("=>") {
		return // a function, of which this is the parameter
	}
	if next := p.at(end); next.Named("as") && p.at(end+1).Kind == Name && !p.js { // with … as f
		p.assign(p.at(end+1).Text, p.kept(o))
	}
	before := i - 1
	for n := 0; n < 2 && p.at(before).Kind == Name && oneOf(p.at(before).Text, "await new"); n++ {
		before--
	}
	switch t := p.at(before); {
	case t.Is("=") || t.Is(":="):
		for _, name := range p.targets(before) {
			kept := p.kept(o)
			if next := p.at(end); kept.class == isModule && next.Kind == Mark && !oneOf(next.Text, "; ) , }") {
				kept = origin{class: isValue} // os.sep + x
			}
			p.assign(name, kept)
		}
		if p.js {
			p.destructured(before, o)
		}
	case t.Named("in") || t.Named("of"):
		for at := before - 1; at > before-16 && p.at(at).Kind == Name || p.at(at).Is(","); at-- {
			if p.at(at).Named("for") || p.at(at).Named("const") || p.at(at).Named("let") {
				break
			}
			if name := p.at(at); name.Kind == Name && o.class >= isHandle {
				p.assign(name.Text, origin{class: o.class, path: ""})
			}
		}
	}
}

// kept is an origin as a variable has it.
func (p *Program) kept(o origin) origin {
	if o.class == isLocal && o.path != "" {
		return o // e = eval, log = console.log
	}
	return o
}

// destructured notes the names of const {a, b: c} = … before the = at i.
func (p *Program) destructured(i int, o origin) {
	if !p.at(i - 1).Is("}") {
		return
	}
	for at := int(p.opening[i-1]) + 1; at < i-1; at++ {
		name := p.at(at)
		if name.Kind != Name || p.at(at-1).Is(":") || p.at(at-1).Is("=") {
			continue
		}
		target := name.Text
		if p.at(at+1).Is(":") && p.at(at+2).Kind == Name {
			target = p.at(at + 2).Text
		}
		part := o.dot(name.Text)
		if o.class == isModule {
			p.modulePath(part.path, at)
		}
		p.assign(target, part)
	}
}
