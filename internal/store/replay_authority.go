package store

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/tenants"
)

// authorityBatch is how many events about people are read at once.
const authorityBatch = 200

// toldAuthority is what the events say of who may do what. Each text is what a row of a
// table would say, with the index of the event.
type toldAuthority struct {
	Members        map[string]toldMember // by person
	Ties, Openings map[string]int64
	Losses         map[string]int64 // that must be stored
	Before         map[string]int64 // that may be: they are of before losses were kept
	Proposals      map[string]*toldProposal
	Passwords      map[string]toldPassword
	Ended          string // who ended single-person mode, and when
	EndedAt        int64
	ModeKnown      bool // the trail says from the beginning, or since an upgrade, which mode it was
	Single         bool
	OpenOnly       bool  // of proposals: the others are no longer among them
	Told           int64 // how far the log was when it told of any of this last
}

type toldMember struct {
	At               int64
	Roles, Suspended string
	Since            string // when they got the rights that they have; "" for members of before that was kept
}

// authorityKinds are what it listens to.
var authorityKinds = []audit.Kind{
	audit.TenantCreated, audit.ModeStated, audit.SinglePersonEnded, audit.PersonCreated, audit.RolesGranted, audit.PersonJoined, audit.RolesChanged,
	audit.PersonRemoved, audit.PersonSuspended, audit.PersonReinstated, audit.PasswordChanged, audit.PeopleProposed, audit.PeopleAccepted,
	audit.PeopleRejected, audit.PeopleWithdrawn, audit.WaitingOpened,
}

