package organisation

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/store/logstate"
)

func rightsMismatch(r *logstate.Rights, row MemberRow) bool {
	m, ok := r.Members[row.PersonID]
	return r.Members != nil && (!ok || row.Roles != m.Roles || (row.SuspendedAt != nil) != (m.Suspended != ""))
}

// asTold are these rows of members, with the roles that the log tells of, and without those of
// whom it doesn't.
func (t Organisation) asTold(rows []MemberRow) ([]MemberRow, error) {
	if len(rows) == 0 {
		return rows, nil
	}
	r, err := t.Rights(func(r *logstate.Rights) bool {
		return slices.ContainsFunc(rows, func(row MemberRow) bool { return rightsMismatch(r, row) })
	})
	if err != nil || r.Members == nil {
		return rows, err
	}
	all := make([]MemberRow, 0, len(rows))
	for _, row := range rows {
		m, ok := r.Members[row.PersonID]
		if !ok {
			continue
		}
		if rightsMismatch(r, row) {
			row.Roles, row.SuspendedAt = m.Roles, nil
			if by, rest, ok := strings.Cut(m.Suspended, " "); ok {
				at, reason, _ := strings.Cut(rest, " ")
				since, _ := time.Parse(time.RFC3339Nano, at)
				row.SuspendedAt, row.SuspendedBy, row.SuspendReason = &since, by, reason
			}
		}
		all = append(all, row)
	}
	return all, nil
}
