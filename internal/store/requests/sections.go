package requests

import (
	"time"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/store/tables"
)

// SectionReadRow is a row of section_reads.
type SectionReadRow struct {
	TenantID, ApprovalID, PersonID string
	Version, Section               int64
	AcknowledgedAt                 time.Time
}

func (SectionReadRow) TableName() string { return "section_reads" }

// SectionsRead is when this operator acknowledged which sections of a version.
func (t Requests) SectionsRead(approval, person string, version int64) (map[int]time.Time, error) {
	rows, err := t.SectionReadsOf([]string{approval}).Read(t.Tx)
	read := make(map[int]time.Time, len(rows))
	for _, r := range rows {
		if r.PersonID == person && r.Version == version {
			read[int(r.Section)] = tables.Stamp(r.AcknowledgedAt)
		}
	}
	return read, err
}

// SectionReadsOf are those of these approvals.
func (t Requests) SectionReadsOf(ids []string) *tables.Rows[SectionReadRow] {
	return about[SectionReadRow](t, "section_reads", ids, nil)
}

// ReadSection remembers an acknowledgement, unless there is one.
func (t Requests) ReadSection(approval, person string, version int64, section int) (first bool, err error) {
	row := SectionReadRow{TenantID: t.Tenant, ApprovalID: approval, PersonID: person, Version: version, Section: int64(section), AcknowledgedAt: t.At}
	r := t.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "approval_id"}, {Name: "person_id"}, {Name: "version"}, {Name: "section"}},
		DoNothing: true,
	}).Create(&row)
	return r.RowsAffected > 0, r.Error
}
