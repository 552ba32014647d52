package pages

import (
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

type displayRow struct {
	TenantID, PersonID string
	Advance            bool
	Sound              string
}

func (displayRow) TableName() string { return "display_settings" }

// Display reads what a person chose; the zero value where they chose nothing.
func (t Pages) Display(person string) (tenants.Display, error) {
	var rows []displayRow
	err := t.Of("display_settings").Where("person_id = ?", person).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return tenants.Display{}, err
	}
	return tenants.Display{Chosen: true, Advance: rows[0].Advance, Sound: rows[0].Sound}, nil
}

// SetDisplay writes it in place of what there was.
func (t Pages) SetDisplay(person string, d tenants.Display) error {
	row := displayRow{TenantID: t.Tenant, PersonID: person, Advance: d.Advance, Sound: d.Sound}
	return tables.Classify(t.DB.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "tenant_id"}, {Name: "person_id"}}, UpdateAll: true}).Create(&row).Error)
}
