package organisation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// What package authority decides by: who has which rights, who invited whom, and what
// was opened by whom. All of it but the rights themselves is added and never changed.

type kinshipRow struct {
	TenantID, PersonID, ByID, How string
	TiedAt                        time.Time
}

type lossRow struct {
	TenantID, PersonID, Roles string
	LostAt                    time.Time
}

type singleEndRow struct {
	TenantID, PersonID string
	EndedAt            time.Time
}

// OpeningRow is a row of openings.
type OpeningRow struct {
	TenantID, Subject, PersonID string
	OpenedAt                    time.Time
}

func (kinshipRow) TableName() string   { return "kinships" }
func (lossRow) TableName() string      { return "role_losses" }
func (singleEndRow) TableName() string { return "single_person_ends" }
func (OpeningRow) TableName() string   { return "openings" }

// effectiveRoles are the roles of a membership that count: none while it is suspended.
func effectiveRoles(roles string, suspended *time.Time) string {
	if suspended != nil {
		return ""
	}
	return roles
}

// Authority is what an organisation's authority depends on now.
func (t Organisation) Authority() (authority.State, error) {
	return tables.Once(t.Tx, "authority", []string{"policies", "single_person_ends", "memberships", "people", "kinships", "role_losses"}, t.authority)
}

func (t Organisation) authority() (s authority.State, err error) {
	if err := t.Fetch(t.AboutPeople()...); err != nil {
		return s, err
	}
	p, _, err := t.Policy()
	if err != nil {
		return s, err
	}
	s = authority.State{Now: t.At, Wait: p.Authority.Wait(), Kinship: p.Authority.Kinship()}
	if s.Single, err = t.Single(); err != nil {
		return s, err
	}
	people, err := t.MemberPeople()
	if err != nil {
		return s, err
	}
	names := make(map[string]string, len(people))
	for _, p := range people {
		names[p.PersonID] = p.Name
	}
	members, err := t.MembershipRows()
	if err != nil {
		return s, err
	}
	for _, m := range members {
		roles := splitRoles(m.Roles)
		since := m.CreatedAt
		if m.RightsFrom != nil {
			since = *m.RightsFrom
		}
		name, ok := names[m.PersonID]
		if !ok {
			continue
		}
		s.People = append(s.People, authority.Person{
			ID: m.PersonID, Name: name, Decides: slices.Contains(roles, auth.Operator), Manages: slices.Contains(roles, auth.Admin),
			Suspended: m.SuspendedAt != nil, Since: tables.Stamp(since), SignedIn: m.LastSignInAt != nil,
		})
	}
	if err := t.lately(&s); err != nil {
		return s, err
	}
	ties, err := t.TieRows()
	if err != nil {
		return s, err
	}
	for _, k := range ties {
		s.Ties = append(s.Ties, authority.Tie{Person: k.PersonID, By: k.ByID, At: tables.Stamp(k.TiedAt)})
	}
	return s, nil
}

// Single reports whether the organisation is in single-person mode.
func (t Organisation) Single() (bool, error) {
	ends, err := t.EndRows()
	return len(ends) == 0, err
}

// lately adds who lost which roles within the time that ties last.
func (t Organisation) lately(s *authority.State) error {
	rows, err := t.LossRows()
	if err != nil {
		return err
	}
	for _, r := range rows {
		if !r.LostAt.After(t.At.Add(-s.Kinship)) {
			continue
		}
		i := slices.IndexFunc(s.People, func(p authority.Person) bool { return p.ID == r.PersonID })
		if i < 0 {
			i = len(s.People)
			s.People = append(s.People, authority.Person{ID: r.PersonID})
		}
		p := &s.People[i]
		roles := splitRoles(r.Roles)
		p.Decided, p.Managed = p.Decided || slices.Contains(roles, auth.Operator), p.Managed || slices.Contains(roles, auth.Admin)
		if p.LostAt.IsZero() {
			p.LostAt = tables.Stamp(r.LostAt)
		}
	}
	return nil
}

