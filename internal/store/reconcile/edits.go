package reconcile

import (
	"fmt"
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// storedEdits says what is stored of the edits of these approvals, as events can.
func (t Checks) storedEdits(ids []string) (map[string][]string, error) {
	var all []requests.EditRow
	err := t.Of("edits").Where("approval_id IN ?", ids).Find(&all).Error
	edited := map[string][]string{}
	for _, r := range all {
		edited[r.ApprovalID] = append(edited[r.ApprovalID],
			edit(strconv.FormatInt(r.Version, 10), r.PersonID, audit.FormatTime(r.EditedAt), r.Digest, tables.SHA256(r.Action)))
	}
	return edited, err
}

// edit is one edit as both the table and the events can say it.
func edit(version, person, at, digest, action string) string {
	return fmt.Sprintf("%s made version %s at %s with the digest %s, action %s", person, version, at, digest, action)
}

// storedExtensions says what is stored of the extensions of these approvals, as events can.
func (t Checks) storedExtensions(ids []string) (map[string][]string, error) {
	all := map[string][]string{}
	err := t.requests.Extensions(ids, func(id string, e approvals.Extension) {
		all[id] = append(all[id], extension(e.Person, audit.FormatTime(e.At), audit.FormatTime(e.Was), audit.FormatTime(e.Until), e.Reason))
	})
	return all, err
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
