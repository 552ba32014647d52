package store

import (
	"context"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/tenants"
)

type personRow struct {
	PersonID, Email, Name, PasswordHash, Salt string
	CreatedAt                                 time.Time
	SessionsFrom                              *time.Time
}

type membershipRow struct {
	TenantID, PersonID, Roles  string
	CreatedAt                  time.Time
	SessionsFrom, LastSignInAt *time.Time
	SuspendedAt, RightsFrom    *time.Time
	SuspendedBy, SuspendReason string
}

func (personRow) TableName() string     { return "people" }
func (membershipRow) TableName() string { return "memberships" }

func (r personRow) person() auth.Person {
	return auth.Person{ID: r.PersonID, Email: r.Email, Name: r.Name}
}

// AnyPerson reports whether somebody can sign in.
func (s tenantStore) AnyPerson(ctx context.Context) (some bool, err error) {
	err = s.readGlobal(ctx, func(db *gorm.DB) error {
		var ids []string
		err := db.Table("people").Limit(1).Pluck("person_id", &ids).Error
		some = len(ids) > 0
		return err
	})
	return some, err
}

func (s tenantStore) PersonByEmail(ctx context.Context, email string) (p auth.Person, hash string, err error) {
	err = s.readGlobal(ctx, func(db *gorm.DB) error {
		row, err := one[personRow](db.Where("email = ?", strings.ToLower(email)), "no such person")
		p, hash = row.person(), row.PasswordHash
		return err
	})
	return p, hash, err
}

// Account is Person with what belongs to no tenant.
func (s tenantStore) Account(ctx context.Context, id string) (a tenants.Account, err error) {
	err = s.readGlobal(ctx, func(db *gorm.DB) error {
		row, err := one[personRow](db.Where("person_id = ?", id), "no such person")
		a = tenants.Account{Person: row.person(), PasswordHash: row.PasswordHash, SessionsFrom: stampPointer(row.SessionsFrom)}
		return err
	})
	return a, err
}

func (s tenantStore) SetPassword(ctx context.Context, person, hash string) error {
	return s.writeAt(ctx, func(db *gorm.DB, now time.Time) error { return setPassword(db, person, hash, now) })
}

func (s tenantStore) EndAllSessions(ctx context.Context, person string) error {
	return s.writeAt(ctx, func(db *gorm.DB, now time.Time) error { return endAllSessions(db, person, now) })
}

// writeAt is writeGlobal with the database's clock.
func (s tenantStore) writeAt(ctx context.Context, fn func(db *gorm.DB, now time.Time) error) error {
	return s.writeGlobal(ctx, func(db *gorm.DB) error {
		now, err := s.now(db)
		if err != nil {
			return err
		}
		return fn(db, now)
	})
}

func setPassword(db *gorm.DB, person, hash string, now time.Time) error {
	r := db.Table("people").Where("person_id = ?", person).Updates(map[string]any{"password_hash": hash, "sessions_from": now})
	return changed(r, fault.New(fault.Missing, "no such person"))
}

func endAllSessions(db *gorm.DB, person string, now time.Time) error {
	r := db.Table("people").Where("person_id = ?", person).Update("sessions_from", now)
	return changed(r, fault.New(fault.Missing, "no such person"))
}

// SetPassword replaces a person's password and ends all their sessions.
func (t *tx) SetPassword(person, hash string) error { return setPassword(t.db, person, hash, t.now) }

// EndAllSessions ends what a person has signed in, in every tenant.
func (t *tx) EndAllSessions(person string) error { return endAllSessions(t.db, person, t.now) }

func (s tenantStore) Person(ctx context.Context, id string) (p auth.Person, err error) {
	err = s.readGlobal(ctx, func(db *gorm.DB) error {
		row, err := one[personRow](db.Where("person_id = ?", id), "no such person")
		p = row.person()
		return err
	})
	return p, err
}

// CreatePerson stores a person; the address must be new.
func (t *tx) CreatePerson(p auth.Person, passwordHash string) error {
	err := classify(t.db.Create(&personRow{PersonID: p.ID, Email: p.Email, Name: p.Name, PasswordHash: passwordHash, CreatedAt: t.now}).Error)
	if fault.Is(err, fault.AlreadyExists) {
		return fault.Member(fault.AlreadyExists, "email", "someone with the address %s can already sign in", p.Email)
	}
	if err != nil {
		return err
	}
	// Who uses the first-run link at this moment holds its row, or waits for this and then
	// finds none.
	return t.db.Where("kind = ? AND used_at IS NULL", string(tenants.LinkFirstRun)).Delete(&linkRow{}).Error
}

