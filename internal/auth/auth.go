// Package auth holds who somebody is and what that lets them do: principals,
// roles, passwords, agent keys and one-time tokens. There is no HTTP and no
// database here.
package auth

import (
	"slices"
	"time"

	"github.com/countersign/countersign/internal/fault"
)

// Agent is the principal of a request that came with an agent key.
type Agent struct {
	Tenant string
	ID     string // "agt_" + UUIDv7 in hex
	Name   string
	Owner  string // person id; empty for an agent made on the command line
	KeyID  string
	Scopes []Scope // what the key opens; see May
	// Halted says, in words for the agent, that all agents of the tenant are
	// stopped: it may read its own approvals and nothing else. Empty: they are not.
	Halted string
}

// Person is somebody who can sign in. People are global; what they may do is
// their membership of a tenant.
type Person struct {
	ID    string // "per_" + UUIDv7 in hex
	Email string // lower case
	Name  string
}

// Member is a person inside one tenant: the principal of every console request.
type Member struct {
	Tenant string
	Person Person
	Roles  []Role
	// SignedInAt is when this session was opened; challenges with a fresh sign-in look at it.
	SignedInAt time.Time
	// Unproven says that no audit trail could say, when they signed in, whether the password
	// is theirs: they may look, and say no.
	Unproven bool
}

// May reports whether one of the member's roles allows p.
func (m Member) May(p Permission) bool {
	if m.Unproven && !slices.Contains(unproven, p) {
		return false
	}
	return slices.ContainsFunc(m.Roles, func(r Role) bool { return slices.Contains(granted[r], p) })
}

// Role is a set of permissions. A person holds any set of roles per tenant.
type Role string

const (
	Operator   Role = "operator"   // decides, reads the audit trail, may propose a policy change
	Compliance Role = "compliance" // reads everything of the tenant, exports, verifies
	Admin      Role = "admin"      // policy, agents, people; decides only if also operator
)

// Roles lists every role.
func Roles() []Role { return []Role{Operator, Compliance, Admin} }

// CheckRoles returns the named roles, each once and in the order of Roles. It
// refuses none and unknown ones.
func CheckRoles(named []Role) ([]Role, error) {
	for _, r := range named {
		if !slices.Contains(Roles(), r) {
			return nil, fault.Member(fault.InvalidForm, "roles", "%.60q isn't a role; name any of operator, compliance, admin", string(r))
		}
	}
	if len(named) == 0 {
		return nil, fault.Member(fault.InvalidForm, "roles", "name at least one of operator, compliance, admin")
	}
	return slices.DeleteFunc(Roles(), func(r Role) bool { return !slices.Contains(named, r) }), nil
}

// Permission is one thing that a role may allow.
type Permission string

const (
	ReadQueue Permission = "read-queue" // the queue, requests and history
	Decide    Permission = "decide"
	Refuse    Permission = "refuse"  // deny, or request changes
	Comment   Permission = "comment" // on a request, for colleagues

	ReadAudit   Permission = "read-audit"
	ExportAudit Permission = "export-audit" // the trail and what is filtered of it, as a file

	ReadPolicy    Permission = "read-policy"    // every version, and what a draft would change
	ProposePolicy Permission = "propose-policy" // a change that somebody with ChangePolicy accepts
	ChangePolicy  Permission = "change-policy"

	ReadAgents   Permission = "read-agents"
	ManageAgents Permission = "manage-agents" // create, rotate, expire, revoke, stop, resume
	StopAgents   Permission = "stop-agents"   // all of them at once
	ReadPeople   Permission = "read-people"
	ManagePeople Permission = "manage-people" // invite, change roles, revoke

	ReadNotices   Permission = "read-notices"   // the channels that are told outside of the console
	ManageNotices Permission = "manage-notices" // add, change, test, delete them
)

// granted is the one table of role × permission.
var granted = map[Role][]Permission{
	Operator:   {ReadQueue, Decide, Refuse, Comment, ReadAudit, ReadPolicy, ProposePolicy, StopAgents},
	Compliance: {ReadQueue, Comment, ReadAudit, ExportAudit, ReadPolicy, ReadAgents, ReadPeople, ReadNotices},
	Admin:      {ReadQueue, Comment, ReadAudit, ReadPolicy, ProposePolicy, ChangePolicy, ReadAgents, ManageAgents, StopAgents, ReadPeople, ManagePeople, ReadNotices, ManageNotices},
}

// unproven is what somebody may at most of whom only the database says who they are.
var unproven = []Permission{ReadQueue, Refuse, ReadAudit, StopAgents}
