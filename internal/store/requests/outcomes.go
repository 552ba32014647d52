package requests

import (
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store/tables"
)

// outcome is what became of an approval.
type outcome struct {
	Decision  *approvals.Decision
	Grant     *approvals.Grant
	Execution *approvals.Execution
}

// Outcomes reads the decisions, grants and executions of these approvals.
func (t Requests) Outcomes(ids []string) (map[string]*outcome, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var decisions []decisionRow
	var grants []grantRow
	var executions []executionRow
	for table, into := range map[string]any{"decisions": &decisions, "grants": &grants, "executions": &executions} {
		if err := t.Of(table).Where("approval_id IN ?", ids).Find(into).Error; err != nil {
			return nil, err
		}
	}
	ends := make(map[string]*outcome, len(ids))
	for _, id := range ids {
		ends[id] = &outcome{}
	}
	for _, r := range decisions {
		d, err := r.decision()
		if err != nil {
			return nil, err
		}
		ends[r.ApprovalID].Decision = d
	}
	for _, r := range grants {
		ends[r.ApprovalID].Grant = &approvals.Grant{
			ID: r.GrantID, Token: r.Token, ExpiresAt: tables.Stamp(r.ExpiresAt),
			ConsumedAt: tables.StampPointer(r.ConsumedAt), ConsumeKey: r.ConsumeKey, VoidedAt: tables.StampPointer(r.VoidedAt), VoidReason: r.VoidReason,
		}
	}
	for _, r := range executions {
		ends[r.ApprovalID].Execution = &approvals.Execution{Status: r.Status, Detail: r.Detail, ReportedAt: tables.Stamp(r.ReportedAt)}
	}
	return ends, nil
}
