package requests

import (
	"slices"

	"github.com/countersign/countersign/internal/approvals"
)

// targetRow is what a request acts on.
type targetRow struct{ TenantID, ApprovalID, AgentID, Target, Digest string }

func (targetRow) TableName() string { return "approval_targets" }

// keepTarget writes it, where there is one.
func (t Requests) keepTarget(a approvals.Approval) error {
	key := a.TargetKey()
	if key == "" {
		return nil
	}
	return t.DB.Create(&targetRow{TenantID: t.Tenant, ApprovalID: a.ID, AgentID: a.Agent.ID, Target: key, Digest: a.Digest}).Error
}

// sameTarget is what two rows have that act on the same.
const sameTarget = "other.tenant_id = approval_targets.tenant_id AND other.agent_id = approval_targets.agent_id AND other.target = approval_targets.target"

// NewerOf says which request for the same target came last.
func (t Requests) NewerOf(ids []string) (map[string]string, error) {
	found := map[string]string{}
	for part := range slices.Chunk(ids, CompleteBatch) {
		var rows []struct{ ApprovalID, Newest string }
		err := t.Of("approval_targets").Select("approval_targets.approval_id, newest.approval_id AS newest").
			Joins("JOIN approval_targets newest ON newest.tenant_id = approval_targets.tenant_id AND newest.approval_id = (SELECT max(other.approval_id) FROM approval_targets other WHERE "+sameTarget+")").
			Where("approval_targets.approval_id IN ? AND newest.digest <> approval_targets.digest", part).Find(&rows).Error
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			found[r.ApprovalID] = r.Newest
		}
	}
	return found, nil
}

// Older are the pending ones for the same targets that came before these.
func (t Requests) Older(ids []string) (older []string, err error) {
	for part := range slices.Chunk(ids, CompleteBatch) {
		var keys []struct{ AgentID, Target, Newest string }
		err := t.Of("approval_targets").Select("agent_id, target, max(approval_id) AS newest").
			Where("approval_id IN ? AND EXISTS (SELECT 1 FROM approval_targets other WHERE "+sameTarget+" AND other.approval_id < approval_targets.approval_id)", part).
			Group("agent_id, target").Find(&keys).Error
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			// By its digest, what waits is found in an index of that alone, without the actions.
			before := t.Of("approval_targets").Select("approval_id, digest").Where("agent_id = ? AND target = ? AND approval_id < ?", k.AgentID, k.Target, k.Newest).
				Order("approval_id DESC").Limit(approvals.MaxOlder)
			var some []string
			err := t.Of("approvals").Joins("JOIN (?) AS earlier ON earlier.digest = approvals.digest AND earlier.approval_id = approvals.approval_id", before).
				Where(IsPending+" AND approvals.agent_id = ?", k.AgentID).Pluck("approvals.approval_id", &some).Error
			if err != nil {
				return nil, err
			}
			older = append(older, some...)
		}
	}
	slices.Sort(older)
	return older, nil
}
