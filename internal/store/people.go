package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

type personRow struct {
	PersonID, Email, Name, PasswordHash string
	CreatedAt                           time.Time
}

type membershipRow struct {
	TenantID, PersonID, Roles string
	CreatedAt                 time.Time
}

type linkRow struct {
	TokenHash, Kind string
	PersonID        *string
	ExpiresAt       time.Time
	UsedAt          *time.Time
}

func (personRow) TableName() string     { return "people" }
func (membershipRow) TableName() string { return "memberships" }
func (linkRow) TableName() string       { return "sign_in_links" }

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
		row, err := one[personRow](db.Where("email = ?", strings.ToLower(email)), "person")
		p, hash = row.person(), row.PasswordHash
		return err
	})
	return p, hash, err
}

func (s tenantStore) Person(ctx context.Context, id string) (p auth.Person, err error) {
	err = s.readGlobal(ctx, func(db *gorm.DB) error {
		row, err := one[personRow](db.Where("person_id = ?", id), "person")
		p = row.person()
		return err
	})
	return p, err
}

// CreatePerson stores a person; the address must be new.
func (t *tx) CreatePerson(p auth.Person, passwordHash string) error {
	err := classify(t.db.Create(&personRow{PersonID: p.ID, Email: p.Email, Name: p.Name, PasswordHash: passwordHash, CreatedAt: t.now}).Error)
	if fault.Is(err, fault.AlreadyExists) {
		return fault.Member(fault.AlreadyExists, "email", "somebody with the address %s can sign in already", p.Email)
	}
	return err
}

// Grant sets the roles of a person in this tenant.
func (t *tx) Grant(person string, roles []auth.Role) error {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = string(r)
	}
	row := membershipRow{TenantID: t.tenant, PersonID: person, Roles: strings.Join(names, ","), CreatedAt: t.now}
	return t.db.Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "tenant_id"}, {Name: "person_id"}}, DoUpdates: clause.AssignmentColumns([]string{"roles"}),
	}).Create(&row).Error
}

// memberRow is a membership with its person.
type memberRow struct{ PersonID, Email, Name, Roles string }

func (t *tx) members() *gorm.DB {
	return t.of("memberships").Select("memberships.person_id, people.email, people.name, memberships.roles").
		Joins("JOIN people ON people.person_id = memberships.person_id")
}

func (r memberRow) membership(tenant string) tenants.Membership {
	m := tenants.Membership{Tenant: tenant, Person: auth.Person{ID: r.PersonID, Email: r.Email, Name: r.Name}}
	for _, name := range strings.FieldsFunc(r.Roles, func(c rune) bool { return c == ',' }) {
		m.Roles = append(m.Roles, auth.Role(name))
	}
	return m
}

// Membership returns what this person may do here.
func (t *tx) Membership(person string) (tenants.Membership, error) {
	row, err := one[memberRow](t.members().Where("memberships.person_id = ?", person), "member")
	return row.membership(t.tenant), err
}

// Members lists everybody of the tenant by name.
func (t *tx) Members() ([]tenants.Membership, error) {
	var rows []memberRow
	err := t.members().Order("people.name, people.person_id").Find(&rows).Error
	all := make([]tenants.Membership, len(rows))
	for i, r := range rows {
		all[i] = r.membership(t.tenant)
	}
	return all, err
}

// Operators lists those who may decide.
func (t *tx) Operators() ([]approvals.Operator, error) {
	members, err := t.Members()
	var all []approvals.Operator
	for _, m := range members {
		if slices.Contains(m.Roles, auth.Operator) {
			all = append(all, approvals.Operator{ID: m.Person.ID, Name: m.Person.Name})
		}
	}
	return all, err
}

// CreateLink stores a link; with voidOthers every unused one of that kind goes first.
func (s tenantStore) CreateLink(ctx context.Context, l tenants.Link, voidOthers bool) error {
	return s.writeGlobal(ctx, func(db *gorm.DB) error {
		if voidOthers {
			// Of two programs that start at once, one voids the link of the other.
			if err := s.dialect.queue(db, "links of kind "+string(l.Kind)); err != nil {
				return err
			}
			if err := db.Where("kind = ? AND used_at IS NULL", string(l.Kind)).Delete(&linkRow{}).Error; err != nil {
				return err
			}
		}
		row := linkRow{TokenHash: l.Hash, Kind: string(l.Kind), ExpiresAt: stamp(l.ExpiresAt)}
		if l.Person != "" {
			row.PersonID = &l.Person
		}
		return db.Create(&row).Error
	})
}

func (r linkRow) link() tenants.Link {
	l := tenants.Link{Hash: r.TokenHash, Kind: tenants.LinkKind(r.Kind), ExpiresAt: stamp(r.ExpiresAt), UsedAt: stampPointer(r.UsedAt)}
	if r.PersonID != nil {
		l.Person = *r.PersonID
	}
	return l
}

// liveLink is the condition of a link that works.
func liveLink(db *gorm.DB, hash string, now time.Time) *gorm.DB {
	return db.Where("token_hash = ? AND used_at IS NULL AND expires_at > ?", hash, now)
}

func (s tenantStore) Link(ctx context.Context, hash string) (l tenants.Link, err error) {
	err = s.readGlobal(ctx, func(db *gorm.DB) error {
		now, err := s.dialect.clock(db)
		if err != nil {
			return err
		}
		row, err := one[linkRow](liveLink(db, hash, now), "link")
		l = row.link()
		return err
	})
	return l, err
}

func (s tenantStore) UseLink(ctx context.Context, hash string) (l tenants.Link, err error) {
	err = s.writeGlobal(ctx, func(db *gorm.DB) error {
		now, err := s.dialect.clock(db)
		if err != nil {
			return err
		}
		l, err = useLink(db, hash, now)
		return err
	})
	return l, err
}

// UseLink marks a link as used inside this transaction.
func (t *tx) UseLink(hash string) (tenants.Link, error) { return useLink(t.db, hash, t.now) }

func useLink(db *gorm.DB, hash string, now time.Time) (tenants.Link, error) {
	row, err := one[linkRow](liveLink(db, hash, now), "link")
	if err != nil || row.Kind == string(tenants.LinkDemo) {
		return row.link(), err
	}
	used := liveLink(db.Table("sign_in_links"), hash, now).Update("used_at", now)
	return row.link(), changed(used, fault.New(fault.Missing, "no such link"))
}
