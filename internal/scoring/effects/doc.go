// Package effects reads what a call does, and says at which level that is held at
// least (docs/effects.md). The three published models look for known bad words, so what
// they do not know is LOW; here a call is LOW where it is known to be harmless.
//
//	what is executed      SQL, shell, code, HTTP, GraphQL, manifests     the most telling
//	arguments             the one that names the operation, a dispatched tool
//	the function's name   lexicon.yaml
//	annotations           docstring and hints, which only raise
//	      └──▶ Examine ──▶ Reading ──Effects(Given)──▶ []Effect ──Settings.Floor──▶ Floor
//
// Effects is what depends on who asks: the tool as an admin imported it for the agent,
// and what the policy's function registry says in place of the name. Neither changes
// what is executed or what an argument says.
//
// Everything is a pure function of its inputs, and total: what cannot be read is
// execute, what is not known is unknown, and both are held.
package effects
