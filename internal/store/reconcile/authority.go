package reconcile

import (
	"fmt"
	"strconv"

	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// verifyAuthority holds who may do what against the events: rights, suspensions, who
// invited whom, what waits and who saw it, and whether there is a single person.
func (t Checks) verifyAuthority(size int64) (at int64, problem string, err error) {
	logged, err := t.loggedAuthority()
	if err != nil {
		return 0, "", err
	}
	if at, problem, err := t.authorityMismatch(logged, size); err != nil || problem != "" {
		return at, problem, err
	}
	tickets, err := t.loggedTickets()
	if err != nil {
		return 0, "", err
	}
	return t.ticketsMismatch(tickets, size)
}

// authorityMismatch names the first thing that the tables have otherwise than what is logged,
// of which it leaves nothing.
func (t Checks) authorityMismatch(logged logstate.Authority, size int64) (at int64, problem string, err error) {
	for _, check := range []func(logstate.Authority, int64) (int64, string, error){
		t.verifyMembers, t.verifyTies, t.verifyLosses, t.verifyOpenings, t.verifyPeopleProposals, t.verifyMode, t.verifyPasswords,
	} {
		if at, problem, err := check(logged, size); err != nil || problem != "" {
			return at, problem, err
		}
	}
	return 0, "", nil
}

func (t Checks) loggedAuthority() (logged logstate.Authority, err error) {
	logged.Fill()
	err = t.EachEvent(logged.Apply, "kind IN ?", logstate.AuthorityKinds)
	return logged, err
}

func (t Checks) verifyMembers(logged logstate.Authority, size int64) (int64, string, error) {
	rows, err := t.org.MembershipRows()
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		m, ok := logged.Members[r.PersonID]
		if !ok && !logged.ModeKnown {
			continue // from before the trail named everybody
		}
		if !ok {
			return size, fmt.Sprintf("%s is a member in the database, but no event says so", r.PersonID), nil
		}
		delete(logged.Members, r.PersonID)
		suspended := ""
		if r.SuspendedAt != nil {
			suspended = logstate.Joined(r.SuspendedBy, tables.Instant(r.SuspendedAt), r.SuspendReason)
		}
		since := tables.Instant(r.RightsFrom)
		if m.Since == "" {
			since = ""
		}
		if problem := firstDifference([]comparison{{"roles", r.Roles, m.Roles}, {"suspension", suspended, m.Suspended}, {"beginning of their rights", since, m.Since}}); problem != "" {
			return m.At, fmt.Sprintf("%s: %s", r.PersonID, problem), nil
		}
	}
	for id, m := range logged.Members {
		return m.At, fmt.Sprintf("%s became a member but is missing from the database as one", id), nil
	}
	return 0, "", nil
}

func (t Checks) verifyTies(logged logstate.Authority, size int64) (int64, string, error) {
	rows, err := t.org.TieRows()
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = logstate.Joined(r.PersonID, r.ByID, r.How, tables.Instant(&r.TiedAt))
	}
	at, problem := sameSet("tie between people", all, logged.Ties, nil, size)
	return at, problem, err
}

func (t Checks) verifyLosses(logged logstate.Authority, size int64) (int64, string, error) {
	if !logged.ModeKnown {
		return 0, "", nil // from before the trail named everybody
	}
	rows, err := t.org.LossRows()
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = logstate.Joined(r.PersonID, r.Roles, tables.Instant(&r.LostAt))
	}
	at, problem := sameSet("loss of roles", all, logged.Losses, logged.Before, size)
	return at, problem, err
}

func (t Checks) verifyOpenings(logged logstate.Authority, size int64) (int64, string, error) {
	rows, err := t.org.OpeningRows()
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = logstate.Joined(r.Subject, r.PersonID, tables.Instant(&r.OpenedAt))
	}
	at, problem := sameSet("first look", all, logged.Openings, nil, size)
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

func (t Checks) verifyPeopleProposals(logged logstate.Authority, size int64) (int64, string, error) {
	rows, err := t.org.PeopleProposalRows(logged.OpenOnly)
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		e := logged.Proposals[r.ProposalID]
		if e == nil {
			return size, fmt.Sprintf("the proposal %s is in the database, but no event says that it was created", r.ProposalID), nil
		}
		delete(logged.Proposals, r.ProposalID)
		opened, closed := logstate.Joined(r.Act, r.PersonID, r.TicketID, r.Roles, r.RolesFrom, r.AuthorID, tables.Instant(&r.CreatedAt)), ""
		if r.State != string(tenants.ProposalOpen) || r.Waited || r.ClosedAt != nil || r.ClosedBy+r.Answer != "" {
			closed = logstate.Joined(r.State, r.ClosedBy, tables.Instant(r.ClosedAt), r.Answer, strconv.FormatBool(r.Waited))
		}
		if problem := firstDifference([]comparison{{"beginning", opened, e.Opened}, {"end", closed, e.Closed}}); problem != "" {
			return e.At, fmt.Sprintf("the proposal %s: %s", r.ProposalID, problem), nil
		}
	}
	for id, e := range logged.Proposals {
		return e.At, fmt.Sprintf("the proposal %s was created but is missing from the database", id), nil
	}
	return 0, "", nil
}

// verifyMode: single-person mode ends once, with an event; or by an upgrade, which the
// trail states.
func (t Checks) verifyMode(logged logstate.Authority, size int64) (int64, string, error) {
	rows, err := t.org.EndRows()
	if err != nil {
		return 0, "", err
	}
	stored, over := "", len(rows) > 0
	if over && rows[0].PersonID != "" {
		stored = logstate.Joined(rows[0].PersonID, tables.Instant(&rows[0].EndedAt))
	}
	switch {
	case stored != logged.Ended:
		return max(logged.EndedAt, 0), fmt.Sprintf("the stored end of single-person mode is %.80q, but the events say %.80q", stored, logged.Ended), nil
	case logged.Ended == "" && logged.ModeKnown && logged.Single == over:
		return size, fmt.Sprintf("single-person mode is %t in the database, but the events say %t", !over, logged.Single), nil
	}
	return 0, "", nil
}
