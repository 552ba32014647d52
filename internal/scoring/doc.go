// Package scoring says how risky an action is and what that asks of people
// (docs/models.md). Three published models look at every action; a tenant's policy
// makes one level and one response of what they say.
//
//	canon.Value ──NewAction──▶ Action         members checked; Act and Digest are what a grant binds
//	Policy ───────Compile────▶ *Compiled      pattern library, rules and globs, ready
//
//	call.Call ──program, act, path──▶ []act.Act            commands, understood once; effects, facts and
//	                                                       workspace are folds over that
//
//	Compiled.Examine(Action, carried) ──▶ Examination      everything but the call number: the dear part
//	    fivefactor  patterns  rules; effects and facts of one call.Call
//	Examination.Trusting(record)                           the agent's record, where there is one
//	Examination.Assess(call number)   ──▶ Assessment       combine.go: strategy, response, floors; trusted.go
//	                                        └─ Treatment   level, response, challenge, how many people
//	Examination.Mask(Assessment)      ──▶ what may be stored and shown, and the matches to carry
//
// Promises:
//   - Everything is a pure function: no clock, no I/O, nothing that changes. The
//     same action, policy, call number, record and carried matches give the same answer on
//     every platform. (Ids, times and durations of a record are the caller's.)
//   - Everything is safe for concurrent use, linear in the action, and never
//     panics on what NewAction accepted.
//   - More evidence is never less risk: adding a match, a text or metadata lowers
//     no score and no level, softens no response and uncovers nothing masked. (A
//     tenant's own CEL expression may say not, and then what it says may fall.)
//   - What Mask returns holds no masked value anywhere, and scoring it again with
//     its carried matches under the same policy is not stricter than before.
package scoring