// lose keeps which of the roles that decide or manage somebody has no more.
func (t Organisation) lose(person, before, after string) error {
	gone := logstate.Lost(before, after)
	if gone == "" {
		return nil
	}
	row := lossRow{TenantID: t.Tenant, PersonID: person, Roles: gone, LostAt: t.At}
	var same int64
	if err := t.Of("role_losses").Where("person_id = ? AND roles = ? AND lost_at = ?", row.PersonID, row.Roles, row.LostAt).Count(&same).Error; err != nil || same > 0 {
		return err // at the same moment, which is one loss
	}
	return tables.Classify(t.DB.Create(&row).Error)
}

// Tie keeps that by made a person what they are.
func (t Organisation) Tie(person, by, how string) error {
	return tables.Classify(t.DB.Create(&kinshipRow{TenantID: t.Tenant, PersonID: person, ByID: by, How: how, TiedAt: t.At}).Error)
}

// EndSinglePerson ends single-person mode for good; person is the second one.
func (t Organisation) EndSinglePerson(person string) error {
	return tables.Classify(t.DB.Create(&singleEndRow{TenantID: t.Tenant, PersonID: person, EndedAt: t.At}).Error)
}

// Suspend takes every right from a member, who stays one.
func (t Organisation) Suspend(person, by, reason string) error {
	r := t.member(person).Where("suspended_at IS NULL").
		Updates(map[string]any{"suspended_at": t.At, "suspended_by": by, "suspend_reason": reason, "sessions_from": t.At})
	return tables.Changed(r, fault.New(fault.Changed, "they're already suspended"))
}

// Reinstate ends Suspend.
func (t Organisation) Reinstate(person string) error {
	r := t.member(person).Where("suspended_at IS NOT NULL").
		Updates(map[string]any{"suspended_at": nil, "suspended_by": "", "suspend_reason": "", "rights_from": t.At})
	return tables.Changed(r, fault.New(fault.Changed, "they aren't suspended"))
}

// Opened remembers Now as the first look of somebody at something that waits.
func (t Organisation) Opened(subject, person string) error {
	return tables.Classify(t.DB.Create(&OpeningRow{TenantID: t.Tenant, Subject: subject, PersonID: person, OpenedAt: t.At}).Error)
}

// Openings are the first looks at these, each.
func (t Organisation) Openings(subjects []string) (map[string][]authority.Opening, error) {
	if len(subjects) == 0 {
		return nil, nil
	}
	var rows []OpeningRow
	err := t.Of("openings").Where("subject IN ?", subjects).Order("opened_at, person_id").Find(&rows).Error
	all := map[string][]authority.Opening{}
	for _, r := range rows {
		all[r.Subject] = append(all[r.Subject], authority.Opening{Person: r.PersonID, At: tables.Stamp(r.OpenedAt)})
	}
	return all, err
}

