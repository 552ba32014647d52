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
	members        map[string]toldMember // by person
	ties, openings map[string]int64
	losses         map[string]int64 // that must be stored
	before         map[string]int64 // that may be: they are of before losses were kept
	proposals      map[string]*toldProposal
	passwords      map[string]toldPassword
	ended          string // who ended single-person mode, and when
	endedAt        int64
	modeKnown      bool // the trail says from the beginning, or since an upgrade, which mode it was
	single         bool
}

type toldMember struct {
	at               int64
	roles, suspended string
	since            string // when they got the rights that they have; "" for members of before that was kept
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
	for _, check := range []func(toldAuthority, int64) (int64, string, error){
		t.replayMembers, t.replayTies, t.replayLosses, t.replayOpenings, t.replayPeopleProposals, t.replayMode, t.replayPasswords,
	} {
		if at, problem, err := check(told, size); err != nil || problem != "" {
			return at, problem, err
		}
	}
	return t.replayTickets(size)
}

func (t *tx) toldAuthority() (toldAuthority, error) {
	told := toldAuthority{
		members: map[string]toldMember{}, ties: map[string]int64{}, openings: map[string]int64{}, losses: map[string]int64{}, before: map[string]int64{},
		proposals: map[string]*toldProposal{}, passwords: map[string]toldPassword{},
	}
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
	d, at := e.Data, audit.FormatTime(e.At)
	person := d.Get("person").Text()
	m := told.members[person]
	m.at = e.Index
	if slices.Contains(passwordKinds, e.Kind) {
		hearPassword(told.passwords, e)
	}
	switch e.Kind {
	case audit.TenantCreated, audit.ModeStated:
		if single := d.Get("single_person_mode"); !single.IsAbsent() {
			told.modeKnown, told.single = true, single.Bool()
			maps.Copy(told.before, told.losses)
			clear(told.losses)
		}
		return
	case audit.SinglePersonEnded:
		told.ended, told.endedAt = joined(person, at), e.Index
		return
	case audit.PasswordChanged:
		if by := d.Get("link_by").Text(); by != "" {
			told.ties[joined(person, by, tenants.TiePassword, at)] = e.Index
		}
		return
	case audit.WaitingOpened:
		told.openings[joined(d.Get("subject").Text(), e.Actor.ID, at)] = e.Index
		return
	case audit.PeopleProposed, audit.PeopleAccepted, audit.PeopleRejected, audit.PeopleWithdrawn:
		told.hearProposal(e)
		return
	case audit.PersonJoined:
		if by := d.Get("invited_by").Text(); by != "" {
			told.ties[joined(person, by, tenants.TieInvited, at)] = e.Index
		}
		m.roles, m.suspended = textsOf(d.Get("roles")), ""
		m.gain("", at, told.modeKnown)
	case audit.PersonSuspended:
		m.suspended = joined(e.Actor.ID, at, d.Get("reason").Text())
	case audit.PersonReinstated:
		m.suspended, m.since = "", at
	case audit.PersonRemoved:
		told.lose(m, person, "", at)
		delete(told.members, person)
		return
	default:
		told.lose(m, person, textsOf(d.Get("roles")), at)
		m.roles = textsOf(d.Get("roles"))
		m.gain(textsOf(d.Get("before")), at, told.modeKnown)
	}
	told.members[person] = m
}

// gain notes when somebody got rights that they had not before.
func (m *toldMember) gain(before, at string, kept bool) {
	if gained(before, m.roles) {
		if m.since = at; !kept {
			m.since = ""
		}
	}
}

func (told *toldAuthority) lose(m toldMember, person, after, at string) {
	var gone []string
	now := strings.Split(after, ",")
	for r := range strings.SplitSeq(m.roles, ",") {
		if (r == string(auth.Operator) || r == string(auth.Admin)) && !slices.Contains(now, r) {
			gone = append(gone, r)
		}
	}
	if len(gone) > 0 {
		told.losses[joined(person, strings.Join(gone, ","), at)] = m.at
	}
}

