package tenants

import (
	"time"

	"github.com/countersign/countersign/internal/auth"
)

// Tenant is an organisation. Nothing crosses tenants.
type Tenant struct {
	Slug      string // [a-z][a-z0-9-]{1,39}; it is the tenant_id of every row
	CreatedAt time.Time
}

// Agent is a program with an API key and an owner.
type Agent struct {
	auth.Agent
	CreatedAt  time.Time
	LastUsedAt *time.Time // written at most once a minute
}

// Membership is what a person may do in one tenant.
type Membership struct {
	Tenant string
	Person auth.Person
	Roles  []auth.Role
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
