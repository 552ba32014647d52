package code

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
)

// storesPart reads what is done to a part of a value, x[…] or x.y: whether it is set or
// deleted. The chain goes from i to before end. What the text made itself is its own.
func (p *Program) storesPart(i, end int, root origin) {
	inside := p.at(end - 1).Is("]")
	if end <= i+1 || p.js && !inside && p.deleting <= i {
		return
	}
	outside := root.class == isUnknown || root.class == isHandle || root.class == isModule || p.js && oneOf(root.path, "document window location process")
	if !outside {
		return
	}
	if p.deleting > i {
		p.does(act.Deed{Kind: "delete", Verb: "delete", Object: "data"}, i, "deletes a part of "+Plain(p.at(i).Text))
		return
	}
	switch next := p.at(end); {
	case !next.Is("=") && !(strings.HasSuffix(next.Text, "=") && oneOf(next.Text, "+= -= *= /= |= &= %=")) && !p.isTarget(i, end):
	case root.class == isModule:
		p.does(act.Deed{Kind: "execute", Verb: "replace", Object: "code"}, i, "replaces a part of "+Plain(root.path))
	case inside:
		p.does(act.Deed{Kind: "write", Verb: "set", Object: "data"}, i, "sets a part of "+Plain(p.at(i).Text))
	}
}

// isTarget reports whether the chain at i is one of several that get a value: a[x], b = …
func (p *Program) isTarget(i, end int) bool {
	if p.js || p.around[i] >= 0 || !p.at(end).Is(",") {
		return false
	}
	for at := end; at < end+64 && at < len(p.tokens) && p.at(at).Kind != Line; at++ {
		if p.closing[at] > 0 {
			at = int(p.closing[at])
		} else if p.at(at).Is("=") {
			return true
		}
	}
	return false
}

// textActs looks at a literal for what makes it more than a text: a format that reaches
// into what it is given, a header that changes the method of a request.
func (p *Program) textActs(i int) {
	if before := p.at(i - 1); before.Kind == Text || before.Is("+") && p.at(i-2).Kind == Text {
		return // read with the one before
	}
	text, _, _ := p.literal(i)
	if text == "" {
		text = p.at(i).Text
	}
	lower := strings.ToLower(text)
	switch {
	case strings.Contains(lower, "method-override") || strings.Contains(lower, "?_method=") || strings.Contains(lower, "&_method="):
		p.does(act.Deed{Kind: "execute", Verb: "send", Object: "request"}, i, "the method of the request is overridden")
	case !p.js && strings.Contains(text, "{") && (strings.Contains(text, ".__") || strings.Contains(text, "[__")):
		p.cannotBeRead(i, "a format takes apart what it is given")
	}
}

// movesPath reports whether a call of replace is that of a path, which moves a file: a
// text's has two arguments, and a table's gets a mapping.
func (p *Program) movesPath(l link) bool {
	if p.js || !p.at(l.at).Named("replace") {
		return false
	}
	if _, ok := p.argument(l, 99, "target"); ok {
		return true
	}
	first, ok := p.argument(l, 0, "")
	_, second := p.argument(l, 1, "value")
	_, more := p.argument(l, 1, "regex new")
	return ok && !second && !more && !strings.HasPrefix(first.source, "{")
}

// calculates reports whether a function or a method of sympy gets a text, which it would
// run as code.
func (p *Program) calculates(l link) bool {
	for i := l.call + 1; i < min(int(p.closing[l.call]), len(p.tokens)); i++ {
		t := p.at(i)
		_, named := p.texts[t.Text]
		if t.Kind == Text || t.Kind == Name && (named || oneOf(t.Text, "input read argv read_text")) {
			return true
		}
	}
	return false
}

// refersTo reports whether the filter of a table uses parts of the program's own values:
// query('@x.f()').
func (p *Program) refersTo(l link) bool {
	text, _, known := p.literal(l.call + 1)
	return strings.Contains(text, "__") || strings.Contains(text, "@") && (!known || strings.ContainsAny(text, "("))
}
