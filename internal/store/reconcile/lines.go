package reconcile

import (
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// storedLines are the sums of what lists say of these approvals.
func (t Checks) storedLines(ids []string) (map[string]string, error) {
	var lines []requests.LineRow
	err := t.Of("approval_lines").Where("approval_id IN ?", ids).Find(&lines).Error
	sums := map[string]string{}
	for _, l := range lines {
		sums[l.ApprovalID] = tables.SumOf(l.Logged()...)
	}
	return sums, err
}
