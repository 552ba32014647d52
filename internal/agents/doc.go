// Package agents tries the real coding agents, offline: each with the settings that
// “countersign hook install” wrote, a real Countersign server, and a model that plays a script.
// The tests are behind the build tag agents and run by “make agents”, because the programs are
// a gigabyte; package.json pins their versions exactly.
//
//	model (script) ◀── agent ──hook──▶ proxy (faults) ──▶ server (real) ◀── operator
//	                     └── side effect: a line in a file. That is the proof, never a word.
//
// Everything runs in a network namespace of its own, with an empty home, for a bounded time,
// and is killed at the end by a mark in its environment.
package agents
