package effects

import (
	"strings"
)

// storesPart reads what is done to a part of a value, x[…] or x.y: whether it is set or
// deleted. The chain goes from i to before end. What the text made itself is its own.
func (p *codeProgram) storesPart(i, end int, root origin) {
	inside := p.at(end - 1).is("]")
	if end <= i+1 || p.js && !inside && p.deleting <= i {
		return
	}
	outside := root.class == isUnknown || root.class == isHandle || root.class == isModule || p.js && oneOf(root.path, "document window location process")
	if !outside {
		return
	}
	if p.deleting > i {
		p.found(Effect{Kind: Delete, Verb: "delete", Object: "data"}, i, "deletes a part of "+plainCode(p.at(i).text))
		return
	}
	switch next := p.at(end); {
	case !next.is("=") && !(strings.HasSuffix(next.text, "=") && oneOf(next.text, "+= -= *= /= |= &= %=")) && !p.isTarget(i, end):
	case root.class == isModule:
		p.found(Effect{Kind: Execute, Verb: "replace", Object: "code"}, i, "replaces a part of "+plainCode(root.path))
	case inside:
		p.found(Effect{Kind: Write, Verb: "set", Object: "data"}, i, "sets a part of "+plainCode(p.at(i).text))
	}
}

// isTarget reports whether the chain at i is one of several that get a value: a[x], b = …
func (p *codeProgram) isTarget(i, end int) bool {
	if p.js || p.around[i] >= 0 || !p.at(end).is(",") {
		return false
	}
	for at := end; at < end+64 && at < len(p.tokens) && p.at(at).kind != codeLine; at++ {
		if p.closing[at] > 0 {
			at = int(p.closing[at])
		} else if p.at(at).is("=") {
			return true
		}
	}
	return false
}

// textActs looks at a literal for what makes it more than a text: a format that reaches
// into what it is given, a header that changes the method of a request.
func (p *codeProgram) textActs(i int) {
	if before := p.at(i - 1); before.kind == codeText || before.is("+") && p.at(i-2).kind == codeText {
		return // read with the one before
	}
	text, _, _ := p.literal(i)
	if text == "" {
		text = p.at(i).text
	}
	lower := strings.ToLower(text)
	switch {
	case strings.Contains(lower, "method-override") || strings.Contains(lower, "?_method=") || strings.Contains(lower, "&_method="):
		p.found(Effect{Kind: Execute, Verb: "send", Object: "request"}, i, "the method of the request is overridden")
	case !p.js && strings.Contains(text, "{") && (strings.Contains(text, ".__") || strings.Contains(text, "[__")):
		p.cannotBeRead(i, "a format takes apart what it is given")
	}
}

// movesPath reports whether a call of replace is that of a path, which moves a file: a
// text's has two arguments, and a table's gets a mapping.
func (p *codeProgram) movesPath(l link) bool {
	if p.js || !p.at(l.at).named("replace") {
		return false
	}
	if _, ok := p.argument(l, 99, "target"); ok {
		return true
	}
	first, ok := p.argument(l, 0, "")
	_, second := p.argument(l, 1, "value")
	_, more := p.argument(l, 1, "regex new")
	return ok && !second && !more && !p.at(first).is("{")
}

// calculates reports whether a function or a method of sympy gets a text, which it would
// run as code.
func (p *codeProgram) calculates(l link) bool {
	for i := l.call + 1; i < min(int(p.closing[l.call]), len(p.tokens)); i++ {
		t := p.at(i)
		_, named := p.texts[t.text]
		if t.kind == codeText || t.kind == codeName && (named || oneOf(t.text, "input read argv read_text")) {
			return true
		}
	}
	return false
}

// refersTo reports whether the filter of a table uses parts of the program's own values:
// query('@x.f()').
func (p *codeProgram) refersTo(l link) bool {
	text, _, known := p.literal(l.call + 1)
	return strings.Contains(text, "__") || strings.Contains(text, "@") && (!known || strings.ContainsAny(text, "("))
}
