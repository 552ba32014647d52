// Package client is for programs that let an agent act only after Countersign said
// yes: the hook of a coding agent, a gateway, a program of your own.
//
//	Load ──▶ New ──▶ Gate.Ask ──▶ Outcome{Run: true, Act}   run Act, then Report
//	                          ├─▶ Outcome{Reason}           do not run; say why
//	                          └─▶ error                     do not run; nobody knows
//
// # What it promises
//
//   - Outcome.Run is true only after the server approved the act, its digest is the
//     one computed here over the same act, the grant was verified against pinned
//     keys, and this very call spent it. The zero Outcome does not run.
//   - An answer counts only when it is complete: status 200 or 201, JSON by its
//     content type, one whole document, and every member that decides has a known
//     form. Anything else is asked again and is never a yes.
//   - A connection that fails, 429 and 5xx are tried again until the context or the
//     patience ends, after the time that Retry-After names. Other answers from 300 on
//     are final.
//   - Redirects are not followed, and the key is sent to the configured host only. The
//     key is in no error and prints as "[key]".
//   - Numbers are kept as they were written; nothing passes through a float.
//
// # What it does not prove
//
// The keys are pinned on first use, like those of an SSH host: a later set must share
// a key with the pinned one. That finds another server behind the same address. It
// does not find somebody who answers at that address with a set that holds the old
// key, too: TLS is what keeps them out. And whoever can change the settings or the
// program of the same user can change all of this.
package client
