package store

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/logstate"
)

// Who may read goes by the log, as who may decide: a row of memberships alone makes nobody a
// member, and gives them no role.

// rights of this moment. Where these rows aren't as the log was read last, it is read again:
// another server may have written both.
func (t *tx) rights(rows []memberRow) (*logstate.Rights, error) {
	switch {
	case t.store.heads == nil || t.store.writer == nil: // a command that looks at the whole database
		return &logstate.Rights{}, nil
	case t.state != nil:
		told := t.state.Authority.MembersOnly()
		for _, p := range t.appended {
			if slices.Contains(logstate.AuthorityKinds, p.event.Kind) {
				told.Apply(p.event)
			}
		}
		return told.Rights(t.head.Size), nil
	case t.group != nil: // an organisation that is made just now
		return &logstate.Rights{}, nil
	case t.writes:
		return nil, errNotHeld
	}
	k := t.store.trail(t.tenant)
	r := k.rights.Load()
	kept, err := t.store.heads.Remembered(t.tenant)
	if r != nil && err == nil && r.Size >= max(kept.Size, k.newest.Load()) && !slices.ContainsFunc(rows, func(row memberRow) bool { return rightsMismatch(r, row) }) {
		return r, nil
	}
	err = t.store.write(t.db.Statement.Context, t.tenant, func(*tx) error { return nil })
	if r = k.rights.Load(); r == nil && err == nil {
		err = fault.New(fault.Missing, "no such organisation")
	}
	if r != nil && fault.Is(err, fault.GrantUnproven) {
		err = nil // those who were members when the log held may see that it doesn't
	}
	return r, err
}

func rightsMismatch(r *logstate.Rights, row memberRow) bool {
	m, ok := r.Members[row.PersonID]
	return r.Members != nil && (!ok || row.Roles != m.Roles || (row.SuspendedAt != nil) != (m.Suspended != ""))
}

// asTold are these rows of members, with the roles that the log tells of, and without those of
// whom it doesn't.
func (t *tx) asTold(rows []memberRow) ([]memberRow, error) {
	if len(rows) == 0 {
		return rows, nil
	}
	r, err := t.rights(rows)
	if err != nil || r.Members == nil {
		return rows, err
	}
	all := make([]memberRow, 0, len(rows))
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
