package pages

import (
	"maps"
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/requests"
)

// Decided lists what ended, by the audit events of the ends: they carry all that
// the filter asks for, and their order is that of the decisions.
func (t Pages) Decided(q approvals.HistoryQuery) (approvals.HistoryPage, error) {
	f := audit.Filter{
		Actor: audit.Actor{Kind: string(q.Decider.Kind), ID: q.Decider.ID}, Agent: q.Agent, Levels: q.Levels, Effects: q.Effects,
		Function: q.Function, Prefix: q.Prefix, From: q.From, To: q.To, About: q.Text, Among: q.Among,
	}
	for _, kind := range finalKinds() {
		if len(q.Statuses) == 0 || slices.Contains(q.Statuses, logstate.Finals[kind]) {
			f.Kinds = append(f.Kinds, kind)
		}
	}
	var found approvals.HistoryPage
	if len(f.Kinds) == 0 { // a status that is no end: nothing, and never everything
		found.Done = true
		return found, nil
	}
	page, err := t.SearchEvents(audit.Query{Filter: f, Edge: q.Edge, Upward: q.Upward, Limit: q.Limit}, q.Session)
	if err != nil {
		return found, err
	}
	found.Next, found.Done, found.Searched = page.Next, page.Done, page.Searched
	ids := make([]string, len(page.Records))
	for i, r := range page.Records {
		ids[i] = r.Event.Approval
	}
	var rows []requests.ApprovalRow
	if err := t.Of("approvals").Where("approval_id IN ?", ids).Find(&rows).Error; err != nil {
		return found, err
	}
	all, err := t.Complete(rows)
	if err != nil {
		return found, err
	}
	byID := make(map[string]approvals.Approval, len(all))
	for _, a := range all {
		byID[a.ID] = a
	}
	for _, r := range page.Records {
		if a, ok := byID[r.Event.Approval]; ok { // verify tells of one that is gone
			found.Decided = append(found.Decided, approvals.Decided{Approval: a, Entry: r.Event.Index})
		}
	}
	return found, nil
}

// finalKinds are the kinds of events that end an approval, sorted.
func finalKinds() []audit.Kind { return slices.Sorted(maps.Keys(logstate.Finals)) }
