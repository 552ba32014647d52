package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// decideMany ends approvals of every function, level and session in turn, one
// after the other, by two people; what is decided is not in the order of what was
// submitted.
func (p place) decideMany(t *testing.T, n int) (done []approvals.Approval) {
	t.Helper()
	var open []approvals.Approval
	for i := range n {
		open = append(open, p.submit(t, func(a *approvals.Approval) {
			a.Function = []string{"delete_user", "delete_bucket", "get_user"}[i%3]
			a.Session = []string{"", "s1", "s2", "s1%"}[i%4]
			a.Assessment.Level = []level.Level{level.Medium, level.High}[i%2]
			a.Assessment.Effects = []effects.Effect{{Kind: []effects.Kind{effects.Delete, effects.Write, effects.Money}[i%3]}, {Kind: effects.Read}}
		}))
	}
	slices.Reverse(open)
	p.submit(t, nil) // pending: in no history
	for i, a := range open {
		p.write(t, func(w approvals.Writer) error {
			b, kind := p.denied(a, fmt.Sprintf("no %d", i), w.Now()), audit.Denied
			if i%3 == 1 {
				b, kind = p.approved(a, w.Now()), audit.Approved
			}
			if i%4 == 0 {
				b.Decision.DecidedBy[0].ID, b.Decision.DecidedBy[0].Name = p.ben.ID, p.ben.Name
			}
			if err := w.Decide(b, a.Version); err != nil {
				return err
			}
			done = append(done, b)
			return w.Append(about(b, kind))
		})
	}
	return done
}

func testHistory(t *testing.T, w world) {
	p, other := w.acme, w.beta
	all := p.decideMany(t, 30)
	other.decideMany(t, 5)
	middle := all[12].Decision.DecidedAt
	for name, c := range map[string]struct {
		filter approvals.HistoryFilter
		holds  func(a approvals.Approval) bool
	}{
		"everything":                       {approvals.HistoryFilter{}, func(approvals.Approval) bool { return true }},
		"status":                           {approvals.HistoryFilter{Statuses: []approvals.Status{approvals.Denied}}, func(a approvals.Approval) bool { return a.Status == approvals.Denied }},
		"statuses":                         {approvals.HistoryFilter{Statuses: []approvals.Status{approvals.Denied, approvals.Expired}}, func(a approvals.Approval) bool { return a.Status == approvals.Denied }},
		"pending":                          {approvals.HistoryFilter{Statuses: []approvals.Status{approvals.Pending}}, func(approvals.Approval) bool { return false }},
		"level":                            {approvals.HistoryFilter{Levels: []string{"HIGH"}}, func(a approvals.Approval) bool { return a.Assessment.Level == level.High }},
		"effect":                           {approvals.HistoryFilter{Effects: []string{"delete", "money"}}, func(a approvals.Approval) bool { return a.Effect() != effects.Write }},
		"effect, not the one that decides": {approvals.HistoryFilter{Effects: []string{"read"}}, func(approvals.Approval) bool { return false }},
		"agent":                            {approvals.HistoryFilter{Agent: p.agent.ID}, func(approvals.Approval) bool { return true }},
		"other's":                          {approvals.HistoryFilter{Agent: other.agent.ID}, func(approvals.Approval) bool { return false }},
		"function":                         {approvals.HistoryFilter{Function: "get_user"}, func(a approvals.Approval) bool { return a.Function == "get_user" }},
		"begins":                           {approvals.HistoryFilter{Function: "delete_", Prefix: true}, func(a approvals.Approval) bool { return strings.HasPrefix(a.Function, "delete_") }},
		"people":                           {approvals.HistoryFilter{Decider: approvals.Decider{Kind: approvals.ByPerson}}, func(approvals.Approval) bool { return true }},
		"ben":                              {approvals.HistoryFilter{Decider: approvals.Decider{Kind: approvals.ByPerson, ID: p.ben.ID}}, func(a approvals.Approval) bool { return a.Decision.DecidedBy[0].ID == p.ben.ID }},
		"clock":                            {approvals.HistoryFilter{Decider: approvals.Decider{Kind: approvals.ByClock}}, func(approvals.Approval) bool { return false }},
		"from":                             {approvals.HistoryFilter{From: middle}, func(a approvals.Approval) bool { return !a.Decision.DecidedAt.Before(middle) }},
		"to":                               {approvals.HistoryFilter{To: middle}, func(a approvals.Approval) bool { return a.Decision.DecidedAt.Before(middle) }},
		"never":                            {approvals.HistoryFilter{From: middle.Add(time.Hour)}, func(approvals.Approval) bool { return false }},
		"session":                          {approvals.HistoryFilter{Session: "s1"}, func(a approvals.Approval) bool { return a.Session == "s1" }},
		"no session":                       {approvals.HistoryFilter{Session: "s"}, func(approvals.Approval) bool { return false }},
		"several": {
			approvals.HistoryFilter{Session: "s2", Function: "delete", Prefix: true, Levels: []string{"LOW", "MEDIUM"}, Statuses: []approvals.Status{approvals.Denied}},
			func(a approvals.Approval) bool {
				return a.Session == "s2" && strings.HasPrefix(a.Function, "delete") && a.Assessment.Level == level.Medium && a.Status == approvals.Denied
			},
		},
	} {
		var want []string
		for _, a := range all {
			if c.holds(a) {
				want = append(want, a.ID)
			}
		}
		for _, upward := range []bool{true, false} {
			var got []string
			q := approvals.HistoryQuery{HistoryFilter: c.filter, Edge: -1, Upward: upward, Limit: 4}
			for range 50 {
				var page approvals.HistoryPage
				p.read(t, func(r approvals.Reader) (err error) {
					page, err = r.Decided(q)
					return err
				})
				for _, d := range page.Decided {
					got = append(got, d.ID)
					e := must(w.Store.Audit().Event(t.Context(), p.tenant, d.Entry)).Event
					if e.Approval != d.ID || d.Decision == nil || !e.At.Equal(d.Decision.DecidedAt) {
						t.Errorf("%s: entry %d tells of %s at %v, the decision is %+v", name, d.Entry, e.Approval, e.At, d.Decision)
					}
				}
				if page.Done {
					break
				}
				q.Edge = page.Next
			}
			if !upward {
				slices.Reverse(got)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s (upward %v): %d decisions, want %d", name, upward, len(got), len(want))
			}
		}
	}
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !r.OK {
		t.Errorf("the trail afterwards: %s, %v", r, err)
	}
}
