package code

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
)

// inImport reports whether a name stands in the statement of an import, which is read
// where that begins.
func (p *Program) inImport(i int) bool { return i < p.imported }

// imports reads import a.b as c, d; and import {a as b} from 'c'.
func (p *Program) imports(i int) {
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
		if p.at(next).Named("as") && p.at(next+1).Kind == Name {
			alias, o.path = p.at(next+1).Text, path
			next += 2
		}
		p.module(path, at)
		p.assign(alias, o)
		p.imported = max(p.imported, next)
		if !p.at(next).Is(",") {
			return
		}
		at = next
	}
}

// importsFrom reads from a.b import c as d, e.
func (p *Program) importsFrom(i int) {
	path, at := p.dotted(i + 1)
	if path == "" || !p.at(at).Named("import") {
		p.cannotBeRead(i, "an import of what isn't known")
		for ; p.at(at).Kind != Line && at < len(p.tokens); at++ {
		}
		p.imported = at
		return
	}
	p.module(path, i+1)
	for at++; p.at(at).Is("("); at++ {
	}
	for at < len(p.tokens) {
		t := p.at(at)
		switch {
		case t.Is("*"):
			if len(p.stars) == 8 {
				p.cannotBeRead(at, "imports all of many modules")
			} else {
				p.stars = append(p.stars, path)
			}
			if _, known := p.Modules[path]; !known {
				p.cannotBeRead(at, "imports all of "+Plain(path))
			}
			p.imported = at + 1
			return
		case t.Kind != Name:
			p.imported = at
			return
		}
		name, alias := t.Text, t.Text
		if p.at(at+1).Named("as") && p.at(at+2).Kind == Name {
			alias = p.at(at + 2).Text
			at += 2
		}
		if p.knownModule(path) {
			p.modulePath(path+"."+name, at)
		}
		o := origin{class: isModule, path: path + "." + name}
		p.assign(alias, p.through(o, name, at))
		if at++; !p.at(at).Is(",") {
			p.imported = at
			return
		}
		for at++; p.at(at).Kind == Line; at++ {
		}
	}
	p.imported = at
}

// dotted is the name with dots at i, and what follows it.
func (p *Program) dotted(i int) (path string, next int) {
	var b strings.Builder
	for p.at(i).Kind == Name && !p.at(i).Named("import") && b.Len() < maxPath {
		b.WriteString(p.at(i).Text)
		if i++; !p.at(i).Is(".") {
			break
		}
		b.WriteByte('.')
		i++
	}
	return strings.TrimSuffix(b.String(), "."), i
}

func (p *Program) knownModule(path string) bool {
	_, known := p.Modules[path]
	return known || p.holdsModules(path)
}

// module judges a module that is imported.
func (p *Program) module(path string, i int) {
	if part, ok := p.Unreadable.firstOf(path); ok {
		p.cannotBeRead(i, "imports "+Plain(part))
		return
	}
	if !p.knownModule(path) && !p.allows(path) {
		if _, ok := p.Functions[path]; ok {
			return
		}
		p.does(act.Deed{Kind: "execute", Verb: "import", Object: "code"}, i, "imports "+Plain(path)+", which isn't known to be harmless")
	}
}

// importsJS reads an import of JavaScript: the module's name is the literal at its end.
func (p *Program) importsJS(i int) {
	end := i + 1
	for end < len(p.tokens) && p.at(end).Kind != Text && end < i+256 {
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
		case t.Is("{"):
			inBrackets = true
		case t.Is("}"):
			inBrackets = false
		case t.Kind != Name || oneOf(t.Text, "from as type"):
		case p.at(at - 1).Named("as"):
			if p.at(at - 2).Is("*") {
				p.assign(t.Text, o)
			} else {
				p.assign(t.Text, o.dot(p.at(at-2).Text))
			}
		case inBrackets && t.Text != "default":
			part := o.dot(t.Text)
			if p.knownModule(path) {
				p.modulePath(part.path, at)
			}
			p.assign(t.Text, part)
		default:
			p.assign(t.Text, o)
		}
	}
}

// requires reads require('m') and import('m'), with what is done with the module.
func (p *Program) requires(i, j int) {
	if !p.at(j).Is("(") {
		if p.at(i).Text == "require" && p.at(j).Is(".") {
			p.cannotBeRead(i, "uses a part of require")
		} else if p.at(i-1).Is("=") || p.at(i-1).Is("(") {
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
	if p.at(at).Is(")") && p.at(i-1).Named("await") && p.at(i-2).Is("(") { // (await import('m')).f
		at++
	}
	p.links(i, at, o)
}
