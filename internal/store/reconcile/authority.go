package reconcile

import (
	"fmt"
	"strconv"

	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/organisation"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// authorityBatch is how many events about people are read at once.
const authorityBatch = 200

// replayAuthority holds who may do what against the events: rights, suspensions, who
// invited whom, what waits and who saw it, and whether there is a single person.
func (t Checks) replayAuthority(size int64) (at int64, problem string, err error) {
	told, err := t.toldAuthority()
	if err != nil {
		return 0, "", err
	}
	if at, problem, err := t.authorityContradicts(told, size); err != nil || problem != "" {
		return at, problem, err
	}
	tickets, err := t.toldTickets()
	if err != nil {
		return 0, "", err
	}
	return t.ticketsContradict(tickets, size)
}

// authorityContradicts names the first thing that the tables have otherwise than what was told,
// of which it leaves nothing.
func (t Checks) authorityContradicts(told logstate.Authority, size int64) (at int64, problem string, err error) {
	for _, check := range []func(logstate.Authority, int64) (int64, string, error){
		t.replayMembers, t.replayTies, t.replayLosses, t.replayOpenings, t.replayPeopleProposals, t.replayMode, t.replayPasswords,
	} {
		if at, problem, err := check(told, size); err != nil || problem != "" {
			return at, problem, err
		}
	}
	return 0, "", nil
}

func (t Checks) toldAuthority() (told logstate.Authority, err error) {
	told.Fill()
	for last := int64(-1); ; {
		events, err := t.EventsAfter(last, authorityBatch, logstate.AuthorityKinds...)
		if err != nil {
			return told, err
		}
		for _, e := range events {
			last = e.Index
			told.Apply(e)
		}
		if len(events) < authorityBatch {
			return told, nil
		}
	}
}

func (t Checks) replayMembers(told logstate.Authority, size int64) (int64, string, error) {
	var rows []organisation.MembershipRow
	if err := t.Of("memberships").Order("person_id").Find(&rows).Error; err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		m, ok := told.Members[r.PersonID]
		if !ok && !told.ModeKnown {
			continue // from before the trail told of everybody
		}
		if !ok {
			return size, fmt.Sprintf("%s is a member in the database, but no event says so", r.PersonID), nil
		}
		delete(told.Members, r.PersonID)
		suspended := ""
		if r.SuspendedAt != nil {
			suspended = logstate.Joined(r.SuspendedBy, tables.Instant(r.SuspendedAt), r.SuspendReason)
		}
		since := tables.Instant(r.RightsFrom)
		if m.Since == "" {
			since = ""
		}
		if problem := firstDifference([]said{{"roles", r.Roles, m.Roles}, {"suspension", suspended, m.Suspended}, {"beginning of their rights", since, m.Since}}); problem != "" {
			return m.At, fmt.Sprintf("%s: %s", r.PersonID, problem), nil
		}
	}
	for id, m := range told.Members {
		return m.At, fmt.Sprintf("%s became a member but is missing from the database as one", id), nil
	}
	return 0, "", nil
}

func (t Checks) replayTies(told logstate.Authority, size int64) (int64, string, error) {
	rows, err := t.org.TieRows()
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = logstate.Joined(r.PersonID, r.ByID, r.How, tables.Instant(&r.TiedAt))
	}
	at, problem := sameSet("tie between people", all, told.Ties, nil, size)
	return at, problem, err
}

func (t Checks) replayLosses(told logstate.Authority, size int64) (int64, string, error) {
	if !told.ModeKnown {
		return 0, "", nil // from before the trail told of everybody
	}
	rows, err := t.org.LossRows()
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = logstate.Joined(r.PersonID, r.Roles, tables.Instant(&r.LostAt))
	}
	at, problem := sameSet("loss of roles", all, told.Losses, told.Before, size)
	return at, problem, err
}

func (t Checks) replayOpenings(told logstate.Authority, size int64) (int64, string, error) {
	var rows []organisation.OpeningRow
	err := t.Of("openings").Find(&rows).Error
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = logstate.Joined(r.Subject, r.PersonID, tables.Instant(&r.OpenedAt))
	}
	at, problem := sameSet("first look", all, told.Openings, nil, size)
	return at, problem, err
}

// sameSet compares what is stored with what must, and what may, be.
func sameSet(what string, stored []string, must, may map[string]int64, size int64) (int64, string) {
	for _, s := range stored {
		if _, ok := must[s]; ok {
			delete(must, s)
		} else if _, ok := may[s]; !ok {
			return size, fmt.Sprintf("the database has a %s that no event mentions: %.300q", what, s)
		}
	}
	for s, at := range must {
		return at, fmt.Sprintf("the events mention a %s that is missing from the database: %.300q", what, s)
	}
	return 0, ""
}

func (t Checks) replayPeopleProposals(told logstate.Authority, size int64) (int64, string, error) {
	var rows []organisation.PeopleProposalRow
	if err := t.openOf("people_proposals", told.OpenOnly).Order("proposal_id").Find(&rows).Error; err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		e := told.Proposals[r.ProposalID]
		if e == nil {
			return size, fmt.Sprintf("the proposal %s is in the database, but no event says that it was created", r.ProposalID), nil
		}
		delete(told.Proposals, r.ProposalID)
		opened, closed := logstate.Joined(r.Act, r.PersonID, r.TicketID, r.Roles, r.RolesFrom, r.AuthorID, tables.Instant(&r.CreatedAt)), ""
		if r.State != string(tenants.ProposalOpen) || r.Waited || r.ClosedAt != nil || r.ClosedBy+r.Answer != "" {
			closed = logstate.Joined(r.State, r.ClosedBy, tables.Instant(r.ClosedAt), r.Answer, strconv.FormatBool(r.Waited))
		}
		if problem := firstDifference([]said{{"beginning", opened, e.Opened}, {"end", closed, e.Closed}}); problem != "" {
			return e.At, fmt.Sprintf("the proposal %s: %s", r.ProposalID, problem), nil
		}
	}
	for id, e := range told.Proposals {
		return e.At, fmt.Sprintf("the proposal %s was created but is missing from the database", id), nil
	}
	return 0, "", nil
}

// replayMode: single-person mode ends once, with an event; or by an upgrade, which the
// trail states.
func (t Checks) replayMode(told logstate.Authority, size int64) (int64, string, error) {
	rows, err := t.org.EndRows()
	if err != nil {
		return 0, "", err
	}
	stored, over := "", len(rows) > 0
	if over && rows[0].PersonID != "" {
		stored = logstate.Joined(rows[0].PersonID, tables.Instant(&rows[0].EndedAt))
	}
	switch {
	case stored != told.Ended:
		return max(told.EndedAt, 0), fmt.Sprintf("the stored end of single-person mode is %.80q, but the events say %.80q", stored, told.Ended), nil
	case told.Ended == "" && told.ModeKnown && told.Single == over:
		return size, fmt.Sprintf("single-person mode is %t in the database, but the events say %t", !over, told.Single), nil
	}
	return 0, "", nil
}
