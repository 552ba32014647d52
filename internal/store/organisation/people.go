package organisation

import (
	"errors"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// PersonRow is a row of people.
type PersonRow struct {
	PersonID, Email, Name, PasswordHash, Salt string
	CreatedAt                                 time.Time
	SessionsFrom                              *time.Time
}

// Identity is the sum of somebody's name and address.
func (r PersonRow) Identity() string { return tables.SumOf(r.Salt, r.PersonID, r.Name, r.Email) }

// MembershipRow is a row of memberships.
type MembershipRow struct {
	TenantID, PersonID, Roles  string
	CreatedAt                  time.Time
	SessionsFrom, LastSignInAt *time.Time
	SuspendedAt, RightsFrom    *time.Time
	SuspendedBy, SuspendReason string
}

func (PersonRow) TableName() string     { return "people" }
func (MembershipRow) TableName() string { return "memberships" }

// Person is the row as auth has it.
func (r PersonRow) Person() auth.Person {
	return auth.Person{ID: r.PersonID, Email: r.Email, Name: r.Name}
}

// SetPassword replaces a person's password and ends what they have signed in.
func SetPassword(db *gorm.DB, person, hash string, now time.Time) error {
	r := db.Table("people").Where("person_id = ?", person).Updates(map[string]any{"password_hash": hash, "sessions_from": now})
	return tables.Changed(r, fault.New(fault.Missing, "no such person"))
}

// EndAllSessions ends what a person has signed in.
func EndAllSessions(db *gorm.DB, person string, now time.Time) error {
	r := db.Table("people").Where("person_id = ?", person).Update("sessions_from", now)
	return tables.Changed(r, fault.New(fault.Missing, "no such person"))
}

// SetPassword replaces a person's password and ends all their sessions.
func (t Organisation) SetPassword(person, hash string) error {
	return SetPassword(t.DB, person, hash, t.At)
}

// EndAllSessions ends what a person has signed in, in every tenant.
func (t Organisation) EndAllSessions(person string) error { return EndAllSessions(t.DB, person, t.At) }

// CreatePerson stores a person; the address must be new.
func (t Organisation) CreatePerson(p auth.Person, passwordHash string) error {
	err := tables.Classify(t.DB.Create(&PersonRow{PersonID: p.ID, Email: p.Email, Name: p.Name, PasswordHash: passwordHash, CreatedAt: t.At}).Error)
	if fault.Is(err, fault.AlreadyExists) {
		return fault.Member(fault.AlreadyExists, "email", "someone with the address %s can already sign in", p.Email)
	}
	if err != nil {
		return err
	}
	// Who uses the first-run link at this moment holds its row, or waits for this and then
	// finds none.
	return t.DB.Where("kind = ? AND used_at IS NULL", string(tenants.LinkFirstRun)).Delete(&LinkRow{}).Error
}

// Grant sets the roles of a person in this tenant.
func (t Organisation) Grant(person string, roles []auth.Role) error {
	row := MembershipRow{TenantID: t.Tenant, PersonID: person, Roles: joinRoles(roles), CreatedAt: t.At}
	before, err := t.storedRoles(person)
	if err != nil {
		return err
	}
	if err := t.lose(person, before, row.Roles); err != nil {
		return err
	}
	update := []string{"roles"}
	if logstate.Gained(before, row.Roles) {
		row.RightsFrom, update = &t.At, append(update, "rights_from")
	}
	return t.DB.Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "tenant_id"}, {Name: "person_id"}}, DoUpdates: clause.AssignmentColumns(update),
	}).Create(&row).Error
}

// storedRoles are those of a member, suspended or not; none of a stranger.
func (t Organisation) storedRoles(person string) (string, error) {
	var roles []string
	err := t.member(person).Limit(1).Pluck("roles", &roles).Error
	return strings.Join(roles, ""), err
}

// MemberRow is a membership with its person.
type MemberRow struct {
	PersonID, Email, Name, Roles        string
	CreatedAt                           time.Time
	SessionsFrom, AllFrom, LastSignInAt *time.Time
	SuspendedAt, RightsFrom             *time.Time
	SuspendedBy, SuspendReason          string
}

// MemberRows begins a statement on the members with their people: MemberRow.
func (t Organisation) MemberRows() *gorm.DB {
	return t.Of("memberships").Select("memberships.person_id, people.email, people.name, memberships.roles, memberships.created_at, " +
		"memberships.sessions_from, people.sessions_from AS all_from, memberships.last_sign_in_at, " +
		"memberships.suspended_at, memberships.suspended_by, memberships.suspend_reason, memberships.rights_from").
		Joins("JOIN people ON people.person_id = memberships.person_id")
}