func (told *toldAuthority) hearProposal(e audit.Event) {
	d, id := e.Data, e.Data.Get("proposal").Text()
	if e.Kind == audit.PeopleProposed {
		told.proposals[id] = &toldProposal{at: e.Index, opened: joined(
			d.Get("act").Text(), d.Get("person").Text(), d.Get("ticket").Text(), textsOf(d.Get("roles")), textsOf(d.Get("before")), e.Actor.ID, audit.FormatTime(e.At))}
		return
	}
	p := told.proposals[id]
	if p == nil {
		return
	}
	state := map[audit.Kind]tenants.ProposalState{
		audit.PeopleAccepted: tenants.ProposalAccepted, audit.PeopleRejected: tenants.ProposalRejected, audit.PeopleWithdrawn: tenants.ProposalWithdrawn,
	}[e.Kind]
	p.at, p.closed = e.Index, joined(string(state), e.Actor.ID, audit.FormatTime(e.At), d.Get("reason").Text(), strconv.FormatBool(d.Get("waited").Bool()))
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
		m, ok := told.members[r.PersonID]
		if !ok && !told.modeKnown {
			continue // from before the trail told of everybody
		}
		if !ok {
			return size, fmt.Sprintf("%s is a member in the database, but no event says so", r.PersonID), nil
		}
		delete(told.members, r.PersonID)
		suspended := ""
		if r.SuspendedAt != nil {
			suspended = joined(r.SuspendedBy, instant(r.SuspendedAt), r.SuspendReason)
		}
		since := instant(r.RightsFrom)
		if m.since == "" {
			since = ""
		}
		if problem := firstDifference([]said{{"roles", r.Roles, m.roles}, {"suspension", suspended, m.suspended}, {"beginning of their rights", since, m.since}}); problem != "" {
			return m.at, fmt.Sprintf("%s: %s", r.PersonID, problem), nil
		}
	}
	for id, m := range told.members {
		return m.at, fmt.Sprintf("%s became a member but is missing from the database as one", id), nil
	}
	return 0, "", nil
}

func (t *tx) replayTies(told toldAuthority, size int64) (int64, string, error) {
	var rows []kinshipRow
	err := t.of("kinships").Find(&rows).Error
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = joined(r.PersonID, r.ByID, r.How, instant(&r.TiedAt))
	}
	at, problem := sameSet("tie between people", all, told.ties, nil, size)
	return at, problem, err
}

func (t *tx) replayLosses(told toldAuthority, size int64) (int64, string, error) {
	if !told.modeKnown {
		return 0, "", nil // from before the trail told of everybody
	}
	var rows []lossRow
	err := t.of("role_losses").Find(&rows).Error
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = joined(r.PersonID, r.Roles, instant(&r.LostAt))
	}
	at, problem := sameSet("loss of roles", all, told.losses, told.before, size)
	return at, problem, err
}

func (t *tx) replayOpenings(told toldAuthority, size int64) (int64, string, error) {
	var rows []openingRow
	err := t.of("openings").Find(&rows).Error
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = joined(r.Subject, r.PersonID, instant(&r.OpenedAt))
	}
	at, problem := sameSet("first look", all, told.openings, nil, size)
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
	if err := t.of("people_proposals").Order("proposal_id").Find(&rows).Error; err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		e := told.proposals[r.ProposalID]
		if e == nil {
			return size, fmt.Sprintf("the proposal %s is in the database, but no event says that it was created", r.ProposalID), nil
		}
		delete(told.proposals, r.ProposalID)
		opened, closed := joined(r.Act, r.PersonID, r.TicketID, r.Roles, r.RolesFrom, r.AuthorID, instant(&r.CreatedAt)), ""
		if r.State != string(tenants.ProposalOpen) {
			closed = joined(r.State, r.ClosedBy, instant(r.ClosedAt), r.Answer, strconv.FormatBool(r.Waited))
		}
		if problem := firstDifference([]said{{"beginning", opened, e.opened}, {"end", closed, e.closed}}); problem != "" {
			return e.at, fmt.Sprintf("the proposal %s: %s", r.ProposalID, problem), nil
		}
	}
	for id, e := range told.proposals {
		return e.at, fmt.Sprintf("the proposal %s was created but is missing from the database", id), nil
	}
	return 0, "", nil
}

// replayMode: single-person mode ends once, with an event; or by an upgrade, which the
// trail states.
func (t *tx) replayMode(told toldAuthority, size int64) (int64, string, error) {
	var rows []singleEndRow
	if err := t.of("single_person_ends").Find(&rows).Error; err != nil {
		return 0, "", err
	}
	stored, over := "", len(rows) > 0
	if over && rows[0].PersonID != "" {
		stored = joined(rows[0].PersonID, instant(&rows[0].EndedAt))
	}
	switch {
	case stored != told.ended:
		return max(told.endedAt, 0), fmt.Sprintf("the stored end of single-person mode is %.80q, but the events say %.80q", stored, told.ended), nil
	case told.ended == "" && told.modeKnown && told.single == over:
		return size, fmt.Sprintf("single-person mode is %t in the database, but the events say %t", !over, told.single), nil
	}
	return 0, "", nil
}
