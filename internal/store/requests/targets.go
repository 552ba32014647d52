package requests

import (
	"fmt"
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store/tables"
)

// targetRow is what a request acts on.
type targetRow struct{ TenantID, ApprovalID, AgentID, Target, Digest string }

func (targetRow) TableName() string { return "approval_targets" }

// keepTarget writes it, where there is one.
func (t Requests) keepTarget(a approvals.Approval, about approvals.Subject) error {
	key := a.TargetKey(about)
	if key == "" {
		return nil
	}
	return t.DB.Create(&targetRow{TenantID: t.Tenant, ApprovalID: a.ID, AgentID: a.Agent.ID, Target: key, Digest: a.Digest}).Error
}

// sameTarget is what two rows have that act on the same.
const sameTarget = "other.tenant_id = approval_targets.tenant_id AND other.agent_id = approval_targets.agent_id AND other.target = approval_targets.target"

type newestRow struct{ ApprovalID, Newest string }

func (t Requests) newest(ids []string) (all []*tables.Rows[newestRow]) {
	for part := range slices.Chunk(ids, CompleteBatch) {
		all = append(all, tables.Chosen[newestRow]("approval_targets newest"+fmt.Sprint(part), []string{"approval_targets"}, nil,
			t.Of("approval_targets").Select("approval_targets.approval_id, newest.approval_id AS newest").
				Joins("JOIN approval_targets newest ON newest.tenant_id = approval_targets.tenant_id AND newest.approval_id = (SELECT max(other.approval_id) FROM approval_targets other WHERE "+sameTarget+")").
				Where("approval_targets.approval_id IN ? AND newest.digest <> approval_targets.digest", part)))
	}
	return all
}

// NewerOf says which request for the same target came last.
func (t Requests) NewerOf(ids []string) (map[string]string, error) {
	found := map[string]string{}
	for _, part := range t.newest(ids) {
		rows, err := part.Read(t.Tx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			found[r.ApprovalID] = r.Newest
		}
	}
	return found, nil
}

// older are the pending ones for the target of a request that came before it. By its digest, what
// waits is found in an index of that alone, without the actions.
func (t Requests) older(id string) *tables.Rows[idRow] {
	before := t.Of("approval_targets").Select("other.agent_id, other.approval_id, other.digest").
		Joins("JOIN approval_targets other ON "+sameTarget+" AND other.approval_id < approval_targets.approval_id").
		Where("approval_targets.approval_id = ?", id).Order("other.approval_id DESC").Limit(approvals.MaxOlder)
	return tables.Chosen[idRow]("approval_targets before "+id, []string{"approval_targets", "approvals"}, nil,
		t.Of("approvals").Select("approvals.approval_id").Where(IsPending).
			Joins("JOIN (?) AS earlier ON earlier.agent_id = approvals.agent_id AND earlier.digest = approvals.digest AND earlier.approval_id = approvals.approval_id", before))
}

// Older are the pending ones for the same targets that came before these.
func (t Requests) Older(ids []string) (older []string, err error) {
	for part := range slices.Chunk(ids, olderAtOnce) {
		rows, all := make([]*tables.Rows[idRow], len(part)), make([]tables.Wanted, len(part))
		for i, id := range part {
			rows[i] = t.older(id)
			all[i] = rows[i]
		}
		if err := t.Fetch(all...); err != nil {
			return nil, err
		}
		for _, r := range rows {
			some, _ := idsOf(r.Found, nil)
			older = append(older, some...)
		}
	}
	slices.Sort(older)
	return slices.Compact(older), nil
}

// olderAtOnce is of how many requests one statement asks.
const olderAtOnce = 50
