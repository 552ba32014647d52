package store

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/tenants"
)

// toldTicket is what the events say of a link that an admin made.
type toldTicket struct {
	At                                   int64
	Kind, By, Person, Roles, Expires, Is string // Is: the sum of its hash and address; "" in events of before they had it
	Waits, Used, Withdrawn               bool
}

// ticketKinds are what toldTickets listens to, beside what is asked for about links.
var ticketKinds = []audit.Kind{
	audit.PersonInvited, audit.ResetIssued, audit.InviteWithdrawn, audit.PersonJoined, audit.PasswordChanged, audit.SinglePersonEnded,
	audit.PeopleProposed, audit.PeopleAccepted, audit.PeopleRejected, audit.PeopleWithdrawn,
}

func (told *toldTickets) fill() {
	made(&told.Of)
	made(&told.Asked)
	made(&told.Unmade)
}

func (t *tx) toldTickets() (told toldTickets, err error) {
	told.fill()
	for last := int64(-1); ; {
		events, err := t.eventsAfter(last, authorityBatch, ticketKinds...)
		if err != nil {
			return told, err
		}
		for _, e := range events {
			last = e.Index
			told.hear(e)
		}
		if len(events) < authorityBatch {
			return told, nil
		}
	}
}

// ticketsContradict holds the links with which people join, or choose a password, against the
// events: who made each, for whom, and whether somebody had to accept it first. Of what was
// told it leaves nothing.
func (t *tx) ticketsContradict(told toldTickets, size int64) (int64, string, error) {
	for id, at := range told.Unmade {
		return at, fmt.Sprintf("the link %s was used, but no event says that it was created", id), nil
	}
	var rows []ticketRow
	q := t.of("tickets")
	if told.OpenOnly {
		q = q.Where("used_at IS NULL AND withdrawn_at IS NULL AND (waits OR expires_at > ?)", t.now)
	}
	if err := q.Order("ticket_id").Find(&rows).Error; err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		k := told.Of[r.TicketID]
		if k == nil {
			return size, fmt.Sprintf("the link %s is in the database, but no event says that it was created", r.TicketID), nil
		}
		delete(told.Of, r.TicketID)
		if problem := k.contradicts(r); problem != "" {
			return k.At, fmt.Sprintf("the link %s: %s", r.TicketID, problem), nil
		}
	}
	for id, k := range told.Of {
		if !told.OpenOnly {
			return k.At, fmt.Sprintf("the link %s was created but is missing from the database", id), nil
		}
	}
	return 0, "", nil
}

type toldTickets struct {
	Of     map[string]*toldTicket
	Asked  map[string]string // the link that a proposal is about
	Unmade map[string]int64  // links that somebody used, of which no event says that they were made
	// OpenOnly: only those are compared that somebody could use still. One that a newer one
	// replaced is over without an event.
	OpenOnly bool
}

// forget lets go what nobody can use any more.
func (told toldTickets) forget(now time.Time) {
	for id, k := range told.Of {
		expires, err := time.Parse(time.RFC3339Nano, k.Expires)
		if k.Used || k.Withdrawn || err == nil && !k.Waits && expires.Before(now) {
			delete(told.Of, id)
			maps.DeleteFunc(told.Asked, func(_, of string) bool { return of == id })
		}
	}
}

func (told toldTickets) hear(e audit.Event) {
	d := e.Data
	switch e.Kind {
	case audit.PersonInvited, audit.ResetIssued:
		k := &toldTicket{At: e.Index, Kind: string(tenants.TicketJoin), By: e.Actor.ID, Person: d.Get("person").Text(), Roles: textsOf(d.Get("roles")), Expires: d.Get("expires_at").Text(), Is: d.Get("link_sum").Text()}
		if e.Kind == audit.ResetIssued {
			k.Kind = string(tenants.TicketPassword)
		}
		k.Waits = told.Asked[d.Get("ticket").Text()] != "" // it was asked for just before
		told.Of[d.Get("ticket").Text()] = k
		return
	case audit.PeopleProposed:
		if id := d.Get("ticket").Text(); id != "" {
			told.Asked[d.Get("proposal").Text()], told.Asked[id] = id, id
		}
		return
	case audit.SinglePersonEnded:
		for _, id := range d.Get("withdrawn").Elements() {
			if k := told.Of[id.Text()]; k != nil {
				k.At, k.Withdrawn = e.Index, true
			}
		}
		return
	default:
	}
	id := d.Get("ticket").Text()
	if proposal := d.Get("proposal").Text(); proposal != "" {
		id = told.Asked[proposal]
	}
	k := told.Of[id]
	if k == nil {
		if id != "" && (e.Kind == audit.PersonJoined || e.Kind == audit.PasswordChanged) {
			told.Unmade[id] = e.Index
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

// contradicts names the first thing that a link has otherwise. One that was replaced by a
// newer one is withdrawn without an event, and whether somebody came by a link their
// event says; so only what opens more than the events say is wrong.
func (k toldTicket) contradicts(r ticketRow) string {
	open := func(end *time.Time, ended bool) string { return strconv.FormatBool(end == nil && ended) }
	is := ""
	if k.Is != "" {
		is = tenants.TicketSum(r.TokenHash, r.Email)
	}
	return firstDifference([]said{
		{"secret or address", is, k.Is},
		{"kind", r.Kind, k.Kind},
		{"maker", r.CreatedBy, k.By},
		{"person", r.PersonID, k.Person},
		{"roles", r.Roles, k.Roles},
		{"end", instant(&r.ExpiresAt), k.Expires},
		{"waiting for someone to accept it", strconv.FormatBool(r.Waits), strconv.FormatBool(k.Waits)},
		{"use once more", open(r.UsedAt, k.Used), "false"},
		{"use after its end", open(r.WithdrawnAt, k.Withdrawn && !k.Used), "false"},
	})
}
