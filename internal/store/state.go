package store

import (
	"fmt"
	"maps"
	"slices"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/logstate"
)

// says is the state with what this transaction appended to it, as far as a later check of
// the same transaction asks for it.
func (t *tx) says() (*logstate.State, error) {
	if t.state == nil {
		return nil, t.unheldLog()
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
		return nil, t.unheldLog()
	}
	return slices.Sorted(maps.Keys(t.state.Open)), nil
}

// Open is how many of them aren't spent.
func (t *tx) Open() (int, error) {
	if t.state == nil {
		return 0, t.unheldLog()
	}
	return len(t.state.Open) - t.state.Spent, nil
}

// refs are the events of an open approval; none where it is over.
func (t *tx) refs(approval string) (all []logstate.Ref) {
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

// kept reads these events. Their places are in no column that somebody could change to hide
// one, and their bytes are what the log has.
func (t *tx) kept(refs []logstate.Ref) ([]audit.Event, error) {
	events := make([]audit.Event, 0, len(refs))
	for some := range slices.Chunk(refs, verifyBatch) {
		places, leaves := make([]int64, len(some)), make(map[int64][32]byte, len(some))
		for i, r := range some {
			places[i], leaves[r.Index] = r.Index, r.Leaf
		}
		var rows []auditEventRow
		if err := t.of("audit_events").Select("idx, bytes").Where("idx IN ?", places).Order("idx").Find(&rows).Error; err != nil {
			return nil, err
		}
		if len(rows) != len(some) {
			return nil, brokenEvent{places[0], fmt.Sprintf("of %d events that were there, %d are left", len(some), len(rows))}
		}
		for _, r := range rows {
			e, err := audit.Parse([]byte(r.Bytes))
			if err != nil || audit.Leaf([]byte(r.Bytes)) != leaves[r.Idx] {
				return nil, brokenEvent{r.Idx, "its bytes aren't those that were signed"}
			}
			events = append(events, e)
		}
	}
	return events, nil
}
