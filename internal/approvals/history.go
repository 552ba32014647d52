package approvals

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// HistoryFilter chooses what was decided. A field that is set narrows, and none
// widens another one; without any it is everything.
type HistoryFilter struct {
	Statuses []Status // final ones
	Levels   []string // LOW to CRITICAL
	Effects  []string // kinds of what decided: read to unknown
	Agent    string   // agent id
	Function string   // the whole name, or with Prefix how it begins
	Prefix   bool
	// Decider is who ended it: a kind, and with an ID one of that kind.
	Decider  Decider
	From, To time.Time // From ≤ decided < To; zero: no bound
	Session  string
	// Text stands somewhere in what the request says; see Matching.
	Text string
}

// HistoryQuery is one page of the history, newest decision first.
type HistoryQuery struct {
	HistoryFilter
	// Edge is the entry at which the page before ended: only decisions with entries
	// below it follow, upward only those above. −1 begins at the newest, upward at
	// the oldest.
	Edge   int64
	Upward bool
	Limit  int // at least 1
	// Among are the requests that hold Text; the service finds them.
	Among []string
}

// Decided is an approval that ended, with the index of the audit event of its end.
type Decided struct {
	Approval
	Entry int64
}

// HistoryPage is what one look found.
type HistoryPage struct {
	Decided []Decided // newest decision first; upward oldest first
	// Next is the Edge with which to go on; Done says that nothing is left there.
	Next int64
	Done bool
	// Searched is how many audit events were read one by one, because no index
	// answers the whole filter.
	Searched int
	// Cut says that more requests may hold the text than were looked for.
	Cut bool
}

// History lists what was decided.
func (s *Service) History(ctx context.Context, m auth.Member, q HistoryQuery) (page HistoryPage, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return page, err
	}
	for _, status := range q.Statuses {
		if kinds[status] == "" {
			return page, fault.New(fault.InvalidParameter, "%.40q isn't a request status", status)
		}
	}
	whole := true
	if q.Text != "" && q.Among == nil {
		if q.Among, whole, err = s.among(ctx, m, q.HistoryFilter); err != nil {
			return page, err
		}
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		page, err = r.Decided(q)
		return err
	})
	page.Cut = !whole
	return page, err
}

// among are the requests that hold the text of a filter, never nil.
func (s *Service) among(ctx context.Context, m auth.Member, f HistoryFilter) (ids []string, whole bool, err error) {
	ids, whole, err = s.Matching(ctx, m, f.Text, f.To)
	return append([]string{}, ids...), whole, err
}

// historyStep is how many decisions WalkHistory holds at once.
const historyStep = 200

// WalkHistory calls fn for everything that was decided before the audit event
// below, oldest decision first. Who takes so much out of the console needs the
// permission to export.
func (s *Service) WalkHistory(ctx context.Context, m auth.Member, f HistoryFilter, below int64, fn func(Decided) error) error {
	if err := may(m, auth.ExportAudit); err != nil {
		return err
	}
	q := HistoryQuery{HistoryFilter: f, Edge: -1, Upward: true, Limit: historyStep}
	if f.Text != "" { // once, and not for every stretch
		var err error
		if q.Among, _, err = s.among(ctx, m, f); err != nil {
			return err
		}
	}
	for {
		page, err := s.History(ctx, m, q)
		if err != nil {
			return err
		}
		for _, d := range page.Decided {
			if d.Entry >= below {
				return nil
			}
			if err := fn(d); err != nil {
				return err
			}
		}
		if page.Done || page.Next >= below-1 {
			return nil
		}
		q.Edge = page.Next
	}
}
