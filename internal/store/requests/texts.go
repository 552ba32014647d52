package requests

import (
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
)

type textRow struct{ TenantID, ApprovalID, Text string }

func (textRow) TableName() string { return "request_texts" }

// keepText writes what a request is searched by.
func (t Requests) keepText(a approvals.Approval, about approvals.Subject) error {
	row := textRow{TenantID: t.Tenant, ApprovalID: a.ID, Text: a.SearchText(about)}
	return t.DB.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "tenant_id"}, {Name: "approval_id"}}, UpdateAll: true}).Create(&row).Error
}

// Holding are the newest requests that hold a text. There is no index for it: row-level
// security keeps Postgres from using one of trigrams, since what compares texts may leak, and SQLite would
// need a second copy of every text. So so many narrow rows are read at most.
func (t Requests) Holding(q approvals.TextQuery) (found []approvals.TextFound, whole bool, err error) {
	looked := func() *gorm.DB {
		of := t.Of("request_texts")
		if q.Before != "" {
			of = of.Where("approval_id < ?", q.Before)
		}
		return of.Order("approval_id DESC")
	}
	var beyond []string
	if err := looked().Offset(approvals.SearchReach).Limit(1).Pluck("approval_id", &beyond).Error; err != nil {
		return nil, false, err
	}
	search := looked().Where(t.Dialect.Holds("text"), q.Text)
	if len(beyond) > 0 {
		search = search.Where("approval_id > ?", beyond[0])
	}
	var rows []textRow
	if err := search.Limit(approvals.SearchMost + 1).Find(&rows).Error; err != nil {
		return nil, false, err
	}
	for _, r := range rows[:min(len(rows), approvals.SearchMost)] {
		found = append(found, approvals.TextFound{ID: r.ApprovalID, Text: r.Text})
	}
	return found, len(beyond) == 0 && len(rows) <= approvals.SearchMost, nil
}

// DrawTexts writes the texts of the newest requests before an id that have none. next is
// where to go on; "" where nothing is left.
func (t Requests) DrawTexts(before string, limit int) (next string, err error) {
	var rows []ApprovalRow
	err = t.Of("approvals").
		Where("approval_id < ? AND NOT EXISTS (SELECT 1 FROM request_texts WHERE request_texts.tenant_id = approvals.tenant_id AND request_texts.approval_id = approvals.approval_id)", before).
		Order("approval_id DESC").Limit(limit).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return "", err
	}
	all, err := t.Complete(rows)
	if err != nil {
		return "", err
	}
	for _, a := range all {
		if err := t.keepText(a, a.Subject()); err != nil {
			return "", err
		}
		next = a.ID
	}
	return next, nil
}
