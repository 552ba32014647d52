package store

import (
	"maps"
	"slices"

	"github.com/countersign/countersign/internal/store/logstate"
)

// State is what the log says, with what this transaction appended to it, as far as a later check of
// the same transaction asks for it.
func (t *tx) State() (*logstate.State, error) {
	if t.state == nil {
		return nil, t.noLog()
	}
	if !slices.ContainsFunc(t.appended, func(p appended) bool { return logstate.Settled[p.event.Kind] }) {
		return t.state, nil
	}
	s, err := t.state.Clone()
	if err != nil {
		return nil, err
	}
	for _, p := range t.appended {
		s.Apply(p.event, p.leaf)
	}
	return s, nil
}

// StillOpen are the approvals that somebody can still decide, or whose grant may be unspent.
func (t *tx) StillOpen() ([]string, error) {
	if t.state == nil {
		return nil, t.noLog()
	}
	return slices.Sorted(maps.Keys(t.state.Open)), nil
}

// Open is how many of them aren't spent.
func (t *tx) Open() (int, error) {
	if t.state == nil {
		return 0, t.noLog()
	}
	return len(t.state.Open) - t.state.Spent, nil
}

// RefsOf are the events of an open approval; none where it is over.
func (t *tx) RefsOf(approval string) (all []logstate.Ref) {
	if t.state == nil {
		return nil
	}
	if a := t.state.Open[approval]; a != nil {
		all = slices.Clone(a.Refs)
	}
	for _, p := range t.appended {
		if p.event.Approval == approval && logstate.AboutApprovals[p.event.Kind] {
			all = append(all, logstate.Ref{Index: p.event.Index, Leaf: p.leaf})
		}
	}
	return all
}
