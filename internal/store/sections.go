package store

import (
	"time"

	"gorm.io/gorm/clause"
)

type sectionReadRow struct {
	TenantID, ApprovalID, PersonID string
	Version, Section               int64
	AcknowledgedAt                 time.Time
}

func (sectionReadRow) TableName() string { return "section_reads" }

// SectionsRead is when this operator acknowledged which sections of a version.
func (t *tx) SectionsRead(approval, person string, version int64) (map[int]time.Time, error) {
	var rows []sectionReadRow
	err := t.of("section_reads").Where("approval_id = ? AND person_id = ? AND version = ?", approval, person, version).Find(&rows).Error
	read := make(map[int]time.Time, len(rows))
	for _, r := range rows {
		read[int(r.Section)] = stamp(r.AcknowledgedAt)
	}
	return read, err
}

// ReadSection remembers an acknowledgement, unless there is one.
func (t *tx) ReadSection(approval, person string, version int64, section int) (first bool, err error) {
	row := sectionReadRow{TenantID: t.tenant, ApprovalID: approval, PersonID: person, Version: version, Section: int64(section), AcknowledgedAt: t.now}
	r := t.db.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "approval_id"}, {Name: "person_id"}, {Name: "version"}, {Name: "section"}},
		DoNothing: true,
	}).Create(&row)
	return r.RowsAffected > 0, r.Error
}