// replayAuthority holds who may do what against the events: rights, suspensions, who
// invited whom, what waits and who saw it, and whether there is a single person.
func (t *tx) replayAuthority(size int64) (at int64, problem string, err error) {
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
func (t *tx) authorityContradicts(told toldAuthority, size int64) (at int64, problem string, err error) {
	for _, check := range []func(toldAuthority, int64) (int64, string, error){
		t.replayMembers, t.replayTies, t.replayLosses, t.replayOpenings, t.replayPeopleProposals, t.replayMode, t.replayPasswords,
	} {
		if at, problem, err := check(told, size); err != nil || problem != "" {
			return at, problem, err
		}
	}
	return 0, "", nil
}

func (told *toldAuthority) fill() {
	made(&told.Members)
	made(&told.Ties)
	made(&told.Openings)
	made(&told.Losses)
	made(&told.Before)
	made(&told.Proposals)
	made(&told.Passwords)
}

// copied is what a comparison may take from until nothing is left, without the proposals that
// somebody closed.
func (told toldAuthority) copied() toldAuthority {
	told.Members, told.Ties, told.Openings = maps.Clone(told.Members), maps.Clone(told.Ties), maps.Clone(told.Openings)
	told.Losses, told.Proposals, told.OpenOnly = maps.Clone(told.Losses), stillOpen(told.Proposals), true
	return told
}

func (t *tx) toldAuthority() (told toldAuthority, err error) {
	told.fill()
	for last := int64(-1); ; {
		events, err := t.eventsAfter(last, authorityBatch, authorityKinds...)
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

func (told *toldAuthority) hear(e audit.Event) {
	told.Told = e.Index + 1
	d, at := e.Data, audit.FormatTime(e.At)
	person := d.Get("person").Text()
	m := told.Members[person]
	m.At = e.Index
	if slices.Contains(passwordKinds, e.Kind) {
		hearPassword(told.Passwords, e)
	}
	switch e.Kind {
	case audit.TenantCreated, audit.ModeStated:
		if single := d.Get("single_person_mode"); !single.IsAbsent() {
			told.ModeKnown, told.Single = true, single.Bool()
			maps.Copy(told.Before, told.Losses)
			clear(told.Losses)
		}
		return
	case audit.SinglePersonEnded:
		told.Ended, told.EndedAt = joined(person, at), e.Index
		return
	case audit.PasswordChanged:
		if by := d.Get("link_by").Text(); by != "" {
			told.Ties[joined(person, by, tenants.TiePassword, at)] = e.Index
		}
		return
	case audit.WaitingOpened:
		told.Openings[joined(d.Get("subject").Text(), e.Actor.ID, at)] = e.Index
		return
	case audit.PeopleProposed, audit.PeopleAccepted, audit.PeopleRejected, audit.PeopleWithdrawn:
		told.hearProposal(e)
		return
	case audit.PersonJoined:
		if by := d.Get("invited_by").Text(); by != "" {
			told.Ties[joined(person, by, tenants.TieInvited, at)] = e.Index
		}
		m.Roles, m.Suspended = textsOf(d.Get("roles")), ""
		m.gain("", at, told.ModeKnown)
	case audit.PersonSuspended:
		m.Suspended = joined(e.Actor.ID, at, d.Get("reason").Text())
	case audit.PersonReinstated:
		m.Suspended, m.Since = "", at
	case audit.PersonRemoved:
		told.lose(m, person, "", at)
		delete(told.Members, person)
		return
	default:
		told.lose(m, person, textsOf(d.Get("roles")), at)
		m.Roles = textsOf(d.Get("roles"))
		m.gain(textsOf(d.Get("before")), at, told.ModeKnown)
	}
	told.Members[person] = m
}

// gain notes when somebody got rights that they had not before.
func (m *toldMember) gain(before, at string, kept bool) {
	if gained(before, m.Roles) {
		if m.Since = at; !kept {
			m.Since = ""
		}
	}
}

func (told *toldAuthority) lose(m toldMember, person, after, at string) {
	var gone []string
	now := strings.Split(after, ",")
	for r := range strings.SplitSeq(m.Roles, ",") {
		if (r == string(auth.Operator) || r == string(auth.Admin)) && !slices.Contains(now, r) {
			gone = append(gone, r)
		}
	}
	if len(gone) > 0 {
		told.Losses[joined(person, strings.Join(gone, ","), at)] = m.At
	}
}

func (told *toldAuthority) hearProposal(e audit.Event) {
	d, id := e.Data, e.Data.Get("proposal").Text()
	if e.Kind == audit.PeopleProposed {
		told.Proposals[id] = &toldProposal{At: e.Index, Opened: joined(
			d.Get("act").Text(), d.Get("person").Text(), d.Get("ticket").Text(), textsOf(d.Get("roles")), textsOf(d.Get("before")), e.Actor.ID, audit.FormatTime(e.At))}
		return
	}
	p := told.Proposals[id]
	if p == nil {
		return
	}
	state := map[audit.Kind]tenants.ProposalState{
		audit.PeopleAccepted: tenants.ProposalAccepted, audit.PeopleRejected: tenants.ProposalRejected, audit.PeopleWithdrawn: tenants.ProposalWithdrawn,
	}[e.Kind]
	p.At, p.Closed = e.Index, joined(string(state), e.Actor.ID, audit.FormatTime(e.At), d.Get("reason").Text(), strconv.FormatBool(d.Get("waited").Bool()))
}

// textsOf are the texts of a list, as a column has them.
func textsOf(v canon.Value) string {
	var all []string
	for _, one := range v.Elements() {
		all = append(all, one.Text())
	}
	return strings.Join(all, ",")
}

func (t *tx) replayMembers(told toldAuthority, size int64) (int64, string, error) {
	var rows []membershipRow
	if err := t.of("memberships").Order("person_id").Find(&rows).Error; err != nil {
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
			suspended = joined(r.SuspendedBy, instant(r.SuspendedAt), r.SuspendReason)
		}
		since := instant(r.RightsFrom)
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

func (t *tx) replayTies(told toldAuthority, size int64) (int64, string, error) {
	rows, err := t.tieRows()
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = joined(r.PersonID, r.ByID, r.How, instant(&r.TiedAt))
	}
	at, problem := sameSet("tie between people", all, told.Ties, nil, size)
	return at, problem, err
}

func (t *tx) replayLosses(told toldAuthority, size int64) (int64, string, error) {
	if !told.ModeKnown {
		return 0, "", nil // from before the trail told of everybody
	}
	rows, err := t.lossRows()
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = joined(r.PersonID, r.Roles, instant(&r.LostAt))
	}
	at, problem := sameSet("loss of roles", all, told.Losses, told.Before, size)
	return at, problem, err
}

func (t *tx) replayOpenings(told toldAuthority, size int64) (int64, string, error) {
	var rows []openingRow
	err := t.of("openings").Find(&rows).Error
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = joined(r.Subject, r.PersonID, instant(&r.OpenedAt))
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

func (t *tx) replayPeopleProposals(told toldAuthority, size int64) (int64, string, error) {
	var rows []peopleProposalRow
	if err := t.openOf("people_proposals", told.OpenOnly).Order("proposal_id").Find(&rows).Error; err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		e := told.Proposals[r.ProposalID]
		if e == nil {
			return size, fmt.Sprintf("the proposal %s is in the database, but no event says that it was created", r.ProposalID), nil
		}
		delete(told.Proposals, r.ProposalID)
		opened, closed := joined(r.Act, r.PersonID, r.TicketID, r.Roles, r.RolesFrom, r.AuthorID, instant(&r.CreatedAt)), ""
		if r.State != string(tenants.ProposalOpen) || r.Waited || r.ClosedAt != nil || r.ClosedBy+r.Answer != "" {
			closed = joined(r.State, r.ClosedBy, instant(r.ClosedAt), r.Answer, strconv.FormatBool(r.Waited))
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
func (t *tx) replayMode(told toldAuthority, size int64) (int64, string, error) {
	rows, err := t.endRows()
	if err != nil {
		return 0, "", err
	}
	stored, over := "", len(rows) > 0
	if over && rows[0].PersonID != "" {
		stored = joined(rows[0].PersonID, instant(&rows[0].EndedAt))
	}
	switch {
	case stored != told.Ended:
		return max(told.EndedAt, 0), fmt.Sprintf("the stored end of single-person mode is %.80q, but the events say %.80q", stored, told.Ended), nil
	case told.Ended == "" && told.ModeKnown && told.Single == over:
		return size, fmt.Sprintf("single-person mode is %t in the database, but the events say %t", !over, told.Single), nil
	}
	return 0, "", nil
}
