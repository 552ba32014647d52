// Package grant is for executors: programs that really run what an agent asked
// for. It verifies a Countersign grant against the action that is about to be
// run, without asking the server.
//
//	agent ──submit──▶ Countersign ──approved──▶ grant (a JWS over the digest of the act)
//	                                              │
//	executor:   Verify(grant, action) ──▶ consume ──▶ run action ──▶ report the result
//
// # What a verified grant proves
//
// That the Countersign at this issuer, for this tenant and this agent, approved
// exactly this act, and that the approval has not expired by this machine's
// clock. "Exactly" means the RFC 8785 bytes of {function, arguments, code,
// action_type, environment, content}; whatever is not in there is not approved.
//
// # What it does not prove
//
//   - That the grant was not spent before. Offline, nobody can know: the same
//     grant verifies as often as it is shown until it expires. Consuming it
//     (POST /api/v1/approvals/{id}/consume) succeeds once, for one caller.
//   - That the policy would still allow it. A policy may have become stricter
//     since; consume assesses the action again and refuses with stricter-now.
//   - That the time is right: a slow clock on this machine accepts a grant for
//     longer. Consume decides by the database's clock.
//   - That the key was not withdrawn since the keys were last fetched.
//   - Who hands it over. A grant is no password: whoever can read it can show it.
//
// # When the arguments were edited
//
// Where the policy lets operators edit, an approval can be for another act than the
// agent proposed. Then decision.effective is the whole action to go on with, and the
// grant is for its digest: Verify refuses the proposal with ErrDigest. Run Act of
// it, verified and consumed like any other act, or nothing.
//
// So the order is Verify, then consume, then run; and run the bytes that were
// verified, not another copy of them. Verify tells a wrong action, a forged or
// foreign grant and a forgotten environment before anything is asked or spent;
// consume makes it once. An executor that cannot reach the server must not run.
//
// A grant with a header member or a claim that this package does not know is
// refused: it might be a condition. Likewise an action with other members: they
// are not covered by the digest, so nobody approved them.
package grant