// Membership is the row as tenants has it.
func (r MemberRow) Membership(tenant string) tenants.Membership {
	m := tenants.Membership{
		Tenant: tenant, Person: auth.Person{ID: r.PersonID, Email: r.Email, Name: r.Name}, Roles: splitRoles(effectiveRoles(r.Roles, r.SuspendedAt)),
		JoinedAt: tables.Stamp(r.CreatedAt), LastSignIn: tables.StampPointer(r.LastSignInAt), SessionsFrom: tables.StampPointer(r.SessionsFrom),
	}
	if r.SuspendedAt != nil {
		m.Suspended = &tenants.Suspension{At: tables.Stamp(*r.SuspendedAt), By: r.SuspendedBy, Reason: r.SuspendReason, Roles: splitRoles(r.Roles)}
	}
	if all := tables.StampPointer(r.AllFrom); all != nil && (m.SessionsFrom == nil || m.SessionsFrom.Before(*all)) {
		m.SessionsFrom = all
	}
	return m
}

func splitRoles(stored string) (roles []auth.Role) {
	for _, name := range strings.FieldsFunc(stored, func(c rune) bool { return c == ',' }) {
		roles = append(roles, auth.Role(name))
	}
	return roles
}

func joinRoles(roles []auth.Role) string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = string(r)
	}
	return strings.Join(names, ",")
}

// member begins a statement on one membership.
func (t Organisation) member(person string) *gorm.DB {
	return t.Of("memberships").Where("person_id = ?", person)
}

func notAMember() error { return fault.New(fault.Missing, "no such member") }

// RemoveMember ends a membership, and deletes the channels on which they were called.
func (t Organisation) RemoveMember(person string) error {
	before, err := t.storedRoles(person)
	if err != nil {
		return err
	}
	if err := t.lose(person, before, ""); err != nil {
		return err
	}
	if err := t.removeChannelsOf(person); err != nil {
		return err
	}
	return tables.Changed(t.member(person).Delete(&MembershipRow{}), notAMember())
}

// EndSessions ends what a member has signed in, in this tenant.
func (t Organisation) EndSessions(person string) error {
	return tables.Changed(t.member(person).Update("sessions_from", t.At), notAMember())
}

// SignedIn remembers the last sign-in.
func (t Organisation) SignedIn(person string) error {
	return tables.Changed(t.member(person).Update("last_sign_in_at", t.At), notAMember())
}

func (t Organisation) memberRow(person string) *tables.Rows[MemberRow] {
	return tables.Chosen[MemberRow]("member "+person, []string{"memberships", "people"}, nil, t.MemberRows().Where("memberships.person_id = ?", person))
}

// Entering reads at once what is asked of somebody who comes in.
func (t Organisation) Entering(person string) error {
	return t.Fetch(t.memberRow(person), t.ends(), t.NewestPolicy(), t.halts(), t.openChanges(person), t.mentionsOf("mentions of "+person, []string{person}), t.AwayRows())
}

// Membership returns what this person may do here.
func (t Organisation) Membership(person string) (tenants.Membership, error) {
	rows, err := t.memberRow(person).Read(t.Tx)
	if errors.Is(err, drivers.ErrNoText) { // nothing can have such a name
		err = notAMember()
	}
	if err == nil {
		rows, err = t.asTold(rows)
	}
	if err == nil && len(rows) == 0 {
		err = notAMember()
	}
	if err != nil {
		return tenants.Membership{}, err
	}
	return rows[0].Membership(t.Tenant), nil
}

// Members lists everybody of the tenant by name.
func (t Organisation) Members() ([]tenants.Membership, error) {
	var rows []MemberRow
	if err := t.MemberRows().Order("people.name, people.person_id").Find(&rows).Error; err != nil {
		return nil, err
	}
	rows, err := t.asTold(rows)
	all := make([]tenants.Membership, len(rows))
	for i, r := range rows {
		all[i] = r.Membership(t.Tenant)
	}
	return all, err
}

// Entrances lists by person what Enter asks of everybody. It is read with every change
// that open pages are told of, so that it goes without gorm's reflection.
func (t Organisation) Entrances() (map[string]tenants.Entrance, error) {
	rows, err := t.Of("memberships").Select("memberships.person_id, memberships.roles, memberships.sessions_from, people.sessions_from, memberships.suspended_at").
		Joins("JOIN people ON people.person_id = memberships.person_id").Rows()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var members []MemberRow
	for rows.Next() {
		var r MemberRow
		if err := rows.Scan(&r.PersonID, &r.Roles, &r.SessionsFrom, &r.AllFrom, &r.SuspendedAt); err != nil {
			return nil, err
		}
		members = append(members, r)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if members, err = t.asTold(members); err != nil {
		return nil, err
	}
	all := make(map[string]tenants.Entrance, len(members))
	for _, r := range members {
		m := r.Membership(t.Tenant)
		all[r.PersonID] = tenants.Entrance{Roles: m.Roles, SessionsFrom: m.SessionsFrom}
	}
	return all, nil
}
