// Package facts finds out what an action is about: what its arguments, commands, statements and
// programs name (docs/facts.md). Package headline says it.
//
//	arguments ──┬─ keys.go      1  by the name of the argument
//	            ├─ sql.go       2  by an SQL statement in it (tables.go)
//	code ───────┼─ shell.go     3  by a command line in it (command.go and run.go read its words,
//	            │                  programs.go, tools.go, cloud.go and remote.go know the programs)
//	            ├─ code.go      4  by the rule scorer's resources, and what stands in a program's quotes
//	            ├─ shape.go     5  by what it looks like (numbers.go)
//	            └─ document.go     JSON in a text, read like arguments
//	environment ─── the environment fact
//	            └──▶ collect.go: ranked, without duplicates ──▶ []Fact ──▶ target.go, difference.go
//
// A source is a method of extraction that gets a text and adds facts; a better source wins
// where two find the same value. Package call takes texts apart, for the effects too. A text can stand in another one (a
// statement in JSON in a command): reading.go knows where each byte of it was
// written, so that every fact has its place in the action.
//
// Nothing is read from docstring, justification, metadata or content: those are
// the agent's claims. Everything is a pure function, linear in its input, and
// total: on text that it cannot read it finds less.
package facts
