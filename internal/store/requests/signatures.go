package requests

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store/tables"
)

// SignatureRow is a row of signatures.
type SignatureRow struct {
	TenantID, ApprovalID string
	Version              int64
	PersonID, PersonName string
	SignedAt             time.Time
	Evidence             string // JSON
}

func (SignatureRow) TableName() string { return "signatures" }

// Sign adds a signature to an approval that is pending with the signature's
// version. The approval's row is locked first, so that two who sign at once
// count each other.
func (t Requests) Sign(approval string, s approvals.Signature) ([]approvals.Signature, error) {
	var locked []string
	err := t.Of("approvals").Clauses(clause.Locking{Strength: "UPDATE"}).
		Where("approval_id = ? AND status = ? AND version = ?", approval, string(approvals.Pending), s.Version).
		Pluck("approval_id", &locked).Error
	if err != nil {
		return nil, err
	}
	if len(locked) == 0 {
		return nil, t.lost(approval)
	}
	evidence, err := tables.JSON(s.Evidence)
	if err != nil {
		return nil, err
	}
	row := SignatureRow{
		TenantID: t.Tenant, ApprovalID: approval, Version: s.Version,
		PersonID: s.Person, PersonName: s.Name, SignedAt: tables.Stamp(s.SignedAt), Evidence: evidence,
	}
	if err := t.DB.Create(&row).Error; err != nil {
		return nil, tables.Classify(err)
	}
	a := approvals.Approval{ID: approval, Version: s.Version}
	err = t.signatures([]string{approval}, map[string]*approvals.Approval{approval: &a})
	return a.Signatures, err
}

// signatures reads those of the current version of each of these approvals.
func (t Requests) signatures(ids []string, at map[string]*approvals.Approval) error {
	var rows []SignatureRow
	if err := t.Of("signatures").Where("approval_id IN ?", ids).Order("signed_at, person_id").Find(&rows).Error; err != nil {
		return err
	}
	for _, r := range rows {
		a := at[r.ApprovalID]
		if r.Version != a.Version {
			continue
		}
		s := approvals.Signature{Person: r.PersonID, Name: r.PersonName, Version: r.Version, SignedAt: tables.Stamp(r.SignedAt)}
		if err := json.Unmarshal([]byte(r.Evidence), &s.Evidence); err != nil {
			return fmt.Errorf("stored signature of %s: %w", r.ApprovalID, err)
		}
		a.Signatures = append(a.Signatures, s)
	}
	return nil
}

// Signers tells each of every signature of these approvals: whose it is and of which
// version, but not how they came to it.
func (t Requests) Signers(ids []string, each func(SignatureRow)) error {
	for part := range slices.Chunk(ids, CompleteBatch) {
		var rows []SignatureRow
		if err := t.Of("signatures").Select("approval_id, version, person_id").Where("approval_id IN ?", part).Order("approval_id, person_id").Find(&rows).Error; err != nil {
			return err
		}
		for _, r := range rows {
			each(r)
		}
	}
	return nil
}
