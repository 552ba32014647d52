package requests

import (
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store/tables"
)

type extensionRow struct {
	TenantID, ApprovalID         string
	WasUntil, UntilAt            time.Time
	Reason, PersonID, PersonName string
	ExtendedAt                   time.Time
}

func (extensionRow) TableName() string { return "extensions" }

// Extend gives a pending approval more time, if it got none before.
func (t Requests) Extend(id string, e approvals.Extension) error {
	r := t.Of("approvals").Where("approval_id = ? AND status = ? AND expires_at = ? AND extended = 0", id, string(approvals.Pending), tables.Stamp(e.Was)).
		Updates(map[string]any{"expires_at": tables.Stamp(e.Until), "extended": 1})
	if r.Error != nil {
		return r.Error
	}
	if r.RowsAffected == 0 {
		return t.lost(id)
	}
	row := extensionRow{
		TenantID: t.Tenant, ApprovalID: id, WasUntil: tables.Stamp(e.Was), UntilAt: tables.Stamp(e.Until), Reason: e.Reason,
		PersonID: e.Person, PersonName: e.Name, ExtendedAt: tables.Stamp(e.At),
	}
	return tables.Classify(t.DB.Create(&row).Error)
}

// ExtensionsOf are those of these approvals.
func (t Requests) ExtensionsOf(ids []string) *tables.Rows[extensionRow] {
	return about[extensionRow](t, "extensions", ids, nil)
}

// Extension is the row as approvals has it.
func (r extensionRow) Extension() approvals.Extension {
	return approvals.Extension{
		Was: tables.Stamp(r.WasUntil), Until: tables.Stamp(r.UntilAt), Reason: r.Reason, Person: r.PersonID, Name: r.PersonName, At: tables.Stamp(r.ExtendedAt),
	}
}
