package requests

import (
	"cmp"
	"errors"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store/tables"
)

// EditRow is a row of edits.
type EditRow struct {
	TenantID, ApprovalID string
	Version              int64
	Action, Digest       string
	PersonID, PersonName string
	EditedAt             time.Time
}

func (EditRow) TableName() string { return "edits" }

// Edit writes what an operator made of an approval: its new version, on the
// condition of Restate, and the last of its edits beside it.
func (t Requests) Edit(a approvals.Approval, was int64) error {
	if len(a.Edits) == 0 || a.Edits[len(a.Edits)-1].Version != a.Version {
		return errors.New("the last edit of an approval makes its version")
	}
	if err := t.replace(a, was); err != nil {
		return err
	}
	if err := t.keepText(a, a.Subject()); err != nil {
		return err
	}
	e := a.Edits[len(a.Edits)-1]
	row := EditRow{
		TenantID: t.Tenant, ApprovalID: a.ID, Version: e.Version, Action: string(e.Action), Digest: e.Digest,
		PersonID: e.Person, PersonName: e.Name, EditedAt: tables.Stamp(e.At),
	}
	return tables.Classify(t.DB.Create(&row).Error)
}

// EditsOf are those of these approvals, the oldest first.
func (t Requests) EditsOf(ids []string) *tables.Rows[EditRow] {
	return about(t, "edits", ids, func(a, b EditRow) int { return cmp.Compare(a.Version, b.Version) })
}
