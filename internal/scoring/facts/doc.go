// Package facts finds out what an action is about, so that a person can be shown
// it, asked about it, and made to type it (facts.md).
//
//	arguments ──┬─ keys.go   1  by the name of the argument
//	            ├─ sql.go    2  by an SQL statement in it
//	code ───────┼─ shell.go  3  by a command line in it
//	            └─ shape.go  5  by what it looks like
//	environment ─── the environment fact
//	            └──▶ collect.go: ranked, without duplicates ──▶ []Fact ──▶ sentence.go, target.go
//
// One file is one source. A source is a method of extraction that gets a text
// and adds facts; a better source wins where two find the same value. Source 4,
// the resources of the rule scorer, gets a file of its own in the same way.
//
// Nothing is read from docstring, justification, metadata or content: those are
// the agent's claims. Everything is a pure function, linear in its input, and
// total: on text that it cannot read it finds less.
package facts
