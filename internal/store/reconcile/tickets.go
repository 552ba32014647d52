package reconcile

import (
	"fmt"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/organisation"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

func (t Checks) loggedTickets() (logged logstate.Tickets, err error) {
	logged.Fill()
	return logged, t.EachEvent(logged.Apply, "kind IN ?", logstate.TicketKinds)
}

// ticketsMismatch holds the links with which people join, or choose a password, against the
// events: who made each, for whom, and whether somebody had to accept it first. Of what is
// logged it leaves nothing.
func (t Checks) ticketsMismatch(logged logstate.Tickets, size int64) (int64, string, error) {
	for id, at := range logged.Unmade {
		return at, fmt.Sprintf("the link %s was used, but no event says that it was created", id), nil
	}
	rows, err := t.org.TicketRows(logged.OpenOnly)
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		k := logged.Of[r.TicketID]
		if k == nil {
			return size, fmt.Sprintf("the link %s is in the database, but no event says that it was created", r.TicketID), nil
		}
		delete(logged.Of, r.TicketID)
		if problem := ticketMismatch(k, r); problem != "" {
			return k.At, fmt.Sprintf("the link %s: %s", r.TicketID, problem), nil
		}
	}
	for id, k := range logged.Of {
		if !logged.OpenOnly {
			return k.At, fmt.Sprintf("the link %s was created but is missing from the database", id), nil
		}
	}
	return 0, "", nil
}

// ticketMismatch names the first thing that a link has otherwise. One that was replaced by a
// newer one is withdrawn without an event, and whether somebody came by a link their
// event says; so only what opens more than the events say is wrong.
func ticketMismatch(k *logstate.Ticket, r organisation.TicketRow) string {
	open := func(end *time.Time, ended bool) string { return strconv.FormatBool(end == nil && ended) }
	is := ""
	if k.Is != "" {
		is = tenants.TicketSum(r.TokenHash, r.Email)
	}
	return firstDifference([]comparison{
		{"secret or address", is, k.Is},
		{"kind", r.Kind, k.Kind},
		{"maker", r.CreatedBy, k.By},
		{"person", r.PersonID, k.Person},
		{"roles", r.Roles, k.Roles},
		{"end", tables.Instant(&r.ExpiresAt), k.Expires},
		{"waiting for someone to accept it", strconv.FormatBool(r.Waits), strconv.FormatBool(k.Waits)},
		{"use once more", open(r.UsedAt, k.Used), "false"},
		{"use after its end", open(r.WithdrawnAt, k.Withdrawn && !k.Used), "false"},
	})
}
