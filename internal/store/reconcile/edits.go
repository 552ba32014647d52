package reconcile

import (
	"fmt"

	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// edit is one edit as both the table and the events can say it.
func edit(version, person, at, digest, action string) string {
	return fmt.Sprintf("%s made version %s at %s with the digest %s, action %s", person, version, at, digest, action)
}

// extension is one as both the table and the events can say it.
func extension(person, at, was, until, reason string) string {
	return fmt.Sprintf("%s at %s from %s until %s because %q", person, at, was, until, reason)
}

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