// KeyMakers are the people who made a key of an agent that worked at this time.
func (t Organisation) KeyMakers(agent string, at time.Time) (ids []string, err error) {
	if err := t.Fetch(t.WhoDecides(agent)...); err != nil {
		return nil, err
	}
	keys, err := t.KeyRows(agent)
	at = tables.Stamp(at)
	for _, r := range keys {
		if r.CreatedBy != "" && !r.CreatedAt.After(at) && (r.RevokedAt == nil || r.RevokedAt.After(at)) && (r.ExpiresAt == nil || r.ExpiresAt.After(at)) {
			ids = append(ids, r.CreatedBy)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// OpenRequests are what waits for signatures, by how many and of whom, and whose agent asks: each
// sort once.
func (t Organisation) OpenRequests() ([]authority.Request, error) {
	var rows []struct {
		AgentOwner, Treatment string
		Required              int
	}
	// Whole treatments only where they say who: `"needs":[` is in no text, which has its quotes escaped.
	err := t.Of("approvals").Select("approvals.agent_owner, coalesce(approval_lines.required, 1) AS required, "+
		`CASE WHEN approvals.treatment LIKE '%"needs":[%' THEN approvals.treatment ELSE '' END AS treatment`).Where("approvals.status = ?", string(approvals.Pending)).
		Joins("LEFT JOIN approval_lines ON approval_lines.tenant_id = approvals.tenant_id AND approval_lines.approval_id = approvals.approval_id").
		Distinct().Order("required, approvals.agent_owner, treatment").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	policy, _, err := t.Policy()
	all := make([]authority.Request, len(rows))
	for i, r := range rows {
		var treated scoring.Treatment
		if r.Treatment != "" {
			if err := json.Unmarshal([]byte(r.Treatment), &treated); err != nil {
				return nil, fmt.Errorf("stored treatment: %w", err)
			}
		}
		if all[i] = (authority.Request{Required: r.Required, Needs: policy.Deciders.Asked(treated.Needs)}); r.AgentOwner != "" {
			all[i].Own = []string{r.AgentOwner}
		}
	}
	return all, err
}

// PeopleProposalRow is a row of people_proposals.
type PeopleProposalRow struct {
	TenantID, ProposalID       string
	Act, PersonID, TicketID    string
	Roles, RolesFrom, AuthorID string
	CreatedAt                  time.Time
	State                      string
	ClosedAt                   *time.Time
	ClosedBy, Answer           string
	Waited                     bool
}

func (PeopleProposalRow) TableName() string { return "people_proposals" }

// CreatePeopleProposal stores an open proposal.
func (t Organisation) CreatePeopleProposal(p tenants.PeopleProposal) error {
	return tables.Classify(t.DB.Create(&PeopleProposalRow{
		TenantID: t.Tenant, ProposalID: p.ID, Act: string(p.Act), PersonID: p.Person.ID, TicketID: p.Ticket, Roles: joinRoles(p.Roles),
		RolesFrom: joinRoles(p.From), AuthorID: p.Author.ID, CreatedAt: tables.Stamp(p.CreatedAt), State: string(tenants.ProposalOpen),
	}).Error)
}

// ClosePeopleProposal ends an open proposal, once.
func (t Organisation) ClosePeopleProposal(p tenants.PeopleProposal) error {
	ended := t.Of("people_proposals").Where("proposal_id = ? AND state = ?", p.ID, string(tenants.ProposalOpen)).
		Updates(map[string]any{"state": string(p.State), "closed_at": t.At, "closed_by": p.ClosedBy.ID, "answer": p.Answer, "waited": p.Waited})
	return tables.Changed(ended, fault.New(fault.Changed, "this is no longer waiting"))
}

// PeopleProposal returns one, open or not.
func (t Organisation) PeopleProposal(id string) (tenants.PeopleProposal, error) {
	row, err := tables.One[PeopleProposalRow](t.Of("people_proposals").Where("proposal_id = ?", id), "no such proposal")
	if err != nil {
		return tenants.PeopleProposal{}, err
	}
	all, err := t.peopleProposals([]PeopleProposalRow{row})
	if err != nil {
		return tenants.PeopleProposal{}, err
	}
	return all[0], nil
}

// PeopleProposals lists the open ones, oldest first.
func (t Organisation) PeopleProposals() ([]tenants.PeopleProposal, error) {
	var rows []PeopleProposalRow
	err := t.Of("people_proposals").Where("state = ?", string(tenants.ProposalOpen)).Order("proposal_id").Limit(tenants.MaxProposals).Find(&rows).Error
	if err != nil {
		return nil, err
	}
	return t.peopleProposals(rows)
}

func (t Organisation) peopleProposals(rows []PeopleProposalRow) ([]tenants.PeopleProposal, error) {
	var ids, tickets, subjects []string
	for _, r := range rows {
		ids, subjects = append(ids, r.AuthorID, r.ClosedBy, r.PersonID), append(subjects, r.ProposalID)
		if r.TicketID != "" {
			tickets = append(tickets, r.TicketID)
		}
	}
	people, err := t.people(ids)
	if err != nil {
		return nil, err
	}
	emails := map[string]string{}
	if len(tickets) > 0 {
		var of []TicketRow
		if err := t.Of("tickets").Select("ticket_id, email").Where("ticket_id IN ?", tickets).Find(&of).Error; err != nil {
			return nil, err
		}
		for _, k := range of {
			emails[k.TicketID] = k.Email
		}
	}
	opened, err := t.Openings(subjects)
	if err != nil {
		return nil, err
	}
	all := make([]tenants.PeopleProposal, len(rows))
	for i, r := range rows {
		all[i] = tenants.PeopleProposal{
			ID: r.ProposalID, Act: tenants.PeopleAct(r.Act), Person: people[r.PersonID], Ticket: r.TicketID, Email: emails[r.TicketID],
			Roles: splitRoles(r.Roles), From: splitRoles(r.RolesFrom), Author: people[r.AuthorID], CreatedAt: tables.Stamp(r.CreatedAt),
			State: tenants.ProposalState(r.State), ClosedAt: tables.StampPointer(r.ClosedAt), ClosedBy: people[r.ClosedBy], Answer: r.Answer, Waited: r.Waited,
			Opened: opened[r.ProposalID],
		}
	}
	return all, nil
}

func (t Organisation) ends() *tables.Rows[singleEndRow] {
	return tables.Want[singleEndRow](t.Tx, "single_person_ends", nil, "single_person_ends", "")
}

func (t Organisation) memberships() *tables.Rows[MembershipRow] {
	return tables.Want(t.Tx, "memberships", func(a, b MembershipRow) int { return strings.Compare(a.PersonID, b.PersonID) }, "memberships", "")
}

func (t Organisation) members() *tables.Rows[PersonRow] {
	return tables.WantOf("people of memberships", []string{"people", "memberships"}, func(a, b PersonRow) int { return strings.Compare(a.PersonID, b.PersonID) },
		"SELECT * FROM people WHERE person_id IN (SELECT person_id FROM memberships WHERE tenant_id = ?)", t.Tenant)
}

func (t Organisation) ties() *tables.Rows[kinshipRow] {
	return tables.Want(t.Tx, "kinships", func(a, b kinshipRow) int {
		return cmp.Or(a.TiedAt.Compare(b.TiedAt), strings.Compare(a.PersonID, b.PersonID), strings.Compare(a.ByID, b.ByID))
	}, "kinships", "")
}

func (t Organisation) losses() *tables.Rows[lossRow] {
	return tables.Want(t.Tx, "role_losses", func(a, b lossRow) int {
		return cmp.Or(a.LostAt.Compare(b.LostAt), strings.Compare(a.PersonID, b.PersonID))
	}, "role_losses", "")
}

func (t Organisation) openings() *tables.Rows[OpeningRow] {
	return tables.Want[OpeningRow](t.Tx, "openings", nil, "openings", "")
}

func (t Organisation) changes(openOnly bool) *tables.Rows[PeopleProposalRow] {
	where := ""
	if openOnly {
		where = " AND state = 'open'"
	}
	return tables.Want(t.Tx, "people_proposals"+where, func(a, b PeopleProposalRow) int { return strings.Compare(a.ProposalID, b.ProposalID) }, "people_proposals", where)
}

// EndRows is the end of single-person mode: one row or none.
func (t Organisation) EndRows() ([]singleEndRow, error) { return t.ends().Read(t.Tx) }

// MembershipRows are all memberships, and MemberPeople the people that they are of.
func (t Organisation) MembershipRows() ([]MembershipRow, error) { return t.memberships().Read(t.Tx) }

// MemberPeople are the people of all memberships.
func (t Organisation) MemberPeople() ([]PersonRow, error) { return t.members().Read(t.Tx) }

// TieRows are all ties, the oldest first.
func (t Organisation) TieRows() ([]kinshipRow, error) { return t.ties().Read(t.Tx) }

// LossRows are all losses of roles, the oldest first.
func (t Organisation) LossRows() ([]lossRow, error) { return t.losses().Read(t.Tx) }

// OpeningRows are all first looks.
func (t Organisation) OpeningRows() ([]OpeningRow, error) { return t.openings().Read(t.Tx) }

// PeopleProposalRows are all changes of people's rights that somebody proposed, or those that wait.
func (t Organisation) PeopleProposalRows(openOnly bool) ([]PeopleProposalRow, error) {
	return t.changes(openOnly).Read(t.Tx)
}

// WhoDecides is all that says who may decide what an agent asks.
func (t Organisation) WhoDecides(agent string) []tables.Wanted {
	all := append(t.AboutPeople(), t.keys(agent), t.AwayRows())
	if t.Holds {
		all = append(all, t.AboutAgent(agent)...)
	}
	return all
}

// AboutPeople is all that says who may decide.
func (t Organisation) AboutPeople() []tables.Wanted {
	all := []tables.Wanted{t.NewestPolicy(), t.ends(), t.memberships(), t.members(), t.ties(), t.losses()}
	if t.Holds { // it is held against the log
		all = append(all, t.openings(), t.changes(true), t.tickets(true))
	}
	return all
}
