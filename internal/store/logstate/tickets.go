package logstate

import (
	"maps"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/tenants"
)

// Ticket is what the events say of a link that an admin made.
type Ticket struct {
	At                                   int64
	Kind, By, Person, Roles, Expires, Is string // Is: the sum of its hash and address; "" in events of before they had it
	Waits, Used, Withdrawn               bool
}

// TicketKinds are what Tickets follow from.
var TicketKinds = []audit.Kind{
	audit.PersonInvited, audit.ResetIssued, audit.InviteWithdrawn, audit.PersonJoined, audit.PasswordChanged, audit.SinglePersonEnded,
	audit.PeopleProposed, audit.PeopleAccepted, audit.PeopleRejected, audit.PeopleWithdrawn,
}

// Fill makes the maps that are missing.
func (logged *Tickets) Fill() {
	made(&logged.Of)
	made(&logged.Asked)
	made(&logged.Unmade)
}

// Tickets are what the events say of all links.
type Tickets struct {
	Of     map[string]*Ticket
	Asked  map[string]string // the link that a proposal is about
	Unmade map[string]int64  // links that somebody used, of which no event says that they were made
	// OpenOnly: only those are compared that somebody could use still. One that a newer one
	// replaced is over without an event.
	OpenOnly bool
}

// forget lets go what nobody can use any more.
func (logged Tickets) forget(now time.Time) {
	for id, k := range logged.Of {
		expires, err := time.Parse(time.RFC3339Nano, k.Expires)
		if k.Used || k.Withdrawn || err == nil && !k.Waits && expires.Before(now) {
			delete(logged.Of, id)
			maps.DeleteFunc(logged.Asked, func(_, of string) bool { return of == id })
		}
	}
}

// Apply adds one event.
func (logged Tickets) Apply(e audit.Event) {
	d := e.Data
	switch e.Kind {
	case audit.PersonInvited, audit.ResetIssued:
		k := &Ticket{At: e.Index, Kind: string(tenants.TicketJoin), By: e.Actor.ID, Person: d.Get("person").Text(), Roles: textsOf(d.Get("roles")), Expires: d.Get("expires_at").Text(), Is: d.Get("link_sum").Text()}
		if e.Kind == audit.ResetIssued {
			k.Kind = string(tenants.TicketPassword)
		}
		k.Waits = logged.Asked[d.Get("ticket").Text()] != "" // it was asked for just before
		logged.Of[d.Get("ticket").Text()] = k
		return
	case audit.PeopleProposed:
		if id := d.Get("ticket").Text(); id != "" {
			logged.Asked[d.Get("proposal").Text()], logged.Asked[id] = id, id
		}
		return
	case audit.SinglePersonEnded:
		for _, id := range d.Get("withdrawn").Elements() {
			if k := logged.Of[id.Text()]; k != nil {
				k.At, k.Withdrawn = e.Index, true
			}
		}
		return
	default:
	}
	id := d.Get("ticket").Text()
	if proposal := d.Get("proposal").Text(); proposal != "" {
		id = logged.Asked[proposal]
	}
	k := logged.Of[id]
	if k == nil {
		if id != "" && (e.Kind == audit.PersonJoined || e.Kind == audit.PasswordChanged) {
			logged.Unmade[id] = e.Index
		}
		return
	}
	k.At = e.Index
	switch e.Kind {
	case audit.PersonJoined, audit.PasswordChanged:
		k.Used = true
	case audit.PeopleAccepted:
		life := tenants.JoinLife
		if k.Kind == string(tenants.TicketPassword) {
			life = tenants.PasswordLife
		}
		k.Waits, k.Expires = false, audit.FormatTime(e.At.Add(life))
	default:
		k.Withdrawn = true
	}
}
