package code

import "github.com/countersign/countersign/internal/scoring/act"

// queries reads a call whose first argument is SQL.
func (p *Program) queries(l link, root origin) {
	a, ok := p.argument(l, 0, "sql query statement operation con")
	if !ok {
		if root.class != isValue {
			p.notKnown(l.at, p.at(l.at).Text)
		}
		return
	}
	if inner := p.at(a.at + 1); p.at(a.at).Kind == Name && inner.Is("(") && oneOf(p.at(a.at).Text, "text SQL sql") {
		a.at += 2 // sqlalchemy.text("…")
		a.text, a.start, a.literal = p.literal(a.at)
	}
	if a.text != "" {
		p.acts(act.Act{Verb: act.Query, Target: a.word()}, a.at)
	}
	if !a.literal {
		p.cannotBeRead(a.at, "the statement is assembled")
	}
}

// isQuery reports whether the first argument of a call is SQL.
func (p *Program) isQuery(l link) bool {
	a, ok := p.argument(l, 0, "sql query statement")
	return ok && p.source.Inner(a.text).SQL().IsStatement()
}
