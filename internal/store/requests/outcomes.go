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
	Extension *approvals.Extension
}

// Outcomes reads what became of approvals: those that ended, and those that got more time.
func (t Requests) Outcomes(ended, extended []string) (map[string]*outcome, error) {
	of := t.belongings(ended, nil, nil, extended)
	if err := t.Fetch(of.parts...); err != nil {
		return nil, err
	}
	return of.outcomes()
}

func (b *belongings) outcomes() (map[string]*outcome, error) {
	ends := map[string]*outcome{}
	of := func(id string) *outcome {
		if ends[id] == nil {
			ends[id] = &outcome{}
		}
		return ends[id]
	}
	for _, r := range b.decisions.Found {
		d, err := r.decision()
		if err != nil {
			return nil, err
		}
		of(r.ApprovalID).Decision = d
	}
	for _, r := range b.grants.Found {
		of(r.ApprovalID).Grant = &approvals.Grant{
			ID: r.GrantID, Token: r.Token, ExpiresAt: tables.Stamp(r.ExpiresAt),
			ConsumedAt: tables.StampPointer(r.ConsumedAt), ConsumeKey: r.ConsumeKey, VoidedAt: tables.StampPointer(r.VoidedAt), VoidReason: r.VoidReason,
		}
	}
	for _, r := range b.executions.Found {
		of(r.ApprovalID).Execution = &approvals.Execution{Status: r.Status, Detail: r.Detail, ReportedAt: tables.Stamp(r.ReportedAt)}
	}
	for _, r := range b.extensions.Found {
		given := r.Extension()
		of(r.ApprovalID).Extension = &given
	}
	return ends, nil
}
