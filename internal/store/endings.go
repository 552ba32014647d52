package store

import "github.com/countersign/countersign/internal/approvals"

// ending is what became of an approval.
type ending struct {
	decision  *approvals.Decision
	grant     *approvals.Grant
	execution *approvals.Execution
}

// endings reads the decisions, grants and executions of these approvals.
func (t *tx) endings(ids []string) (map[string]*ending, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var decisions []decisionRow
	var grants []grantRow
	var executions []executionRow
	for table, into := range map[string]any{"decisions": &decisions, "grants": &grants, "executions": &executions} {
		if err := t.of(table).Where("approval_id IN ?", ids).Find(into).Error; err != nil {
			return nil, err
		}
	}
	ends := make(map[string]*ending, len(ids))
	for _, id := range ids {
		ends[id] = &ending{}
	}
	for _, r := range decisions {
		d, err := r.decision()
		if err != nil {
			return nil, err
		}
		ends[r.ApprovalID].decision = d
	}
	for _, r := range grants {
		ends[r.ApprovalID].grant = &approvals.Grant{
			ID: r.GrantID, Token: r.Token, ExpiresAt: stamp(r.ExpiresAt),
			ConsumedAt: stampPointer(r.ConsumedAt), ConsumeKey: r.ConsumeKey, VoidedAt: stampPointer(r.VoidedAt), VoidReason: r.VoidReason,
		}
	}
	for _, r := range executions {
		ends[r.ApprovalID].execution = &approvals.Execution{Status: r.Status, Detail: r.Detail, ReportedAt: stamp(r.ReportedAt)}
	}
	return ends, nil
}
