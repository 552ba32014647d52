package code

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
)

// call reads the call of a name without a dot, or of what a call returned.
func (p *Program) call(o origin, l link) origin {
	name := p.at(l.at).Text
	switch {
	case o.class == isModule:
		return p.moduleCall(o, l)
	case p.isRun(o.path), p.Requests.has(o.path):
		return origin{class: isValue}
	case o.path == "open" && !p.js:
		return origin{class: isHandle, path: "open()"}
	case p.js && o.path == "setTimeout" && p.at(l.call+1).Kind == Text:
		p.cannotBeRead(l.call+1, "runs a text")
		return o
	case o.class == isLocal && o.path != "" && p.Builtins[o.path]:
		return origin{class: isValue, path: o.path + "()"}
	case o.class == isLocal && o.path == "":
		return origin{class: isValue}
	case o.class == isUnknown && p.js && p.Constants[o.path]:
		return origin{class: isValue}
	}
	if o.class == isHandle && strings.HasSuffix(o.path, "()") || o.class == isValue && o.path != "" {
		p.notKnown(l.at, name)
		return origin{class: isUnknown}
	}
	p.unknownCall(l, name, o)
	return origin{class: isUnknown}
}

// unknownCall reads the call of what is not known by its name, which only raises.
func (p *Program) unknownCall(l link, name string, o origin) {
	if e, ok := p.table.Effects[name]; ok && !p.Mutators[name] {
		p.does(p.widened(e, o, l), l.at, "calls "+Plain(name))
		return
	}
	p.calls(l.at, name, act.Method, 0)
}

// moduleCall reads the call of a function of a module.
func (p *Program) moduleCall(o origin, l link) origin {
	made := origin{class: isValue, path: o.path + "()"}
	module, method := o.path, ""
	if at := strings.LastIndexByte(o.path, '.'); at > 0 {
		module, method = o.path[:at], o.path[at+1:]
	}
	if _, ok := p.Handles.firstOf(o.path); ok {
		made.class = isHandle
	}
	_, does := p.deed(o.path)
	switch {
	case p.isRun(o.path), !does && p.changes[o.path].Mode != nil:
	case p.Requests.has(o.path) && !does:
		made.class = isValue
	case strings.HasPrefix(o.path, "sympy.") && !tables().Symbols[method] && p.calculates(l):
		p.cannotBeRead(l.at, "sympy runs a text")
	case p.SQL[method] && !p.allows(o.path) || p.SQL[method] && oneOf(module, "pandas sqlalchemy polars duckdb"):
		p.queries(l, o)
	default:
		if e, ok := p.deed(o.path); ok {
			p.does(p.widened(e, o, l), l.at, "calls "+Plain(o.path))
			return made
		}
		if strings.HasPrefix(method, "read_") || strings.HasPrefix(method, "scan_") || oneOf(method, "loadtxt genfromtxt") {
			p.readsAddress(l)
		}
		if !p.modulePath(o.path, l.at) {
			made.class = isUnknown
			if e, ok := p.table.Effects[method]; ok && !p.Mutators[method] {
				p.does(p.widened(e, o, l), l.at, "calls "+Plain(method))
			}
		}
		if len(made.path) > maxPath {
			made.path = ""
		}
	}
	return made
}

// method reads the call of a method. root is what the chain began with.
func (p *Program) method(o, root origin, l link, step string) origin {
	if o.class == isModule {
		return p.moduleCall(o, l)
	}
	made := origin{class: root.class, path: o.path + "()"}
	if len(made.path) > maxPath || o.path == "" {
		made.path = ""
	}
	if made.class == isLocal {
		made.class = isValue
	}
	receiver := strings.TrimSuffix(strings.TrimSuffix(o.path, step), ".")
	if part, ok := p.Unreadable.firstOf(o.path); ok && o.path != "" {
		p.cannotBeRead(l.at, "uses "+Plain(part))
		return made
	}
	if e, ok := p.Functions[o.path]; ok && o.path != "" {
		p.does(p.widened(e, o, l), l.at, "calls "+Plain(o.path))
		return made
	}
	switch {
	case p.movesPath(l):
		p.does(act.Deed{Kind: "write", Verb: "move", Object: "file"}, l.at, "moves a file, over another one")
		return made
	case !p.js && step == "query" && p.refersTo(l):
		p.cannotBeRead(l.at, "the filter calls functions")
		return made
	case !p.js && oneOf(step, "subs evalf xreplace") && p.calculates(l):
		p.cannotBeRead(l.at, "sympy runs a text")
		return made
	}
	local := root.path == "" && p.names[step].class == isLocal && p.names[step].path == ""
	switch {
	case p.isRun(o.path):
	case p.Run.exact[step] && !p.js && root.class >= isHandle:
		p.runs(use{path: step, called: true, at: l.at, first: l.at, call: l.call}, act.Guessed)
	case p.Requests.has(o.path):
		made.class = isValue
	case root.class == isUnknown && tables().Guessed[receiver] && (httpMethod(step) != "" && !p.isQuery(l) || step == "request"):
		p.requests(use{path: o.path, called: true, at: l.at, first: l.at, call: l.call}, act.Guessed)
		made.class = isValue
	case p.SQL[step] && p.isQuery(l), step == "execute" && !p.js:
		p.queries(l, root)
		made.class = max(root.class, isHandle)
	case root.class == isLocal && root.path != "": // JSON.parse, Math.max
		if !p.Builtins[o.path] && !p.Methods[step] && root.path != "Math" && !(root.path == "console") {
			p.unknownCall(l, step, o)
		} else if e, ok := p.table.Effects[step]; ok && oneOf(root.path, "document window") {
			p.does(e, l.at, "calls "+Plain(step))
		}
	case root.class == isValue && (p.Methods[step] || local):
	case root.class == isParam && (p.Methods[step] || local) && (p.Mutators[step] || p.table.Effects[step].Kind == ""):
	case root.class == isValue && root.path != "" && p.table.Effects[step].Kind == "" && !isOutput(step):
		// The value of a module that only computes.
	case root.class == isLocal && local:
	case root.class == isHandle && p.table.Effects[step].Kind == "" && p.Methods[step]:
	case local && root.class != isUnknown:
	case root.class == isHandle && p.table.Effects[step].Kind == "":
		p.calls(l.at, step, act.Method, act.Handle)
	default:
		p.unknownCall(l, step, o)
	}
	return made
}

// isOutput reports whether a method says that it brings something out: to_csv, save_model.
func isOutput(name string) bool {
	first, _, _ := strings.Cut(name, "_")
	return tables().Outputs[first]
}

// widened is an effect with what the call says of its breadth.
func (p *Program) widened(e act.Deed, o origin, l link) act.Deed {
	first := p.at(l.call + 1)
	switch {
	case strings.Contains(o.path, ".all()"), oneOf(p.at(l.at).Text, "delete_all destroy_all drop_all flushall flushdb flushAll flushDb"):
		e.All = true
	case oneOf(p.at(l.at).Text, "delete_many deleteMany update_many updateMany remove") && (first.Is("{") && p.at(l.call+2).Is("}") || l.call > 0 && first.Is(")")):
		e.All = true
	}
	return e
}
