package store

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/fault"
)

// Who may read goes by the log, as who may decide: a row of memberships alone makes nobody a
// member, and gives them no role.

// rights are those of the members of an organisation, as of a size of its log.
type rights struct {
	size    int64
	told    int64                 // of members, the last time
	members map[string]toldMember // nil: this log doesn't tell of everybody
}

// members is a copy that hears more of the members, and of nothing else.
func (told toldAuthority) members() toldAuthority {
	of := toldAuthority{Members: maps.Clone(told.Members), ModeKnown: told.ModeKnown, Told: told.Told}
	of.fill()
	return of
}

func (told toldAuthority) rights(size int64) *rights {
	if !told.ModeKnown {
		return &rights{size: size, told: told.Told}
	}
	return &rights{size, told.Told, told.Members}
}

// rights of this moment. Where these rows aren't as the log was read last, it is read again:
// another server may have written both.
func (t *tx) rights(rows []memberRow) (*rights, error) {
	switch {
	case t.store.heads == nil || t.store.writer == nil: // a command that looks at the whole database
		return &rights{}, nil
	case t.state != nil:
		told := t.state.Authority.members()
		for _, p := range t.appended {
			if slices.Contains(authorityKinds, p.event.Kind) {
				told.hear(p.event)
			}
		}
		return told.rights(t.head.Size), nil
	case t.group != nil: // an organisation that is made just now
		return &rights{}, nil
	case t.writes:
		return nil, errNotHeld
	}
	k := t.store.trail(t.tenant)
	r := k.rights.Load()
	kept, err := t.store.heads.Remembered(t.tenant)
	if r != nil && err == nil && r.size >= max(kept.Size, k.newest.Load()) && !slices.ContainsFunc(rows, r.contradict) {
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

func (r *rights) contradict(row memberRow) bool {
	m, ok := r.members[row.PersonID]
	return r.members != nil && (!ok || row.Roles != m.Roles || (row.SuspendedAt != nil) != (m.Suspended != ""))
}

// asTold are these rows of members, with the roles that the log tells of, and without those of
// whom it doesn't.
func (t *tx) asTold(rows []memberRow) ([]memberRow, error) {
	if len(rows) == 0 {
		return rows, nil
	}
	r, err := t.rights(rows)
	if err != nil || r.members == nil {
		return rows, err
	}
	all := make([]memberRow, 0, len(rows))
	for _, row := range rows {
		m, ok := r.members[row.PersonID]
		if !ok {
			continue
		}
		if r.contradict(row) {
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
