// Package call recognises what stands in a call, once. Effects, facts, sentence, rules of a
// workspace and patterns of calls read the one tree that comes of it;
// none takes a text apart again, and none walks the arguments again.
//
//	Call ── function, arguments, code, environment
//	 ├── Tree ─────── Node        each value of the arguments: its pointer, the words of its name
//	 ├── Text(…) ──┬─ Script      the commands that a shell would run (package shell)
//	 │             ├─ SQL         the tokens and statements of each dialect (package sql)
//	 │             ├─ Document    the object or array that it is as JSON
//	 │             └─ Made(…)     what a reader makes of it: tokens of a program (package effects)
//	 └── Inner(…)                 a call that stands in this one, as a dispatcher makes it
//
// What a text is depends on who runs it: "rm x" is a command for a tool that runs commands,
// and a note for one that keeps notes. So a text is taken apart when the first reader asks
// for it in that way, and stays so for all others, wherever in the call it stands: as a
// value, in the literal of a program, in a document.
package call
