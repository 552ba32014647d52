package store

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
)

type editRow struct {
	TenantID, ApprovalID string
	Version              int64
	Action, Digest       string
	PersonID, PersonName string
	EditedAt             time.Time
}

func (editRow) TableName() string { return "edits" }

// Edit writes what an operator made of an approval: its new version, on the
// condition of Restate, and the last of its edits beside it.
func (t *tx) Edit(a approvals.Approval, was int64) error {
	if len(a.Edits) == 0 || a.Edits[len(a.Edits)-1].Version != a.Version {
		return errors.New("the last edit of an approval makes its version")
	}
	if err := t.replace(a, was); err != nil {
		return err
	}
	if err := t.keepText(a); err != nil {
		return err
	}
	e := a.Edits[len(a.Edits)-1]
	row := editRow{
		TenantID: t.tenant, ApprovalID: a.ID, Version: e.Version, Action: string(e.Action), Digest: e.Digest,
		PersonID: e.Person, PersonName: e.Name, EditedAt: stamp(e.At),
	}
	return classify(t.db.Create(&row).Error)
}

// edits reads those of each of these approvals, and puts the last one in force.
func (t *tx) edits(ids []string, at map[string]*approvals.Approval) error {
	var rows []editRow
	if err := t.of("edits").Where("approval_id IN ?", ids).Order("approval_id, version").Find(&rows).Error; err != nil {
		return err
	}
	for _, r := range rows {
		a := at[r.ApprovalID]
		if r.Version > a.Version { // nobody but an intruder wrote it; verify says so
			continue
		}
		a.Apply(approvals.Edit{
			Version: r.Version, Person: r.PersonID, Name: r.PersonName, At: stamp(r.EditedAt), Action: []byte(r.Action), Digest: r.Digest,
		})
	}
	return nil
}

// storedEdits says what is stored of the edits of these approvals, as events can.
func (t *tx) storedEdits(rows []stored) (map[string][]string, error) {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ApprovalID
	}
	var all []editRow
	err := t.of("edits").Where("approval_id IN ?", ids).Find(&all).Error
	edited := map[string][]string{}
	for _, r := range all {
		edited[r.ApprovalID] = append(edited[r.ApprovalID],
			edit(strconv.FormatInt(r.Version, 10), r.PersonID, audit.FormatTime(r.EditedAt), r.Digest, sha256Hex(r.Action)))
	}
	return edited, err
}

// edit is one edit as both the table and the events can say it.
func edit(version, person, at, digest, action string) string {
	return fmt.Sprintf("%s made version %s at %s with the digest %s, action %s", person, version, at, digest, action)
}
