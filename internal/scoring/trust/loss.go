package trust

import "time"

// Loss is an incident after which an agent begins again, for all its functions.
type Loss struct {
	At       time.Time // UTC, microseconds, the database's clock; given by the store
	Cause    Cause
	Approval string // id of what it is about; "" for nothing of that kind
	Reason   string // what was said; "" where nobody says one
	Person   string // who caused or recorded it, by id; "" for nobody of the tenant
}

// Cause is what sort of incident it was.
type Cause string

const (
	Incident   Cause = "incident"    // somebody recorded one, with a reason
	DeniedHigh Cause = "denied"      // a person denied a request of HIGH or CRITICAL
	Stopped    Cause = "stopped"     // an admin stopped the agent
	KeyRevoked Cause = "key_revoked" // a key was ended at once, as one that leaked is
)
