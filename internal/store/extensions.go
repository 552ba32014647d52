package store

import (
	"fmt"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
)

type extensionRow struct {
	TenantID, ApprovalID         string
	WasUntil, UntilAt            time.Time
	Reason, PersonID, PersonName string
	ExtendedAt                   time.Time
}

func (extensionRow) TableName() string { return "extensions" }

// Extend gives a pending approval more time, if it got none before.
func (t *tx) Extend(id string, e approvals.Extension) error {
	r := t.of("approvals").Where("approval_id = ? AND status = ? AND expires_at = ? AND extended = 0", id, string(approvals.Pending), stamp(e.Was)).
		Updates(map[string]any{"expires_at": stamp(e.Until), "extended": 1})
	if r.Error != nil {
		return r.Error
	}
	if r.RowsAffected == 0 {
		return t.lost(id)
	}
	row := extensionRow{
		TenantID: t.tenant, ApprovalID: id, WasUntil: stamp(e.Was), UntilAt: stamp(e.Until), Reason: e.Reason,
		PersonID: e.Person, PersonName: e.Name, ExtendedAt: stamp(e.At),
	}
	return classify(t.db.Create(&row).Error)
}

// extensions reads those of these approvals.
func (t *tx) extensions(ids []string, each func(id string, e approvals.Extension)) error {
	var rows []extensionRow
	if len(ids) == 0 {
		return nil
	}
	err := t.of("extensions").Where("approval_id IN ?", ids).Find(&rows).Error
	for _, r := range rows {
		each(r.ApprovalID, approvals.Extension{
			Was: stamp(r.WasUntil), Until: stamp(r.UntilAt), Reason: r.Reason, Person: r.PersonID, Name: r.PersonName, At: stamp(r.ExtendedAt),
		})
	}
	return err
}

// storedExtensions says what is stored of the extensions of these approvals, as events can.
func (t *tx) storedExtensions(rows []stored) (map[string][]string, error) {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ApprovalID
	}
	all := map[string][]string{}
	err := t.extensions(ids, func(id string, e approvals.Extension) {
		all[id] = append(all[id], extension(e.Person, audit.FormatTime(e.At), audit.FormatTime(e.Was), audit.FormatTime(e.Until), e.Reason))
	})
	return all, err
}

// extension is one as both the table and the events can say it.
func extension(person, at, was, until, reason string) string {
	return fmt.Sprintf("%s at %s from %s until %s because %q", person, at, was, until, reason)
}
