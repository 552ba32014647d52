package code

import (
	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// queries reads a call whose first argument is SQL.
func (p *Program) queries(l link, root origin) {
	at, ok := p.argument(l, 0, "sql query statement operation con")
	if !ok {
		if root.class != isValue {
			p.notKnown(l.at, p.at(l.at).Text)
		}
		return
	}
	if inner := p.at(at + 1); p.at(at).Kind == Name && inner.Is("(") && oneOf(p.at(at).Text, "text SQL sql") {
		at += 2 // sqlalchemy.text("…")
	}
	text, start, known := p.literal(at)
	if text != "" {
		p.acts(act.Act{Verb: act.Query, Target: shell.Word{Text: text, Literal: known, Start: start}}, at)
	}
	if !known {
		p.cannotBeRead(at, "the statement is assembled")
	}
}

// isQuery reports whether the first argument of a call is SQL.
func (p *Program) isQuery(l link) bool {
	at, ok := p.argument(l, 0, "sql query statement")
	if !ok {
		return false
	}
	text, _, _ := p.literal(at)
	return p.source.Inner(text).SQL().IsStatement()
}
