package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Asks reports whether what a client of a database is given to run only reads what is no
// secret.
func Asks(client string, statement shell.Word) bool {
	x := &commands{source: new(call.Call).Text(statement.Text), tools: tools()}
	x.asked(client, statement)
	return Harmless(x.all)
}

// asked adds what a client of a database is given to run.
func (x *commands) asked(name string, w shell.Word) {
	if !w.Literal {
		x.found("execute", "run", "statement", name+" runs a statement that is known only when it runs")
	}
	text := strings.TrimSpace(w.Text)
	switch {
	case program.IsRedis(name):
		first, rest, _ := strings.Cut(text, " ")
		if all, ok := queryEffects(x.source.Inner(strings.ToUpper(first)+" "+rest), x.pointer, 0); ok {
			x.of(all)
		} else {
			x.found("write", "change", "key", "redis "+short(first)+" changes keys")
		}
		return
	case program.IsMongo(name), name == "cypher-shell":
		all, ok := queryEffects(x.source.Inner(text), x.pointer, 0)
		if !ok {
			all = codeEffects(x.source.Inner(text), x.pointer)
		}
		x.of(all)
		return
	}
	var statement []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && (line[0] == '\\' || line[0] == '.') {
			x.ownCommand(name, line)
		} else if line != "" {
			statement = append(statement, line)
		}
	}
	if len(statement) == 0 && text != "" {
		return
	}
	inner := x.source.Inner(w.Text)
	if len(statement) < strings.Count(text, "\n")+1 {
		inner = x.source.Inner(strings.Join(statement, "\n"))
	}
	if strings.Contains(inner.String(), `\!`) || strings.Contains(inner.String(), `\g`) {
		x.found("execute", "run", "command", name+" runs a command or writes a file")
	}
	x.of(statementEffects(inner, x.pointer, 0))
}

// ownCommand adds what a command of the client itself does: \d of psql, .schema of sqlite3.
func (x *commands) ownCommand(name, line string) {
	first, rest, _ := strings.Cut(line, " ")
	d, _, _ := x.tools.programs["client-commands"].does(taken("", []shell.Word{{Text: first, Literal: true}}))
	if d.kind() == Read && (strings.Contains(rest, "|") || strings.Contains(rest, "program")) {
		d = "execute"
	}
	e := x.found(d, verbsOf[d].verb, "database", name+" "+short(first)+" "+verbsOf[d].phrase+" "+short(rest))
	if d == sensitiveRead && rest == "" {
		e.Breadth = All
	}
}
