// Package scan holds what every model needs before it can read an action: the
// texts, the copies without disguise, and the way back from a match to
// the place that a person can be shown.
//
//	action ──Arguments──▶ []Segment ──Join──▶ Text ──Places──▶ []Place
//	                         │ one key or leaf    │ one string, for matches across values
//	                         ├──────Normal────────┤ invisible characters gone, look-alikes folded
//	                         └───────Bare─────────┘ and quotes, backslashes, comments, letters of other scripts
//
// Expressions are written as the models (docs/models.md) write them and
// compiled by Compile, which gives \s, \w and \b their Unicode meaning on RE2. A
// Prefilter says which of many may match a text (literals.go, beginnings.go, apart.go for
// what they need, machine.go to find it); automata (automaton.go, search.go) find the
// matches, in a long text only where they may begin (candidates.go) or go on
// (tails.go), and RE2 what they cannot. Which limits that holds, docs/performance.md says.
//
// Everything here is a pure function, safe for concurrent use, linear in the
// text, and total: no text makes it panic, not even text that is not UTF-8.
package scan
