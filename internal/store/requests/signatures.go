package requests

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	rows, err := t.SignaturesOf([]string{approval}).Read(t.Tx)
	var all []approvals.Signature
	for _, r := range rows {
		if given, unread := r.signature(); r.Version == s.Version {
			all, err = append(all, given), errors.Join(err, unread)
		}
	}
	return all, err
}

// SignaturesOf are those of these approvals, of every version, the oldest first.
func (t Requests) SignaturesOf(ids []string) *tables.Rows[SignatureRow] {
	return about(t, "signatures", ids, func(a, b SignatureRow) int {
		return cmp.Or(a.SignedAt.Compare(b.SignedAt), strings.Compare(a.PersonID, b.PersonID))
	})
}

func (r SignatureRow) signature() (s approvals.Signature, err error) {
	s = approvals.Signature{Person: r.PersonID, Name: r.PersonName, Version: r.Version, SignedAt: tables.Stamp(r.SignedAt)}
	if err := json.Unmarshal([]byte(r.Evidence), &s.Evidence); err != nil {
		return s, fmt.Errorf("stored signature of %s: %w", r.ApprovalID, err)
	}
	return s, nil
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