// Grant sets the roles of a person in this tenant.
func (t *tx) Grant(person string, roles []auth.Role) error {
	row := membershipRow{TenantID: t.tenant, PersonID: person, Roles: joinRoles(roles), CreatedAt: t.now}
	before, err := t.storedRoles(person)
	if err != nil {
		return err
	}
	if err := t.lose(person, before, row.Roles); err != nil {
		return err
	}
	update := []string{"roles"}
	if logstate.Gained(before, row.Roles) {
		row.RightsFrom, update = &t.now, append(update, "rights_from")
	}
	return t.db.Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "tenant_id"}, {Name: "person_id"}}, DoUpdates: clause.AssignmentColumns(update),
	}).Create(&row).Error
}

// storedRoles are those of a member, suspended or not; none of a stranger.
func (t *tx) storedRoles(person string) (string, error) {
	var roles []string
	err := t.member(person).Limit(1).Pluck("roles", &roles).Error
	return strings.Join(roles, ""), err
}

// memberRow is a membership with its person.
type memberRow struct {
	PersonID, Email, Name, Roles        string
	CreatedAt                           time.Time
	SessionsFrom, AllFrom, LastSignInAt *time.Time
	SuspendedAt, RightsFrom             *time.Time
	SuspendedBy, SuspendReason          string
}

func (t *tx) members() *gorm.DB {
	return t.of("memberships").Select("memberships.person_id, people.email, people.name, memberships.roles, memberships.created_at, " +
		"memberships.sessions_from, people.sessions_from AS all_from, memberships.last_sign_in_at, " +
		"memberships.suspended_at, memberships.suspended_by, memberships.suspend_reason, memberships.rights_from").
		Joins("JOIN people ON people.person_id = memberships.person_id")
}

func (r memberRow) membership(tenant string) tenants.Membership {
	m := tenants.Membership{
		Tenant: tenant, Person: auth.Person{ID: r.PersonID, Email: r.Email, Name: r.Name}, Roles: splitRoles(effectiveRoles(r.Roles, r.SuspendedAt)),
		JoinedAt: stamp(r.CreatedAt), LastSignIn: stampPointer(r.LastSignInAt), SessionsFrom: stampPointer(r.SessionsFrom),
	}
	if r.SuspendedAt != nil {
		m.Suspended = &tenants.Suspension{At: stamp(*r.SuspendedAt), By: r.SuspendedBy, Reason: r.SuspendReason, Roles: splitRoles(r.Roles)}
	}
	if all := stampPointer(r.AllFrom); all != nil && (m.SessionsFrom == nil || m.SessionsFrom.Before(*all)) {
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
func (t *tx) member(person string) *gorm.DB {
	return t.of("memberships").Where("person_id = ?", person)
}

func notAMember() error { return fault.New(fault.Missing, "no such member") }

// RemoveMember ends a membership, and deletes the channels on which they were called.
func (t *tx) RemoveMember(person string) error {
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
	return changed(t.member(person).Delete(&membershipRow{}), notAMember())
}

// EndSessions ends what a member has signed in, in this tenant.
func (t *tx) EndSessions(person string) error {
	return changed(t.member(person).Update("sessions_from", t.now), notAMember())
}

// SignedIn remembers the last sign-in.
func (t *tx) SignedIn(person string) error {
	return changed(t.member(person).Update("last_sign_in_at", t.now), notAMember())
}

// Membership returns what this person may do here.
func (t *tx) Membership(person string) (tenants.Membership, error) {
	row, err := one[memberRow](t.members().Where("memberships.person_id = ?", person), "no such member")
	if err != nil {
		return row.membership(t.tenant), err
	}
	rows, err := t.asTold([]memberRow{row})
	if err == nil && len(rows) == 0 {
		err = notAMember()
	}
	if err != nil {
		return tenants.Membership{}, err
	}
	return rows[0].membership(t.tenant), nil
}

// Members lists everybody of the tenant by name.
func (t *tx) Members() ([]tenants.Membership, error) {
	var rows []memberRow
	if err := t.members().Order("people.name, people.person_id").Find(&rows).Error; err != nil {
		return nil, err
	}
	rows, err := t.asTold(rows)
	all := make([]tenants.Membership, len(rows))
	for i, r := range rows {
		all[i] = r.membership(t.tenant)
	}
	return all, err
}

// Entrances lists by person what Enter asks of everybody. It is read with every change
// that open pages are told of, so that it goes without gorm's reflection.
func (t *tx) Entrances() (map[string]tenants.Entrance, error) {
	rows, err := t.of("memberships").Select("memberships.person_id, memberships.roles, memberships.sessions_from, people.sessions_from, memberships.suspended_at").
		Joins("JOIN people ON people.person_id = memberships.person_id").Rows()
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var members []memberRow
	for rows.Next() {
		var r memberRow
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
		m := r.membership(t.tenant)
		all[r.PersonID] = tenants.Entrance{Roles: m.Roles, SessionsFrom: m.SessionsFrom}
	}
	return all, nil
}
