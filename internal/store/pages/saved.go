package pages

import (
	"time"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store/tables"
)

type savedFilterRow struct {
	TenantID, PersonID, List, Name string
	Query                          string
	SavedAt                        time.Time
}

func (savedFilterRow) TableName() string { return "saved_views" }

// SavedFilters lists those that a person has of a list, by name.
func (t Pages) SavedFilters(person string, of approvals.List) ([]approvals.SavedFilter, error) {
	return tables.All(t.Of("saved_views").Where("person_id = ? AND list = ?", person, string(of)).Order("name").Limit(approvals.MaxSaved), func(r savedFilterRow) approvals.SavedFilter {
		return approvals.SavedFilter{List: approvals.List(r.List), Name: r.Name, Query: r.Query}
	})
}

// SaveFilter writes one, in place of that of the same name.
func (t Pages) SaveFilter(person string, f approvals.SavedFilter) error {
	row := savedFilterRow{TenantID: t.Tenant, PersonID: person, List: string(f.List), Name: f.Name, Query: f.Query, SavedAt: t.At}
	return tables.Classify(t.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "person_id"}, {Name: "list"}, {Name: "name"}},
		DoUpdates: clause.AssignmentColumns([]string{"query", "saved_at"}),
	}).Create(&row).Error)
}

// ForgetFilter deletes one, if it is there.
func (t Pages) ForgetFilter(person string, of approvals.List, name string) error {
	return t.Of("saved_views").Where("person_id = ? AND list = ? AND name = ?", person, string(of), name).Delete(&savedFilterRow{}).Error
}
