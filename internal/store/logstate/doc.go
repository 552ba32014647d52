// Package logstate is what the log of one organisation says: who may do what, which agents, keys,
// policies, standing grants and denials there are, and which approvals are open.
//
//	event ─▶ reducer of its kind ─▶ State ─▶ snapshot, with the version of the reducers
//
// It is pure. Everything in a State follows from the bytes of the events, so no column of any
// table says anything in it. The write path grows one for each organisation and acts go by it;
// package reconcile compares the tables with what the same reducers make of the whole log.
package logstate
