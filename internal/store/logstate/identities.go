package logstate

import "github.com/countersign/countersign/internal/audit"

// IdentityKinds are the events that tell who somebody is.
var IdentityKinds = []audit.Kind{audit.PersonCreated, audit.RolesGranted, audit.PersonJoined, audit.SignedIn}

// PersonOf is whom such an event is about.
func PersonOf(e audit.Event) string {
	if e.Kind == audit.SignedIn {
		return e.Actor.ID
	}
	return e.Data.Get("person").Text()
}

// ApplyIdentity adds one event. A name and an address don't change, so what the first event says
// of somebody holds for good.
func ApplyIdentity(logged map[string]Sum, e audit.Event) {
	if sum := e.Data.Get("identity_sum").Text(); sum != "" {
		logged[PersonOf(e)] = Sum{e.Index, sum}
	}
}

// Sum is what the events say of a person's password: the sum of its hash.
type Sum struct {
	At  int64
	Sum string
}

// passwordKinds are the events that tell of one.
var passwordKinds = []audit.Kind{audit.PersonCreated, audit.RolesGranted, audit.PersonJoined, audit.PasswordChanged, audit.PersonRemoved}

// applyPassword adds one event. Events from before they had the sum say nothing of what is
// stored, but for one that says that it changed: whatever stood before is over.
func applyPassword(logged map[string]Sum, e audit.Event) {
	person, sum := e.Data.Get("person").Text(), e.Data.Get("password_sum").Text()
	switch {
	case e.Kind == audit.PersonRemoved:
		delete(logged, person)
	case sum != "":
		logged[person] = Sum{e.Index, sum}
	case e.Kind == audit.PasswordChanged:
		delete(logged, person)
	}
}
