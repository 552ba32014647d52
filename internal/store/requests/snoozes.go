package requests

import (
	"cmp"
	"strings"
	"time"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/tables"
)

type snoozeRow struct {
	TenantID, PersonID, ApprovalID string
	SinceAt, UntilAt               time.Time
	Heard                          int64  // index of the last event about it
	Newest                         string // the last request for its target
}

func (snoozeRow) TableName() string { return "snoozes" }

// wakes are the events about a request that bring it back.
var wakes = []audit.Kind{audit.QuestionAsked, audit.QuestionAnswered, audit.Commented, audit.Edited, audit.Signed}

// snoozes are those that hold: something that happened since ends one for good.
func (t Requests) snoozes() *tables.Rows[snoozeRow] {
	name, of := t.onPending("snoozes")
	return tables.Chosen(name, append(of, "audit_events", "claims", "approval_targets"), func(a, b snoozeRow) int {
		return cmp.Or(strings.Compare(a.ApprovalID, b.ApprovalID), strings.Compare(a.PersonID, b.PersonID))
	}, t.Of("snoozes").Select("snoozes.*").
		Joins("JOIN approvals ON approvals.tenant_id = snoozes.tenant_id AND approvals.approval_id = snoozes.approval_id AND approvals.status = ?", string(approvals.Pending)).
		Where("snoozes.until_at > ?", t.At).
		// What else is asked of events stands in a CASE: those of a request are a handful.
		Where(`NOT EXISTS (SELECT 1 FROM audit_events e WHERE e.tenant_id = snoozes.tenant_id AND e.approval_id = snoozes.approval_id AND CASE WHEN e.idx > snoozes.heard AND e.kind IN ? THEN 1 ELSE 0 END = 1)`, wakes).
		Where(`NOT EXISTS (SELECT 1 FROM claims c WHERE c.tenant_id = snoozes.tenant_id AND c.approval_id = snoozes.approval_id AND c.person_id = snoozes.person_id AND c.assigned_by <> '' AND c.claimed_at > snoozes.since_at)`).
		Where(`NOT EXISTS (SELECT 1 FROM approval_targets JOIN approval_targets other ON `+sameTarget+` WHERE approval_targets.tenant_id = snoozes.tenant_id AND approval_targets.approval_id = snoozes.approval_id AND other.approval_id > snoozes.newest AND other.digest <> approval_targets.digest)`).
		Order("snoozes.approval_id, snoozes.person_id").Limit(MaxAttention))
}

// Snoozes lists the snoozes on pending approvals that hold.
func (t Requests) Snoozes() ([]approvals.Snooze, error) {
	rows, err := t.snoozes().Read(t.Tx)
	all := make([]approvals.Snooze, len(rows))
	for i, r := range rows {
		all[i] = approvals.Snooze{Approval: r.ApprovalID, Person: r.PersonID, Until: tables.Stamp(r.UntilAt)}
	}
	return all, err
}

// Snooze writes one, in place of that of the same person, and forgets those of theirs that are over.
func (t Requests) Snooze(s approvals.Snooze) error {
	if err := t.Of("snoozes").Where("person_id = ? AND until_at <= ?", s.Person, t.At).Delete(&snoozeRow{}).Error; err != nil {
		return err
	}
	row := snoozeRow{TenantID: t.Tenant, PersonID: s.Person, ApprovalID: s.Approval, SinceAt: t.At, UntilAt: tables.Stamp(s.Until)}
	if err := t.Of("audit_events").Select("coalesce(max(idx), 0)").Where("approval_id = ?", s.Approval).Scan(&row.Heard).Error; err != nil {
		return err
	}
	newest, err := t.NewerOf([]string{s.Approval})
	if err != nil {
		return err
	}
	row.Newest = cmp.Or(newest[s.Approval], s.Approval)
	return tables.Classify(t.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "person_id"}, {Name: "approval_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"since_at", "until_at", "heard", "newest"}),
	}).Create(&row).Error)
}

// Wake ends those of a person.
func (t Requests) Wake(person string, ids []string) error {
	return t.Of("snoozes").Where("person_id = ? AND approval_id IN ?", person, ids).Delete(&snoozeRow{}).Error
}
