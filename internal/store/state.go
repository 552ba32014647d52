package store

import (
	"maps"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/approvals"
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

// nothing reports whether the log tells of nothing that an act would look for in a table. Then
// there is no need to look: a row that no event tells of would do nothing.
func (t *tx) nothing(told func(s *logstate.State) bool) bool {
	return t.state != nil && len(t.appended) == 0 && !told(t.state)
}

func (t *tx) denied(agent string, like []string) func(s *logstate.State) bool {
	return func(s *logstate.State) bool {
		return slices.ContainsFunc(like, func(l string) bool { _, ok := s.Denials[agent][l]; return ok })
	}
}

// Denials are what holds acts that are alike in one of these ways.
func (t *tx) Denials(agent string, like []string, after time.Time) ([]approvals.Denial, error) {
	if t.nothing(t.denied(agent, like)) {
		return nil, nil
	}
	return t.Requests.Denials(agent, like, after)
}

// ForgetDenials ends them.
func (t *tx) ForgetDenials(agent string, like []string) (forgotten []string, err error) {
	if t.nothing(t.denied(agent, like)) {
		return nil, nil
	}
	return t.Requests.ForgetDenials(agent, like)
}

// StandingGrants lists those that q chooses.
func (t *tx) StandingGrants(q approvals.StandingQuery) ([]approvals.Standing, error) {
	if q.Open && q.Agent != "" && t.nothing(func(s *logstate.State) bool { return s.Stands(q.Agent, t.At) }) {
		return nil, nil
	}
	return t.Requests.StandingGrants(q)
}
