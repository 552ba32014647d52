package pages

import (
	"fmt"
	"slices"
	"strings"

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
	rows, err := t.listed(f).Read(t.Tx)
	if err != nil {
		return nil, err
	}
	return t.Complete(rows)
}

func (t Pages) listed(f approvals.Filter) *tables.Rows[requests.ApprovalRow] {
	name := "" // who walks through all of them keeps no page
	if f.Session != "" || f.Limit > 0 && f.Limit <= approvals.MaxCompared {
		name = fmt.Sprintf("approvals like %+v", f)
	}
	return tables.Chosen(name, []string{"approvals", "decisions"}, func(a, b requests.ApprovalRow) int { return strings.Compare(b.ApprovalID, a.ApprovalID) }, t.matching(f))
}

// IDs are those of what Approvals lists, without reading it.
func (t Pages) IDs(f approvals.Filter) (ids []string, err error) {
	err = t.matching(f).Pluck("approval_id", &ids).Error
	return ids, err
}

// AboutAround is what the page of a request asks of others.
func (t Pages) AboutAround(a approvals.Approval, filters []approvals.Filter) []tables.Wanted {
	all := t.Beside(a)
	for _, f := range filters {
		all = append(all, t.listed(f))
	}
	return all
}
