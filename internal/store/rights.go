package store

import (
	"slices"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/logstate"
)

// Who may read goes by the log, as who may decide: a row of memberships alone makes nobody a
// member, and gives them no role.

// rights of this moment. Where they are outdated, the log is read again: another server may have
// written it and the rows.
func (t *tx) rights(outdated func(*logstate.Rights) bool) (*logstate.Rights, error) {
	switch {
	case t.store.heads == nil || t.store.writer == nil: // a command that looks at the whole database
		return &logstate.Rights{}, nil
	case t.state != nil:
		logged := t.state.Authority.MembersOnly()
		for _, p := range t.appended {
			if slices.Contains(logstate.AuthorityKinds, p.event.Kind) {
				logged.Apply(p.event)
			}
		}
		return logged.Rights(t.head.Size), nil
	case t.group != nil: // an organisation that is made just now
		return &logstate.Rights{}, nil
	case t.Writes:
		return nil, errNotHeld
	}
	k := t.store.trail(t.Tenant)
	r := k.rights.Load()
	kept, err := t.store.heads.Remembered(t.Tenant)
	if r != nil && err == nil && r.Size >= max(kept.Size, k.newest.Load()) && !outdated(r) {
		return r, nil
	}
	err = t.store.write(t.DB.Statement.Context, t.Tenant, func(*tx) error { return nil })
	if r = k.rights.Load(); r == nil && err == nil {
		err = fault.New(fault.Missing, "no such organisation")
	}
	if r != nil && fault.Is(err, fault.GrantUnproven) {
		err = nil // those who were members when the log held may see that it doesn't
	}
	return r, err
}
