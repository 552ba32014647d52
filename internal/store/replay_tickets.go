package store

import (
	"fmt"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/tenants"
)

// toldTicket is what the events say of a link that an admin made.
type toldTicket struct {
	at                                   int64
	kind, by, person, roles, expires, is string // is: the sum of its hash and address; "" in events of before they had it
	waits, used, withdrawn               bool
}

// ticketKinds are what replayTickets listens to, beside what is asked for about links.
var ticketKinds = []audit.Kind{
	audit.PersonInvited, audit.ResetIssued, audit.InviteWithdrawn, audit.PersonJoined, audit.PasswordChanged, audit.SinglePersonEnded,
	audit.PeopleProposed, audit.PeopleAccepted, audit.PeopleRejected, audit.PeopleWithdrawn,
}

// replayTickets holds the links with which people join, or choose a password, against the
// events: who made each, for whom, and whether somebody had to accept it first.
func (t *tx) replayTickets(size int64) (int64, string, error) {
	told := toldTickets{of: map[string]*toldTicket{}, asked: map[string]string{}, unmade: map[string]int64{}}
	for last := int64(-1); ; {
		events, err := t.eventsAfter(last, authorityBatch, ticketKinds...)
		if err != nil {
			return 0, "", err
		}
		for _, e := range events {
			last = e.Index
			told.hear(e)
		}
		if len(events) < authorityBatch {
			break
		}
	}
	for id, at := range told.unmade {
		return at, fmt.Sprintf("the link %s was used, but no event says that it was created", id), nil
	}
	var rows []ticketRow
	if err := t.of("tickets").Order("ticket_id").Find(&rows).Error; err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		k := told.of[r.TicketID]
		if k == nil {
			return size, fmt.Sprintf("the link %s is in the database, but no event says that it was created", r.TicketID), nil
		}
		delete(told.of, r.TicketID)
		if problem := k.contradicts(r); problem != "" {
			return k.at, fmt.Sprintf("the link %s: %s", r.TicketID, problem), nil
		}
	}
	for id, k := range told.of {
		return k.at, fmt.Sprintf("the link %s was created but is missing from the database", id), nil
	}
	return 0, "", nil
}

type toldTickets struct {
	of     map[string]*toldTicket
	asked  map[string]string // the link that a proposal is about
	unmade map[string]int64  // links that somebody used, of which no event says that they were made
}

func (told toldTickets) hear(e audit.Event) {
	d := e.Data
	switch e.Kind {
	case audit.PersonInvited, audit.ResetIssued:
		k := &toldTicket{at: e.Index, kind: string(tenants.TicketJoin), by: e.Actor.ID, person: d.Get("person").Text(), roles: textsOf(d.Get("roles")), expires: d.Get("expires_at").Text(), is: d.Get("link_sum").Text()}
		if e.Kind == audit.ResetIssued {
			k.kind = string(tenants.TicketPassword)
		}
		k.waits = told.asked[d.Get("ticket").Text()] != "" // it was asked for just before
		told.of[d.Get("ticket").Text()] = k
		return
	case audit.PeopleProposed:
		if id := d.Get("ticket").Text(); id != "" {
			told.asked[d.Get("proposal").Text()], told.asked[id] = id, id
		}
		return
	case audit.SinglePersonEnded:
		for _, id := range d.Get("withdrawn").Elements() {
			if k := told.of[id.Text()]; k != nil {
				k.at, k.withdrawn = e.Index, true
			}
		}
		return
	default:
	}
	id := d.Get("ticket").Text()
	if proposal := d.Get("proposal").Text(); proposal != "" {
		id = told.asked[proposal]
	}
	k := told.of[id]
	if k == nil {
		if id != "" && (e.Kind == audit.PersonJoined || e.Kind == audit.PasswordChanged) {
			told.unmade[id] = e.Index
		}
		return
	}
	k.at = e.Index
	switch e.Kind {
	case audit.PersonJoined, audit.PasswordChanged:
		k.used = true
	case audit.PeopleAccepted:
		life := tenants.JoinLife
		if k.kind == string(tenants.TicketPassword) {
			life = tenants.PasswordLife
		}
		k.waits, k.expires = false, audit.FormatTime(e.At.Add(life))
	default:
		k.withdrawn = true
	}
}

// contradicts names the first thing that a link has otherwise. One that was replaced by a
// newer one is withdrawn without an event, and whether somebody came by a link their
// event says; so only what opens more than the events say is wrong.
func (k toldTicket) contradicts(r ticketRow) string {
	open := func(end *time.Time, ended bool) string { return strconv.FormatBool(end == nil && ended) }
	is := ""
	if k.is != "" {
		is = tenants.TicketSum(r.TokenHash, r.Email)
	}
	return firstDifference([]said{
		{"secret or address", is, k.is},
		{"kind", r.Kind, k.kind},
		{"maker", r.CreatedBy, k.by},
		{"person", r.PersonID, k.person},
		{"roles", r.Roles, k.roles},
		{"end", instant(&r.ExpiresAt), k.expires},
		{"waiting for someone to accept it", strconv.FormatBool(r.Waits), strconv.FormatBool(k.waits)},
		{"use once more", open(r.UsedAt, k.used), "false"},
		{"use after its end", open(r.WithdrawnAt, k.withdrawn && !k.used), "false"},
	})
}
