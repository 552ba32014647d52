package pages

import (
	"slices"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// wasHeld is the condition of what waits for a person, or waited until it ended: only what
// a person decided has evidence.
const wasHeld = "(approvals.status IN ('pending', 'denied', 'changes_requested', 'expired', 'cancelled')" +
	" OR EXISTS (SELECT 1 FROM decisions WHERE decisions.tenant_id = approvals.tenant_id AND decisions.approval_id = approvals.approval_id AND decisions.evidence IS NOT NULL))"

// matching begins a listing by filter, newest first. Each field narrows only when it
// is set.
func (t Pages) matching(f approvals.Filter) *gorm.DB {
	q := t.Of("approvals")
	if f.Agent != "" {
		q = q.Where("agent_id = ?", f.Agent)
	}
	if f.Session != "" {
		q = q.Where("session_id = ?", f.Session)
	}
	if f.Function != "" {
		q = q.Where("function = ?", f.Function)
	}
	if f.Digest != "" {
		q = q.Where("digest = ?", f.Digest)
	}
	if f.Revises != "" {
		q = q.Where("revises <> '' AND revises = ?", f.Revises) // the first half lets the partial index answer
	}
	if slices.Equal(f.Statuses, []approvals.Status{approvals.Pending}) {
		q = q.Where(requests.IsPending)
	} else if len(f.Statuses) > 0 {
		q = q.Where("status IN ?", f.Statuses)
	}
	switch f.Held {
	case approvals.HeldOnly:
		q = q.Where(wasHeld)
	case approvals.ThroughOnly:
		q = q.Where("NOT " + wasHeld)
	}
	if !f.DueBefore.IsZero() {
		q = q.Where("expires_at <= ?", tables.Stamp(f.DueBefore))
	}
	if f.Before != "" {
		q = q.Where("approval_id < ?", f.Before)
	}
	return q.Order("approval_id DESC").Limit(limitOf(f)) // ids sort by time of creation
}

func limitOf(f approvals.Filter) int {
	if f.Limit <= 0 {
		return requests.DefaultLimit
	}
	return min(f.Limit, requests.MaxLimit)
}

// Approvals lists by filter.
func (t Pages) Approvals(f approvals.Filter) ([]approvals.Approval, error) {
	var rows []requests.ApprovalRow
	if err := t.matching(f).Find(&rows).Error; err != nil {
		return nil, err
	}
	return t.Complete(rows)
}

// IDs are those of what Approvals lists, without reading it.
func (t Pages) IDs(f approvals.Filter) (ids []string, err error) {
	err = t.matching(f).Pluck("approval_id", &ids).Error
	return ids, err
}
