package storetest

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/tenants"
)

// testNarrowedInsights holds what a filter of the insights shows against a count of the
// requests themselves, for every filter that a random history knows.
func testNarrowedInsights(t *testing.T, w world) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 2))
	t.Logf("seed %d", seed)
	p, other := w.acme, w.acme // another agent, and another person who decides
	other.agent.ID, other.agent.KeyID, other.agent.Name, other.ada, other.ben = auth.NewID("agt"), auth.NewID("key"), "bot 2", p.ben, p.ada
	if err := w.Store.Tenants().Write(t.Context(), p.tenant, func(w tenants.Writer) error {
		return newAgent(w, other.agent, auth.HashToken("another key"))
	}); err != nil {
		t.Fatal(err)
	}
	p.history(t, r, 30)
	other.history(t, r, 30)
	w.beta.history(t, r, 5)
	service := approvals.NewService(approvals.Config{Store: w.Store.Approvals(), Live: live.New(), Log: slog.New(slog.DiscardHandler), Now: time.Now})
	reader := auth.Member{Tenant: p.tenant, Person: p.ben, Roles: []auth.Role{auth.Compliance}}
	agents, functions, people := []string{"", p.agent.ID, other.agent.ID}, []string{"", "delete_user", "löschen"}, []string{"", p.ada.ID, p.ben.ID}
	counts := 0
	for _, agent := range agents {
		for _, function := range functions {
			for _, person := range people {
				q := approvals.InsightsQuery{Days: 7, Agent: agent, Function: function, Person: person}
				if !q.Narrowed() {
					continue
				}
				got, err := service.Insights(t.Context(), reader, q)
				if err != nil {
					t.Fatalf("%+v: %v", q, err)
				}
				want := p.countedOf(t,
					func(e audit.Event) bool {
						return person == "" && (agent == "" || e.Agent == agent) && (function == "" || e.Function == function)
					},
					func(a approvals.Approval) bool {
						by := a.Decision.DecidedBy[0]
						return (agent == "" || a.Agent.ID == agent) && (function == "" || a.Function == function) &&
							(person == "" || by.Kind == approvals.ByPerson && by.ID == person)
					})
				if person != "" { // what agents report is not counted by person
					for k, one := range want {
						one.Succeeded, one.Failed = 0, 0
						want[k] = one
					}
				}
				sameInsights(t, fmt.Sprintf("%+v", q), got, want)
				counts += int(got.Total.Ended())
			}
		}
	}
	if counts == 0 {
		t.Error("nothing was counted")
	}
	for _, bad := range []approvals.InsightsQuery{{Days: 8}, {From: "2026-1-1"}, {To: "x"}, {From: "2026-03-02", To: "2026-03-01"}, {From: "2020-01-01"}, {To: "2999-01-01"}} {
		if _, err := service.Insights(t.Context(), reader, bad); !fault.Is(err, fault.InvalidParameter) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	operator := auth.Member{Tenant: p.tenant, Person: p.ada, Roles: []auth.Role{auth.Operator}}
	if _, err := service.Insights(t.Context(), operator, approvals.InsightsQuery{Days: 7, Person: p.ben.ID}); !fault.Is(err, fault.Denied) {
		t.Errorf("an operator asks about somebody else: %v", err)
	}
	if i, err := service.Insights(t.Context(), operator, approvals.InsightsQuery{Days: 7, Person: p.ada.ID}); err != nil || len(i.Operators) > 1 {
		t.Errorf("an operator asks about herself: %+v, %v", i.Operators, err)
	}
}

// sameInsights holds a report against counts by dimension, day and value.
func sameInsights(t *testing.T, what string, got approvals.Insights, want map[string]approvals.Tally) {
	t.Helper()
	days := got.Days
	sums, daily := map[string]approvals.Tally{}, make([]approvals.Tally, len(days))
	for k, one := range want {
		dimension, rest, _ := strings.Cut(strings.TrimSuffix(k, "false"), " ")
		on, value, _ := strings.Cut(rest, " ")
		at := slices.Index(days, on)
		if at < 0 {
			continue
		}
		if dimension == string(approvals.ByAll) {
			daily[at].Add(one)
		}
		sum := sums[dimension+" "+value]
		sum.Add(one)
		sums[dimension+" "+value] = sum
	}
	if !slices.Equal(got.Daily, daily) {
		t.Errorf("%s: by day\n got %+v\nwant %+v", what, got.Daily, daily)
	}
	told := map[string]approvals.Tally{"all ": got.Total}
	for _, rows := range [][]approvals.Rollup{got.Functions, got.Rules, got.Patterns, got.ByLevel, got.Operators} {
		for _, row := range rows {
			told[string(row.Dimension)+" "+row.Value] = row.Tally
		}
	}
	for n, one := range got.Scores {
		told[fmt.Sprintf("score %d", n)] = one
	}
	for _, h := range got.HeldBy {
		told["cause "+h.Agent+" "+string(h.Cause.Kind)+":"+h.Cause.Name] = h.Tally
	}
	for k, one := range sums {
		dimension, value, _ := strings.Cut(k, " ")
		switch {
		case dimension == string(approvals.ByAgentID) || dimension == string(approvals.BySession) || dimension == string(approvals.ByHour) || one == (approvals.Tally{}):
			continue // not a panel of its own
		case dimension == string(approvals.ByPoints):
			severity, tenth, _ := strings.Cut(value, " ")
			row, n := slices.Index(patterns.Severities(), patterns.Severity(severity)), int(tenth[0]-'0')
			if row < 0 {
				row = len(patterns.Severities())
			}
			if told := got.BySeverity[row][n]; told != one.Ended() {
				t.Errorf("%s: %s: %d ended, want %d", what, k, told, one.Ended())
			}
			continue
		}
		if told[k] != one {
			t.Errorf("%s: %s\n got %+v\nwant %+v", what, k, told[k], one)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(told)) {
		if told[k] != sums[k] {
			t.Errorf("%s: %s is %+v, want %+v", what, k, told[k], sums[k])
		}
	}
	for n, l := range level.All() {
		var submitted int64
		for _, day := range got.Levels {
			submitted += day[n]
		}
		if one := sums["level "+l.String()]; submitted != one.Submitted {
			t.Errorf("%s: %d submitted at %s, want %d", what, submitted, l, one.Submitted)
		}
	}
}
