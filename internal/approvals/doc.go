// Package approvals is one action's way through the console: submitted, scored,
// held, understood, decided, spent.
//
//	submitted ─ scored ─┬─▶ approved (policy)
//	                    ├─▶ blocked  (policy)
//	                    └─▶ pending ─┬─▶ approved           a person, after the challenge
//	                          ▲  │   ├─▶ denied             a person, with a reason
//	                  stricter│  │   ├─▶ changes_requested  a person, with a reason
//	                  (v + 1) └──┘   ├─▶ expired            the clock
//	                                 ├─▶ cancelled          the agent
//	                                 └─▶ blocked            the policy, at decision
//
//	approved ─ grant ─┬─▶ consumed once ─▶ result reported once
//	                  ├─▶ expired
//	                  └─▶ void (the policy became stricter, or a person withdrew the yes)
//
// # Invariants
//
//   - Every status but pending is final and reached exactly once, whoever races:
//     the state is written on the condition of status and version, and the one
//     decision row is unique. Isolation levels are not relied upon.
//   - Silence is never consent: what nobody decides expires, and expired is a no.
//   - A decision is bound to the digest and version that the operator saw, and to
//     a challenge that was issued to that operator for exactly those.
//   - A grant binds the digest of the original bytes. It is spent at most once,
//     by the agent that asked, before it expires.
//   - At decision and at consume the stored action is assessed again. Stricter
//     treatment always wins; a policy can never loosen what is already held.
//   - Time rules use the database's clock (Reader.Now), the same all through one
//     transaction.
//
// # Order of effects
//
// One transaction writes the state, then the audit events; the log's row is
// locked last. Only after its commit does anybody hear of it: first the hub
// (a hint, see package live), then the caller. If the events cannot be written,
// the act has not happened.
//
// # Where things are
//
// approval.go has the values, decide.go the state machine (pure), challenge.go, answer.go and
// confirmation.go what an operator must pass (package quiz makes the questions), grant.go the token, ports.go what this package asks of a database. submit.go, consume.go and report.go serve
// agents, dryrun.go those that only ask; review.go, answer.go and operate.go people; sweep.go the clock; wait.go the
// agents that wait; meter.go who counts; replay.go what another policy would have done.
package approvals
