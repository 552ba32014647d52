// Package notices tells people and programs outside of the console that something
// happened: a request is held, was decided, has expired, a change waits.
//
//	audit events ─ Of ─▶ notices (outbox, same transaction)
//	                        │ route: which channels          one elected server,
//	                        ▼                                 see Service.Deliver
//	                     deliveries ─▶ Take ─▶ Sender.Send ─▶ Mark
//	                        ▲                     │
//	                        └── again, later ─────┘
//
// # Promises
//
//   - A notice is written by the transaction that it tells of: never one without the
//     other. Who has no channel has no notices.
//   - Every delivery is tried until it is delivered, given up or of no use any more. A
//     server that ends between sending and noting it sends again: at least once, with the
//     same id each time.
//   - One server delivers, the holder of a lease; another takes over LeaseFor after it was
//     last heard of. Two that both believe they hold it do not send twice as a rule: each
//     attempt is taken by a conditional write first.
//   - A slow or broken channel delays no other one.
//   - A notice says level, agent and link, and more only where the organisation lets it; of
//     a request that asks questions never more. What agents wrote is escaped by the sender.
//   - A link leads to a page that needs signing in, and opening it decides nothing.
//
// # A kind of channel
//
// A kind is one Sender, in one file, listed by internal/command. It says which fields its
// settings have (Form), refuses what can never work (Check) and sends one Message (Send).
// It keeps no state: what it must remember about a message it returns as ref, and is given
// it back as Message.Prior. Everything else (outbox, retries, states, settings pages,
// secrets at rest, audit) is the same for all kinds.
//
// # Who is called
//
// Whom a request calls is decided by pure functions over a Directory: the Plan of the
// organisation (rules in order, the first that matches decides; teams with their rotation)
// and what each person set (Own). Service.whom asks them when the request comes, and
// Service.escalate when a step had its time; Foresee asks them for a sample. Whom other
// notices are told to is decided by route: channels that tell of their kind.
package notices
