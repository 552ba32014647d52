package audit

import (
	"time"

	"github.com/countersign/countersign/internal/canon"
)

// Kind says what happened. Kinds are never renamed: they are in the bytes.
type Kind string

const (
	TenantCreated    Kind = "tenant.created"
	AgentCreated     Kind = "agent.created"
	PersonCreated    Kind = "person.created"
	RolesGranted     Kind = "person.roles_granted"
	PolicyChanged    Kind = "policy.changed"
	LinkIssued       Kind = "sign_in.link_issued"
	SignedIn         Kind = "sign_in.succeeded"
	SignInRefused    Kind = "sign_in.refused"
	SignedOut        Kind = "sign_in.ended"
	Submitted        Kind = "approval.submitted"
	Viewed           Kind = "approval.viewed"
	ChallengeIssued  Kind = "challenge.issued"
	ChallengePassed  Kind = "challenge.passed"
	ChallengeFailed  Kind = "challenge.failed"
	Approved         Kind = "approval.approved"
	Blocked          Kind = "approval.blocked"
	Denied           Kind = "approval.denied"
	ChangesRequested Kind = "approval.changes_requested"
	Expired          Kind = "approval.expired"
	Cancelled        Kind = "approval.cancelled"
	Restated         Kind = "approval.restated"
	GrantConsumed    Kind = "grant.consumed"
	GrantVoided      Kind = "grant.voided"
	Reported         Kind = "execution.reported"
)

// Event is one line of a tenant's audit trail. Its bytes, once written, are the
// truth; every column beside them is derived and checked against them.
type Event struct {
	Tenant string
	Index  int64     // 0-based, without gaps; given by the log
	At     time.Time // UTC, microseconds, the database's clock; given by the log
	Kind   Kind
	Actor  Actor
	// What the event is about; empty where it is about nothing of that kind.
	Approval, Agent, Level, Function string
	// Data is an object with what this kind needs. It holds no secret (those are
	// masked before they are stored), and people appear by id only, so that a name
	// can be erased without breaking a proof.
	Data canon.Value
}

// Actor is who did it. Kind is person, agent, policy, clock or system; ID is
// empty for the last three.
type Actor struct {
	Kind, ID string
}
