// Package reconcile compares the tables with the log.
//
//	log   ─▶ reducers of logstate ─┐
//	                               ├─▶ Checks ─▶ the first event that a table contradicts, and a sentence
//	tables ────────────────────────┘
//
// Verify holds every table against the whole log. What an act goes by is held against the state
// of the log by the same code (Mismatch and its like), so a database writer makes nobody an
// operator, no agent somebody else's, no signature that nobody gave, and lets no call through.
package reconcile
