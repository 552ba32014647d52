package tenants

import (
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Tenant is an organisation. Nothing crosses tenants.
type Tenant struct {
	Slug      string // [a-z][a-z0-9-]{1,39}; it is the tenant_id of every row
	CreatedAt time.Time
}

// Agent is a program with an API key and an owner. Its embedded principal has
// neither key nor scopes: those belong to its keys.
type Agent struct {
	auth.Agent
	CreatedAt  time.Time
	CreatedBy  string     // person id; empty for an agent made on the command line
	LastUsedAt *time.Time // written at most once a minute
	// StoppedAt is when somebody stopped it; nil while it may act.
	StoppedAt  *time.Time
	StoppedBy  string // person id
	StopReason string
	// Bound is what it is bound to.
	Bound
	Description
	// Asked is a binding that waits for another admin; nil for none.
	Asked *Binding
	// Canary is how its gate was tried last; nil: never.
	Canary *Canary
	// Client is the program that submitted last, in its own words; "" where none said.
	Client string
	// SilentAt is when people were told that its gate is silent; nil: never.
	SilentAt *time.Time
}

// Key is one of an agent's API keys. The secret itself is kept nowhere.
type Key struct {
	ID         string // "key_" + UUIDv7 in hex
	Agent      string // agent id
	Hint       string // how the secret begins; empty where it was not kept
	By         string // person id of who made it, and saw it; empty: the command line
	Scopes     []auth.Scope
	CreatedAt  time.Time
	ExpiresAt  *time.Time // nil: never
	RevokedAt  *time.Time
	LastUsedAt *time.Time // written at most once a minute
}

// Works reports whether the key opens anything at this time.
func (k Key) Works(now time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || now.Before(*k.ExpiresAt))
}

// Halt says that all agents of a tenant are stopped.
type Halt struct {
	At     time.Time
	By     auth.Person // zero when it was done on the command line
	Reason string      // may be empty
}

// Activity is what an agent did lately.
type Activity struct {
	Count   int
	More    bool // there are more than were counted
	Highest level.Level
}

// Membership is what a person may do in one tenant.
type Membership struct {
	Tenant string
	Person auth.Person
	Roles  []auth.Role
	// JoinedAt is when they became a member, LastSignIn when they last signed in
	// since; nil: not yet.
	JoinedAt   time.Time
	LastSignIn *time.Time
	// SessionsFrom ends what was signed in before; nil: nothing was ended.
	SessionsFrom *time.Time
	// Suspended says that they have no role until they are reinstated; nil: they are not.
	Suspended *Suspension
}

// Suspension is what keeps a member from everything.
type Suspension struct {
	At     time.Time
	By     string // person id
	Reason string
	Roles  []auth.Role // that they have again once they are reinstated
}

// Held are the roles of a member, suspended or not.
func (m Membership) Held() []auth.Role {
	if m.Suspended != nil {
		return m.Suspended.Roles
	}
	return m.Roles
}

// Entrance is what decides whether somebody who is signed in may enter a tenant.
type Entrance struct {
	Roles        []auth.Role
	SessionsFrom *time.Time // as Membership has it
}

// Account is somebody who can sign in, with what belongs to no tenant.
type Account struct {
	auth.Person
	PasswordHash string // empty: only links sign this person in
	// SessionsFrom ends what was signed in before, in every tenant; nil: nothing was ended.
	SessionsFrom *time.Time
}

// over reports whether a sign-in at this time was ended since. Both times are the
// database's.
func over(signedIn time.Time, ends ...*time.Time) bool {
	for _, end := range ends {
		if end != nil && signedIn.Before(*end) {
			return true
		}
	}
	return false
}

// TicketKind says what a ticket is for.
type TicketKind string

const (
	TicketJoin     TicketKind = "join"     // become a member
	TicketPassword TicketKind = "password" // choose a new password
)

// Ticket is a one-time link that an admin hands to a person. Only the hash of its
// token is stored.
type Ticket struct {
	ID        string // "tkt_" + UUIDv7 in hex
	Tenant    string
	Kind      TicketKind
	Email     string // lower case
	Person    string // id; empty for TicketJoin: whether there is an account is nobody's business
	Roles     []auth.Role
	By        string // person id of the admin
	CreatedAt time.Time
	ExpiresAt time.Time
	// Waits says that it opens nothing until another admin accepted it, or the waiting
	// time has passed.
	Waits bool

	hash string // of a new one
}

// LinkKind says what a one-time link is for.
type LinkKind string

const (
	LinkFirstRun LinkKind = "first-run" // creates the first person; voided by the next start
	LinkSignIn   LinkKind = "sign-in"   // signs one person in; works once
	LinkDemo     LinkKind = "demo"      // signs the demo's person in; works as long as the demo runs
)

// Link is a secret URL. Only the hash of its token is stored.
type Link struct {
	Hash      string // auth.HashToken of the token in the URL
	Kind      LinkKind
	Person    string // empty for first-run
	ExpiresAt time.Time
	UsedAt    *time.Time
}
