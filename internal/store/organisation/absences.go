package organisation

import (
	"slices"
	"strings"
	"time"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// Who is away, and who was called in whose place.

type absenceRow struct {
	TenantID, PersonID, DeputyID, ByID string
	FromAt                             time.Time
	UntilAt                            *time.Time
}

func (absenceRow) TableName() string { return "absences" }

type awayRow struct {
	PersonID, Name, DeputyID, DeputyName, ByID string
	Roles, DeputyRoles                         string
	DeputySuspended                            *time.Time
	FromAt                                     time.Time
	UntilAt                                    *time.Time
}

type standInRow struct{ TenantID, ApprovalID, PersonID, DeputyID string }

func (standInRow) TableName() string { return "stand_ins" }

// AwayRows are those that aren't over.
func (t Organisation) AwayRows() *tables.Rows[awayRow] {
	return tables.Chosen("absences", []string{"absences", "memberships", "people"}, func(a, b awayRow) int { return strings.Compare(a.Name+a.PersonID, b.Name+b.PersonID) },
		t.Of("absences").Select("absences.person_id, people.name, absences.deputy_id, deputies.name AS deputy_name, absences.by_id, memberships.roles, "+
			"coalesce(held.roles, '') AS deputy_roles, held.suspended_at AS deputy_suspended, absences.from_at, absences.until_at").
			Joins("JOIN people ON people.person_id = absences.person_id").Joins("JOIN people AS deputies ON deputies.person_id = absences.deputy_id").
			Joins("JOIN memberships ON memberships.tenant_id = absences.tenant_id AND memberships.person_id = absences.person_id").
			Joins("LEFT JOIN memberships AS held ON held.tenant_id = absences.tenant_id AND held.person_id = absences.deputy_id").
			Where("absences.until_at IS NULL OR absences.until_at > ?", t.At))
}

// Absences lists who is away and who will be, by name.
func (t Organisation) Absences() ([]tenants.Absence, error) {
	rows, err := t.AwayRows().Read(t.Tx)
	all := make([]tenants.Absence, len(rows))
	for i, r := range rows {
		a := tenants.Absence{
			Person: tenants.Named{ID: r.PersonID, Name: r.Name}, Deputy: tenants.Named{ID: r.DeputyID, Name: r.DeputyName}, By: r.ByID,
			Decides: slices.Contains(splitRoles(r.Roles), auth.Operator), From: tables.Stamp(r.FromAt),
		}
		if r.UntilAt != nil {
			a.Until = tables.Stamp(*r.UntilAt)
		}
		switch {
		case r.DeputyRoles == "":
			a.Gone = fault.Textf("%s is no longer a member", r.DeputyName)
		case r.DeputySuspended != nil:
			a.Gone = fault.Textf("%s is suspended", r.DeputyName)
		case !slices.Contains(splitRoles(r.DeputyRoles), auth.Operator):
			a.Gone = fault.Textf("%s is no longer an operator", r.DeputyName)
		}
		all[i] = a
	}
	return all, err
}

// KeepAbsence writes one in place of the one before.
func (t Organisation) KeepAbsence(a tenants.Absence) error {
	row := absenceRow{TenantID: t.Tenant, PersonID: a.Person.ID, DeputyID: a.Deputy.ID, ByID: a.By, FromAt: tables.Stamp(a.From)}
	if !a.Until.IsZero() {
		until := tables.Stamp(a.Until)
		row.UntilAt = &until
	}
	return tables.Classify(t.DB.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "tenant_id"}, {Name: "person_id"}}, UpdateAll: true}).Create(&row).Error)
}

// EndAbsence deletes it.
func (t Organisation) EndAbsence(person string) error {
	return t.Of("absences").Where("person_id = ?", person).Delete(&absenceRow{}).Error
}

// StandIn notes that a deputy was called to a request in somebody's place.
func (t Organisation) StandIn(approval, person, deputy string) error {
	row := standInRow{t.Tenant, approval, person, deputy}
	return tables.Classify(t.DB.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error)
}

// StoodIn are those in whose place a deputy was called to a request.
func (t Organisation) StoodIn(approval, deputy string) (people []string, err error) {
	err = t.Of("stand_ins").Where("approval_id = ? AND deputy_id = ?", approval, deputy).Order("person_id").Pluck("person_id", &people).Error
	return people, err
}
