package effects

import (
	"strings"
)

// inImport reports whether a name stands in the statement of an import, which is read
// where that begins.
func (p *codeProgram) inImport(i int) bool { return i < p.imported }

// imports reads import a.b as c, d; and import {a as b} from 'c'.
func (p *codeProgram) imports(i int) {
	if p.js {
		p.importsJS(i)
		return
	}
	for at := i + 1; ; at++ {
		path, next := p.dotted(at)
		if path == "" {
			p.cannotBeRead(i, "an import of nothing")
			return
		}
		alias, _, _ := strings.Cut(path, ".")
		o := origin{class: isModule, path: alias}
		if p.at(next).named("as") && p.at(next+1).kind == codeName {
			alias, o.path = p.at(next+1).text, path
			next += 2
		}
		p.module(path, at)
		p.assign(alias, o)
		p.imported = max(p.imported, next)
		if !p.at(next).is(",") {
			return
		}
		at = next
	}
}

// importsFrom reads from a.b import c as d, e.
func (p *codeProgram) importsFrom(i int) {
	path, at := p.dotted(i + 1)
	if path == "" || !p.at(at).named("import") {
		p.cannotBeRead(i, "an import of what isn't known")
		for ; p.at(at).kind != codeLine && at < len(p.tokens); at++ {
		}
		p.imported = at
		return
	}
	p.module(path, i+1)
	for at++; p.at(at).is("("); at++ {
	}
	for at < len(p.tokens) {
		t := p.at(at)
		switch {
		case t.is("*"):
			if len(p.stars) == 8 {
				p.cannotBeRead(at, "imports all of many modules")
			} else {
				p.stars = append(p.stars, path)
			}
			if _, known := p.Modules[path]; !known {
				p.cannotBeRead(at, "imports all of "+plainCode(path))
			}
			p.imported = at + 1
			return
		case t.kind != codeName:
			p.imported = at
			return
		}
		name, alias := t.text, t.text
		if p.at(at+1).named("as") && p.at(at+2).kind == codeName {
			alias = p.at(at + 2).text
			at += 2
		}
		if p.knownModule(path) {
			p.modulePath(path+"."+name, at)
		}
		o := origin{class: isModule, path: path + "." + name}
		p.assign(alias, p.through(o, name, at))
		if at++; !p.at(at).is(",") {
			p.imported = at
			return
		}
		for at++; p.at(at).kind == codeLine; at++ {
		}
	}
	p.imported = at
}

// dotted is the name with dots at i, and what follows it.
func (p *codeProgram) dotted(i int) (path string, next int) {
	var b strings.Builder
	for p.at(i).kind == codeName && !p.at(i).named("import") && b.Len() < maxCodePath {
		b.WriteString(p.at(i).text)
		if i++; !p.at(i).is(".") {
			break
		}
		b.WriteByte('.')
		i++
	}
	return strings.TrimSuffix(b.String(), "."), i
}

func (p *codeProgram) knownModule(path string) bool {
	_, known := p.Modules[path]
	return known || p.holdsModules(path)
}

// module judges a module that is imported.
func (p *codeProgram) module(path string, i int) {
	if part, ok := p.Unreadable.firstOf(path); ok {
		p.cannotBeRead(i, "imports "+plainCode(part))
		return
	}
	if !p.knownModule(path) && !p.allows(path) {
		if _, ok := p.Functions[path]; ok {
			return
		}
		p.found(Effect{Kind: Execute, Verb: "import", Object: "code"}, i, "imports "+plainCode(path)+", which isn't known to be harmless")
	}
}

// importsJS reads an import of JavaScript: the module's name is the literal at its end.
func (p *codeProgram) importsJS(i int) {
	end := i + 1
	for end < len(p.tokens) && p.at(end).kind != codeText && end < i+256 {
		end++
	}
	path, _, _ := p.literal(end)
	path = strings.TrimPrefix(path, "node:")
	p.imported = end + 1
	p.module(path, end)
	o := origin{class: isModule, path: path}
	inBrackets := false
	for at := i + 1; at < end; at++ {
		t := p.at(at)
		switch {
		case t.is("{"):
			inBrackets = true
		case t.is("}"):
			inBrackets = false
		case t.kind != codeName || oneOf(t.text, "from as type"):
		case p.at(at - 1).named("as"):
			if p.at(at - 2).is("*") {
				p.assign(t.text, o)
			} else {
				p.assign(t.text, o.dot(p.at(at-2).text))
			}
		case inBrackets && t.text != "default":
			part := o.dot(t.text)
			if p.knownModule(path) {
				p.modulePath(part.path, at)
			}
			p.assign(t.text, part)
		default:
			p.assign(t.text, o)
		}
	}
}

// requires reads require('m') and import('m'), with what is done with the module.
func (p *codeProgram) requires(i, j int) {
	if !p.at(j).is("(") {
		if p.at(i).text == "require" && p.at(j).is(".") {
			p.cannotBeRead(i, "uses a part of require")
		} else if p.at(i-1).is("=") || p.at(i-1).is("(") {
			p.cannotBeRead(i, "hands require over")
		}
		return
	}
	path, _, known := p.literal(j + 1)
	p.uses(origin{path: "require"}, i, i, j)
	if !known {
		p.cannotBeRead(i, "the module that is required is assembled")
		return
	}
	path = strings.TrimPrefix(path, "node:")
	p.module(path, j+1)
	o := origin{class: isModule, path: path}
	at := int(p.closing[j]) + 1
	if p.at(at).is(")") && p.at(i-1).named("await") && p.at(i-2).is("(") { // (await import('m')).f
		at++
	}
	root := o
	for {
		next := p.at(at)
		p.followed[min(at, len(p.tokens))] = true
		switch {
		case (next.is(".") || next.is("?.")) && p.at(at+1).kind == codeName:
			o = o.dot(p.at(at + 1).text)
			if p.at(at + 2).is("(") {
				p.followed[at+2] = true
				p.uses(o, i, at+1, at+2)
				o = p.method(o, root, link{at: at + 1, call: at + 2}, p.at(at+1).text)
				if root.class == isModule {
					root = o
				}
				at = int(p.closing[at+2]) + 1
				continue
			}
			p.uses(o, i, at+1, at+2)
			p.mention(o, root, link{at: at + 1}, p.at(at+1).text)
			at += 2
		case next.is("("):
			p.uses(o, i, i, at)
			o = p.call(o, link{at: i, call: at})
			root = o
			at = int(p.closing[at]) + 1
		case next.is("["):
			p.uses(o, i, at-1, at)
			p.cannotBeRead(at, "takes a part of "+plainCode(path)+" by a computed name")
			return
		default:
			p.store(i, at, o)
			return
		}
	}
}
