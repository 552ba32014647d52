// Package live tells whoever is interested that something changed.
//
//	approvals ──Publish(tenant, id)──▶ Hub ──┬──▶ Watch of a console (every id of its tenant)
//	                                         ├──▶ Watch of a waiting agent (one id)
//	other servers ──Hear(tenant, id)─────────┘
//	                                         Forward(tenant) ──▶ other servers
//
// A hint is never data: it carries an id, and whoever gets it reads the
// approval again, with its own rights.
//
// Promises:
//   - Publish never blocks, however slow a watcher is.
//   - A watcher gets every id that was published after its Watch call returned,
//     at least once, or the word that it missed some (Take's lost).
//   - Ids are coalesced: a thousand changes of one approval are one id.
//   - There is no order between ids.
package live
